"""What must be true of a ladder, checked over its results, its rating rows and its table. Pure: the server gathers
them, the caller decides what to do about findings. All inputs are read once and in the order of the stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agon_engine.core.record import Deals
from agon_ladder.fold import LadderState, RatingRow
from agon_ladder.pairing.blocks import line_up_of
from agon_ladder.ratings import Rating
from agon_ladder.results import START, MatchResult, Position

MAX_FINDINGS: Final = 1000
"""A check stops here: beyond it the table is wrong as a whole, and a list helps nobody."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it must be."""

    check: str
    """Which check found it: `table`, `rows` or `blocks`."""
    subject: str
    """The match, bot or block that it is about."""
    text: str


def compare_tables(live: LadderState, rebuilt: LadderState) -> list[Finding]:
    """Return where the live table differs from one that was folded again from the first result."""
    if live.canonical() == rebuilt.canonical():
        return []

    findings = []
    for name in ("ladder", "seats", "system", "position", "results"):
        kept, right = str(getattr(live, name)), str(getattr(rebuilt, name))
        if kept != right:
            findings.append(Finding("table", live.ladder, f"{name} is {kept!r}, a rebuild gives {right!r}"))
    for bot in sorted(live.bots.keys() | rebuilt.bots.keys()):
        findings += _difference(bot, live.bots.get(bot), rebuilt.bots.get(bot))
    for block in sorted(live.partial.keys() | rebuilt.partial.keys()):
        findings += _difference(block, live.partial.get(block), rebuilt.partial.get(block))
    return findings[:MAX_FINDINGS]


def _difference(subject: str, kept: object, right: object) -> Iterator[Finding]:
    if kept != right:
        yield Finding("table", subject, f"the table has {kept!r}, a rebuild gives {right!r}")


def check_rows(state: LadderState, results: Iterable[MatchResult], rows: Iterable[RatingRow]) -> list[Finding]:
    """Return where the rating rows are not exactly one a seat of each rated match, each going on from the last.

    `results` are all results of the ladder, unrated ones too, and `rows` all its rows, both in the order of the
    stream and up to the state's position; `state` gives the ladder's facts and the ratings that the rows must end at.
    """
    findings: list[Finding] = []
    ratings: dict[str, Rating] = {}
    initial = state.rating_system.initial
    waiting = _by_match(rows)
    group = next(waiting, None)
    for result in results:
        while group is not None and group[0].position < result.position:
            findings.append(_orphan(group))
            group = next(waiting, None)
        found: list[RatingRow] = []
        if group is not None and group[0].position == result.position:
            found, group = group, next(waiting, None)
        findings += _check_match(result, found)
        for row in found:
            before = ratings.get(row.bot, initial)
            if row.before != before:
                findings.append(
                    Finding("rows", row.match, f"{row.bot} starts from {row.before!r}, not from its last {before!r}")
                )
            ratings[row.bot] = row.after
        if len(findings) >= MAX_FINDINGS:
            return findings[:MAX_FINDINGS]
    while group is not None:
        findings.append(_orphan(group))
        group = next(waiting, None)
    for bot in sorted(ratings.keys() | state.bots.keys()):
        known = state.bots[bot].rating if bot in state.bots else initial
        if ratings.get(bot, initial) != known:
            findings.append(
                Finding("rows", bot, f"the rows end at {ratings.get(bot, initial)!r}, the table has {known!r}")
            )
    return findings[:MAX_FINDINGS]


def _orphan(group: list[RatingRow]) -> Finding:
    return Finding("rows", group[0].match, f"{len(group)} rating rows, but no result at {str(group[0].position)!r}")


def _by_match(rows: Iterable[RatingRow]) -> Iterator[list[RatingRow]]:
    group: list[RatingRow] = []
    for row in rows:
        if group and group[0].position != row.position:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _check_match(result: MatchResult, rows: list[RatingRow]) -> Iterator[Finding]:
    wanted = [(result.match, seat, bot) for seat, bot in enumerate(result.bots)] if result.rated else []
    found = [(row.match, row.seat, row.bot) for row in rows]
    if found != wanted:
        yield Finding("rows", result.match, f"{len(wanted)} rating rows are due, by seat; found {found!r}")


def check_blocks(results: Iterable[MatchResult]) -> list[Finding]:
    """Return where blocks are not what they must be: one line-up, each place rated at most once and rotated as its
    number says, and deals distinct: one a match where they are fresh, one a block where they are shared.

    Deals are told apart by their commitments; a result without one is not judged by its deal.
    """
    findings: list[Finding] = []
    last: Position = START
    line_ups: dict[str, tuple[str, ...]] = {}
    rated: dict[str, int] = {}
    first_with: dict[str, MatchResult] = {}
    for result in results:
        if result.position <= last:
            findings.append(Finding("blocks", result.match, f"is not after its predecessor: {str(result.position)!r}"))
        last = result.position
        if result.block and result.bots:
            line_up = line_up_of(result.bots, result.place)
            if line_ups.setdefault(result.block, line_up) != line_up:
                findings.append(Finding("blocks", result.block, f"match {result.match} has other bots or rotation"))
        if result.block and result.rated:
            places = rated.get(result.block, 0)
            if places >> result.place & 1:
                findings.append(Finding("blocks", result.block, f"place {result.place} is rated more than once"))
            rated[result.block] = places | 1 << result.place
        if result.commitment:
            first = first_with.setdefault(result.commitment, result)
            if first is not result and not _may_share(first, result):
                findings.append(Finding("blocks", result.match, f"has the deal of match {first.match}"))
        if len(findings) >= MAX_FINDINGS:
            break
    return findings


def _may_share(one: MatchResult, other: MatchResult) -> bool:
    return one.deals is other.deals is Deals.SHARED and one.block == other.block != ""
