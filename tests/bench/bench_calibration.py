"""Whether fitted strengths are as sure as they say: bots of known strength play, and the fit is asked about them.

Strengths are drawn from a normal distribution with a standard deviation of 150 Elo points, the first seat is worth 40
points more than the others; matches are drawn by the model (Plackett-Luce with ties), so the truth is known. What
holds here holds where bots are as the model takes them: a strength each that does not change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from math import log, sqrt
from multiprocessing.pool import Pool

import numpy as np
from tests.bench.load import SPAWN, deaf_to_interrupts
from tests.bench.report import Line, Row, progress
from tests.support.strengths import line_ups, name_of, played

from agon_ladder.stats.plackett_luce import elo_slope
from agon_ladder.stats.strength import Fit, fit

THREADS = "OPENBLAS_NUM_THREADS"
POINTS = 400 / log(10)
"""Elo points in a strength of 1."""
SPREAD = 150 / POINTS
FIRST_SEAT = 40 / POINTS


@dataclass(frozen=True)
class Setting:
    """How one simulation is played."""

    seats: int
    blocks: int
    """Of each bot."""
    bots: int = 12
    simulations: int = 1_000
    ties: dict[int, float] = field(default_factory=dict)
    """Weights of ties: with 1 for two seats, a third of the matches between equals."""

    def __str__(self) -> str:
        tied = ", ties" if self.ties else ""
        return f"{self.seats} seats, {self.blocks} blocks a bot{tied}"


@dataclass(frozen=True)
class Found:
    """What one simulation found."""

    covered: int
    """Bots whose interval has their strength in it."""
    seats_covered: int
    width: float
    """Mean ± of the bots, in points."""
    error: float
    """Root of the mean squared error of the strengths, in points."""
    rank_correlation: float
    superior: int
    """Of the neighbours of the table, those that stand as they should."""
    expected: float
    """What the likelihoods of superiority of the same pairs add up to."""


COVERAGE = (Setting(2, 20), Setting(2, 200), Setting(4, 20), Setting(4, 200), Setting(2, 20, ties={2: 1.0}))
RANKING = (Setting(2, 200, bots=100, simulations=20), Setting(4, 200, bots=100, simulations=20))


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Yield the coverage of intervals for each setting, then the rank correlation; in processes, one a core."""
    with _workers() as pool:
        for setting in COVERAGE:
            asked = replace(setting, simulations=setting.simulations // 20) if quick else setting
            progress(f"{asked.simulations} simulations of {asked.bots} bots: {asked}")
            yield from _coverage(asked, pool.map(partial(simulate, asked), range(asked.simulations), chunksize=1))
        for setting in RANKING:
            asked = replace(setting, bots=40, simulations=2) if quick else setting
            progress(f"{asked.simulations} simulations of {asked.bots} bots: {asked}")
            yield _ranking(asked, pool.map(partial(simulate, asked), range(asked.simulations), chunksize=1))


def _workers() -> Pool:
    """Return a process for each core; none of them needs threads for its linear algebra, too."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        with deaf_to_interrupts():
            return SPAWN.Pool(os.cpu_count())
    finally:
        if before is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = before


def simulate(setting: Setting, number: int) -> Found:
    """Play and fit once; the number is the seed."""
    rng = np.random.default_rng(number)
    strengths = rng.normal(scale=SPREAD, size=setting.bots)
    worths = [FIRST_SEAT, *[0.0] * (setting.seats - 1)]
    pairs = line_ups(rng, setting.bots, setting.seats, setting.blocks)
    fitted = fit(played(rng, strengths.tolist(), pairs, worths, setting.ties), seed=str(number))
    scale = 1_000 * POINTS * elo_slope(setting.seats, setting.ties)
    truth = {name_of(bot): float(one) * scale for bot, one in enumerate(strengths - strengths.mean())}
    return _judge(fitted, truth, [float(one) * scale for one in np.array(worths) - np.mean(worths)])


def _judge(fitted: Fit, truth: dict[str, float], seats: list[float]) -> Found:
    intervals = fitted.intervals
    names = list(fitted.strengths)
    errors = [fitted.strengths[name] - truth[name] for name in names]
    places = {name: place for place, name in enumerate(sorted(truth, key=lambda name: -truth[name]))}
    apart = sum((place - places[name]) ** 2 for place, name in enumerate(names))
    neighbours = list(pairwise(names))
    return Found(
        covered=sum(intervals[name].covers(truth[name]) for name in names),
        seats_covered=sum(one.covers(worth) for one, worth in zip(fitted.seat_intervals, seats, strict=True)),
        width=sum(intervals[name].plus_minus for name in names) / len(names) / 1_000,
        error=sqrt(sum(error**2 for error in errors) / len(errors)) / 1_000,
        rank_correlation=1 - 6 * apart / (len(names) * (len(names) ** 2 - 1)),
        superior=sum(truth[one] > truth[other] for one, other in neighbours),
        expected=sum(fitted.superiority(one, other) for one, other in neighbours),
    )


def _coverage(setting: Setting, found: list[Found]) -> Iterator[Row]:
    bots = setting.bots * len(found)
    covered = 100 * sum(one.covered for one in found) / bots
    details = {
        "simulations": len(found),
        "mean ±": sum(one.width for one in found) / len(found),
        "error": sqrt(sum(one.error**2 for one in found) / len(found)),
    }
    yield Row(f"95 % intervals hold: {setting}", covered, "%", ">= 93", details=details)
    yield Row("  and no more often than this", covered, "%", "<= 97")
    seats = 100 * sum(one.seats_covered for one in found) / (setting.seats * len(found))
    yield Row("  those of what a seat is worth", seats, "%")
    pairs = (setting.bots - 1) * len(found)
    stand = 100 * sum(one.superior for one in found) / pairs
    said = 100 * sum(one.expected for one in found) / pairs
    yield Row("  neighbours that stand as they should", stand, "%", note=f"likelihood of superiority said {said:.1f}")


def _ranking(setting: Setting, found: list[Found]) -> Row:
    correlations = [one.rank_correlation for one in found]
    details = {"least": min(correlations), "error": sqrt(sum(one.error**2 for one in found) / len(found))}
    mean = sum(correlations) / len(correlations)
    name = f"rank correlation: {setting.bots} bots, {setting}"
    return Row(name, mean, "", ">= 0.98", details=details)
