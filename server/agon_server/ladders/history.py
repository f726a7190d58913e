"""All results there ever were, in the order of their stream: first the archive's, then what only the stream has yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Protocol

from agon_ladder.results import START, Position
from agon_server.queue.results import Result, Results

CHUNK = 50
"""Results read at a time: what one turn of the loop can fold in a few milliseconds."""


class ResultArchive(Protocol):
    """What is asked of the archive: its results after a cursor, in order, read from disk as they are asked for."""

    def results(self, after: str = "0-0") -> Iterator[Result]: ...


class History:
    """The results stream with its past."""

    def __init__(self, results: Results, archive: ResultArchive | None) -> None:
        """Without an archive, only what the stream still has is seen."""
        self._results = results
        self._archive = archive

    async def chunks(self, after: Position = START) -> AsyncIterator[list[Result]]:
        """Iterate over all results after a position, up to the newest there is, some at a time."""
        if self._archive is not None:
            archived = self._archive.results(str(after))
            while chunk := await asyncio.to_thread(_take, archived):
                after = Position.parse(chunk[-1].id)
                yield chunk
        cursor = str(after)
        while (batch := await self._results.after(cursor, CHUNK)).cursor:
            cursor = batch.cursor
            yield list(batch.results)


def _take(results: Iterator[Result]) -> list[Result]:
    return list(islice(results, CHUNK))
