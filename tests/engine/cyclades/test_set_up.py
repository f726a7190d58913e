"""The set-up and the creature track (C2, C3)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from tests.engine.cyclades.positions import CREATURE, Table, lay_out, seed

from agon_engine.core import OptionsError
from agon_engine.cyclades import GAME
from agon_engine.cyclades.board import BOARDS
from agon_engine.cyclades.cards import refresh_spaces

SEATS = (2, 3, 4, 5)


def begun(seats: int, number: int = 0, options: Mapping[str, Any] | None = None) -> Table:
    return Table(GAME.start(seats, seed(number), options))


@pytest.mark.parametrize("seats", SEATS)
def test_pieces_stand_as_the_map_says_and_everybody_has_five_gold_and_the_first_income(seats: int) -> None:
    """C2.1."""
    table = begun(seats)
    state, board = table.state, BOARDS[seats]
    for seat, start in enumerate(board.starts):
        assert [f"{seat} x1"] * 2 == [table.isle(f"IS{island}") for island in start.islands]
        assert [f"{seat} x1"] * 2 == [table.sea(board.sea_names[sea]) for sea in start.seas]
    taken = {island for start in board.starts for island in start.islands}
    assert {""} == {table.isle(f"IS{island}") for island in range(1, board.islands + 1) if island not in taken}
    assert [5 + 2] * seats == state.purses
    assert [6] * seats == state.troop_reserve == state.fleet_reserve


def test_the_first_track_is_random_and_has_all_markers() -> None:
    """C2.1: with two players two each, all four shuffled."""
    two = Counter(tuple(begun(2, number).state.order) for number in range(120))
    three = Counter(tuple(begun(3, number).state.order) for number in range(120))

    assert len(two) == 6
    assert [sorted(order) for order in two] == [[0, 0, 1, 1]] * 6
    assert len(three) == 6
    assert min(*two.values(), *three.values()) > 5


def test_the_creature_deck_is_shuffled_and_the_first_cards_are_laid_on_the_cheapest_space_first() -> None:
    """C2.1, C3.1."""
    firsts = Counter(begun(4, number).state.spaces[2] for number in range(340))
    events = [event.code for event in begun(4).state.events_since(0) if event.code.startswith("reveal")]

    assert set(range(1, 18)) == set(firsts)
    assert [code.split()[2] for code in events] == ["2", "3", "4"]


@pytest.mark.parametrize(("start", "used"), [("full", [3, 3, 3, 3]), ("gradual", [1, 2, 3, 3])])
def test_how_many_spaces_are_used_in_the_first_cycles(start: str, used: list[int]) -> None:
    """C3.2: gradual begins with the dearest."""
    table = begun(3, 5, options={"creature_start": start})
    seen = []
    for cycle in range(1, 5):
        while table.state.cycle < cycle:
            table.do("god apollo" if table.prompt == "god" else table.codes[-1])
        spaces = table.state.spaces
        seen.append(sum(card > 0 for card in spaces))

        assert all(spaces[: seen[-1]])
    assert used == seen


@pytest.mark.parametrize(
    ("before", "deck", "after", "discarded"),
    [
        ("siren giant harpy", "sphinx sylph", "sphinx siren giant", "harpy"),
        # The one on 3 was bought: the one on 4 goes to 2.
        ("siren - harpy", "sphinx sylph", "sylph sphinx siren", "harpy"),
        ("- giant harpy", "sphinx sylph", "sylph sphinx giant", "harpy"),
        ("- - -", "sphinx sylph kraken", "kraken sylph sphinx", ""),
        ("siren giant -", "sphinx sylph", "sphinx siren giant", ""),
        # No card at all: the space stays empty.
        ("siren giant -", "", "- siren giant", ""),
    ],
)
def test_cards_slide_to_the_cheapest_spaces_and_the_gaps_are_filled(
    before: str, deck: str, after: str, discarded: str
) -> None:
    """C3.1."""
    table = lay_out(3, spaces=before, deck=deck)
    refresh_spaces(table.state)

    assert [CREATURE.get(name, 0) for name in after.split()] == table.state.spaces
    assert discarded == table.cards("discard")


def test_an_empty_deck_is_made_of_the_discard_pile_the_card_just_discarded_with_it() -> None:
    """C3.2."""
    table = lay_out(3, spaces="siren giant harpy", deck="", discard="griffon")
    refresh_spaces(table.state)

    assert " ".join(table.cards("spaces").split()[1:]) == "siren giant"
    assert {"griffon", "harpy"} == {table.cards("spaces").split()[0], table.cards("deck")}
    assert table.cards("discard") == ""
    assert table.told.count("shuffle") == 1


def test_a_bought_card_is_not_replaced_before_the_next_cycle() -> None:
    """C3.1."""
    table = lay_out(3, isles={"IS2": "0 x1"}, spaces="siren fates harpy")
    table.do("buy fates")

    assert table.cards("spaces") == "siren harpy"
    assert [CREATURE["siren"], 0, CREATURE["harpy"]] == table.state.spaces


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("creature_start", "half", "full, gradual"),
        ("two_player_gods", 5, "4, 3"),
        ("two_player_gods", True, "4, 3"),
        ("attacker_port_bonus", "yes", "false, true"),
        ("metropolis_over_buildings", "keep", "remove, forbid"),
        ("tie_break", "shared", "gold, metropolises_then_gold"),
        ("max_cycles", 4, "5 to 100"),
        ("max_cycles", 101, "5 to 100"),
        ("max_cycles", True, "5 to 100"),
        ("max_cycles", "many", "5 to 100"),
        ("max_cycles", "030", "5 to 100"),
        ("max_cycles", "٣٠", "5 to 100"),
        ("max_cycles", "9" * 5_000, "5 to 100"),
        ("max_cycles", 30.0, "5 to 100"),
    ],
)
def test_an_option_out_of_range_is_refused_with_what_is_allowed(name: str, value: object, allowed: str) -> None:
    with pytest.raises(OptionsError, match=allowed):
        begun(3, options={name: value})


def test_the_cap_is_kept_as_a_number_however_it_is_written() -> None:
    for value in (5, "5", 30, "100"):
        assert int(value) == GAME.spec.check_options({"max_cycles": value})["max_cycles"]
    assert GAME.spec.parse_option("max_cycles=77") == ("max_cycles", 77)


@pytest.mark.parametrize("seats", [0, 1, 6, True])
def test_other_numbers_of_seats_are_refused(seats: int) -> None:
    """C2.1."""
    with pytest.raises(OptionsError, match="2 to 5 seats"):
        GAME.start(seats, seed(0))
