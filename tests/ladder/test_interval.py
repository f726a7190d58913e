"""The interval behind ±: coverage on simulated bots, where it is open, and that it is the same each time (E11)."""

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
    assert truth is not None
    hits = 0
    for number in range(400):
        histogram = Counter(blocks_of(rng, seats, stronger, count))
        interval = block_interval(histogram, MOST[seats], str(number))
        hits += interval.covers(truth)

    assert 0.90 <= hits / 400 <= 0.999


def test_four_times_the_blocks_halve_the_width() -> None:
    few = block_interval({4: 25, 2: 10, 0: 25, 1: 20, 3: 20}, 4, "")
    many = block_interval({4: 100, 2: 40, 0: 100, 1: 80, 3: 80}, 4, "")

    assert many.plus_minus == pytest.approx(few.plus_minus / 2, rel=0.1)


@pytest.mark.parametrize("histogram", [{}, {12: 1}])
def test_without_two_blocks_nothing_is_known(histogram: dict[int, int]) -> None:
    assert block_interval(histogram, 12, "") == Interval(None, None, len(histogram))
    assert block_interval(histogram, 12, "").plus_minus == WIDEST


@pytest.mark.parametrize("most", [MOST[2], MOST[4]])
def test_a_bot_that_only_won_is_bounded_below_alone_and_the_higher_the_longer_it_did(most: int) -> None:
    won = [block_interval({most: count}, most, "") for count in (3, 10, 100, 10_000, 10_000_000)]

    lows = [interval.low or 0 for interval in won[1:]]
    assert lows == sorted({*lows})
    assert 0 < lows[0] < 400_000 < lows[-1]
    assert [interval.high for interval in won] == [None] * len(won)
    assert [interval.plus_minus for interval in won] == [WIDEST] * len(won)


def test_winning_all_and_losing_all_mirror_each_other() -> None:
    won, lost = block_interval({24: 12}, 24, ""), block_interval({0: 12}, 24, "")

    assert lost.low is None
    assert -(lost.high or 0) == pytest.approx(won.low, rel=0.25)


@pytest.mark.parametrize("histogram", [{4: 2}, {0: 1, 4: 1}, {4: 2, 2: 1}])
def test_few_blocks_that_could_all_have_been_won_or_lost_tell_no_bound_there(histogram: dict[int, int]) -> None:
    interval = block_interval(histogram, 4, "")

    assert interval.high is None
    assert (interval.low is None) == (sum(histogram.values()) == 2)


def test_what_was_not_won_gives_a_bound_where_nearly_all_resamples_have_some_of_it() -> None:
    assert block_interval({4: 999, 2: 1}, 4, "").high is None
    assert block_interval({4: 990, 2: 10}, 4, "").high is not None


@settings(max_examples=150)
@given(seats=st.integers(2, 8), data=st.data())
def test_an_interval_is_always_in_order_and_holds_the_score_that_it_is_of(seats: int, data: st.DataObject) -> None:
    most = MOST[seats]
    histogram = data.draw(st.dictionaries(st.integers(0, most), st.integers(1, 1000), max_size=most + 1))

    interval = block_interval(histogram, most, "any")

    ends = [end for end in (interval.low, interval.high) if end is not None]
    assert ends == sorted(ends)
    assert 0 <= interval.plus_minus <= WIDEST
    assert (interval.plus_minus == WIDEST) >= (len(ends) < 2)
    assert interval.blocks == sum(histogram.values())


def test_the_same_history_gives_the_same_interval_and_the_seed_matters_little() -> None:
    histogram = {6: 40, 5: 20, 2: 30, 0: 10}

    first = block_interval(histogram, 12, "ephyran-3/greedy")

    assert first == block_interval(dict(reversed(histogram.items())), 12, "ephyran-3/greedy")
    assert first.plus_minus == pytest.approx(block_interval(histogram, 12, "another").plus_minus, rel=0.15)


@given(st.floats(1e-9, 1 - 1e-9))
def test_strength_mirrors_the_score(score: float) -> None:
    assert elo_of_score(score) == pytest.approx(-(elo_of_score(1 - score) or 0), abs=2)


@pytest.mark.parametrize("score", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_no_score_becomes_infinite_or_not_a_number(score: float) -> None:
    assert elo_of_score(score) is None
