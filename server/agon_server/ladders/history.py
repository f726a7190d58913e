"""All results and rulings there ever were, in the order of their stream: first the archive's, then what only the stream
has yet. Either with their records, or as a ladder folds them, for which the archive opens none.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, TypeVar

from agon_ladder.results import START, Position
from agon_ladder.rulings import Loss, Ruling, accepted, is_lost
from agon_server.queue.feed import Ended
from agon_server.queue.reading import Told, recorded
from agon_server.queue.results import Batch, Entry, Result, Results

T = TypeVar("T", bound=Result | Told)

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

    def entries(self, after: str = "0-0", ladder: str = "") -> Iterator[Entry]: ...

    def told(self, ladder: str, after: str = "0-0") -> Iterator[Told]: ...

    def rulings(self) -> list[Ruling]: ...

    def places(self, matches: Sequence[str]) -> dict[str, str]: ...

    def latest(self, count: int, *, before: str = "") -> Sequence[Result]: ...


@dataclass(slots=True)
class _Looked:
    """Where the first result of each match stands in what is not archived yet, as far as somebody looked."""

    until: Position
    places: dict[str, str] = field(default_factory=dict)

    def note(self, batch: Batch[Result]) -> None:
        """Go on over entries that follow."""
        for result in batch.results:
            self.places.setdefault(result.match, result.id)
        self.until = max(self.until, Position.parse(batch.cursor))


class History:
    """The results stream with its past."""

    def __init__(self, results: Results, archive: ResultArchive | None) -> None:
        """Without an archive, only what the stream still has is seen."""
        self._results = results
        self._archive = archive
        self._looked: _Looked | None = None

    def of_ladder(
        self, ladder: str, after: Position = START, until: Position | None = None
    ) -> AsyncIterator[list[Entry]]:
        """Iterate over all entries of a ladder after a position, up to the newest there is, some at a time; without
        what is gone by what was accepted as lost, no later than `until`.

        Raise HistoryGapError where others are nowhere.
        """
        return self._of_ladder(ladder, after, until, self._archived_entries, CHUNK, _as_they_are)

    def told(self, ladder: str, after: Position = START, until: Position | None = None) -> AsyncIterator[list[Told]]:
        """Iterate over a ladder's entries as `of_ladder` does, results as their records tell them."""
        return self._of_ladder(ladder, after, until, self._archived_told, TOLD_CHUNK, _recorded)

    async def _of_ladder(
        self,
        ladder: str,
        after: Position,
        until: Position | None,
        archived: Callable[[str, Position], Iterator[T]],
        at_once: int,
        read: Callable[[str, Sequence[Entry]], list[T]],
    ) -> AsyncIterator[list[T]]:
        losses = await self.losses(ladder, until)
        while True:
            await self.check_whole(after, ladder, losses)
            # The cursor first: what is archived meanwhile is read from the archive or the stream.
            archived_to = await self._archived_to()
            if self._archive is not None:
                found = archived(ladder, after)
                while chunk := await asyncio.to_thread(_take, found, at_once):
                    after = _position(chunk[-1])
                    yield _kept(chunk, losses)
                after = max(after, archived_to)
            looked = _Looked(archived_to)
            while (batch := await self._not_archived(after)) is not None:
                if not batch.cursor:
                    return
                entries = await self._firsts(batch, after, looked)
                after = Position.parse(batch.cursor)
                yield _kept(await asyncio.to_thread(read, ladder, entries), losses)

    def _archived_entries(self, ladder: str, after: Position) -> Iterator[Entry]:
        assert self._archive is not None
        return self._archive.entries(str(after), ladder)

    def _archived_told(self, ladder: str, after: Position) -> Iterator[Told]:
        assert self._archive is not None
        return self._archive.told(ladder, str(after))

    async def _not_archived(self, after: Position) -> Batch[Result] | None:
        """Return what the stream has after a position; None where some of that was archived and trimmed meanwhile."""
        batch = await self._results.after(str(after), CHUNK)
        return batch if Position.parse(await self._results.trimmed_to()) <= after else None

    async def _firsts(self, batch: Batch[Result], after: Position, looked: _Looked) -> list[Entry]:
        """Return the entries of a batch that follows on `after` without second results of a match: such a one counts
        nowhere, and no archive has one."""
        await self._look(looked, after)
        looked.note(batch)
        places = await self._first_places({result.match for result in batch.results}, looked)
        return [each for each in batch.entries if not isinstance(each, Result) or places[each.match] == each.id]

    async def repeats(self, results: Sequence[Ended]) -> dict[str, str]:
        """Return which ones of consecutive results are not the first of their match, which is the one that counts: by
        their ids, the id of that one. The next call is to be for what follows."""
        if not results:
            return {}

        places = await self._results.places([result.match for result in results])
        forgotten = {result.match for result in results if result.match not in places}
        if forgotten:
            archived_to = await self._archived_to()
            if self._looked is None or self._looked.until < archived_to:
                self._looked = _Looked(archived_to)
            await self._look(self._looked, results[-1].order)
            places |= await self._first_places(forgotten, self._looked)
        else:
            self._looked = None
        others = [result for result in results if places.get(result.match, result.id) != result.id]
        return {each.id: places[each.match] for each in others if Position.parse(places[each.match]) < each.order}

    async def _look(self, looked: _Looked, until: Position) -> None:
        """Note what the stream has on from where somebody looked, each entry once."""
        while looked.until < until and (batch := await self._results.after(str(looked.until), CHUNK)).cursor:
            looked.note(batch)

    async def _first_places(self, matches: set[str], looked: _Looked) -> dict[str, str]:
        """Return the ids of the first results of matches."""
        places = {match: looked.places[match] for match in matches & looked.places.keys()}
        if self._archive is not None and matches:
            # All of it was before; and what has left the stream meanwhile is here.
            places |= await asyncio.to_thread(self._archive.places, list(matches))
        return places

    async def _archived_to(self) -> Position:
        return START if self._archive is None else (await asyncio.to_thread(_extent, self._archive))[0]

    async def rulings(self, ladder: str, until: Position | None = None) -> list[Ruling]:
        """Return all rulings about a ladder, up to a position where one is given, in the order of the stream; without
        those that are gone by what was accepted as lost."""
        found: list[Ruling] = []
        after = START
        if self._archive is not None:
            # The cursor first: what is archived in between is found twice, and not missed.
            after = await self._archived_to()
            found = await asyncio.to_thread(self._archive.rulings)
        cursor = str(after)
        while (batch := await self._results.after(cursor, CHUNK)).cursor:
            cursor = batch.cursor
            found += batch.rulings
            if until is not None and Position.parse(cursor) >= until:
                break
        about = {each.order: each for each in found if each.ladder == ladder and (until is None or each.order <= until)}
        in_order = [about[position] for position in sorted(about)]
        losses = accepted(in_order)
        return [ruling for ruling in in_order if not is_lost(losses, ruling.position)]

    async def trimmed_to(self) -> str:
        """Return the id of the newest entry that the stream does not have any more; `0-0`: none."""
        return await self._results.trimmed_to()

    async def losses(self, ladder: str, until: Position | None = None) -> tuple[Loss, ...]:
        """Return what was accepted as lost of a ladder, up to a position where one is given."""
        return accepted(await self.rulings(ladder, until))

    async def check_whole(self, after: Position, ladder: str = "", losses: Sequence[Loss] = ()) -> None:
        """Raise HistoryGapError where entries after a position are nowhere, and that is not accepted."""
        missing = await self._missing()
        if missing > after and not any(missing <= loss.until for loss in losses):
            way_out = (
                f"; where nobody has them any more, `agon ladder accept-loss {ladder}` lets a ladder go on, and a "
                "tournament is to be played anew under another name"
            )
            raise HistoryGapError(
                f"the archive here lacks results up to {missing}, which the store has trimmed: a server that joins "
                f"others later has no older ones; ask the server whose archive has all{way_out if ladder else ''}"
            )

    async def gap(self, ladder: str) -> tuple[Position, Position] | None:
        """Return after and up to which position entries are nowhere and not accepted as lost; None: all are here."""
        until = await self._missing()
        if until == START or any(until <= loss.until for loss in await self.losses(ladder)):
            return None

        before = list((await self._results.before(str(until), str(START), 1)).results)
        if self._archive is not None:
            before += await asyncio.to_thread(lambda archive: archive.latest(1, before=str(until)), self._archive)
        return max((Position(*result.order) for result in before), default=START), until

    async def _missing(self) -> Position:
        """Return where the newest entry stood that is nowhere; START: none is missing."""
        trimmed = Position.parse(await self._results.trimmed_to())
        taken = lacks = START
        if self._archive is not None:
            taken, lacks = await asyncio.to_thread(_extent, self._archive)
        return max(lacks, trimmed if trimmed > taken else START)


def _extent(archive: ResultArchive) -> tuple[Position, Position]:
    return Position.parse(archive.cursor), Position.parse(archive.lacks)


def _take(entries: Iterator[T], count: int) -> list[T]:
    return list(islice(entries, count))


def _kept(entries: list[T], losses: Sequence[Loss]) -> list[T]:
    """Leave out what is gone by what was accepted: whoever has it yet comes to the same table."""
    if not losses:
        return entries

    return [each for each in entries if not is_lost(losses, _position(each))]


def _position(entry: Result | Told) -> Position:
    return Position(*entry.order) if isinstance(entry, Result) else entry.position


def _as_they_are(ladder: str, entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.ladder == ladder]


def _recorded(ladder: str, entries: Sequence[Entry]) -> list[Told]:
    return [recorded(entry) for entry in entries if entry.ladder == ladder]
