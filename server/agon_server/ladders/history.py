"""All results and rulings there ever were, in the order of their stream: first the archive's, then what only the stream
has yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import Protocol

from agon_ladder.results import START, Position
from agon_ladder.rulings import Ruling
from agon_server.queue.results import Entry, Result, Results

CHUNK = 50
"""Results read at a time: what one turn of the loop can fold in a few milliseconds."""


class HistoryGapError(Exception):
    """Results are missing that were trimmed from the stream: what is folded without them is wrong."""


class ResultArchive(Protocol):
    """What is asked of the archive: its entries after a cursor, in order, read from disk as they are asked for."""

    @property
    def cursor(self) -> str: ...

    @property
    def lacks(self) -> str: ...

    def entries(self, after: str = "0-0") -> Iterator[Entry]: ...

    def rulings(self) -> list[Ruling]: ...

    def places(self, matches: Sequence[str]) -> dict[str, str]: ...


class History:
    """The results stream with its past."""

    def __init__(self, results: Results, archive: ResultArchive | None) -> None:
        """Without an archive, only what the stream still has is seen."""
        self._results = results
        self._archive = archive

    async def chunks(self, after: Position = START) -> AsyncIterator[list[Entry]]:
        """Iterate over all results and rulings after a position, up to the newest there is, some at a time.

        Raise HistoryGapError where some of them are nowhere.
        """
        await self.check_whole(after)
        if self._archive is not None:
            archived = self._archive.entries(str(after))
            while chunk := await asyncio.to_thread(_take, archived):
                after = Position(*chunk[-1].order)
                yield chunk
        cursor = str(after)
        seen: dict[str, Position] = {}
        while (batch := await self._results.after(cursor, CHUNK)).cursor:
            cursor = batch.cursor
            await self._note_firsts(batch.results, seen)
            yield [each for each in batch.entries if not isinstance(each, Result) or seen[each.match] == each.order]

    async def _note_firsts(self, results: Sequence[Result], seen: dict[str, Position]) -> None:
        """Note where the first result of each match stands: a second one counts nowhere, and no archive has one."""
        new = {result.match: Position(*result.order) for result in reversed(results) if result.match not in seen}
        if self._archive is not None and new:
            archived = await asyncio.to_thread(self._archive.places, list(new))
            new |= {match: Position.parse(place) for match, place in archived.items()}
        seen |= new

    async def rulings(self, ladder: str, until: Position | None = None) -> list[Ruling]:
        """Return all rulings about a ladder, up to a position where one is given, in the order of the stream."""
        found: list[Ruling] = []
        after = START
        if self._archive is not None:
            # The cursor first: what is archived in between is found twice, and not missed.
            after, _ = await asyncio.to_thread(_extent, self._archive)
            found = await asyncio.to_thread(self._archive.rulings)
        cursor = str(after)
        while (batch := await self._results.after(cursor, CHUNK)).cursor:
            cursor = batch.cursor
            found += batch.rulings
            if until is not None and Position.parse(cursor) >= until:
                break
        about = {each.order: each for each in found if each.ladder == ladder and (until is None or each.order <= until)}
        return [about[position] for position in sorted(about)]

    async def trimmed_to(self) -> str:
        """Return the id of the newest entry that the stream does not have any more; `0-0`: none."""
        return await self._results.trimmed_to()

    async def check_whole(self, after: Position) -> None:
        """Raise HistoryGapError where entries after a position are nowhere."""
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


def _take(entries: Iterator[Entry]) -> list[Entry]:
    return list(islice(entries, CHUNK))
