"""The greedy bot at Elysium: what it prefers, and that it is clearly stronger than chance at every seat count."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.elysium.positions import lay_out

from agon_bots.house.greedy import heuristic
from agon_engine.core import Chance
from agon_engine.elysium import GAME, ElysiumState
from agon_engine.elysium.enums import Phase

CLEARLY_STRONGER = 0.65


def choice(state: ElysiumState) -> int:
    """Return what the seat that is asked would do."""
    decision = state.decision
    assert decision is not None
    codes = [GAME.notation.code(action) for action in decision.actions]
    worth = heuristic("elysium")(state.view(decision.seat), codes)
    return decision.actions[worth.index(max(worth))]


def best(**position: Any) -> str:
    return GAME.notation.code(choice(lay_out(**position).state))


@pytest.mark.parametrize(
    ("why", "position", "wanted"),
    [
        (
            "a power before a take",
            {"agora": "zeus-leda", "domains": {0: "hephaestus-cedalion"}},
            "power hephaestus-cedalion",
        ),
        (
            "a card of level 3 rather than of level 1",
            {"agora": "zeus-olympia zeus-leda", "quests": {0: 1}},
            "take zeus-olympia",
        ),
        (
            "the last quest that can be taken",
            {"agora": "zeus-dodona zeus-semele", "columns": {0: "yellow green"}, "quests": {1: 2}, "in_round": 3},
            "quest 1",
        ),
        (
            "to complete a family Legend",
            {
                "phase": Phase.LEGENDS,
                "quests": {0: 1, 1: 2},
                "gold": 5,
                "domains": {0: "zeus-olympia athena-olive"},
                "elysiums": {0: "zeus-leda zeus-io"},
            },
            "transfer zeus-olympia",
        ),
    ],
)
def test_what_it_prefers(why: str, position: dict[str, Any], wanted: str) -> None:
    assert best(**position) == wanted, why


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_is_clearly_stronger_than_random_moves(seats: int) -> None:
    """In seats that rotate; the pairwise score of 24 matches."""
    points = pairs = 0.0
    for number in range(24):
        mine = number % seats
        state = GAME.start(seats, Chance((number + 100).to_bytes(16, "little")), {})
        dice = Chance(number.to_bytes(16, "big"))
        while state.decision is not None:
            seat, actions = state.decision.seat, state.decision.actions
            state.apply(choice(state) if seat == mine else dice.choice("dice", actions))
        outcome = state.outcome()
        assert outcome is not None
        for seat, placement in enumerate(outcome.placements):
            if seat != mine:
                pairs += 1
                points += 1.0 if outcome.placements[mine] < placement else 0.5 * (outcome.placements[mine] == placement)

    assert points / pairs > CLEARLY_STRONGER + 0.2
