"""What a comparison is expected to tell: more where both are uncertain and close, and never infinite."""

from __future__ import annotations

from math import isfinite, log, log1p

import pytest
from hypothesis import given, strategies as st

from agon_ladder.pairing.information import information

ratings = st.integers(0, 10**9)
uncertainties = st.integers(0, 800_000)


def test_of_equal_bots_it_is_half_the_logarithm_of_one_and_their_variance_times_a_quarter() -> None:
    """By the formula, with V = 2 (196 / 1.96)^2 = 20,000 points squared."""
    expected = 0.5 * log1p(20_000 * (log(10) / 400) ** 2 / 4)

    assert expected == pytest.approx(information(0, 196_000, 196_000))


@given(apart=st.integers(0, 2_000_000), further=st.integers(1, 2_000_000), one=uncertainties, other=uncertainties)
def test_it_is_less_the_further_two_bots_are_apart(apart: int, further: int, one: int, other: int) -> None:
    near, far = information(apart, one, other), information(apart + further, one, other)

    assert near > far or near == pytest.approx(far, rel=1e-6)
    assert near == information(-apart, other, one)


@given(one=st.integers(30_000, 700_000), more=st.integers(1_000, 100_000), other=uncertainties)
def test_between_equals_it_is_more_the_less_is_known(one: int, more: int, other: int) -> None:
    """M4."""
    assert information(0, one + more, other) > information(0, one, other)


def test_an_uncertain_bot_far_away_tells_more_than_a_certain_one_there() -> None:
    """M4: on the mean, and not on a bound under it."""
    assert information(600_000, 50_000, 400_000) > 10 * information(600_000, 50_000, 50_000)


@given(difference=ratings, one=uncertainties, other=uncertainties)
def test_it_is_always_a_finite_number_and_something(difference: int, one: int, other: int) -> None:
    found = information(difference, one, other)

    assert isfinite(found)
    assert found >= 0
