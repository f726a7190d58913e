"""Scores of blocks drawn from a distribution of a known strength, for tests and benchmarks of statistics."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import exp, sqrt
from random import Random

from agon_ladder.stats.sprt import NELO, Sprt, Verdict

PAIRS = (4.0, 22.0, 48.0, 22.0, 4.0)
"""How often two equal bots share a pair of matches so and so."""
FOUR_SEATS = tuple(exp(-(((at - 12) / 6) ** 2) / 2) * (1.0 if at % 2 == 0 else 0.3) for at in range(25))
"""The same for one of four equal bots and a block of four matches, in which draws are rare."""


def ratio_of(shares: Sequence[float]) -> float:
    """Return how many standard deviations the mean of a distribution over 0 to 1 is above a half."""
    total, most = sum(shares), len(shares) - 1
    mean = sum(at / most * share for at, share in enumerate(shares)) / total
    variance = sum((at / most - mean) ** 2 * share for at, share in enumerate(shares)) / total
    return (mean - 0.5) / sqrt(variance)


def shares_of(base: Sequence[float], nelo: float, matches: int) -> list[float]:
    """Return the base tilted towards high scores until it is exactly so strong, in normalized Elo of one match."""
    wanted = nelo / NELO * sqrt(matches)
    low, high = -50.0, 50.0
    for _ in range(200):
        tilt = (low + high) / 2
        tilted = [share * exp(tilt * at / (len(base) - 1)) for at, share in enumerate(base)]
        low, high = (tilt, high) if ratio_of(tilted) < wanted else (low, tilt)
    return tilted


def draws_of(shares: Sequence[float], random: Random) -> Iterator[int]:
    """Yield scores, for ever."""
    limits = list(accumulate(shares))
    while True:
        yield bisect(limits, random.random() * limits[-1], hi=len(limits) - 1)


def run_test(test: Sprt, shares: Sequence[float], matches: int, random: Random) -> tuple[Verdict, int]:
    """Play blocks until a test is decided; return how, and how many blocks that took."""
    counts = [0] * len(shares)
    for number, score in enumerate(draws_of(shares, random), 1):
        counts[score] += 1
        if (verdict := test.verdict(test.llr(counts, matches))) is not Verdict.OPEN:
            return verdict, number
    raise AssertionError("draws never end")
