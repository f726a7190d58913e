"""The interval behind ±: coverage on simulated bots, edges, and that it is the same each time (E11)."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from agon_ladder.stats.interval import WIDEST, Interval, block_interval, elo_of_score

MOST = {seats: 2 * seats * (seats - 1) for seats in range(2, 9)}


def blocks_of(rng: np.random.Generator, seats: int, stronger: float, count: int) -> list[int]:
    """Simulate the half points of a bot in `count` blocks: `seats` races each, its own times shifted by `stronger`."""
    scored = np.zeros(count, dtype=int)
    for _ in range(seats):
        luck = rng.gumbel(size=(count, seats))
        luck[:, 0] += stronger
        scored += 2 * (luck[:, :1] > luck[:, 1:]).sum(axis=1)
    return [int(value) for value in scored]


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("count", [20, 100])
@pytest.mark.parametrize("stronger", [0.0, 1.0])
def test_the_interval_covers_the_truth_about_19_times_in_20(seats: int, count: int, stronger: float) -> None:
    """In 400 simulations a true coverage of 92 % to 99.5 % stays within the bounds."""
    rng = np.random.default_rng(seats * 1000 + count)
    truth = elo_of_score(sum(blocks_of(rng, seats, stronger, 200_000)) / MOST[seats] / 200_000)
    hits = 0
    for number in range(400):
        histogram = Counter(blocks_of(rng, seats, stronger, count))
        interval = block_interval(histogram, MOST[seats], str(number))
        hits += interval.low <= truth <= interval.high

    assert 0.90 <= hits / 400 <= 0.999


def test_four_times_the_blocks_halve_the_width() -> None:
    few = block_interval({4: 25, 2: 10, 0: 25, 1: 20, 3: 20}, 4, "")
    many = block_interval({4: 100, 2: 40, 0: 100, 1: 80, 3: 80}, 4, "")

    assert many.plus_minus == pytest.approx(few.plus_minus / 2, rel=0.1)


@pytest.mark.parametrize("histogram", [{}, {12: 1}])
def test_without_two_blocks_nothing_is_known(histogram: dict[int, int]) -> None:
    assert block_interval(histogram, 12, "") == Interval(-WIDEST, WIDEST, len(histogram))
    assert block_interval(histogram, 12, "").plus_minus == WIDEST


@pytest.mark.parametrize("count", [2, 10, 100, 10_000, 10_000_000])
def test_a_bot_that_only_won_has_a_finite_interval_that_is_never_empty(count: int) -> None:
    interval = block_interval({24: count}, 24, "")

    assert 100_000 < interval.plus_minus <= WIDEST
    assert interval.low > (0 if count > 2 else -WIDEST)


def test_winning_all_and_losing_all_mirror_each_other() -> None:
    won, lost = block_interval({24: 12}, 24, ""), block_interval({0: 12}, 24, "")

    assert won.low > 0 > lost.high
    assert won.plus_minus == pytest.approx(lost.plus_minus, rel=0.25)


@settings(max_examples=150)
@given(seats=st.integers(2, 8), data=st.data())
def test_an_interval_is_always_finite_and_in_order(seats: int, data: st.DataObject) -> None:
    most = MOST[seats]
    histogram = data.draw(st.dictionaries(st.integers(0, most), st.integers(1, 1000), max_size=most + 1))

    interval = block_interval(histogram, most, "any")

    assert interval.low <= interval.high
    assert 0 <= interval.plus_minus <= WIDEST
    assert interval.blocks == sum(histogram.values())


def test_the_same_history_gives_the_same_interval_and_the_seed_matters_little() -> None:
    histogram = {6: 40, 5: 20, 2: 30, 0: 10}

    first = block_interval(histogram, 12, "ephyran-3/greedy")

    assert first == block_interval(dict(reversed(histogram.items())), 12, "ephyran-3/greedy")
    assert first.plus_minus == pytest.approx(block_interval(histogram, 12, "another").plus_minus, rel=0.15)


@given(st.floats(1e-9, 1 - 1e-9))
def test_strength_mirrors_the_score(score: float) -> None:
    assert math.isclose(elo_of_score(score), -elo_of_score(1 - score), abs_tol=2)


@pytest.mark.parametrize("score", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_no_score_becomes_infinite_or_not_a_number(score: float) -> None:
    with pytest.raises(ValueError, match="above 0 and below 1"):
        elo_of_score(score)
