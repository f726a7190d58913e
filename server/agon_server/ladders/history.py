"""All results there ever were, in the order of their stream: first the archive's, then what only the stream has yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Protocol

from agon_ladder.results import START, Position
from agon_server.ladders.feed import CHUNK, Feed
from agon_server.queue.results import Result


class ResultArchive(Protocol):
    """What is asked of the archive: its results after a cursor, in order, read from disk as they are asked for."""

    def results(self, after: str = "0-0") -> Iterator[Result]: ...


class History:
    """The results stream with its past."""

    def __init__(self, feed: Feed, archive: ResultArchive | None) -> None:
        """Without an archive, only what the stream still has is seen."""
        self._feed = feed
        self._archive = archive

    async def chunks(self, after: Position = START) -> AsyncIterator[list[Result]]:
        """Iterate over all results after a position, up to the newest there is, some at a time."""
        if self._archive is not None:
            archived = self._archive.results(str(after))
            while chunk := await asyncio.to_thread(_take, archived):
                after = Position.parse(chunk[-1].id)
                yield chunk
        cursor = str(after)
        while (batch := await self._feed.after(cursor)).cursor:
            cursor = batch.cursor
            yield list(batch.results)


def _take(results: Iterator[Result]) -> list[Result]:
    return list(islice(results, CHUNK))
