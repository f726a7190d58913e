"""From a ladder's results to the report on its season: each record is read once, each rated match folded again for the
ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterable, Collection, Mapping, Sequence

from agon_engine.core.errors import RecordError
from agon_engine.core.options import option_text
from agon_engine.core.record import Deals, MatchRecord
from agon_engine.core.timing import MICROSECONDS, TimeControl
from agon_ladder.errors import ResultError
from agon_ladder.fold import LadderState
from agon_ladder.report.facts import facts_of
from agon_ladder.report.gathering import Gathering
from agon_ladder.report.values import Report
from agon_ladder.report.wording import RANKS
from agon_ladder.rulings import FIRST_SEASON, Purge, Season, purged_by
from agon_server.ladders.definitions import LadderDef
from agon_server.moments import moment
from agon_server.queue.reading import read_result
from agon_server.queue.results import Entry, Kind, Result
from agon_server.tournaments.competition import competition_of
from agon_server.tournaments.progress import Progress


async def reported(
    entries: AsyncIterable[Entry],
    ladder: LadderDef,
    purges: Sequence[Purge],
    progress: Progress | None = None,
    retired: Collection[str] = (),
    season: str = "",
) -> Report:
    """Return the report on all results of a season, by default the one that is running; a ladder's entries come in
    their order. `purges` are those that stand, `progress` that of a tournament, `retired` bots that are. It
    computes for a while. Raise ResultError where that season is not among the entries."""
    state = ladder.empty_table()
    gathering = Gathering()
    unreadable = purged = 0
    deals: Counter[Deals] = Counter()
    ended = ""
    async for result in entries:
        if not isinstance(result, Result):
            if isinstance(result, Season):
                if season and state.season.label == season:
                    ended = _day(result.position.time)
                    break
                try:
                    state.begin_season(result)
                except ResultError:
                    continue  # as the fold refused it
                gathering, unreadable, purged = Gathering(), 0, 0
                deals.clear()
            continue
        ratings, is_purged = _ratings_after(result, state, purges)
        if result.kind is not Kind.PLAYED:
            continue
        if is_purged:
            purged += 1
            continue
        try:
            record = MatchRecord.from_line(result.record)
        except RecordError:
            unreadable += 1
            continue
        if ratings is not None:
            deals[record.deals] += 1
        gathering.add(facts_of(record, counts=ratings is not None, ratings=ratings, block_size=state.places))
    notes = [f"Records that cannot be read, and are left out: {unreadable}."] if unreadable else []
    notes += [f"Matches that were purged, and are left out: {purged}."] if purged else []
    competition = None if progress is None else competition_of(progress)
    if competition is not None:
        notes.append(RANKS)
    if season and state.season.label != season:
        raise ResultError(f"the results of ladder {ladder.name} know no season of that label: {season!r}")
    told_season = [("season", f"{state.season.label}, ended {ended}" if ended else state.season.label)]
    known = {name: state.rating_system.estimate(bot.rating) for name, bot in state.bots.items()}
    live = {name: estimate.value for name, estimate in known.items()}
    sigmas = {name: estimate.sigma for name, estimate in known.items() if estimate.sigma is not None}
    title = f"{'Ladder' if competition is None else 'Tournament'} {ladder.name}"
    return gathering.report(
        title,
        [*_about(ladder, deals, progress), *(told_season if ended or state.season.label != FIRST_SEASON else [])],
        live=live,
        sigmas=sigmas,
        ranks=None if competition is None else {row.bot: row.rank for row in competition.ranking},
        competition=competition,
        retired=retired,
        notes=notes,
    )


def _day(milliseconds: int) -> str:
    return moment(milliseconds).strftime("%Y-%m-%d %H:%M UTC")


def _ratings_after(result: Result, state: LadderState, purges: Sequence[Purge]) -> tuple[list[int] | None, bool]:
    """Fold a result; return the ratings after it by seat, None where it moved none, and whether it is purged."""
    try:
        read = read_result(result)
        is_purged = purged_by(purges, read) is not None
        rows = state.apply(read, purged=is_purged).rows
    except ResultError:
        # Set aside when it was folded, and not counted then either.
        return None, False

    return [state.rating_system.value(row.after) for row in rows] or None, is_purged


def told_time(time: TimeControl) -> str:
    """Return the limits of decisions as a report has them."""
    seconds = {"move": time.move, "bank": time.bank, "increment": time.increment}
    return ", ".join(f"{name} {value / MICROSECONDS:g} s" for name, value in seconds.items())


def _about(ladder: LadderDef, deals: Mapping[Deals, int], progress: Progress | None) -> list[tuple[str, str]]:
    options = ", ".join(f"{name}={option_text(value)}" for name, value in sorted(ladder.options.items()))
    return [
        ("game", f"{ladder.game}, rules version {ladder.version}"),
        ("seats", str(ladder.seats)),
        *([("options", options)] if options else []),
        ("time", told_time(ladder.time)),
        ("on fault", str(ladder.policy.on_fault)),
        ("deals", _deals(ladder, deals)),
        ("rotations", str(ladder.rotations)),
        *(_of_tournament(ladder, progress) if progress is not None else _of_ladder(ladder)),
    ]


def _of_ladder(ladder: LadderDef) -> list[tuple[str, str]]:
    return [("rating system", ladder.system), ("open", "yes" if ladder.open else "no")]


def _of_tournament(ladder: LadderDef, progress: Progress) -> list[tuple[str, str]]:
    assert ladder.schedule is not None
    left = ", all" if progress.is_over else f", {progress.remaining} left: it is not finished"
    return [
        ("format", f"{ladder.schedule.kind}, {progress.schedule.extent}"),
        ("matches", f"{progress.done} of {progress.planned}{left}"),
        # Pairings follow from it: it is told when there are none to come.
        *([("seed", ladder.schedule.seed)] if progress.is_over else []),
    ]


def _deals(ladder: LadderDef, rated: Mapping[Deals, int]) -> str:
    """Tell which deals were played; which those of a ladder with shared ones were depends on who took part."""
    if ladder.deals is Deals.FRESH:
        return str(Deals.FRESH)

    shared, all_rated = rated.get(Deals.SHARED, 0), sum(rated.values())
    told = f"shared in {shared} of {all_rated} rated matches"
    return f"{told}; fresh where a bot took part that is neither of the house nor trusted"
