"""All rating systems: order of seats, ties, monotonicity, conservation (E1, E2, E4, E7); Elo's own numbers."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from agon_engine.core import standard_placements
from agon_ladder.errors import UnknownSystemError
from agon_ladder.ratings import POINT, Elo, Rating, RatingSystem, WengLin, get_system, system_names
from agon_ladder.ratings.elo import INITIAL, K
from agon_ladder.ratings.expected import LIMIT, SCALE, expected_score
from agon_ladder.ratings.expected_table import EXPECTED

SYSTEMS = [pytest.param(get_system(name), id=name) for name in system_names()]
FAR = 4000 * POINT
WIDE = 350 * POINT
Match = tuple[list[Rating], tuple[int, ...]]


@st.composite
def matches(draw: st.DrawFn, most: int = 8, farthest: int = FAR, widest: int = WIDE) -> Match:
    """Draw a value and a deviation for each of 2 to `most` seats, and placements; ties of both kinds included."""
    seats = draw(st.integers(2, most))
    known = st.tuples(st.integers(-farthest, farthest), st.integers(1, widest))
    few = draw(st.lists(known, min_size=1, max_size=seats))
    ratings = draw(st.lists(st.sampled_from(few), min_size=seats, max_size=seats))
    keys = draw(st.lists(st.integers(0, seats), min_size=seats, max_size=seats))
    return list(ratings), standard_placements(keys)


def of(system: RatingSystem, match: Match) -> Match:
    """Return the match with as much of each rating as the system has."""
    ratings, placements = match
    return [rating[: len(system.initial)] for rating in ratings], placements


def changes(system: RatingSystem, ratings: list[Rating], placements: tuple[int, ...]) -> list[int]:
    after = system.update(ratings, placements)
    return [system.value(new) - system.value(old) for old, new in zip(ratings, after, strict=True)]


@pytest.mark.parametrize("system", SYSTEMS)
@given(match=matches(), data=st.data())
def test_the_order_of_the_seats_does_not_matter(system: RatingSystem, match: Match, data: st.DataObject) -> None:
    ratings, placements = of(system, match)
    order = data.draw(st.permutations(range(len(ratings))))

    turned = system.update([ratings[seat] for seat in order], [placements[seat] for seat in order])

    assert [system.update(ratings, placements)[seat] for seat in order] == turned


@pytest.mark.parametrize("system", SYSTEMS)
@given(match=matches())
def test_equal_bots_that_tie_change_alike(system: RatingSystem, match: Match) -> None:
    """E1: equal prior and equal place give equal changes."""
    ratings, placements = of(system, match)
    moved = changes(system, ratings, placements)

    for one in range(len(ratings)):
        for other in range(one):
            if ratings[one] == ratings[other] and placements[one] == placements[other]:
                assert moved[one] == moved[other]


@pytest.mark.parametrize("system", SYSTEMS)
@given(match=matches())
def test_a_better_place_is_worth_more_at_an_equal_prior(system: RatingSystem, match: Match) -> None:
    """E1, E4: for 2 to 8 seats."""
    ratings, placements = of(system, match)
    moved = changes(system, ratings, placements)

    for one in range(len(ratings)):
        for other in range(len(ratings)):
            if ratings[one] == ratings[other] and placements[one] < placements[other]:
                assert moved[one] > moved[other]


@pytest.mark.parametrize("system", SYSTEMS)
@given(match=matches(), data=st.data())
def test_moving_up_a_place_never_costs(system: RatingSystem, match: Match, data: st.DataObject) -> None:
    """E4: with all others ranked as they were among themselves."""
    ratings, placements = of(system, match)
    seat = data.draw(st.integers(0, len(ratings) - 1))
    better = data.draw(st.integers(1, placements[seat]))
    keys = [-placement * 2 for placement in placements]
    keys[seat] = -better * 2 + 1

    moved_up = changes(system, ratings, standard_placements(keys))

    assert moved_up[seat] >= changes(system, ratings, placements)[seat]


@pytest.mark.parametrize("system", SYSTEMS)
@given(match=matches())
def test_a_lone_winner_never_loses_and_a_lone_last_never_gains(system: RatingSystem, match: Match) -> None:
    ratings, placements = of(system, match)
    moved = changes(system, ratings, placements)

    for seat, placement in enumerate(placements):
        if placement == 1 and placements.count(1) == 1:
            assert moved[seat] >= 0
        if placement == len(placements):
            assert moved[seat] <= 0


@pytest.mark.parametrize("system", SYSTEMS)
@given(match=matches())
def test_only_the_order_of_the_placements_matters(system: RatingSystem, match: Match) -> None:
    """Ranks from 0 or from 1, dense or with gaps, small or great, are the same (E2)."""
    ratings, placements = of(system, match)
    from_zero = [placement - 1 for placement in placements]
    dense = [sorted(set(placements)).index(placement) for placement in placements]
    great = [placement + 10**18 for placement in placements]

    expected = system.update(ratings, placements)

    assert [expected] * 3 == [system.update(ratings, ranks) for ranks in (from_zero, dense, great)]


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system.values[0].keeps_sum])  # type: ignore[union-attr]  # pytest types values as objects
@given(match=matches())
def test_the_sum_of_the_ratings_is_kept_exactly(system: RatingSystem, match: Match) -> None:
    ratings, placements = of(system, match)

    assert sum(changes(system, ratings, placements)) == 0


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("seats", range(2, 9))
def test_equal_bots_that_all_tie_stay_as_they_are(system: RatingSystem, seats: int) -> None:
    """E2: all tied, written as zeros and as ones."""
    ratings = [system.initial] * seats
    zeros, ones = system.update(ratings, [0] * seats), system.update(ratings, [1] * seats)

    assert zeros == ones
    assert [system.value(system.initial)] * seats == [system.value(rating) for rating in zeros]


@pytest.mark.parametrize("system", SYSTEMS)
def test_two_equal_bots_that_tie_then_meet_others_tied_in_part(system: RatingSystem) -> None:
    """E2: partial ties first, in the middle and last; who shares a place moves alike, a better place is worth more."""
    for placements in ((1, 1, 3, 4), (1, 2, 2, 4), (1, 2, 3, 3), (1, 1, 3, 3), (1, 1, 1, 4), (1, 2, 2, 2)):
        moved = changes(system, [system.initial] * 4, placements)

        assert sorted(zip(placements, moved, strict=True), key=lambda row: (row[0], -row[1])) == sorted(
            zip(placements, moved, strict=True), key=lambda row: -row[1]
        )
        assert len(set(placements)) == len(set(moved))


@pytest.mark.parametrize("system", SYSTEMS)
@given(match=matches(farthest=10**18, widest=10**18))
def test_no_rating_is_too_far_to_be_moved(system: RatingSystem, match: Match) -> None:
    """Whole numbers come back, for whatever whole numbers are given: no NaN, no infinity, no overflow."""
    after = system.update(*of(system, match))

    assert all(type(number) is int for rating in after for number in rating)
    assert [len(system.initial)] * len(after) == [len(rating) for rating in after]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_bot_that_wins_or_loses_everything_keeps_a_rating(system: RatingSystem) -> None:
    """10-0, and a thousand after it."""
    winner = loser = system.initial
    for _ in range(1010):
        before = system.value(winner), system.value(loser)
        winner, loser = system.update([winner, loser], (1, 2))

        assert system.value(winner) >= before[0] >= before[1] >= system.value(loser)

    assert system.value(winner) - system.value(system.initial) < FAR


def test_systems_are_found_by_name_and_an_unknown_name_lists_them() -> None:
    assert isinstance(get_system("elo"), Elo)
    assert isinstance(get_system("weng-lin"), WengLin)
    with pytest.raises(UnknownSystemError, match="rating systems are elo, weng-lin, not 'glicko'"):
        get_system("glicko")


# -- Elo itself ------------------------------------------------------------------------------------------------


def test_two_equal_bots_move_half_of_k() -> None:
    assert Elo().update([(INITIAL,), (INITIAL,)], (1, 2)) == [(INITIAL + K // 2,), (INITIAL - K // 2,)]


def test_an_upset_over_400_points_moves_ten_elevenths_of_k() -> None:
    """Against 400 points more the expected score is 1/11."""
    after = Elo().update([(1500_000,), (1900_000,)], (1, 2))

    assert after == [(1500_000 + round(Fraction(10, 11) * K),), (1900_000 - round(Fraction(10, 11) * K),)]


def test_four_equal_bots_move_by_their_places() -> None:
    """Each pair moves K/3 times one half; places 1, 2, 2, 4 win 3, 1.5, 1.5 and 0 of their pairs."""
    after = Elo().update([(INITIAL,)] * 4, (1, 2, 2, 4))

    assert [rating - INITIAL for (rating,) in after] == [12_000, 0, 0, -12_000]


def test_no_match_moves_a_rating_by_more_than_k() -> None:
    for placements in permutations(range(1, 5)):
        after = Elo().update([(1000_000,), (1500_000,), (2000_000,), (2900_000,)], placements)
        moved = [abs(new - old) for (new,), old in zip(after, (1000_000, 1500_000, 2000_000, 2900_000), strict=True)]

        assert max(moved) <= K


def test_elo_needs_two_seats_and_a_place_for_each() -> None:
    with pytest.raises(ValueError, match="two or more ratings"):
        Elo().update([(INITIAL,)], (1,))
    with pytest.raises(ValueError, match="as many placements"):
        Elo().update([(INITIAL,)] * 3, (1, 2))


@given(st.integers(-FAR, FAR))
def test_expected_scores_of_a_pair_are_in_range_and_sum_to_one(difference: int) -> None:
    """E7."""
    assert 0 < expected_score(difference) < SCALE
    assert expected_score(difference) + expected_score(-difference) == SCALE


@given(st.integers(-FAR, FAR), st.integers(0, FAR))
def test_a_greater_difference_never_has_a_lower_expected_score(difference: int, more: int) -> None:
    assert expected_score(difference) <= expected_score(difference + more)


@given(st.integers(-LIMIT, LIMIT))
def test_expected_scores_follow_the_logistic_curve(difference: int) -> None:
    curve = SCALE / (1 + 10 ** (-difference / (400 * POINT)))

    assert abs(expected_score(difference) - curve) < 1.3


def test_the_table_is_what_its_script_writes() -> None:
    path = Path(__file__).parents[2] / "ladder" / "make_expected_table.py"
    spec = importlib.util.spec_from_file_location("make_expected_table", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)

    assert list(EXPECTED) == script.table()
    assert script.TARGET.read_text(encoding="utf-8") == script.source(list(EXPECTED))
