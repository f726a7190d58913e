"""The set-up (E2), the options, and what they refuse."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.engine.elysium.positions import Table, seed

from agon_engine.core import OptionsError
from agon_engine.elysium import GAME
from agon_engine.elysium.enums import NOBODY, Family, Side
from agon_engine.elysium.game import CHOICES, FIRST


def started(seats: int, number: int = 0, families: str = "random") -> Table:
    return Table(GAME.start(seats, seed(number), {"families": families}))


def names(table: Table) -> list[str]:
    return [Family(family).name.lower() for family in table.state.families]


def test_all_56_choices_of_five_families_start_and_end() -> None:
    """E2.1."""
    assert len(CHOICES) == 56
    for number, choice in enumerate(CHOICES):
        table = started(2 + number % 3, number, choice)
        assert names(table) == choice.split(",")
        while table.state.decision is not None:
            table.state.apply(table.state.decision.actions[number % len(table.state.decision.actions)])

        assert table.state.outcome() is not None
        assert table.counts == {"cards": 105, "different cards": 105}


def test_first_is_the_families_of_a_first_match() -> None:
    """E2.1."""
    assert names(started(2, families="first")) == FIRST.split(",") == sorted(FIRST.split(","))


def test_random_families_follow_from_the_seed() -> None:
    """E2.1."""
    drawn = {tuple(names(started(2, number))) for number in range(60)}

    assert len(drawn) > 25
    assert names(started(2, 7)) == names(started(3, 7))


@pytest.mark.parametrize("families", list(permutations(FIRST.split(",")))[::17])
def test_a_list_may_be_in_any_order_and_is_the_same_option(families: tuple[str, ...]) -> None:
    """E2.1."""
    options = GAME.spec.check_options({"families": ",".join(families)})

    assert options["families"] == FIRST
    assert GAME.spec.parse_option(f"families={','.join(families)}") == ("families", FIRST)


@pytest.mark.parametrize(
    "families",
    [
        "",
        "zeus",
        "zeus,zeus,ares,hades,athena",
        "zeus,ares,hades,athena,titan",
        "zeus,ares,hades,athena,hermes,apollo",
        5,
    ],
)
def test_other_lists_are_refused_with_what_is_allowed(families: object) -> None:
    with pytest.raises(OptionsError, match=r"random, first or five different ones of apollo, ares, .*, not "):
        GAME.spec.check_options({"families": families})


def test_the_sides_of_the_pediment_and_the_first_player_are_drawn() -> None:
    """E2.2, E2.3."""
    tables = [started(4, number) for number in range(40)]

    assert {table.state.side for table in tables} == {Side.A, Side.B}
    assert {table.state.first_seat for table in tables} == {0, 1, 2, 3}


@pytest.mark.parametrize(("seats", "quests"), [(2, 2), (3, 4), (4, 4)])
def test_quests_lie_under_colours_in_the_order_of_the_side(seats: int, quests: int) -> None:
    """E2.2, ruling 5: bits 1 red, 2 yellow, 4 green, 8 blue."""
    found = {}
    for number in range(20):
        table = started(seats, number)
        found[table.state.side] = table.view(None).deal.quest_columns

    assert {len(columns) for columns in found.values()} == {quests}
    wanted: dict[Side, tuple[int, ...]] = {Side.A: (1, 2, 4, 8), Side.B: (4, 1, 8, 2)}
    if seats == 2:
        wanted = {Side.A: (1 | 2, 4 | 8), Side.B: (4 | 1, 8 | 2)}
    assert found == wanted


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_everybody_has_4_gold_and_the_vp_of_the_disc(seats: int) -> None:
    """E1.2, E2.3."""
    table = started(seats, 5)
    first = table.state.first_seat

    assert [4] * seats == [table.gold(seat) for seat in range(seats)]
    assert table.state.order == [(first + disc) % seats for disc in range(seats)]
    assert {seat: disc for disc, seat in enumerate(table.state.order, 1)} == {s: table.vp(s) for s in range(seats)}
    assert ["red yellow green blue"] * seats == [table.columns(seat) for seat in range(seats)]
    assert table.seat == first


@pytest.mark.parametrize(("seats", "cards"), [(2, 7), (3, 10), (4, 13)])
def test_the_agora_has_three_cards_a_player_and_one(seats: int, cards: int) -> None:
    """E2.4, ruling 4."""
    assert cards == len(started(seats, families="first").agora)


def test_the_oracle_has_four_cards_with_apollo_and_is_empty_without() -> None:
    """E2.4, O1."""
    assert len(started(2, families="apollo,ares,athena,hades,hermes").oracle) == 4
    assert started(2, families="first").oracle == []


def test_there_are_three_level_tiles_and_two_a_family_in_play() -> None:
    """E2.5, ruling 2."""
    tiles = started(3, families="first").view(None).tiles.tiles

    assert [(tile.level, tile.vp) for tile in tiles if tile.level] == [(1, 2), (2, 4), (3, 6)]
    assert [tile.vp for tile in tiles if tile.family] == [5, 2] * 5
    assert {NOBODY} == {tile.holder for tile in tiles}


def test_the_rest_of_105_cards_is_the_draw_pile() -> None:
    """E1.1, E2.1."""
    table = started(4, families="apollo,ares,athena,hades,hermes")

    assert 105 - 13 - 4 == len(table.deck) == table.view(0).table.deck
