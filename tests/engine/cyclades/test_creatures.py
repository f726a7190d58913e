"""The creatures that are played at once (C9), a row or a test for each clause; figurines are in `test_figurines.py`."""

from typing import Unpack

import pytest
from tests.engine.cyclades.positions import Layout, Table, lay_out

from agon_engine.cyclades.creatures import has_effect
from agon_engine.cyclades.enums import Creature

ISLES = {"IS5": "0 x1", "IS7": "1 x1", "IS8": "1", "IS2": "2 x1"}


def buy(creature: str, *codes: str, **position: Unpack[Layout]) -> Table:
    """Let seat 0 buy a creature for 2 and choose."""
    whole: Layout = {"isles": ISLES, **position, "spaces": f"- - {creature}"}
    table = lay_out(3, "athena", **whole)
    return table.do(f"buy {creature}", *codes)


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


# -- siren ---------------------------------------------------------------------------------------------------


def test_the_siren_sends_a_lone_enemy_fleet_home_and_puts_one_of_the_reserve_there() -> None:
    """C9 siren: seas with exactly one enemy fleet; no battle."""
    seas = {"E2": "1 x1", "H1": "2 x1", "H2": "1 x2", "F1": "0 x1"}
    table = buy("siren", seas=seas)
    assert table.codes == ["lure E2", "lure H1"]

    table.do("lure E2")
    assert [table.sea("E2"), table.state.fleet_reserve[0], table.state.fleet_reserve[1]] == ["0 x1", 8 - 2, 8 - 2]
    assert table.prompt == "turn athena"


def test_only_with_an_empty_reserve_the_siren_takes_an_own_fleet_from_another_sea() -> None:
    """C9 siren: which one the player picks."""
    table = buy("siren", seas={"E2": "1 x1", "F1": "0 x1", "A1": "0 x7"})

    assert (table.prompt, table.codes) == ("from", ["from A1", "from F1"])
    table.do("from F1")
    assert table.seas_of(0) == "A1 x7, E2 x1"
    table = buy("siren", seas={"E2": "1 x1", "A1": "0 x8"})
    assert table.seas_of(0) == "A1 x7, E2 x1"


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


# -- giant, harpy, cyclops -----------------------------------------------------------------------------------


def test_the_giant_destroys_a_building_anywhere_the_own_too() -> None:
    """C9 giant: no Metropolis, not under Chiron; it goes back to the supply."""
    isles = {"IS5": "0 port port", "IS7": "1 metropolis temple", "IS8": "1 university chiron:2", "IS2": "2"}
    table = buy("giant", isles=isles)

    assert table.codes == ["destroy port IS5", "destroy temple IS7"]
    table.do("destroy port IS5")
    assert [table.isle("IS5"), table.state.buildings_left[1]] == ["0 port", 9]


def test_the_harpy_removes_a_troop_from_any_island_the_own_too() -> None:
    """C9 harpy: not under Chiron; an island left empty stays."""
    isles = {"IS5": "0 x2", "IS7": "1 x1", "IS8": "1 x3 chiron:0", "IS2": "2"}
    table = buy("harpy", isles=isles)

    assert table.codes == ["kill IS5", "kill IS7"]
    table.do("kill IS7")
    assert [table.isle("IS7"), table.state.troop_reserve[1]] == ["1", 8 - 3]


def test_the_cyclops_replaces_an_own_building_by_another_type() -> None:
    """C9 cyclops."""
    isles = {"IS5": "0 port", "IS7": "1 temple", "IS8": "1", "IS2": "2"}
    table = buy("cyclops", isles=isles)

    assert table.codes == ["replace port IS5 fortress", "replace port IS5 temple", "replace port IS5 university"]
    table.do("replace port IS5 temple")
    assert [table.isle("IS5"), table.state.buildings_left] == ["0 temple", [0, 10, 10, 8, 10]]


def test_the_cyclops_may_complete_four_types() -> None:
    """C9 cyclops, C10.1."""
    isles = {"IS7": "0 port port fortress temple", "IS5": "0", "IS8": "1"}
    table = buy("cyclops", "replace port IS7 university", isles=isles)

    assert (table.prompt, table.codes) == ("found", ["found IS5", "found IS7"])
    table.do("found IS7")
    assert [table.isle("IS7"), table.prompt] == ["0 metropolis", "turn athena"]


# -- sphinx --------------------------------------------------------------------------------------------------


def test_the_sphinx_buys_pieces_for_two_gold_each_one_at_a_time() -> None:
    """C9 sphinx: at least one; Medusa does not hinder; an emptied island stays."""
    isles = {"IS5": "0 x1 medusa:1", "IS7": "1"}
    table = buy("sphinx", isles=isles, seas={"E2": "0 x1"}, priests={0: 1}, philosophers={0: 1}, gold={0: 2})

    assert table.codes == ["sell troop IS5", "sell fleet E2", "sell priest", "sell philosopher"]
    table.do("sell troop IS5")
    assert table.codes[-1] == "stop"
    table.do("sell fleet E2", "sell priest")
    assert [table.state.purses[0], table.isle("IS5"), table.seas_of(0)] == [6, "0 medusa:1", ""]
    assert (table.state.troop_reserve[0], table.state.fleet_reserve[0], table.state.priests_left) == (8, 8, 18)
    table.do("sell philosopher")
    # Nothing is left to sell: there is no question.
    assert [table.prompt, table.state.philosophers_left, table.state.purses[0]] == ["turn athena", 17, 8]


def test_the_sphinx_stops_when_the_player_does() -> None:
    """C9 sphinx."""
    table = buy("sphinx", "sell troop IS5", "stop", isles={"IS5": "0 x3", "IS2": "0 x1", "IS7": "1"})

    assert [table.isle("IS5"), table.prompt, table.cards("discard")] == ["0 x2", "turn athena", "sphinx"]


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


# -- griffon, fates, satyr, dryad ----------------------------------------------------------------------------


@pytest.mark.parametrize(("gold", "amount"), [(0, 0), (1, 0), (7, 3), (8, 4)])
def test_the_griffon_takes_half_of_the_gold_of_another_player(gold: int, amount: int) -> None:
    """C9 griffon: rounded down; anyone may be chosen; the amount is public."""
    table = buy("griffon", gold={0: 5, 1: gold, 2: 9})

    assert table.codes == ["rob 1", "rob 2"]
    table.do("rob 1")
    assert [3 + amount, gold - amount, 9] == table.state.purses
    assert {f"1: pay {amount}", f"0: gain {amount}"} <= set(table.told)


def test_nobody_who_is_out_can_be_robbed() -> None:
    """C9 griffon, C7.12: where one is left there is no question."""
    table = lay_out(3, "athena", isles=ISLES, spaces="griffon - -")
    table.state.fallen = [2]
    table.do("buy griffon")

    assert "0: rob 1" in table.told


def test_the_fates_give_the_revenue_again() -> None:
    """C9 fates: counted afresh."""
    table = buy("fates", isles={"IS1": "0 horn", "IS7": "1"}, seas={"F1": "0 x1"}, gold={0: 5})

    assert table.state.purses[0] == 5 - 2 + 4


def test_the_satyr_steals_a_philosopher() -> None:
    """C9 satyr."""
    table = buy("satyr", philosophers={0: 1, 1: 1, 2: 2})

    assert table.codes == ["rob 1", "rob 2"]
    table.do("rob 2")
    assert table.state.philosophers == [2, 1, 1]


def test_the_satyr_may_bring_the_fourth_philosopher() -> None:
    """C9 satyr, C10.1: the chain to a Metropolis."""
    table = buy("satyr", isles={"IS1": "0", "IS5": "0", "IS7": "1"}, philosophers={0: 3, 1: 1})

    assert (table.prompt, table.codes) == ("found", ["found IS1", "found IS5"])
    table.do("found IS5")
    assert [
        table.isle("IS5"),
        table.state.philosophers,
        table.state.philosophers_left,
    ] == ["0 metropolis", [0, 0, 0], 17]


def test_the_dryad_steals_a_priest() -> None:
    """C9 dryad."""
    table = buy("dryad", priests={0: 1, 1: 1, 2: 2})

    assert table.codes == ["rob 1", "rob 2"]
    table.do("rob 1")
    assert table.state.priests == [2, 0, 2]


# -- kraken --------------------------------------------------------------------------------------------------


def test_the_kraken_kills_all_fleets_where_it_is_put_and_where_it_goes() -> None:
    """C9 kraken: the own ones too; 1 gold for each sea entered; it stays."""
    seas = {"E2": "1 x2", "D1": "0 x1", "E1": "2 x1"}
    table = buy("kraken", seas=seas, gold={0: 4})

    assert len(table.listed("kraken")) == 30
    table.do("kraken E2")
    assert [
        table.sea("E2"),
        table.state.fleet_reserve[1],
        table.codes,
    ] == ["kraken", 8, ["stop", "kraken D1", "kraken E1", "kraken F3"]]
    table.do("kraken D1")
    assert [
        table.sea("E2"),
        table.sea("D1"),
        table.state.fleet_reserve[0],
        table.state.purses[0],
    ] == ["", "kraken", 8, 1]
    table.do("stop")
    assert [table.sea("E1"), table.sea("D1"), table.prompt] == ["2 x1", "kraken", "turn athena"]


def test_without_gold_the_kraken_stays_but_the_question_is_put() -> None:
    """C9 kraken, C10.6: others may not know what is left."""
    table = buy("kraken", "kraken E2", gold={0: 2})

    assert table.codes == ["stop"]


def test_the_kraken_enters_at_most_ten_seas_a_play() -> None:
    """C7.14: beside that into which it is put."""
    table = buy("kraken", "kraken E2", gold={0: 99})
    for number in range(10):
        assert table.prompt == "swim"
        table.do("kraken D1" if number % 2 == 0 else "kraken E2")

    assert [table.prompt, table.state.purses[0]] == ["turn athena", 99 - 2 - 10]


def test_the_kraken_is_lifted_when_it_is_played_again() -> None:
    """C9 kraken: it may come to the same sea."""
    table = buy("kraken", seas={"D1": "kraken"})

    assert "kraken D1" in table.codes
    table.do("kraken H3", "stop")
    assert [table.sea("D1"), table.sea("H3")] == ["", "kraken"]


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
