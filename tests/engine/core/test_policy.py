"""The failure policy: every way to fall under every `on_fault`, and what the result then is (J3, J4, J5, T18, T20)."""

from __future__ import annotations

from typing import Any

import pytest

from agon_engine.core import (
    Conduct,
    FaultPolicy,
    OnFault,
    OptionsError,
    Outcome,
    Result,
    Termination,
    standard_placements,
)

T = Termination

FALLS = [T.TIMEOUT, T.ILLEGAL, T.DISCONNECT, T.PROTOCOL, T.RESIGNED]


def outcome(*scores: int, by_cap: bool = False) -> Outcome:
    return Outcome(scores, standard_placements(scores), by_cap=by_cap)


def conduct(on_fault: OnFault, seats: int, *falls: tuple[int, Termination]) -> Conduct:
    """Let seats fall one by one, and see that only the last fall may end the match."""
    made = Conduct(FaultPolicy(on_fault), seats)
    for seat, why in falls:
        assert not made.ends_match()
        assert made.fall(seat, why)
    return made


# -- strikes and attempts ------------------------------------------------------------------------------------


def test_an_unusable_answer_costs_an_attempt_and_the_last_leaves_none() -> None:
    made = Conduct(FaultPolicy(OnFault.SUBSTITUTE, attempts=3), 2)
    made.open_decision()

    assert [made.unusable() for _ in range(4)] == [2, 1, 0, 0]

    made.open_decision()

    assert made.unusable() == 2


def test_the_strike_with_the_policys_number_makes_the_seat_fall() -> None:
    """T20: strikes add up over a match, whatever they are for."""
    made = Conduct(FaultPolicy(OnFault.SUBSTITUTE, strikes=3), 2)

    assert made.strike(1, T.TIMEOUT) is False
    assert made.strike(1, T.ILLEGAL) is False
    assert made.strike(0, T.TIMEOUT) is False
    assert not made.is_out(1)
    assert made.strike(1, T.TIMEOUT) is True
    assert made.fallen == {1: T.TIMEOUT}


def test_a_seat_falls_once() -> None:
    made = conduct(OnFault.SUBSTITUTE, 3, (1, T.TIMEOUT))

    assert made.fall(1, T.RESIGNED) is False
    assert made.fallen == {1: T.TIMEOUT}


# -- what a fall means ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("why", FALLS)
def test_under_substitute_the_match_goes_on_and_the_seat_is_last_whatever_its_points(why: Termination) -> None:
    """T18."""
    made = conduct(OnFault.SUBSTITUTE, 3, (1, why))

    assert not made.ends_match()
    assert made.result(outcome(5, 90, 7), outcome(5, 90, 7)) == Result(
        T.SCORE, (2, 3, 1), (5, 90, 7), (T.SCORE, why, T.SCORE)
    )


def test_under_substitute_the_first_to_fall_is_placed_lowest() -> None:
    made = conduct(OnFault.SUBSTITUTE, 4, (2, T.TIMEOUT), (0, T.RESIGNED))

    result = made.result(outcome(50, 1, 60, 1), outcome(50, 1, 60, 1))

    assert result.placements == (3, 1, 4, 1)
    assert result.termination is T.SCORE


def test_when_the_last_seat_falls_the_match_ends_by_that_fall() -> None:
    made = conduct(OnFault.SUBSTITUTE, 3, (2, T.TIMEOUT), (0, T.RESIGNED), (1, T.DISCONNECT))

    assert made.ends_match()
    assert made.result(None, outcome(1, 2, 3)) == Result(
        T.DISCONNECT, (2, 1, 3), (1, 2, 3), (T.RESIGNED, T.DISCONNECT, T.TIMEOUT)
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("why", FALLS)
def test_under_forfeit_the_match_ends_at_once_and_all_others_share_the_first_place(
    seats: int, why: Termination
) -> None:
    made = conduct(OnFault.FORFEIT, seats, (1, why))
    standing = outcome(*range(seats))

    assert made.ends_match()

    result = made.result(None, standing)

    assert result.placements == tuple(seats if seat == 1 else 1 for seat in range(seats))
    assert result.termination is why
    assert result.scores == standing.scores
    assert result.rated


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("why", [fall for fall in FALLS if fall is not T.RESIGNED])
def test_under_void_a_fault_ends_the_match_unrated(seats: int, why: Termination) -> None:
    made = conduct(OnFault.VOID, seats, (0, why))

    assert made.ends_match()

    result = made.result(None, outcome(*range(seats)))

    assert result.termination is T.CANCELLED
    assert result.placements == (1,) * seats
    assert result.seats[0] is why
    assert not result.rated


def test_a_resignation_never_voids_with_two_seats_it_forfeits() -> None:
    made = conduct(OnFault.VOID, 2, (0, T.RESIGNED))

    assert made.ends_match()
    assert made.result(None, outcome(9, 1)) == Result(T.RESIGNED, (2, 1), (9, 1), (T.RESIGNED, T.SCORE))


def test_a_resignation_never_voids_with_more_seats_substitutes_play_on() -> None:
    made = conduct(OnFault.VOID, 3, (0, T.RESIGNED))

    assert not made.ends_match()
    assert made.result(outcome(9, 1, 1), outcome(9, 1, 1)).placements == (3, 1, 1)


def test_a_fault_after_a_resignation_still_voids() -> None:
    made = conduct(OnFault.VOID, 3, (0, T.RESIGNED), (1, T.TIMEOUT))

    assert made.ends_match()

    result = made.result(None, outcome(1, 2, 3))

    assert result.termination is T.CANCELLED
    assert result.seats == (T.RESIGNED, T.TIMEOUT, T.SCORE)


def test_when_all_resign_under_void_the_match_counts() -> None:
    made = conduct(OnFault.VOID, 3, (0, T.RESIGNED), (2, T.RESIGNED), (1, T.RESIGNED))

    assert made.ends_match()
    assert made.result(None, outcome(1, 2, 3)).placements == (3, 1, 2)


# -- ends by the rules and without counting ------------------------------------------------------------------


@pytest.mark.parametrize(("by_cap", "why"), [(False, T.SCORE), (True, T.CAP)])
def test_an_end_by_the_rules_is_told_from_one_by_their_bound(by_cap: bool, why: Termination) -> None:
    end = outcome(3, 3, by_cap=by_cap)

    assert Conduct(FaultPolicy.default(2), 2).result(end, end) == Result(why, (1, 1), (3, 3), (T.SCORE, T.SCORE))


@pytest.mark.parametrize("on_fault", list(OnFault))
def test_a_natural_end_comes_before_a_fall_in_the_same_moment(on_fault: OnFault) -> None:
    """J4."""
    made = conduct(on_fault, 2, (0, T.TIMEOUT))

    result = made.result(outcome(9, 1), outcome(9, 1))

    assert result.termination is T.SCORE
    assert result.placements == (2, 1)


@pytest.mark.parametrize("why", [T.NO_SHOW, T.INFRASTRUCTURE, T.CANCELLED])
def test_a_match_that_ends_without_counting_is_not_rated(why: Termination) -> None:
    made = Conduct(FaultPolicy.default(2), 2)

    assert made.unrated(why, outcome(4, 5)) == Result(why, (1, 1), (4, 5), (why, why))
    assert made.unrated(why, outcome(4, 5), [T.SCORE, why]).seats == (T.SCORE, why)
    assert not made.unrated(why, outcome(4, 5)).rated


def test_only_ends_that_the_seats_answer_for_are_rated() -> None:
    rated = {why for why in Termination if Result(why, (1,), (0,), (why,)).rated}

    assert set(Termination) - rated == {T.NO_SHOW, T.INFRASTRUCTURE, T.CANCELLED}


# -- settings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "on_fault"), [(2, OnFault.FORFEIT), (3, OnFault.SUBSTITUTE), (5, OnFault.SUBSTITUTE)]
)
def test_the_default_forfeits_with_two_seats_and_substitutes_with_more(seats: int, on_fault: OnFault) -> None:
    assert FaultPolicy.default(seats) == FaultPolicy(on_fault, attempts=3, strikes=3)


@pytest.mark.parametrize("on_fault", list(OnFault))
def test_a_policy_comes_back_from_json(on_fault: OnFault) -> None:
    """J5."""
    policy = FaultPolicy(on_fault, attempts=1, strikes=7)

    assert FaultPolicy.from_json(policy.to_json()) == policy


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "not None$"),
        ({"on_fault": "shrug"}, "'shrug'$"),
        ({"on_fault": []}, r"\[\]$"),
        ({"on_fault": "void", "mercy": 1}, r"has no \['mercy'\]$"),
        ({"on_fault": "void", "attempts": 0}, "attempts is 1 to 100, not 0$"),
        ({"on_fault": "void", "strikes": 101}, "strikes is 1 to 100, not 101$"),
        ({"on_fault": "void", "strikes": True}, "whole number, not True$"),
        ({"on_fault": "void", "attempts": "3"}, "whole number, not '3'$"),
    ],
)
def test_settings_out_of_range_are_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        FaultPolicy.from_json(data)
