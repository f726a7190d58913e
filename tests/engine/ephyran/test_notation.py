"""Action codes: both ways, one meaning each, short lists (P5.5)."""

import pytest
from hypothesis import given, strategies as st
from tests.engine.ephyran.positions import random_match

from agon_engine.core import MAX_ACTIONS, ActionSyntaxError
from agon_engine.ephyran import GAME
from agon_engine.ephyran.enums import Phase
from agon_engine.ephyran.notation import KIND, Kind
from agon_engine.ephyran.play import MOVES


@given(st.integers(0, len(GAME.notation) - 1))
def test_parsing_a_code_gives_its_action(action: int) -> None:
    assert action == GAME.notation.parse(GAME.notation.code(action))


@pytest.mark.parametrize(
    "code", ["", "build", "build TS01 b", "play TT01", "build D1", "discard D5", "pass ", "lock pink"]
)
def test_what_is_no_move_of_the_game_is_no_code(code: str) -> None:
    with pytest.raises(ActionSyntaxError, match="not an action of ephyran"):
        GAME.notation.parse(code)


def test_every_code_is_one_short_line() -> None:
    assert all(len(code) <= 24 and code == " ".join(code.split()) for code in GAME.notation.codes)


def test_every_kind_of_action_has_codes_and_a_phase_that_carries_it_out() -> None:
    assert set(Kind) == set(KIND) == {kind for _, kind in MOVES}
    assert set(Phase) - {Phase.OVER} == {phase for phase, _ in MOVES}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_decision_lists_too_many_actions_or_one_twice_or_one_that_its_phase_does_not_know(seats: int) -> None:
    """P5.5."""
    for number in range(12):
        for state in random_match(seats, number, supports=number % 2 == 0):
            if state.decision is None:
                continue
            actions = state.decision.actions

            assert 1 <= len(actions) <= MAX_ACTIONS
            assert len(set(actions)) == len(actions)
            assert all((state.phase, KIND[action]) in MOVES for action in actions)
