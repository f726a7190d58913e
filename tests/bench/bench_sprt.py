"""The sequential test: how often it errs, how long it takes, and what a ratio costs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from statistics import fmean

from tests.bench.report import Row, progress
from tests.support.block_scores import FOUR_SEATS, PAIRS, run_test, shares_of

from agon_ladder.stats.sprt import Sprt, Verdict

TEST = Sprt(elo0=0, elo1=40)
BASES = ((PAIRS, 2), (FOUR_SEATS, 4))


def measure(*, quick: bool = False) -> Iterator[Row]:
    """Yield error rates under each hypothesis, with the blocks that a test took."""
    runs = 50 if quick else 2_000
    for base, seats in BASES:
        for elo, name, false in ((TEST.elo0, "H0", Verdict.H1), (TEST.elo1, "H1", Verdict.H0)):
            progress(f"{runs} tests with {seats} seats where {name} is true")
            random = Random(f"{seats} {name}")
            shares = shares_of(base, elo, seats)
            ended = [run_test(TEST, shares, seats, random) for _ in range(runs)]
            yield Row(
                f"{seats} seats, {name} is true: the other one accepted",
                sum(verdict is false for verdict, _ in ended) / runs,
                "of tests",
                bar="" if quick else "<= 0.05",
                note=f"{runs} tests of 0 against {TEST.elo1:g} nElo",
                details={"blocks on average": fmean(blocks for _, blocks in ended)},
            )
        yield _cost(base, seats)


def _cost(base: tuple[float, ...], seats: int) -> Row:
    counts = [round(10 * share) for share in base]
    began = time.process_time()
    for _ in range(500):
        TEST.llr(counts, seats)
    return Row(f"{seats} seats: a ratio", 1e6 * (time.process_time() - began) / 500, "us/block")
