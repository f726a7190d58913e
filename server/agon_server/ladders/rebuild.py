"""Rebuild and audit: a ladder's results folded again from the first one, and compared with what is live, exactly."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from agon_ladder.audit import Audit, Finding
from agon_ladder.errors import ResultError
from agon_ladder.fold import LadderState, RatingRow
from agon_ladder.results import START, MatchResult, Position
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.history import CHUNK, History
from agon_server.ladders.reading import read_result
from agon_server.ladders.tables import MovedError, Table, TableDamagedError, Tables
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


class Audits(Protocol):
    """Checks ladders and repairs them: `Auditor` here and now, `worker.AuditProcess` beside a loop that plays."""

    async def audit(self, ladder: str) -> Report: ...

    async def rebuild(self, ladder: str) -> Report: ...


class Auditor:
    """Checks ladders against their results, and replaces a table that is wrong."""

    def __init__(self, store: Store, catalogue: Catalogue, history: History) -> None:
        self._catalogue = catalogue
        self._history = history
        self._tables = Tables(store)

    async def audit(self, ladder: str) -> Report:
        """Check table, rating rows and blocks of a ladder; change nothing. Raise UnknownLadderError."""
        return (await self._audit(await self._catalogue.get(ladder)))[0]

    async def rebuild(self, ladder: str) -> Report:
        """Check as `audit` does, and where table or rows differ, put the rebuilt ones in their place.

        The report tells what differed. Raise UnknownLadderError, or MovedError when the live table does not stay where
        it is for long enough.
        """
        known = await self._catalogue.get(ladder)
        report, live = await self._audit(known)
        if live.failed or any(finding.check != "blocks" for finding in report.findings):
            await self._replace(known, live)
        return report

    async def _audit(self, ladder: LadderDef) -> tuple[Report, Table]:
        damage: list[Finding] = []
        # Read before the table: what the cursor has passed is in the table, unless that is damaged.
        cursor = await self._tables.cursor()
        try:
            live = await self._tables.load(ladder.name, ladder.seats, ladder.system)
        except TableDamagedError as error:
            damage.append(Finding("table", ladder.name, str(error)))
            live = await self._tables.load_facts(ladder.name, ladder.seats, ladder.system)
        audit = Audit(LadderState(ladder.name, ladder.seats, ladder.system))
        rows = _Rows(self._tables, ladder.name, live)
        try:
            async for result in self._results(ladder.name, START, max(cursor, live.state.position)):
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
        return Report((*damage, *findings), audit.rebuilt.results), live

    async def _results(self, ladder: str, after: Position, until: Position) -> AsyncIterator[MatchResult]:
        async for chunk in self._history.chunks(after):
            for result in chunk:
                if Position.parse(result.id) > until:
                    return
                if result.ladder != ladder:
                    continue
                try:
                    yield read_result(result)
                except ResultError:
                    # Set aside when it was folded, and not counted then either.
                    continue

    async def _replace(self, ladder: LadderDef, live: Table) -> None:
        rebuilt = LadderState(ladder.name, ladder.seats, ladder.system)
        generation = live.generation
        await self._tables.begin_replacement(live)
        for _ in range(MAX_MOVED):
            until = max(await self._tables.cursor(), live.state.position)
            rows: list[tuple[RatingRow, ...]] = []
            async for result in self._results(ladder.name, rebuilt.position, until):
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
                live = await self._tables.load_facts(ladder.name, ladder.seats, ladder.system)
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
