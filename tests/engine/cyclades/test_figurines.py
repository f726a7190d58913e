"""Island figurines (C9.2, C9.3): placing, expiry, what they do while they stand."""

from typing import Unpack

import pytest
from tests.engine.cyclades.positions import Layout, Table, lay_out

FIGURINES = ("minotaur", "chiron", "medusa", "polyphemus")


def place(creature: str, where: str, **position: Unpack[Layout]) -> Table:
    """Let seat 0 buy a figurine for 2 and place it."""
    position["spaces"] = f"- - {creature}"
    table = lay_out(3, "athena", **position)
    return table.do(f"buy {creature}", f"place {where}")


@pytest.mark.parametrize("creature", FIGURINES)
@pytest.mark.parametrize("where", ["IS5", "IS7", "IS1"])
def test_a_figurine_goes_on_any_island_and_its_card_stays_with_the_owner(creature: str, where: str) -> None:
    """C9.2: own, of others, free; the price has been paid."""
    isles = {"IS5": "0 x1", "IS7": "1 x1", "IS8": "1"}
    table = place(creature, where, isles=isles)

    assert f"{isles.get(where, '')} {creature}:0".strip() == table.isle(where)
    assert [
        table.cards("discard"),
        table.cards("playing"),
        table.state.purses[0],
        table.prompt,
    ] == ["", "", 18, "turn athena"]


@pytest.mark.parametrize("creature", FIGURINES)
def test_all_islands_are_listed(creature: str) -> None:
    """C9.2."""
    table = lay_out(3, "athena", isles={"IS5": "0", "IS7": "1 medusa:1"}, spaces=f"{creature} - -")
    if creature != "medusa":
        table.do(f"buy {creature}")

        assert [f"IS{number}" for number in range(1, 9)] == table.listed("place")


@pytest.mark.parametrize("second", ["chiron", "medusa", "polyphemus"])
def test_two_on_one_island_destroy_each_other_before_the_second_has_any_effect(second: str) -> None:
    """C9.2: both cards are discarded; fleets beside the island stay where they are."""
    isles = {"IS5": "0 x1", "IS7": "1 x1 minotaur:1", "IS8": "1"}
    table = place(second, "IS7", isles=isles, seas={"F6": "1 x1", "G5": "0 x2"})

    assert ["1 x1", f"minotaur {second}"] == [table.isle("IS7"), table.cards("discard")]
    assert [table.sea("F6"), table.sea("G5"), table.prompt] == ["1 x1", "0 x2", "turn athena"]


def test_a_figurine_stands_until_the_owners_next_god_turn_in_a_later_cycle() -> None:
    """C9.2, C7.1: while others act it stays; buying it in a cycle does not count for that cycle."""
    table = place("chiron", "IS7", isles={"IS5": "0 x1", "IS7": "1 x1", "IS8": "2"}, later="zeus:1")
    table.state.next_order = [2]
    table.do("end", "end")
    assert [table.isle("IS7"), table.state.cycle] == ["1 x1 chiron:0", 5]
    while table.prompt != "turn ares":
        table.do("god apollo" if table.prompt == "god" else table.codes[0])
        if table.state.cycle > 5 or table.cards("discard").endswith("chiron"):
            break

    turns = [code for code in table.told if ": turn" in code]
    assert table.told[table.told.index("0: turn apollo") + 1] == "lift chiron IS7"
    assert turns.index("1: turn zeus") < turns.index("0: turn apollo")


def test_the_minotaur_adds_for_whoever_owns_the_island() -> None:
    """C8.5, C9 minotaur: placed on the island of another it helps him."""
    isles = {"IS5": "0 x2", "IS3": "1 x1", "IS8": "1", "IS7": "2"}
    table = lay_out(3, "ares", isles=isles, spaces="- - minotaur", seas={"E2": "0 x1"}, rolls="3 0")
    table.do("buy minotaur", "place IS3", "move IS5>IS3 x2")

    assert "roll 3+2 0+3" in table.told


def test_a_figurine_on_a_taken_island_stays_but_for_the_minotaur() -> None:
    """C8.5, C10.7."""
    isles = {"IS5": "0 x2", "IS3": "1 polyphemus:2", "IS8": "1", "IS7": "2"}
    table = lay_out(3, "ares", isles=isles, spaces="pegasus - -")
    table.do("buy pegasus", "fly IS5>IS3 x2")

    assert table.isle("IS3") == "0 x2 polyphemus:2"


# -- Polyphemus ----------------------------------------------------------------------------------------------

ISLES = {"IS5": "0", "IS7": "1", "IS8": "2"}


def test_polyphemus_drives_the_fleets_around_away_and_no_fleet_enters_while_he_stays() -> None:
    """C9.3, C9 polyphemus: IS1 touches A1, B2, C1 and C2; of all owners, sea by sea in the order of the data."""
    table = place("polyphemus", "IS1", isles=ISLES, seas={"A1": "1 x2", "C1": "0 x1", "B2": "2 x1"})

    # A1 touches A2 and B2: it goes to A2 without a question. B2 can then not go there.
    assert [code for code in table.told if "push" in code or "drive" in code][:4] == [
        "1: push A2",
        "1: drive A1>A2",
        "2: push B3",
        "2: drive B2>B3",
    ]
    assert [table.sea(name) for name in ("A2", "B3", "D1", "A1", "B2", "C1")] == ["1 x2", "2 x1", "0 x1", "", "", ""]
    assert table.prompt == "turn athena"


def test_the_owner_picks_where_his_fleets_go_also_when_it_is_not_his_turn() -> None:
    """C9.3: the fleets of one sea go together."""
    table = place("polyphemus", "IS4", isles=ISLES, seas={"E4": "1 x3", "F5": "0 x1"})

    # E4 touches D3, D4, F4 and F5; D4, F5 touch IS4.
    assert (table.seat, table.prompt, sorted(table.codes)) == (1, "push E4", ["push D3", "push F4"])
    table.do("push F4")
    assert [table.sea("F4"), table.sea("G5"), table.prompt] == ["1 x3", "0 x1", "turn athena"]


def test_fleets_with_no_place_die() -> None:
    """C9.3: enemy fleets or the Kraken all around."""
    table = place("polyphemus", "IS1", isles=ISLES, seas={"A1": "1 x2", "A2": "kraken"})
    assert [table.sea("A1"), table.seas_of(1), table.state.fleet_reserve[1]] == ["", "", 8]
    assert "1: lose fleet A1 x2" in table.told

    table = place("polyphemus", "IS1", isles=ISLES, seas={"A1": "1 x2", "A2": "2 x1"})
    assert "1: lose fleet A1 x2" in table.told


def test_a_sea_that_fleets_were_pushed_to_counts_as_theirs_for_the_next() -> None:
    """C9.3: A1 goes to A2; the fleet in B2, of another, can go to B3 alone."""
    table = place("polyphemus", "IS1", isles=ISLES, seas={"A1": "1 x1", "B2": "2 x1"})
    assert [table.sea("A2"), table.sea("B3")] == ["1 x1", "2 x1"]

    table = place("polyphemus", "IS1", isles=ISLES, seas={"A1": "1 x1", "B2": "1 x1"})
    assert (table.seat, table.prompt, sorted(table.codes)) == (1, "push B2", ["push A2", "push B3"])
    table.do("push A2")
    assert table.sea("A2") == "1 x2"
