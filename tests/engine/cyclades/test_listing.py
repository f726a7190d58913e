"""The actions that the game lists are those of a second, naive listing from the view alone (C6, C7, C9.1)."""

from collections import Counter

import pytest
from tests.engine.cyclades.crowded import crowded_turns
from tests.engine.cyclades.listing import Listing
from tests.engine.cyclades.positions import random_match

from agon_engine.core import OptionValue
from agon_engine.cyclades import GAME, CycladesState

SEATS = (2, 3, 4, 5)


def compare(state: CycladesState, asked: Counter[str]) -> None:
    """Compare both listings at a decision."""
    decision = state.decision
    if decision is not None:
        listing = Listing(state.view(decision.seat))
        asked[decision.prompt] += 1

        assert {GAME.notation.code(action) for action in decision.actions} == listing.codes(), decision.prompt


def compare_match(seats: int, number: int, asked: Counter[str]) -> None:
    """Compare both listings at every decision of a match."""
    options: dict[str, OptionValue] = {
        "metropolis_over_buildings": "forbid" if number % 2 else "remove",
        "two_player_gods": 3 if number % 3 else 4,
        "creature_start": "gradual" if number % 5 == 0 else "full",
    }
    for state in random_match(seats, number, busy=number % 4 != 0, **options):
        compare(state, asked)


@pytest.mark.parametrize("seats", SEATS)
def test_a_second_listing_from_the_view_agrees(seats: int) -> None:
    """C6.1 to C6.4, C7.3 to C7.8, C7.10, C7.11, C8.3, C9.1: exact at every decision."""
    asked: Counter[str] = Counter()
    for number in range(4):
        compare_match(seats, number, asked)

    assert asked.total() > 900
    assert len({prompt.split()[0] for prompt in asked}) > 15


@pytest.mark.parametrize("seats", SEATS)
def test_both_agree_where_seats_have_one_island_and_islands_no_free_slot(seats: int) -> None:
    """C7.11, C8.3, C9.1: in positions that matches hardly come to."""
    asked: Counter[str] = Counter()
    for number in range(24):
        for state in crowded_turns(seats, number):
            compare(state, asked)

    assert asked.total() > 400
    assert "retreat" in asked
    assert len({prompt.split()[0] for prompt in asked}) > 12


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seats", SEATS)
def test_a_second_listing_agrees_on_a_hundred_thousand_positions_in_all(seats: int) -> None:
    """C6, C7, C9.1."""
    asked: Counter[str] = Counter()
    number = 1_000
    while asked.total() < 25_000:
        number += 1
        compare_match(seats, number, asked)
