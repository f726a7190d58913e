"""Moves of fleets and troops (C7.6, C7.7)."""

import pytest
from tests.engine.cyclades.positions import lay_out


def test_a_fleet_move_costs_one_gold_and_has_up_to_three_steps() -> None:
    """C7.6."""
    table = lay_out(3, "poseidon", isles={"IS5": "0"}, seas={"E2": "0 x1"}, gold={0: 5})
    table.do("move E2>D1 x1")

    assert (
        table.state.purses[0],
        table.prompt,
        sorted(table.listed("move")),
    ) == (4, "sail D1", ["D1>C1 x1", "D1>E1 x1", "D1>E2 x1"])
    table.do("move D1>C1 x1")
    assert table.prompt == "sail C1"
    table.do("move C1>C2 x1")
    assert (table.state.purses[0], table.prompt, table.seas_of(0)) == (4, "turn poseidon", "C2 x1")


def test_each_step_starts_in_the_sea_just_entered_so_fleets_are_left_behind_and_picked_up() -> None:
    """C7.6."""
    table = lay_out(3, "poseidon", isles={"IS5": "0"}, seas={"E2": "0 x3", "D1": "0 x2"})

    assert [f"{route} x{number}" for route in ("E2>D1", "E2>E1", "E2>F3") for number in (1, 2, 3)] == sorted(
        code for code in table.listed("move") if code.startswith("E2")
    )
    table.do("move E2>D1 x2")
    assert {"1", "2", "3", "4"} == {code[-1] for code in table.listed("move")}
    assert {"D1"} == {code[:2] for code in table.listed("move")}
    table.do("move D1>C1 x4", "stop")
    assert table.seas_of(0) == "C1 x4, E2 x1"


def test_no_fleet_enters_a_barred_sea() -> None:
    """C1.4, C7.6: the Kraken, or Polyphemus on an island that touches the sea."""
    table = lay_out(3, "poseidon", isles={"IS5": "0", "IS3": "polyphemus:1"}, seas={"F5": "0 x1", "G5": "kraken"})

    # F5 touches E4 and F4, which touch IS3, the Kraken's G5, and F6.
    assert table.listed("move") == ["F5>F6 x1"]


def test_a_fleet_without_a_sea_to_go_to_cannot_move() -> None:
    """C7.6: F1 touches E1 alone."""
    table = lay_out(3, "poseidon", isles={"IS5": "0"}, seas={"F1": "0 x1", "E1": "kraken"})
    assert table.listed("move") == []


def test_entering_a_sea_with_enemy_fleets_is_a_battle_and_ends_the_move() -> None:
    """C7.6."""
    table = lay_out(3, "poseidon", isles={"IS5": "0"}, seas={"E2": "0 x2", "D1": "1 x1"}, rolls="3 0")
    table.do("move E2>D1 x2")

    assert table.told[-4:] == ["0: move E2>D1 x2", "0: pay 1", "roll 3+2 0+1", "1: lose fleet D1 x1"]
    assert [table.sea("D1"), table.prompt] == ["0 x2", "turn poseidon"]


def test_without_gold_nothing_moves() -> None:
    """C7.6, C7.7."""
    seas = {"E2": "0 x1"}
    assert lay_out(3, "poseidon", isles={"IS5": "0 x1"}, seas=seas, gold={0: 0}).listed("move") == []
    assert lay_out(3, "ares", isles={"IS5": "0 x1"}, seas=seas, gold={0: 0}).listed("move") == []
    assert lay_out(3, "ares", isles={"IS5": "0 x1"}, seas=seas, gold={0: 1}).listed("move")


def test_troops_march_along_an_unbroken_chain_of_own_fleets() -> None:
    """C7.7: IS5 by E2 to IS3; by F3 and F4 to IS6; a sea of another seat breaks the chain."""
    isles = {"IS5": "0 x2", "IS7": "1", "IS8": "1"}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1", "F3": "0 x1", "F4": "1 x1"})
    assert {"IS5>IS3"} == {code[:-3] for code in table.listed("move")}

    table = lay_out(3, "ares", isles=isles, seas={"F3": "0 x1", "F4": "0 x1", "F5": "0 x1"})
    assert {"IS5>IS3", "IS5>IS4", "IS5>IS6"} == {code[:-3] for code in table.listed("move")}

    table = lay_out(3, "ares", isles=isles, seas={"F4": "0 x1", "F5": "0 x1"})
    assert table.listed("move") == []

    table = lay_out(3, "ares", isles=isles)
    assert table.listed("move") == []


def test_some_or_all_troops_move_and_an_island_left_empty_stays() -> None:
    """C7.7."""
    table = lay_out(3, "ares", isles={"IS5": "0 x3", "IS3": "0 x1"}, seas={"E2": "0 x1"}, gold={0: 5})

    assert [code for code in table.listed("move") if code[2] == "5"] == ["IS5>IS3 x1", "IS5>IS3 x2", "IS5>IS3 x3"]
    table.do("move IS5>IS3 x3")
    assert [table.isle("IS5"), table.isle("IS3"), table.state.purses[0]] == ["0", "0 x4", 4]


def test_a_free_island_and_an_empty_enemy_island_are_taken_without_a_battle() -> None:
    """C7.7, C8.5: on a free island the Minotaur does not fight, and goes."""
    isles = {"IS5": "0 x3", "IS3": "minotaur:1", "IS6": "1 port horn", "IS7": "1"}
    table = lay_out(3, "ares", isles=isles, seas={"F3": "0 x1", "F4": "0 x1"})
    table.do("move IS5>IS3 x1")

    assert [table.isle("IS3"), table.cards("discard")] == ["0 x1", "minotaur"]
    table.do("move IS5>IS6 x1")
    assert table.isle("IS6") == "0 x1 port horn"
    assert not any("roll" in code for code in table.told)


def test_an_enemy_island_with_troops_is_fought_for() -> None:
    """C7.7."""
    isles = {"IS5": "0 x3", "IS3": "1 x1", "IS7": "1"}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1"}, rolls="2 1")
    table.do("move IS5>IS3 x2")

    assert "roll 2+2 1+1" in table.told
    assert [table.isle("IS5"), table.isle("IS3")] == ["0 x1", "0 x2"]


@pytest.mark.parametrize("owner", [0, 1])
def test_troops_under_medusa_do_not_leave(owner: int) -> None:
    """C7.7, C9 medusa: whoever placed it; troops may come."""
    isles = {"IS5": f"0 x2 medusa:{owner}", "IS3": "0 x1"}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1"})

    assert table.listed("move") == ["IS3>IS5 x1"]
