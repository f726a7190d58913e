"""Battles (C8)."""

from collections.abc import Mapping

import pytest
from tests.engine.cyclades.positions import Table, lay_out

SEA = {"E2": "0 x1", "F3": "0 x1"}
"""Joins IS5, IS3 and, by F4 and G3 no further, no other island."""


def attack(isle: str, troops: int = 2, rolls: str = "", others: Mapping[str, str] | None = None) -> Table:
    """Let troops of seat 0 march from IS5 to IS3, which is as given."""
    isles = {"IS5": f"0 x{troops}", "IS3": isle, "IS7": "1", "IS8": "2", **(others or {})}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1"}, rolls=rolls)
    return table.do(f"move IS5>IS3 x{troops}")


def sail_in(fleets: str, isles: Mapping[str, str], own: int = 2, rolls: str = "", *, port_bonus: bool = False) -> Table:
    """Let fleets of seat 0 sail from E2 to D1, where those are that are given."""
    seas, options = {"E2": f"0 x{own}", "D1": fleets}, {"attacker_port_bonus": port_bonus}
    table = lay_out(3, "poseidon", isles=isles, seas=seas, rolls=rolls, options=options)
    return table.do(f"move E2>D1 x{own}")


def rolled(table: Table) -> list[str]:
    return [code for code in table.told if "roll" in code]


# -- strength ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("isle", "strength"),
    [
        ("1 x1", 1),
        ("1 x3", 3),
        ("1 x1 fortress", 2),
        ("1 x1 fortress fortress", 3),
        ("1 x1 metropolis", 2),
        ("1 x1 port temple", 1),
        ("1 x2 minotaur:2", 4),
        ("1 x1 minotaur:0 fortress", 4),
        ("1 minotaur:1 fortress", 3),
    ],
)
def test_what_the_defender_of_an_island_adds(isle: str, strength: int) -> None:
    """C8.1, C8.5: units, Fortresses and a Metropolis on it, the Minotaur, whoever owns the card."""
    table = attack(isle, rolls="3 0")

    assert f"roll 3+2 0+{strength}" == rolled(table)[0]


@pytest.mark.parametrize(
    ("isles", "attackers", "defence"),
    [
        ({}, "0+2", "3+1"),
        ({"IS3": "1 port"}, "0+2", "3+2"),
        ({"IS3": "1 port", "IS1": "1 port"}, "0+2", "3+2"),
        ({"IS3": "1 port port"}, "0+2", "3+3"),
        ({"IS3": "1 metropolis"}, "0+2", "3+2"),
        ({"IS3": "1 fortress"}, "0+2", "3+1"),
        # IS3 touches D1, IS5 does not.
        ({"IS3": "0 port"}, "0+2", "3+1"),
        ({"IS5": "1 port"}, "0+2", "3+1"),
        ({"IS3": "2 port"}, "0+2", "3+1"),
    ],
)
def test_what_the_defender_of_a_sea_adds(isles: dict[str, str], attackers: str, defence: str) -> None:
    """C8.1: his Ports on islands that touch it, and his Metropolises there."""
    table = sail_in("1 x1", {"IS8": "0", "IS7": "1", **isles}, rolls="0 3")

    assert f"roll {attackers} {defence}" == rolled(table)[0]


@pytest.mark.parametrize(
    ("bonus", "isle", "attack"),
    [(False, "0 port", "0+2"), (True, "0 port", "0+3"), (True, "0 metropolis port", "0+4"), (True, "2 port", "0+2")],
)
def test_ports_of_the_attacker_count_by_an_option(bonus: bool, isle: str, attack: str) -> None:
    """C8.1: option attacker_port_bonus; his own at the sea of the battle."""
    isles = {"IS3": isle, "IS8": "0", "IS7": "1", "IS5": "0 port"}
    table = sail_in("1 x1", isles, rolls="0 3", port_bonus=bonus)

    assert f"roll {attack} 3+1" == rolled(table)[0]


# -- rounds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rolls", "attackers", "defenders"),
    [("3 0", 2, 1), ("0 3", 1, 2), ("2 2", 1, 1), ("1 0", 2, 1)],
)
def test_the_lower_total_loses_a_unit_and_a_tie_costs_both_one(rolls: str, attackers: int, defenders: int) -> None:
    """C8.2: lost pieces go back to their reserve (C1.1)."""
    table = attack("1 x2", rolls=rolls)

    assert [attackers, defenders] == [table.state.attackers, table.state.troops[3]]
    assert [6 + 2 - attackers, 6 + 2 - defenders] == table.state.troop_reserve[:2]


def test_the_winner_takes_the_island_with_all_on_it() -> None:
    """C8.4, C10.7: buildings, Metropolis, markers and figurines stay."""
    table = attack("1 x1 port metropolis horn medusa:1", rolls="3 0")

    assert table.isle("IS3") == "0 x2 port metropolis horn medusa:1"
    assert "0: take IS3" in table.told


def test_both_wiped_out_the_defender_keeps_the_island() -> None:
    """C8.4."""
    table = attack("1 x1 port", troops=1, rolls="1 1")

    assert [table.isle("IS3"), table.isle("IS5"), table.prompt] == ["1 port", "0", "turn ares"]


def test_both_wiped_out_a_sea_is_empty() -> None:
    """C8.4."""
    table = sail_in("1 x1", {"IS5": "0", "IS7": "1"}, own=1, rolls="1 1")

    assert [table.sea("D1"), table.sea("E2"), table.state.fleet_reserve[:2]] == ["", "", [8, 8]]


def test_an_attacker_that_loses_all_takes_nothing() -> None:
    """C8.2, C8.4."""
    table = attack("1 x1", troops=1, rolls="0 3")

    assert [table.isle("IS3"), table.isle("IS5"), table.state.troop_reserve[0]] == ["1 x1", "0", 8]


def test_rounds_follow_until_one_side_is_gone() -> None:
    """C8.3: neither can retreat here: no fleet of seat 1, and seat 0 goes on."""
    table = attack("1 x2", rolls="3 0 0 3 3 0")

    assert (table.seat, table.prompt, table.codes) == (0, "retreat", ["retreat IS5", "fight"])
    table.do("fight")
    assert rolled(table) == ["roll 3+2 0+2", "roll 0+2 3+1"]
    table.do("fight")
    assert rolled(table) == ["roll 3+2 0+2", "roll 0+2 3+1", "roll 3+1 0+1"]
    assert table.isle("IS3") == "0 x1"


# -- retreats ------------------------------------------------------------------------------------------------


def retreat_of_defender(others: Mapping[str, str], seas: Mapping[str, str]) -> Table:
    """Attack IS3 with three from IS5; the defender's two lose one and may retreat."""
    isles = {"IS5": "0 x3", "IS3": "1 x2", "IS7": "1", "IS8": "2", **others}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1", **seas}, rolls="3 0 3 0")
    return table.do("move IS5>IS3 x3")


def test_defending_troops_retreat_to_an_own_or_a_free_island_joined_by_their_fleets() -> None:
    """C8.3: IS3 by F4 to IS6, by G5 from F5 to IS7."""
    seas = {"F4": "1 x1", "F5": "1 x1", "G5": "1 x1"}
    table = retreat_of_defender({"IS4": "0"}, seas)

    assert (table.seat, table.prompt, table.codes) == (1, "retreat", ["retreat IS6", "retreat IS7", "fight"])
    table.do("retreat IS7")
    assert [table.isle("IS7"), table.isle("IS3"), table.prompt] == ["1 x1", "0 x3", "turn ares"]


def test_a_free_island_reached_by_a_retreat_is_theirs() -> None:
    """C8.3: a Minotaur on it goes (C8.5)."""
    table = retreat_of_defender({"IS6": "minotaur:0"}, {"F4": "1 x1"})
    table.do("retreat IS6")

    assert [table.isle("IS6"), table.cards("discard"), table.isle("IS3")] == ["1 x1", "minotaur", "0 x3"]


def test_a_retreat_to_a_free_island_saves_from_elimination() -> None:
    """C8.3, C7.12: it comes before the island is taken."""
    isles = {"IS5": "0 x3 metropolis", "IS8": "0", "IS3": "1 x2 metropolis", "IS7": "2"}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1", "F4": "1 x1"}, rolls="3 0")
    table.do("move IS5>IS3 x3", "retreat IS6")

    assert [table.isle("IS6"), table.state.fallen] == ["1 x1", []]


@pytest.mark.parametrize(
    ("others", "seas"),
    [
        ({}, {}),
        # A chain of another seat, an enemy island.
        ({}, {"F4": "2 x1"}),
        ({"IS6": "0"}, {"F4": "1 x1"}),
        ({"IS6": "2"}, {"F4": "1 x1"}),
        # Fleets that touch another island only.
        ({}, {"G5": "1 x1"}),
    ],
)
def test_without_a_place_there_is_no_retreat_and_no_question(
    others: Mapping[str, str], seas: Mapping[str, str]
) -> None:
    """C8.3: then the attacker is asked."""
    table = retreat_of_defender(others, seas)

    assert (table.seat, table.prompt) == (0, "retreat")


def test_the_attacker_is_asked_only_if_the_defender_fights_on() -> None:
    """C8.3."""
    table = retreat_of_defender({}, {"F4": "1 x1"})
    assert table.seat == 1
    table.do("fight")

    assert (table.seat, table.codes) == (0, ["retreat IS5", "fight"])
    table.do("retreat IS5")
    assert [table.isle("IS5"), table.isle("IS3"), table.prompt] == ["0 x3", "1 x1", "turn ares"]


def test_attackers_retreat_to_where_their_chain_reaches_the_origin_too() -> None:
    """C8.3: all that are left go together to one place; a free island so reached is theirs."""
    isles = {"IS5": "0 x3", "IS3": "1 x3", "IS8": "2", "IS7": "1"}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1", "F4": "0 x1", "F3": "0 x1"}, rolls="0 3")
    table.do("move IS5>IS3 x3")

    assert table.codes == ["retreat IS5", "retreat IS6", "fight"]
    table.do("retreat IS6")
    assert [table.isle("IS5"), table.isle("IS6"), table.isle("IS3")] == ["0", "0 x2", "1 x3"]


def test_under_medusa_troops_may_retreat() -> None:
    """C8.3, C9 medusa."""
    table = retreat_of_defender({"IS3": "1 x2 medusa:2"}, {"F4": "1 x1"})

    assert table.codes == ["retreat IS6", "fight"]


def test_fleets_retreat_to_an_adjacent_sea_without_enemies_that_is_not_barred() -> None:
    """C8.3: D1 touches C1, E1 and E2; the attackers came from E2 with all they had there."""
    isles = {"IS5": "0", "IS7": "1"}
    table = lay_out(3, "poseidon", isles=isles, seas={"E2": "0 x3", "D1": "1 x2", "C1": "kraken"}, rolls="3 0")
    table.do("move E2>D1 x3")

    assert (table.seat, sorted(table.codes)) == (1, ["fight", "retreat E1", "retreat E2"])
    table.do("retreat E1")
    assert [table.sea("D1"), table.sea("E1"), table.prompt] == ["0 x3", "1 x1", "turn poseidon"]


def test_attacking_fleets_may_retreat_too() -> None:
    """C8.3."""
    isles = {"IS5": "0", "IS7": "1"}
    seas = {"E2": "0 x3", "D1": "1 x2", "C1": "kraken", "E1": "2 x1"}
    table = lay_out(3, "poseidon", isles=isles, seas=seas, rolls="0 3")
    table.do("move E2>D1 x3")
    assert (table.seat, table.codes) == (1, ["retreat E2", "fight"])
    table.do("fight")

    assert (table.seat, table.codes) == (0, ["retreat E2", "fight"])
    table.do("retreat E2")
    assert [table.sea("D1"), table.sea("E2")] == ["1 x2", "0 x2"]


def test_a_sea_in_which_the_origin_keeps_a_fleet_is_no_retreat_for_the_defender() -> None:
    """C8.3."""
    isles = {"IS5": "0", "IS7": "1"}
    seas = {"E2": "0 x3", "D1": "1 x2", "C1": "kraken", "E1": "2 x1"}
    table = lay_out(3, "poseidon", isles=isles, seas=seas, rolls="0 3")
    table.do("move E2>D1 x2")

    assert (table.seat, table.codes) == (0, ["retreat E2", "fight"])


# -- the Minotaur --------------------------------------------------------------------------------------------


def test_the_minotaur_is_no_loss_while_troops_defend_and_then_defends_alone() -> None:
    """C8.5: with strength 2, and it falls with the first round lost or tied."""
    table = attack("1 x1 minotaur:2", troops=3, rolls="3 0 2 3")

    assert table.isle("IS3") == "1 minotaur:2"
    table.do("fight")
    assert rolled(table) == ["roll 3+3 0+3", "roll 2+3 3+2"]
    assert [table.isle("IS3"), table.cards("discard")] == ["0 x2", "minotaur"]


def test_a_minotaur_that_falls_with_the_last_attacker_leaves_the_island_to_its_owner() -> None:
    """C8.4, C8.5."""
    table = attack("1 minotaur:1", troops=1, rolls="2 1")

    assert [table.isle("IS3"), table.cards("discard")] == ["1", "minotaur"]


def test_a_lone_minotaur_cannot_retreat_but_the_attacker_can() -> None:
    """C8.5."""
    isles = {"IS5": "0 x3", "IS3": "1 minotaur:1", "IS7": "1", "IS8": "2"}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1", "F4": "1 x1"}, rolls="0 3")
    table.do("move IS5>IS3 x3")

    assert (table.seat, table.codes) == (0, ["retreat IS5", "fight"])


def test_troops_that_retreat_give_up_the_island_minotaur_or_not() -> None:
    """C8.5."""
    table = retreat_of_defender({"IS3": "1 x2 minotaur:1"}, {"F4": "1 x1"})
    table.do("retreat IS6")

    assert [table.isle("IS3"), table.cards("discard"), table.isle("IS6")] == ["0 x3", "minotaur", "1 x1"]


def test_the_dice_are_told_and_stay_in_view_until_the_next_battle() -> None:
    """C10.6: all but gold and the deck is public."""
    table = attack("1 x2", rolls="3 0 3 0")
    table.do("fight")

    assert table.state.view(None).battle.rolls == ((3, 0), (3, 0))
    assert table.state.view(None).battle.attackers == 0
