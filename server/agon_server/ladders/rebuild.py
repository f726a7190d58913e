"""Rebuild and audit: a ladder's results folded again from the first one, and compared with what is live, exactly; and
what else reads all that a ladder has: the check of its records, win trades, exports, reports.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from agon_ladder.audit import Audit, Counts, Finding, Tally
from agon_ladder.errors import ResultError
from agon_ladder.fold import RatingRow
from agon_ladder.report.forms import Form as ReportForm, rendered
from agon_ladder.results import START, MatchResult, Position
from agon_ladder.trades import MIN_MATCHES, Meetings, TradeReport, find_trades
from agon_server.files import Files
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.exports import PIECE, Form, What, exported
from agon_server.ladders.history import CHUNK, History
from agon_server.ladders.reading import read_result
from agon_server.ladders.replays import EACH, Tell, drawn, one_by_one, processors, replay_all
from agon_server.ladders.reports import reported
from agon_server.ladders.tables import MovedError, Table, TableDamagedError, Tables
from agon_server.queue.results import Kind, Result
from agon_server.store import keys
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


class Audits(Protocol):
    """Checks ladders, repairs them and tells all that is in them: `Auditor` here and now, `worker.AuditProcess` beside
    a loop that plays."""

    async def audit(self, ladder: str, tally: Tally | None = None) -> Report: ...

    async def rebuild(self, ladder: str) -> Report: ...

    async def check_records(self, ladder: str, sample: int, tell: Tell) -> None: ...

    async def trades(self, ladder: str, min_matches: int = MIN_MATCHES) -> TradeReport: ...

    def report(self, ladder: str, form: ReportForm) -> AsyncGenerator[tuple[str, str], None]: ...

    def export(self, ladder: str, what: What, form: Form) -> AsyncGenerator[str, None]: ...


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A result whose record cannot be read."""

    match: str
    reason: str


class Auditor:
    """Checks ladders against their results, and replaces a table that is wrong."""

    def __init__(self, store: Store, catalogue: Catalogue, history: History) -> None:
        self._store = store
        self._catalogue = catalogue
        self._history = history
        self._tables = Tables(store)

    async def audit(self, ladder: str, tally: Tally | None = None) -> Report:
        """Check table, rating rows, blocks and counts of a ladder; change nothing. Raise UnknownLadderError.

        `tally` is what this process has counted for its metrics; they begin anew with it.
        """
        return (await self._audit(await self._catalogue.get(ladder), tally))[0]

    async def rebuild(self, ladder: str) -> Report:
        """Check as `audit` does, and where table or rows differ, put the rebuilt ones in their place.

        The report tells what differed. Raise UnknownLadderError, or MovedError when the live table does not stay where
        it is for long enough.
        """
        known = await self._catalogue.get(ladder)
        report, live = await self._audit(known)
        if live.failed or any(finding.check in ("table", "rows") for finding in report.findings):
            await self._replace(known, live)
        return report

    async def check_records(self, ladder: str, sample: int, tell: Tell) -> None:
        """Play the records of a ladder again, `sample` of them drawn by lot (0: all), and tell what each gives.

        Raise UnknownLadderError, or ReplayProcessError.
        """
        await self._catalogue.get(ladder)
        files = Files(self._store)
        async with aclosing(self._played(ladder)) as played:
            if not sample:
                await replay_all(played, files, tell)
                return
            chosen = await drawn(played, sample)
        if chosen:
            enough = 1 + (len(chosen) - 1) // EACH
            await replay_all(one_by_one(chosen), files, tell, min(enough, processors()))

    async def trades(self, ladder: str, min_matches: int = MIN_MATCHES) -> TradeReport:
        """Look for win trades in the rated matches of a ladder. Raise UnknownLadderError."""
        known = await self._catalogue.get(ladder)
        meetings = Meetings()
        async with aclosing(self._results(ladder, START)) as results:
            async for result in results:
                if isinstance(result, MatchResult) and result.rated and result.seats == known.seats:
                    meetings.add(result.bots, result.placements)
        return find_trades(meetings, min_matches=min_matches)

    async def export(self, ladder: str, what: What, form: Form) -> AsyncGenerator[str, None]:
        """Yield all that a ladder has, as pieces of a file. Raise UnknownLadderError."""
        known = await self._catalogue.get(ladder)
        state = known.empty_table()
        async with aclosing(self._of_ladder(ladder, START)) as results:
            async for piece in exported(results, state, what, form, self._deal_is_open):
                yield piece

    async def report(self, ladder: str, form: ReportForm) -> AsyncGenerator[tuple[str, str], None]:
        """Yield a report on a ladder as pieces of files, each with its file's name. Raise UnknownLadderError."""
        known = await self._catalogue.get(ladder)
        async with aclosing(self._of_ladder(ladder, START)) as results:
            report = await reported(results, known)
        for file, text in rendered(report, form).items():
            for start in range(0, len(text), PIECE):
                yield file, text[start : start + PIECE]

    async def _deal_is_open(self, block: str) -> bool:
        return bool(await self._store.command("EXISTS", keys.DEAL + block))

    async def _audit(self, ladder: LadderDef, tally: Tally | None = None) -> tuple[Report, Table]:
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
        audit = Audit(ladder.empty_table(), tally)
        rows = _Rows(self._tables, ladder.name, live)
        try:
            async for result in self._results(ladder.name, START, max(cursor, live.state.position)):
                if isinstance(result, Unreadable):
                    audit.unreadable(result.match, result.reason)
                    continue
                for stray in await rows.before(result.position):
                    audit.stray(stray)
                stored = await rows.at(result.position)
                is_gone = not stored and result.rated and await rows.is_gone(audit.rebuilt.results + 1)
                audit.result(result, None if is_gone else stored)
            for stray in await rows.before(None):
                audit.stray(stray)
        except TableDamagedError as error:
            damage.append(Finding("rows", ladder.name, str(error)))
        findings = audit.finish(live.state) if not damage else audit.findings
        return Report((*damage, *findings), audit.rebuilt.results, audit.counts), live

    async def _results(
        self, ladder: str, after: Position, until: Position | None = None
    ) -> AsyncGenerator[MatchResult | Unreadable, None]:
        async for result in self._of_ladder(ladder, after):
            if until is not None and Position(*result.order) > until:
                return
            try:
                yield read_result(result)
            except ResultError as error:
                # Set aside when it was folded, and not counted then either.
                yield Unreadable(result.match, str(error))

    async def _of_ladder(self, ladder: str, after: Position) -> AsyncGenerator[Result, None]:
        async for chunk in self._history.chunks(after):
            for result in chunk:
                if result.ladder == ladder:
                    yield result

    async def _played(self, ladder: str) -> AsyncGenerator[Result, None]:
        async for result in self._of_ladder(ladder, START):
            if result.kind is Kind.PLAYED:
                yield result

    async def _replace(self, ladder: LadderDef, live: Table) -> None:
        rebuilt = ladder.empty_table()
        generation = live.generation
        await self._tables.begin_replacement(live)
        for _ in range(MAX_MOVED):
            until = max(await self._tables.cursor(), live.state.position)
            rows: list[tuple[RatingRow, ...]] = []
            async for result in self._results(ladder.name, rebuilt.position, until):
                if isinstance(result, Unreadable):
                    continue
                try:
                    step = rebuilt.apply(result)
                except ResultError:
                    continue
                if step.rows:
                    rows.append(step.rows)
                if len(rows) == CHUNK:
                    await self._tables.add_replacement_rows(live, rows)
                    rows = []
            await self._tables.add_replacement_rows(live, rows)
            try:
                await self._tables.replace(live, rebuilt)
                return
            except MovedError:
                live = await self._tables.load_facts(ladder.name, ladder.seats, ladder.system, ladder.rotations)
                if live.generation != generation:
                    break
        raise MovedError(f"others change the table while it is rebuilt, of ladder {ladder.name!r}")


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
