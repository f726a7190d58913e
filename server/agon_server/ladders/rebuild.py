"""Rebuild and audit: a ladder's results folded again from the first one, under the purges that stand, and compared with
what is live, exactly. An audit reads every record; a rebuild believes what the archive has kept of them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from agon_ladder.audit import Audit, Counts, Finding, Tally
from agon_ladder.fold import FinalTable, RatingRow
from agon_ladder.report.forms import Form as ReportForm
from agon_ladder.results import START, MatchResult, Position
from agon_ladder.rulings import Loss, Purge, is_lost
from agon_ladder.trades import MIN_MATCHES, TradeReport
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.encoding import TableDamagedError
from agon_server.ladders.exports import Form, What
from agon_server.ladders.history import History
from agon_server.ladders.inspection import Inspector
from agon_server.ladders.refold import Mark, Marks, Refold
from agon_server.ladders.replays import Tell
from agon_server.ladders.tables import RERATED, MovedError, Table, Tables
from agon_server.queue.outcome import Outcome
from agon_server.queue.reading import Told, Unreadable, recorded
from agon_server.queue.results import Kind, Result
from agon_server.queue.rulings import Rulings
from agon_server.store.connection import Store

MAX_MOVED = 20
"""How often the live table may go on while a rebuilt one is about to replace it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a rebuild or an audit found."""

    findings: tuple[Finding, ...]
    """Empty: all is as it must be."""
    results: int
    """Rated matches that were folded again."""
    counts: Counts = field(default_factory=Counts)
    losses: tuple[Loss, ...] = ()
    """What was accepted as lost."""


class Audits(Protocol):
    """Checks ladders, repairs them and tells all that is in them: `Auditor` here and now, `worker.AuditProcess` beside
    a loop that plays."""

    async def audit(self, ladder: str, tally: Tally | None = None) -> Report: ...

    async def rebuild(self, ladder: str) -> Report: ...

    async def rerate(self, ladder: str, until: Position) -> None: ...

    async def check_records(self, ladder: str, sample: int, tell: Tell) -> None: ...

    async def trades(self, ladder: str, min_matches: int = MIN_MATCHES) -> TradeReport: ...

    async def covered(self, purge: Purge) -> int: ...

    def report(self, ladder: str, form: ReportForm, season: str = "") -> AsyncGenerator[tuple[str, str], None]: ...

    def export(self, ladder: str, what: What, form: Form) -> AsyncGenerator[str, None]: ...


class Auditor(Inspector):
    """Checks ladders against their results, and replaces a table that is wrong."""

    def __init__(self, store: Store, catalogue: Catalogue, history: History) -> None:
        super().__init__(store, catalogue, history)
        self._tables = Tables(store)

    async def audit(self, ladder: str, tally: Tally | None = None) -> Report:
        """Check table, rating rows, blocks, seasons, rulings and counts of a ladder, and its results against their
        records; change nothing. Raise UnknownLadderError.

        `tally` is what this process has counted for its metrics; they begin anew with it.
        """
        return (await self._audit(await self._catalogue.get(ladder), partial(self._by_records, ladder), tally=tally))[0]

    async def rebuild(self, ladder: str) -> Report:
        """Check table, rating rows, blocks, seasons and counts of a ladder, and where table, rows or seasons differ,
        put the rebuilt ones in their place. Records that the archive has are not read.

        The report tells what differed. Raise UnknownLadderError, or MovedError when the live table does not stay where
        it is for long enough.
        """
        known = await self._catalogue.get(ladder)
        marks = Marks(self._tables.rows_kept)
        report, live = await self._audit(known, partial(self._told, ladder, START), marks=marks)
        if live.failed or any(finding.check in ("table", "rows", "seasons") for finding in report.findings):
            await self._replace(known, live, mark=marks.last)
        return report

    async def rerate(self, ladder: str, until: Position) -> None:
        """Replace a table by one that is folded again up to a ruling there, if it is not that far yet.

        Raise UnknownLadderError, or MovedError as `rebuild` does.
        """
        known = await self._catalogue.get(ladder)
        live = await self._tables.load_facts(known.name, known.seats, known.system, known.rotations)
        if live.state.position < until:
            await self._replace(known, live, until)

    async def _by_records(self, ladder: str, until: Position) -> AsyncGenerator[Told | Differs, None]:
        """Iterate over a ladder's entries up to a position, its results as their records tell them now, and where the
        stream has told them otherwise."""
        async for entry in self._of_ladder(ladder, until):
            told = recorded(entry)
            if isinstance(entry, Result) and isinstance(told, MatchResult) and (text := _difference(entry, told)):
                yield Differs(entry.match, text)
            yield told

    async def _audit(
        self,
        ladder: LadderDef,
        entries_until: Callable[[Position], AsyncGenerator[Told | Differs, None]],
        *,
        tally: Tally | None = None,
        marks: Marks | None = None,
    ) -> tuple[Report, Table]:
        """Fold a ladder's entries from the first one on, up to where the live table is, and compare; return that too.
        Where `marks` are given, they are set on the way."""
        damage: list[Finding] = []
        # Read before the table: what the cursor has passed is in the table, unless that is damaged.
        cursor = await self._tables.cursor()
        try:
            live = await self._tables.load(ladder.name, ladder.seats, ladder.system, ladder.rotations)
        except TableDamagedError as error:
            damage.append(Finding("table", ladder.name, str(error)))
            live = await self._tables.load_facts(ladder.name, ladder.seats, ladder.system, ladder.rotations)
        if tally is not None and tally.generation != live.generation:
            tally = None
        # While a table waits to be rated again it is true up to where it stands.
        until = live.state.position if live.failed == RERATED else max(cursor, live.state.position)
        purges = await self._purges(ladder.name, until)
        losses = await self._history.losses(ladder.name, until)
        audit = Audit(ladder.empty_table(), purges, tally)
        rows = _Rows(self._tables, ladder.name, live)
        kept: list[FinalTable] = []
        try:
            kept = await self._kept_seasons(ladder.name, until)
            async with aclosing(entries_until(until)) as entries:
                async for entry in entries:
                    if isinstance(entry, Differs):
                        audit.differs(entry.match, entry.text)
                    else:
                        await _check(entry, audit, rows)
                        if marks is not None:
                            marks.maybe_set(audit.rebuilt, purges, losses, audit.seasons)
            for stray in await rows.before(None):
                audit.stray(stray)
        except TableDamagedError as error:
            damage.append(Finding("rows", ladder.name, str(error)))
        if not damage:
            # Behind the entries: each was made in the moment in which it was put among them.
            made = [ruling for ruling in await Rulings(self._store).list(ladder.name) if ruling.position <= until]
            audit.finish(live.state, kept, [ruling for ruling in made if not is_lost(losses, ruling.position)])
        return Report((*damage, *audit.findings), audit.rebuilt.results, audit.counts, losses), live

    async def _kept_seasons(self, ladder: str, until: Position) -> list[FinalTable]:
        """Return the seasons that were over at a position, with their tables."""
        over = [season for season in await self._tables.seasons(ladder) if season.ended.position <= until]
        tables = [await self._tables.season(ladder, season.begun.label) for season in over]
        return [table for table in tables if table is not None]

    async def _replace(self, ladder: LadderDef, live: Table, least: Position = START, mark: Mark | None = None) -> None:
        """Replace a table by one folded again, from the mark or else from the first result, up to `least` and at any
        rate to where the live one is."""
        generation = live.generation
        made = self._tables.replacement(ladder.name)
        refold = Refold(ladder, (), (), made)
        try:
            for _ in range(MAX_MOVED):
                until = max(await self._tables.cursor(), live.state.position, least)
                purges = await self._purges(ladder.name, until)
                losses = await self._history.losses(ladder.name, until)
                if mark is not None and (purges, losses) == (mark.purges, mark.losses):
                    refold, mark = Refold(ladder, purges, losses, made, mark), None
                elif (purges, losses) != (refold.purges, refold.losses):
                    await made.drop()
                    refold = Refold(ladder, purges, losses, made)
                async with aclosing(self._told(ladder.name, refold.state.position, until)) as entries:
                    async for entry in entries:
                        await refold.take(entry)
                await refold.write_rows()
                try:
                    await self._tables.replace(live, refold.state, made, refold.seasons)
                    return
                except MovedError:
                    live = await self._tables.load_facts(ladder.name, ladder.seats, ladder.system, ladder.rotations)
                    if live.generation != generation:
                        break
        finally:
            await made.drop()
        if not START < least <= live.state.position:
            raise MovedError(f"others change the table while it is rebuilt, of ladder {ladder.name!r}")


@dataclass(frozen=True, slots=True)
class Differs:
    """What the stream told of a result is not what its record tells."""

    match: str
    text: str


def _difference(result: Result, told: MatchResult) -> str:
    if result.outcome is None or result.kind is not Kind.PLAYED:
        return ""

    recorded_ = Outcome(told.bots, told.placements, told.terminations)
    return "" if result.outcome == recorded_ else f"its result is {result.outcome!r}, its record has {recorded_!r}"


async def _check(entry: Told, audit: Audit, rows: _Rows) -> None:
    if isinstance(entry, Unreadable):
        audit.unreadable(entry.match, entry.reason)
        return

    for stray in await rows.before(entry.position):
        audit.stray(stray)
    if not isinstance(entry, MatchResult):
        audit.ruling(entry)
        return

    stored = await rows.at(entry.position)
    is_gone = not (stored or audit.is_full) and entry.rated and await rows.is_gone(audit.rebuilt.results + 1)
    audit.result(entry, None if is_gone else stored)


class _Rows:
    """The stored rating rows by match, walked along with the results."""

    def __init__(self, tables: Tables, ladder: str, live: Table) -> None:
        self._tables = tables
        self._ladder = ladder
        self._rows = tables.rows(ladder, live.generation, live.state.position)
        self._next: RatingRow | None = None
        self._gone = 0

    async def is_gone(self, number: int) -> bool:
        """Tell whether the rows of the ladder's so-many-th rated result are not kept any more; ever more of them go."""
        if number > self._gone:
            self._gone = await self._tables.results_without_rows(self._ladder)
        return number <= self._gone

    async def before(self, position: Position | None) -> list[list[RatingRow]]:
        """Return the rows that stand before the position (None: all that are left), by match."""
        found: list[list[RatingRow]] = []
        while (row := await self._peek()) is not None and (position is None or row.position < position):
            found.append(await self.at(row.position))
        return found

    async def at(self, position: Position) -> list[RatingRow]:
        """Return the rows that stand exactly there."""
        found = []
        while (row := await self._peek()) is not None and row.position == position:
            found.append(row)
            self._next = None
        return found

    async def _peek(self) -> RatingRow | None:
        if self._next is None:
            self._next = await anext(self._rows, None)
        return self._next
