"""Creatures (C9, C9.1): the price, legal effects, Pegasus, Sylph and Chimera, a row or a test for each clause.

The others are in `test_havoc.py`, `test_wealth.py` and `test_figurines.py`.
"""

import pytest
from tests.engine.cyclades.positions import ISLES, Layout, buy, lay_out

from agon_engine.cyclades.creatures import has_effect
from agon_engine.cyclades.enums import Creature


def can_buy(creature: str, position: Layout) -> bool:
    whole: Layout = {"isles": ISLES, **position, "spaces": f"- - {creature}"}
    table = lay_out(3, "athena", **whole)
    return bool(table.listed(f"buy {creature}"))


def after(told: list[str], code: str) -> list[str]:
    return told[told.index(code) + 1 :]


# -- all of them ---------------------------------------------------------------------------------------------


def test_the_price_is_paid_first_and_the_card_goes_to_the_discard_pile() -> None:
    """C9.1, C7.10."""
    table = buy("griffon", "rob 1")

    assert after(table.told, "0: buy griffon") == ["0: pay 2", "0: rob 1", "1: pay 10", "0: gain 10", "discard griffon"]
    assert [table.cards("discard"), table.prompt] == ["griffon", "turn athena"]


@pytest.mark.parametrize(
    ("creature", "position"),
    [
        # No sea with exactly one enemy fleet.
        ("siren", {"seas": {"E2": "1 x2", "A1": "0 x1"}}),
        ("siren", {"seas": {}}),
        # No troops; all of them under Medusa.
        ("pegasus", {"isles": {"IS5": "0", "IS7": "1", "IS8": "1"}}),
        ("pegasus", {"isles": {"IS5": "0 x2 medusa:1", "IS7": "1", "IS8": "1"}}),
        # No building; none but under Chiron; a Metropolis is none.
        ("giant", {}),
        ("giant", {"isles": {"IS5": "0", "IS7": "1 port chiron:1", "IS8": "1 metropolis"}}),
        # Nothing discarded; nothing that has an effect.
        ("chimera", {}),
        ("chimera", {"discard": "siren giant satyr"}),
        ("cyclops", {"isles": {"IS5": "0 x1", "IS7": "1 port", "IS8": "1"}}),
        ("sphinx", {"isles": {"IS5": "0", "IS7": "1 x1"}}),
        # No fleet; none that can step.
        ("sylph", {}),
        ("sylph", {"seas": {"F1": "0 x2", "E1": "kraken"}}),
        ("harpy", {"isles": {"IS5": "0", "IS7": "1"}}),
        ("harpy", {"isles": {"IS5": "0", "IS7": "1 x2 chiron:0"}}),
        ("fates", {}),
        ("satyr", {"philosophers": {0: 3}}),
        ("dryad", {"priests": {0: 3}}),
    ],
)
def test_a_creature_without_a_legal_effect_cannot_be_bought(creature: str, position: Layout) -> None:
    """C9.1."""
    assert not can_buy(creature, position)


@pytest.mark.parametrize(
    ("creature", "position"),
    [
        ("siren", {"seas": {"E2": "1 x1"}}),
        ("pegasus", {}),
        ("giant", {"isles": {"IS5": "0 port", "IS7": "1"}}),
        ("chimera", {"discard": "siren giant griffon"}),
        ("cyclops", {"isles": {"IS5": "0 port", "IS7": "1"}}),
        ("sphinx", {}),
        ("sylph", {"seas": {"F1": "0 x2"}}),
        ("harpy", {}),
        ("griffon", {"gold": {0: 2, 1: 0, 2: 0}}),
        ("fates", {"isles": {"IS1": "0", "IS7": "1"}}),
        ("satyr", {"philosophers": {1: 1}}),
        ("dryad", {"priests": {2: 1}}),
        ("kraken", {}),
        ("minotaur", {}),
        ("chiron", {}),
        ("medusa", {}),
        ("polyphemus", {}),
    ],
)
def test_a_creature_with_a_legal_effect_can(creature: str, position: Layout) -> None:
    """C9.1: every creature has its row."""
    assert can_buy(creature, position)


def test_the_cyclops_needs_another_type_in_the_supply() -> None:
    """C9.1, C9 cyclops, C1.2."""
    table = lay_out(3, "athena", isles={"IS5": "0 port", "IS7": "1"}, spaces="cyclops - -")
    table.state.buildings_left = [0, 9, 0, 0, 1]
    table.do("buy cyclops")
    assert table.isle("IS5") == "0 university"

    table = lay_out(3, "athena", isles={"IS5": "0 port", "IS7": "1"})
    assert has_effect(table.state, 0, Creature.CYCLOPS)
    table.state.buildings_left = [0, 9, 0, 0, 0]
    assert not has_effect(table.state, 0, Creature.CYCLOPS)


# -- pegasus -------------------------------------------------------------------------------------------------


def test_pegasus_carries_troops_of_one_island_to_any_other_without_a_chain() -> None:
    """C9 pegasus: one or more; own, free and enemy islands; battle as usual."""
    isles = {"IS5": "0 x2", "IS1": "0 x1", "IS7": "1 x1", "IS8": "1", "IS2": "2 x1"}
    table = buy("pegasus", isles=isles, rolls="3 0")

    assert {"IS5>IS1 x1", "IS5>IS1 x2", "IS5>IS3 x2", "IS5>IS7 x2", "IS1>IS5 x1"} <= set(table.listed("fly"))
    # IS2 is the last island of seat 2 (C7.11).
    assert {"1", "3", "4", "6", "7", "8"} == {code[6] for code in table.listed("fly") if code.startswith("IS5")}
    table.do("fly IS5>IS7 x2")
    assert [table.isle("IS5"), table.isle("IS7")] == ["0", "0 x2"]
    assert "roll 3+2 0+1" in table.told


def test_pegasus_does_not_carry_from_medusa_nor_to_chiron_but_for_the_owner_of_the_island() -> None:
    """C9 pegasus, medusa, chiron."""
    isles = {"IS5": "0 x2 medusa:0", "IS1": "0 x1", "IS7": "1 x1 chiron:0", "IS8": "1", "IS2": "2 x1"}
    routes = buy("pegasus", isles=isles).listed("fly")

    assert {"IS1"} == {code[:3] for code in routes}
    assert "IS1>IS7 x1" not in routes
    own = {"IS5": "0 x2", "IS1": "0 chiron:1", "IS7": "1 x1", "IS8": "1"}
    assert "IS5>IS1 x1" in buy("pegasus", isles=own).listed("fly")


def test_attackers_by_pegasus_retreat_to_the_origin_only_if_a_chain_joins_it() -> None:
    """C8.3."""
    isles = {"IS5": "0 x2", "IS7": "1 x2", "IS8": "1"}
    table = buy("pegasus", "fly IS5>IS7 x2", isles=isles, rolls="3 0 3 0")
    assert table.prompt == "turn athena"
    assert [code for code in table.told if "roll" in code] == ["roll 3+2 0+2", "roll 3+2 0+1"]

    seas = {"H2": "0 x1", "I2": "0 x1", "I3": "0 x1"}
    table = buy("pegasus", "fly IS5>IS7 x2", isles=isles, seas=seas, rolls="3 0 3 0")
    assert [code for code in table.codes if "IS8" not in code] == ["retreat IS5", "fight"]


# -- sylph ---------------------------------------------------------------------------------------------------


def test_the_sylph_makes_up_to_ten_steps_from_any_own_sea_for_nothing() -> None:
    """C9 sylph."""
    table = buy("sylph", seas={"E2": "0 x2", "F1": "0 x1"}, gold={0: 2})

    assert "stop" not in table.codes
    table.do("move E2>D1 x1")
    assert {"D1", "E2", "F1"} == {code[:2] for code in table.listed("move")}
    for number in range(8):
        table.do("move F1>E1 x1" if number % 2 == 0 else "move E1>F1 x1")
    assert (table.prompt, table.codes[-1]) == ("sylph", "stop")
    table.do("move E2>F3 x1")
    assert [table.prompt, table.state.purses[0], table.seas_of(0)] == ["turn athena", 0, "D1 x1, F1 x1, F3 x1"]


def test_a_battle_does_not_end_the_sylph_but_no_fleet_leaves_its_sea_again() -> None:
    """C9 sylph: neither those that won nor others that were there."""
    seas = {"E2": "0 x3", "D1": "1 x1", "E1": "0 x1"}
    table = buy("sylph", "move E2>D1 x2", seas=seas, rolls="3 0")

    assert [table.sea("D1"), table.prompt] == ["0 x2", "sylph"]
    assert {"E1", "E2"} == {code[:2] for code in table.listed("move")}
    table.do("move E1>D1 x1")
    assert table.sea("D1") == "0 x3"
    assert {"E2"} == {code[:2] for code in table.listed("move")}


def test_also_where_the_attackers_came_back_from_no_fleet_leaves_the_sea_of_a_battle() -> None:
    """C9 sylph: the sea is closed, not the fleets."""
    seas = {"E2": "0 x3", "D1": "1 x2"}
    table = buy("sylph", "move E2>D1 x3", seas=seas, rolls="0 3")
    table.do("fight", "retreat E2")

    assert ["sylph", {"E2"}] == [table.prompt, {code[:2] for code in table.listed("move")}]


def test_the_sylph_does_not_enter_barred_seas() -> None:
    """C9 sylph, C1.4."""
    table = buy("sylph", seas={"E2": "0 x1", "D1": "kraken", "F3": "1 x1"})

    assert sorted(table.codes) == ["move E2>E1 x1", "move E2>F3 x1"]


# -- chimera -------------------------------------------------------------------------------------------------


def test_the_chimera_plays_a_discarded_card_for_nothing_and_all_are_shuffled_into_the_deck() -> None:
    """C9 chimera: the Chimera too."""
    table = buy("chimera", discard="griffon giant harpy", deck="sphinx", gold={0: 5, 1: 6})

    assert table.codes == ["replay griffon", "replay harpy"]
    table.do("replay griffon", "rob 1")
    assert [table.state.purses[0], table.cards("discard")] == [5 - 2 + 3, ""]
    assert {"griffon", "giant", "harpy", "chimera", "sphinx"} == set(table.cards("deck").split())
    assert table.told[-3:] == ["discard griffon", "discard chimera", "shuffle"]


def test_the_chimera_replays_the_kraken_which_is_lifted_first() -> None:
    """C9 chimera, kraken: moving it is paid."""
    table = buy("chimera", discard="kraken", seas={"D1": "kraken", "E2": "1 x1"}, gold={0: 3})
    table.do("kraken E2", "kraken F3")

    assert [table.state.purses[0], table.sea("D1"), table.sea("E2"), table.sea("F3")] == [0, "", "", "kraken"]
    assert [table.prompt, " ".join(card.name.lower() for card in table.state.playing[::-1])] == [
        "swim",
        "kraken chimera",
    ]
    table.do("stop")
    assert table.cards("playing") == ""


def test_a_figurine_that_the_chimera_plays_stays_with_its_owner() -> None:
    """C9 chimera, C9.2: it is not shuffled in."""
    table = buy("chimera", discard="medusa giant", deck="sphinx")
    table.do("place IS5")

    assert table.isle("IS5") == "0 x1 medusa:0"
    assert {"giant", "chimera", "sphinx"} == set(table.cards("deck").split())


def test_a_single_card_with_an_effect_is_played_without_a_question() -> None:
    """C9 chimera, C9.1."""
    table = buy("chimera", discard="giant satyr sphinx")

    assert "0: replay sphinx" in table.told
    # The only piece that can be sold is too.
    assert after(table.told, "0: replay sphinx")[:2] == ["0: sell troop IS5", "0: gain 2"]


@pytest.mark.parametrize("again", ["fates", "sphinx"])
def test_a_fates_or_sphinx_bought_and_replayed_is_all_that_a_turn_gives(again: str) -> None:
    """C7.14: no sequence of Fates and Chimera goes on, since each is bought once."""
    isles = {"IS1": "0 x2 horn", "IS5": "0 x2", "IS7": "1"}
    table = lay_out(3, "athena", isles=isles, spaces=f"chimera {again} -", deck="", gold={0: 30})
    sell = ["sell troop IS1", "stop"] if again == "sphinx" else []
    table.do(f"buy {again}", *sell, "buy chimera", *sell)

    assert 1 << Creature.CHIMERA | 1 << Creature[again.upper()] == table.state.bought
    assert table.prompt == "turn athena"
    table.state.spaces[:2] = [Creature.CHIMERA, Creature[again.upper()]]
    table.do("recruit philosopher")
    assert table.listed("buy") == []
