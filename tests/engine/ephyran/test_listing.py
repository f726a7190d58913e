"""The actions that the game lists are those of a second, naive listing from the view alone (J1)."""

import pytest
from tests.engine.ephyran.listing import Listing
from tests.engine.ephyran.positions import random_match

from agon_engine.ephyran import GAME


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_second_listing_from_the_view_agrees(seats: int) -> None:
    """P3, P4, P5, P6."""
    for number in range(24):
        redraws = number % 3 == 0
        for state in random_match(seats, number, supports=number % 2 == 0, defender_redraws=redraws):
            decision = state.decision
            if decision is not None:
                codes = {GAME.notation.code(action) for action in decision.actions}

                assert codes == Listing(state.view(decision.seat)).codes()


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_second_listing_agrees_on_a_hundred_thousand_positions_in_all(seats: int) -> None:
    """J1."""
    positions = number = 0
    while positions < 34_000:
        number += 1
        for state in random_match(seats, 1000 + number, supports=number % 2 == 0, defender_redraws=number % 3 == 0):
            decision = state.decision
            if decision is not None:
                positions += 1
                codes = {GAME.notation.code(action) for action in decision.actions}

                assert codes == Listing(state.view(decision.seat)).codes()
