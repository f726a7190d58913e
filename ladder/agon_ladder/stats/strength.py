"""How strong bots are, fitted to all complete blocks at once: the strengths that make what was played most likely.

Unlike a live rating a fit knows no order: it takes a strength as constant, so it is for bots, or versions of them, that
do not change. What is estimated together: each bot's strength, what each seat is worth, and how readily seats tie
(`plackett_luce`), under a prior that weighs one match (`maximum`). All is in thousandths of a point on the Elo scale:
between two seats without ties, 400 points are odds of ten to one.

Intervals are by block bootstrap, started from the fit: blocks are drawn with replacement, since the matches of a block
are not independent, and for each draw Newton's method leads from the fit to where the draw's own fit is: by one step
where all bots are well known (D. Andrews, *Higher-order improvements of a computationally attractive k-step bootstrap*,
Econometrica 70, 2002), to the end in what is known of the others (`maximum.Nearby`).
The same blocks in any order, and the same seed, give the same fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import Final

import numpy as np

from agon_ladder.errors import LadderError
from agon_ladder.ratings.system import POINT
from agon_ladder.stats import normal
from agon_ladder.stats.arrays import Floats
from agon_ladder.stats.blocks import PlayedBlock
from agon_ladder.stats.comparisons import Comparisons, compare
from agon_ladder.stats.connectedness import components
from agon_ladder.stats.draws import generator
from agon_ladder.stats.interval import Interval
from agon_ladder.stats.maximum import Nearby, Problem
from agon_ladder.stats.plackett_luce import PlackettLuce, elo_slope

RESAMPLES: Final = 200
ELO: Final = 400 * POINT / log(10)
"""Thousandths of a point in a strength of 1, where nothing ties."""


class UnknownBotError(LadderError, LookupError):
    """A fit knows no bot of that name."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted strengths. Everything is in thousandths of a point on the Elo scale; 0 is the mean of these bots."""

    seats: int
    blocks: int
    strengths: Mapping[str, int]
    """By bot, strongest first; equal ones in the order of their names."""
    intervals: Mapping[str, Interval]
    """By bot, in the same order: 95 %, open where nothing but the prior bounds it. Empty without resamples."""
    seat_advantage: tuple[int, ...]
    """What each seat adds to a bot's strength; the sum is about 0."""
    seat_intervals: tuple[Interval, ...]
    tie_weights: Mapping[int, float]
    """By the number of seats that share a place: how readily so many do, beside one alone (Davidson's nu for two)."""
    components: tuple[tuple[str, ...], ...]
    """Bots that met, directly or over others. Strengths of different components do not compare."""
    classes: tuple[tuple[str, ...], ...]
    """Bots of which each won or tied, over others perhaps, against each (L. Ford, *Solution of a ranking problem from
    binary comparisons*, 1957). Where a component has more than one, only the prior bounds their distance."""
    only_won: tuple[str, ...]
    """Bots that never lost to another nor tied; their intervals are open above."""
    only_lost: tuple[str, ...]
    _resampled: Floats = field(repr=False, compare=False)
    """A row for each resample: strengths in thousandths, in the order of `strengths`."""

    def superiority(self, bot: str, other: str) -> float:
        """Return how likely it is that the first bot is the stronger one, given these blocks (0 to 1).

        From the difference of the strengths and the spread that it has over the resamples on the side of 0, as a normal
        distribution: of a bot that only won, how far above it may be says nothing. Raise
        UnknownBotError for a bot that is not in the fit, and ValueError in a fit without resamples.
        """
        order = list(self.strengths)
        for name in (bot, other):
            if name not in self.strengths:
                raise UnknownBotError(f"no block of this fit seats that bot: {name!r}")
        if len(self._resampled) < 2:
            raise ValueError(f"superiority needs resamples, this fit has {len(self._resampled)!r}")

        difference = self.strengths[bot] - self.strengths[other]
        off = self._resampled[:, order.index(bot)] - self._resampled[:, order.index(other)] - difference
        nearer = off[off < 0 if difference > 0 else off > 0]
        spread = float(np.sqrt(np.mean((nearer if len(nearer) else off) ** 2)))
        return normal.below(difference / spread) if spread and difference else 0.5


def fit(blocks: Iterable[PlayedBlock], *, seed: str = "", resamples: int = RESAMPLES) -> Fit:
    """Fit strengths to the complete blocks of one game and seat count.

    `resamples` 0 leaves intervals out. Raise ResultError where there is no block, blocks have different numbers of
    seats, or one contradicts itself.
    """
    comparisons = compare(blocks)
    problem = Problem(comparisons)
    model = problem.model
    parameters = problem.maximum()
    nearby, rng = Nearby(problem, parameters), generator(seed)
    drawn = np.array([nearby.maximum(problem.resampled(rng)) for _ in range(resamples)])
    drawn = drawn.reshape(resamples, model.size)

    points = _points(comparisons, model, parameters[None, :])[0]
    resampled = _points(comparisons, model, drawn)
    rounded = [round(value) for value in points.tolist()]
    order = sorted(range(len(comparisons.bots)), key=lambda number: (-rounded[number], number))
    names = [comparisons.bots[number] for number in order]
    played = np.zeros(len(names), dtype=np.int64)
    np.add.at(played, comparisons.line_ups, comparisons.counts[:, None])
    known = _intervals(points, resampled, [*played.tolist(), *[comparisons.blocks] * comparisons.seats])
    intervals = _opened(known, comparisons)
    met, classes, only_won, only_lost = _connected(comparisons)
    return Fit(
        seats=comparisons.seats,
        blocks=comparisons.blocks,
        strengths={comparisons.bots[number]: rounded[number] for number in order},
        intervals={comparisons.bots[number]: intervals[number] for number in order} if resamples else {},
        seat_advantage=tuple(rounded[model.seats]),
        seat_intervals=tuple(intervals[model.seats]),
        tie_weights=_tie_weights(comparisons, parameters[model.ties]),
        components=met,
        classes=classes,
        only_won=only_won,
        only_lost=only_lost,
        _resampled=resampled[:, order],
    )


def _tie_weights(comparisons: Comparisons, ties: Floats) -> dict[int, float]:
    return {size: exp(tie) for size, tie in zip(comparisons.tied, ties.tolist(), strict=True)}


def _points(comparisons: Comparisons, model: PlackettLuce, parameters: Floats) -> Floats:
    """Return strengths of bots and seats, each around a mean of 0, in thousandths of a point, a row for each row."""
    slopes = [elo_slope(comparisons.seats, _tie_weights(comparisons, row[model.ties])) for row in parameters]
    bots, seats = parameters[:, model.bots], parameters[:, model.seats]
    around = [bots - bots.mean(axis=1, keepdims=True), seats - seats.mean(axis=1, keepdims=True)]
    return np.hstack(around) * (ELO * np.array(slopes)[:, None])


def _intervals(points: Floats, resampled: Floats, blocks: list[int]) -> list[Interval]:
    """Return the intervals of strengths, of which each rests on so many blocks.

    The quantiles of n blocks' resamples lie too close by about the square root of (n - 1) / n, so they are moved away
    from the strength by as much. One block tells nothing.
    """
    if not len(resampled):
        return []

    played = np.array(blocks)
    wider = np.sqrt(played / np.maximum(played - 1, 1))
    ends = np.quantile(resampled, (0.025, 0.975), axis=0, method="weibull")
    low, high = np.rint(points + (ends - points) * wider).astype(np.int64).tolist()
    rows = zip(low, high, blocks, strict=True)
    return [Interval(low, high, count) if count > 1 else Interval(None, None, count) for low, high, count in rows]


def _opened(intervals: Sequence[Interval], comparisons: Comparisons) -> list[Interval]:
    """Return intervals, those of bots first, without the ends that would rest on the prior alone.

    A class of bots that won against others and never lost to them, nor tied, may be above them by any distance; one
    that only lost, below.
    """
    beat = _links(comparisons)
    class_of = {bot: number for number, bots in enumerate(components(len(comparisons.bots), beat)) for bot in bots}
    outside = [(class_of[bot], class_of[other]) for bot, others in beat.items() for other in others]
    won = {one for one, other in outside if one != other}
    lost = {other for one, other in outside if one != other}
    return [
        replace(
            interval,
            low=None if class_of.get(number) in lost - won else interval.low,
            high=None if class_of.get(number) in won - lost else interval.high,
        )
        for number, interval in enumerate(intervals)
    ]


def _links(comparisons: Comparisons) -> dict[int, list[int]]:
    """Return by bot whom it won against or tied with."""
    beat: dict[int, list[int]] = {}
    for bot, other in comparisons.won.tolist():
        beat.setdefault(bot, []).append(other)
    return beat


def _connected(
    comparisons: Comparisons,
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...], tuple[str, ...], tuple[str, ...]]:
    names, won, beat = comparisons.bots, comparisons.won.tolist(), _links(comparisons)
    met: dict[int, list[int]] = {}
    for bot, other in won:
        met.setdefault(bot, []).append(other)
        met.setdefault(other, []).append(bot)
    lost = {other for _, other in won}

    def named(sets: list[list[int]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(names[number] for number in members) for members in sets)

    return (
        named(components(len(names), met)),
        named(components(len(names), beat)),
        tuple(name for number, name in enumerate(names) if number not in lost),
        tuple(name for number, name in enumerate(names) if number not in beat),
    )
