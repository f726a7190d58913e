"""What reads all that a ladder has and changes nothing: the check of its records, win trades, exports, reports."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agon_ladder.report.forms import Form as ReportForm, rendered
from agon_ladder.results import START, MatchResult, Position
from agon_ladder.rulings import FIRST_SEASON, Purge, Season, purged_by, standing
from agon_ladder.trades import MIN_MATCHES, Meetings, TradeReport, find_trades
from agon_server.files import Files
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.exports import PIECE, Form, What, exported
from agon_server.ladders.history import History
from agon_server.ladders.replays import EACH, Tell, drawn, one_by_one, processors, replay_all
from agon_server.ladders.reports import reported
from agon_server.ladders.tournaments import read_progress
from agon_server.queue.reading import Told
from agon_server.queue.results import Entry, Kind, Result
from agon_server.retirements import Retirements
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.tournaments.progress import Progress


class Inspector:
    """Reads a ladder's entries from the first one."""

    def __init__(self, store: Store, catalogue: Catalogue, history: History) -> None:
        self._store = store
        self._catalogue = catalogue
        self._history = history

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
        """Look for win trades in the matches of a ladder's season that count. Raise UnknownLadderError."""
        await self._catalogue.get(ladder)
        purges = await self._purges(ladder)
        meetings, season = Meetings(), FIRST_SEASON
        async with aclosing(self._told(ladder)) as entries:
            async for entry in entries:
                if isinstance(entry, Season):
                    if entry.label not in (season, FIRST_SEASON):  # else the fold refused it
                        meetings, season = Meetings(), entry.label
                elif isinstance(entry, MatchResult) and entry.rated and purged_by(purges, entry) is None:
                    meetings.add(entry.bots, entry.placements)
        return find_trades(meetings, min_matches=min_matches)

    async def export(self, ladder: str, what: What, form: Form) -> AsyncGenerator[str, None]:
        """Yield all that a ladder has, as pieces of a file. Raise UnknownLadderError."""
        known = await self._catalogue.get(ladder)
        purges = await self._purges(ladder)
        async with aclosing(self._of_ladder(ladder)) as entries:
            async for piece in exported(entries, known.empty_table(), purges, what, form, self._deal_is_open):
                yield piece

    async def report(self, ladder: str, form: ReportForm, season: str = "") -> AsyncGenerator[tuple[str, str], None]:
        """Yield a report on a season of a ladder, by default the running one, as pieces of files, each with its name.
        Raise UnknownLadderError, or ResultError where its results know no season of that label."""
        known = await self._catalogue.get(ladder)
        purges = await self._purges(ladder)
        retired = await Retirements(self._store).bots()
        async with aclosing(self._of_ladder(ladder)) as entries:
            report = await reported(entries, known, purges, await self._progress(known), retired, season)
        for file, text in rendered(report, form).items():
            for start in range(0, len(text), PIECE):
                yield file, text[start : start + PIECE]

    async def _progress(self, ladder: LadderDef) -> Progress | None:
        """Return how far a tournament has come; None where the ladder is none."""
        return None if ladder.schedule is None else await read_progress(self._store, ladder)

    async def covered(self, purge: Purge) -> int:
        """Return how many rated matches a purge takes out that count now."""
        purges = await self._purges(purge.ladder)
        count = 0
        async with aclosing(self._told(purge.ladder)) as entries:
            async for entry in entries:
                if isinstance(entry, MatchResult) and entry.rated and purge.covers(entry):
                    count += purged_by(purges, entry) is None
        return count

    async def _purges(self, ladder: str, until: Position | None = None) -> tuple[Purge, ...]:
        return standing(await self._history.rulings(ladder, until))

    async def _deal_is_open(self, block: str) -> bool:
        return bool(await self._store.command("EXISTS", keys.DEAL + block))

    async def _told(
        self, ladder: str, after: Position = START, until: Position | None = None
    ) -> AsyncGenerator[Told, None]:
        """Iterate over a ladder's entries, its results as their records told them."""
        async for chunk in self._history.told(ladder, after, until):
            for entry in chunk:
                if until is not None and entry.position > until:
                    return
                yield entry

    async def _of_ladder(self, ladder: str, until: Position | None = None) -> AsyncGenerator[Entry, None]:
        async for chunk in self._history.of_ladder(ladder, until=until):
            for entry in chunk:
                if until is not None and entry.order > until:
                    return
                yield entry

    async def _played(self, ladder: str) -> AsyncGenerator[Result, None]:
        async for entry in self._of_ladder(ladder):
            if isinstance(entry, Result) and entry.kind is Kind.PLAYED:
                yield entry
