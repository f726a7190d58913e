"""The table of a tournament by points: what was scored, and the tie-breaks that rank equal scores.

A point is one opponent placed below in one match, half a point one on the same place; so with two seats a win is a
point. Intervals and fits are `agon_ladder.stats`'; this is what ranks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agon_ladder.results import half_points
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch


class Row(NamedTuple):
    """How one bot stands."""

    rank: int
    """1 = best; ties share a place and the next one is skipped."""
    bot: str
    half_points: int
    """Those of byes included."""
    matches: int
    """Played, of complete blocks."""
    blocks: int
    byes: int
    """Rounds that it sat out."""
    tie_breaks: tuple[float, ...] = ()
    """In the order of the schedule's names of them; more is better."""


def block_points(block: PlayedBlock) -> dict[str, int]:
    """Return the half points of each bot in a block, in the order of its line-up."""
    points = dict.fromkeys(block.line_up, 0)
    for match in block.matches:
        for bot, scored in zip(match.bots, half_points(match.placements), strict=True):
            points[bot] += scored
    return points


class Tally:
    """What was scored so far, block by block: the memory it takes grows with the bots, not with the blocks."""

    __slots__ = ("blocks", "byes", "matches", "points")

    def __init__(self, bots: Iterable[str]) -> None:
        self.points: dict[str, int] = dict.fromkeys(bots, 0)
        """In half points."""
        self.blocks: Counter[str] = Counter()
        self.matches: Counter[str] = Counter()
        self.byes: Counter[str] = Counter()

    def add(self, block: PlayedBlock) -> None:
        for bot, scored in block_points(block).items():
            self.points[bot] += scored
            self.blocks[bot] += 1
            self.matches[bot] += len(block.matches)

    def add_all(self, blocks: Iterable[PlayedBlock]) -> None:
        for block in blocks:
            self.add(block)

    def add_bye(self, bot: str, points: int) -> None:
        """Let a bot sit a round out for so many half points."""
        self.points[bot] += points
        self.byes[bot] += 1

    def rows(self, tie_breaks: Mapping[str, tuple[float, ...]] | None = None) -> list[Row]:
        """Return the table by points and tie-breaks; bots that are equal in all share a place, in the order given."""
        broken = tie_breaks or {}
        keys = {bot: (points, *broken.get(bot, ())) for bot, points in self.points.items()}
        return self.ranked(sorted(keys, key=keys.__getitem__, reverse=True), keys, broken)

    def ranked(
        self,
        order: Sequence[str],
        keys: Mapping[str, object],
        tie_breaks: Mapping[str, tuple[float, ...]] | None = None,
    ) -> list[Row]:
        """Return the table in this order; neighbours with equal keys share a place."""
        rows: list[Row] = []
        for number, bot in enumerate(order, start=1):
            shares = bool(rows) and keys[rows[-1].bot] == keys[bot]
            rows.append(
                Row(
                    rank=rows[-1].rank if shares else number,
                    bot=bot,
                    half_points=self.points[bot],
                    matches=self.matches[bot],
                    blocks=self.blocks[bot],
                    byes=self.byes[bot],
                    tie_breaks=(tie_breaks or {}).get(bot, ()),
                )
            )
        return rows


def opposition(
    played: Iterable[Sequence[PlayedBlock]], tally: Tally, bye: float, opponents: int
) -> dict[str, tuple[float, float]]:
    """Return Buchholz and Sonneborn–Berger of each bot, in points.

    Buchholz is the sum of what its opponents scored in all, one addend a block and opponent. Sonneborn–Berger weighs
    each addend with the share of the points that the bot took from that opponent in that block. A bye counts as a
    block against so many opponents who scored what the bot itself did, of whom it took the share that the bye gave.
    """
    buchholz = dict.fromkeys(tally.points, 0.0)
    berger = dict.fromkeys(tally.points, 0.0)
    for block in (block for round_ in played for block in round_):
        for bot in block.line_up:
            for other in block.line_up:
                if other != bot:
                    scored = tally.points[other] / 2
                    taken = sum(_beats(match, bot, other) for match in block.matches)
                    buchholz[bot] += scored
                    berger[bot] += scored * taken / len(block.matches)
    for bot, byes in tally.byes.items():
        own = tally.points[bot] / 2 * opponents * byes
        buchholz[bot] += own
        berger[bot] += own * bye
    return {bot: (buchholz[bot], berger[bot]) for bot in tally.points}


def _beats(match: PlayedMatch, bot: str, other: str) -> float:
    own, theirs = match.placements[match.bots.index(bot)], match.placements[match.bots.index(other)]
    return 1.0 if own < theirs else 0.5 if own == theirs else 0.0
