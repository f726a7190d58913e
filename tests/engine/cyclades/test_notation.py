"""Action codes: both ways, one meaning each, short lists (C6.6)."""

import pytest
from hypothesis import given, strategies as st
from tests.engine.cyclades.positions import random_match

from agon_engine.core import MAX_ACTIONS, ActionSyntaxError
from agon_engine.cyclades import GAME
from agon_engine.cyclades.enums import Todo
from agon_engine.cyclades.notation import MOVES, Kind
from agon_engine.cyclades.play import ANSWERS, RUNS


@given(st.integers(0, len(GAME.notation) - 1))
def test_parsing_a_code_gives_its_action(action: int) -> None:
    assert action == GAME.notation.parse(GAME.notation.code(action))


@pytest.mark.parametrize(
    "code",
    [
        "",
        "bid ares",
        "bid ares 0",
        "bid ares 201",
        "bid apollo 1",
        "bid ares 04",
        "god hades",
        "move E2>E4 x9",
        "move E2>E4",
        "move E2>E2 x1",
        "move IS1>IS14 x1",
        "build port IS0",
        "build metropolis IS5",
        "replace port IS5 port",
        "rob 5",
        "end ",
        "sell gold",
        "kraken L1",
    ],
)
def test_what_is_no_move_of_the_game_is_no_code(code: str) -> None:
    with pytest.raises(ActionSyntaxError, match="not an action of cyclades"):
        GAME.notation.parse(code)


def test_every_code_is_one_short_line() -> None:
    assert all(len(code) <= 32 and code == " ".join(code.split()) for code in GAME.notation.codes)


def test_every_kind_of_action_has_codes_and_every_step_what_runs_it() -> None:
    assert set(Kind) == {move.kind for move in MOVES}
    assert set(Todo) - {Todo.NONE} == set(RUNS)
    assert {todo for todo in Todo if todo >= Todo.GOD} == set(ANSWERS)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_no_decision_lists_too_many_actions_or_one_twice(seats: int) -> None:
    """C6.6."""
    asked: set[Todo] = set()
    for number in range(8):
        for state in random_match(seats, number, busy=number % 2 == 0):
            if state.decision is None:
                continue
            actions = state.decision.actions
            asked.add(state.agenda[-1].todo)

            assert 1 <= len(actions) <= MAX_ACTIONS
            assert len(set(actions)) == len(actions)
    assert len(asked) > 18
