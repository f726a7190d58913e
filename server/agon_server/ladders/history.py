"""All results and rulings there ever were, in the order of their stream: first the archive's, then what only the stream
has yet. Either with their records, or as a ladder folds them, for which the archive opens none.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from agon_ladder.results import START, Position
from agon_ladder.rulings import Ruling
from agon_server.queue.reading import Told, recorded
from agon_server.queue.results import Batch, Entry, Result, Results

T = TypeVar("T")

CHUNK = 50
"""Results that are read at a time with their records."""
TOLD_CHUNK = 250
"""The same without them."""


class HistoryGapError(Exception):
    """Results are missing that were trimmed from the stream: what is folded without them is wrong."""


class ResultArchive(Protocol):
    """What is asked of the archive: its entries after a cursor, in order, read from disk as they are asked for."""

    @property
    def cursor(self) -> str: ...

    @property
    def lacks(self) -> str: ...

    def entries(self, after: str = "0-0") -> Iterator[Entry]: ...

    def told(self, ladder: str, after: str = "0-0") -> Iterator[Told]: ...

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
        while True:
            await self.check_whole(after)
            if self._archive is not None:
                # The cursor first: what is archived meanwhile is read from the archive or the stream.
                archived_to, _ = await asyncio.to_thread(_extent, self._archive)
                archived = self._archive.entries(str(after))
                while chunk := await asyncio.to_thread(_take, archived, CHUNK):
                    after = Position(*chunk[-1].order)
                    yield chunk
                after = max(after, archived_to)
            seen: dict[str, Position] = {}
            while (batch := await self._not_archived(after)) is not None:
                if not batch.cursor:
                    return
                after = Position.parse(batch.cursor)
                yield await self._firsts(batch, seen)

    async def told(self, ladder: str, after: Position = START) -> AsyncIterator[list[Told]]:
        """Iterate over a ladder's entries as `chunks` does over those of all, results as their records tell them."""
        while True:
            await self.check_whole(after)
            if self._archive is not None:
                archived_to, _ = await asyncio.to_thread(_extent, self._archive)
                archived = self._archive.told(ladder, str(after))
                while told := await asyncio.to_thread(_take, archived, TOLD_CHUNK):
                    after = told[-1].position
                    yield told
                after = max(after, archived_to)
            seen: dict[str, Position] = {}
            while (batch := await self._not_archived(after)) is not None:
                if not batch.cursor:
                    return
                after = Position.parse(batch.cursor)
                yield await asyncio.to_thread(_recorded, ladder, await self._firsts(batch, seen))

    async def _not_archived(self, after: Position) -> Batch[Result] | None:
        """Return what the stream has after a position; None where some of that was archived and trimmed meanwhile."""
        batch = await self._results.after(str(after), CHUNK)
        return batch if Position.parse(await self._results.trimmed_to()) <= after else None

    async def _firsts(self, batch: Batch[Result], seen: dict[str, Position]) -> list[Entry]:
        """Return the entries of a batch without second results of a match: such a one counts nowhere, and no archive
        has one. Where the first ones stand is noted in `seen`."""
        new = {result.match: Position(*result.order) for result in reversed(batch.results) if result.match not in seen}
        if self._archive is not None and new:
            archived = await asyncio.to_thread(self._archive.places, list(new))
            new |= {match: Position.parse(place) for match, place in archived.items()}
        seen |= new
        return [each for each in batch.entries if not isinstance(each, Result) or seen[each.match] == each.order]

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


def _take(entries: Iterator[T], count: int) -> list[T]:
    return list(islice(entries, count))


def _recorded(ladder: str, entries: Sequence[Entry]) -> list[Told]:
    return [recorded(entry) for entry in entries if entry.ladder == ladder]
