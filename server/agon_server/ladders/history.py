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


class HistoryGapError(Exception):
    """Results are missing that were trimmed from the stream: what is folded without them is wrong."""


class ResultArchive(Protocol):
    """What is asked of the archive: its results after a cursor, in order, read from disk as they are asked for."""

    @property
    def cursor(self) -> str: ...

    @property
    def lacks(self) -> str: ...

    def results(self, after: str = "0-0") -> Iterator[Result]: ...


class History:
    """The results stream with its past."""

    def __init__(self, results: Results, archive: ResultArchive | None) -> None:
        """Without an archive, only what the stream still has is seen."""
        self._results = results
        self._archive = archive

    async def chunks(self, after: Position = START) -> AsyncIterator[list[Result]]:
        """Iterate over all results after a position, up to the newest there is, some at a time.

        Raise HistoryGapError where some of them are nowhere.
        """
        await self._check_whole(after)
        if self._archive is not None:
            archived = self._archive.results(str(after))
            while chunk := await asyncio.to_thread(_take, archived):
                after = Position.parse(chunk[-1].id)
                yield chunk
        cursor = str(after)
        while (batch := await self._results.after(cursor, CHUNK)).cursor:
            cursor = batch.cursor
            yield list(batch.results)

    async def _check_whole(self, after: Position) -> None:
        trimmed = Position.parse(await self._results.trimmed_to())
        taken = lacks = START
        if self._archive is not None:
            taken, lacks = await asyncio.to_thread(_extent, self._archive)
        missing = max(lacks, trimmed if trimmed > taken else START)
        if missing > after:
            raise HistoryGapError(
                f"the archive here lacks results up to {missing}, which the store has trimmed: a server that joins "
                "others later has no older ones; ask the server whose archive has all"
            )


def _extent(archive: ResultArchive) -> tuple[Position, Position]:
    return Position.parse(archive.cursor), Position.parse(archive.lacks)


def _take(results: Iterator[Result]) -> list[Result]:
    return list(islice(results, CHUNK))
