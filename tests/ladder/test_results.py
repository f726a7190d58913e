"""Results as the ladder reads them: positions, pairwise scores, what counts, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tests.support.ladders import result

from agon_engine.core import standard_placements
from agon_engine.core.policy import RATED_TERMINATIONS, Termination
from agon_ladder.errors import ResultError
from agon_ladder.results import MatchResult, Position, half_points

numbers = st.integers(0, 2**64 - 1)


@given(numbers, numbers)
def test_a_position_reads_what_it_writes(time: int, sequence: int) -> None:
    position = Position(time, sequence)

    assert Position.parse(str(position)) == position


@pytest.mark.parametrize("text", ["", "-", "1", "1-", "-1", "a-1", "1-1-1", "1.0-1", "٣-1", " 1-1"])
def test_what_is_no_position_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(ResultError, match="a position is written time-sequence"):
        Position.parse(text)


def test_positions_compare_as_numbers() -> None:
    assert Position.parse("9-10") < Position.parse("10-2") < Position.parse("10-10")


@given(st.lists(st.integers(0, 5), min_size=2, max_size=8))
def test_the_half_points_of_a_match_are_two_for_each_pair(keys: list[int]) -> None:
    placements = standard_placements(keys)
    seats = len(keys)

    scored = half_points(placements)

    assert sum(scored) == seats * (seats - 1)
    assert all(0 <= points <= 2 * (seats - 1) for points in scored)


@pytest.mark.parametrize("termination", list(Termination))
def test_only_ends_by_play_or_a_bots_own_fault_count(termination: Termination) -> None:
    """X6: never infrastructure, no-show or cancelled."""
    assert result("a", "b", termination=termination).rated == (termination in RATED_TERMINATIONS)
    assert not result("a", "b", termination=termination)._replace(may_rate=False).rated


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (result("a", "a"), "seats a bot twice"),
        (result("a"), "at least 2"),
        (result("a", "b")._replace(placements=(1,)), "2 seats, but placements"),
        (result("a", "b")._replace(terminations=(Termination.SCORE,)), "2 seats"),
        (result("a", "b", placements=(1, 3)), "no ranking"),
        (result("a", "b", placements=(0, 1)), "no ranking"),
        (result("a", "b", placements=(2, 2)), "no ranking"),
        (result("a", "b", block="k", place=2), "place 2 of a block of 2"),
        (result("a", "b", block="k", place=-1), "place -1"),
    ],
)
def test_a_result_that_contradicts_itself_is_refused(damaged: MatchResult, message: str) -> None:
    with pytest.raises(ResultError, match=message):
        damaged.check()
