"""The god turn: its beginning and end, recruiting, building, Apollo, buying creatures (C7)."""

from collections.abc import Mapping

import pytest
from tests.engine.cyclades.positions import Table, lay_out, random_match

from agon_engine.core import IllegalActionError
from agon_engine.cyclades import cards
from agon_engine.cyclades.enums import Creature


def gold_of(table: Table, seat: int = 0) -> int:
    return table.state.purses[seat]


# -- beginning and end ---------------------------------------------------------------------------------------


def test_figurines_of_an_earlier_cycle_go_at_the_beginning_of_the_owners_turn() -> None:
    """C7.1, C9.2."""
    table = lay_out(
        3,
        isles={"IS2": "0 x1 medusa:0", "IS5": "1 x1 chiron:1"},
        later="zeus:1",
    )
    table.state.figurine_cycle = [cycle and cycle - 1 for cycle in table.state.figurine_cycle]

    assert table.isle("IS2") == "0 x1 medusa:0"
    table.do("end")
    assert [table.isle("IS5"), table.cards("discard")] == ["1 x1", "chiron"]
    # Seat 0's own was placed in this cycle when its turn began.
    assert table.isle("IS2") == "0 x1 medusa:0"


@pytest.mark.parametrize(("placed", "stands"), [(3, False), (4, True)])
def test_an_apollo_turn_counts_as_a_god_turn_for_figurines(placed: int, stands: bool) -> None:
    """C7.1, C7.9, C9.2: figurine expiry in an Apollo turn."""
    table = lay_out(3, "zeus", seat=1, isles={"IS2": "0 x1", "IS5": "1", "IS6": "minotaur:0"}, apollo="0 2", seas={})
    table.state.figurine_cycle[0] = placed
    table.do("end")

    assert ("minotaur:0" if stands else "") == table.isle("IS6")
    assert ("" if stands else "minotaur") == table.cards("discard")


def test_two_turns_of_one_cycle_do_not_end_a_figurine() -> None:
    """C9.2: with two players; it is the next god turn in a later cycle that counts."""
    table = lay_out(2, "zeus", isles={"IS1": "0 x1", "IS7": "1"}, spaces="medusa - -", later="ares:0")
    table.do("buy medusa", "place IS2", "end")

    assert [table.isle("IS2"), table.prompt] == ["medusa:0", "turn ares"]


def test_the_next_track_is_the_order_of_acting_reversed() -> None:
    """C7.2: Apollo's turns included."""
    isles = {"IS1": "0", "IS2": "1", "IS3": "2", "IS5": "3", "IS6": "4"}
    table = lay_out(5, "zeus", seat=3, isles=isles, later="athena:1 ares:4", apollo="2 0")
    table.do("end", "end")

    assert table.state.next_order == [1, 3]
    table.do("end")
    assert "order 0 2 4 1 3" in table.told
    assert table.state.order == [0, 2, 4, 1, 3]


def test_a_turn_can_be_ended_at_once_and_actions_may_be_mixed() -> None:
    """C7.2, C7.3: free recruits may be declined."""
    isles = {"IS5": "0 x1", "IS1": "0"}
    table = lay_out(3, "poseidon", isles=isles, seas={"E2": "0 x1"}, spaces="fates - -", later="zeus:1")
    table.do("recruit fleet E1", "move E2>D1 x1", "stop", "build port IS5", "buy fates", "recruit fleet E1", "end")

    assert (table.seat, table.prompt) == (1, "turn zeus")
    assert table.seas_of(0) == "D1 x1, E1 x2"
    table.do("end")


def test_a_god_without_a_marker_has_no_turn() -> None:
    """C7: gods from the top."""
    table = lay_out(5, "zeus", isles={"IS1": "0", "IS2": "1"}, later="athena:1")
    table.state.bidders[2] = -1
    table.do("end")

    assert table.state.cycle == 5


# -- recruiting ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("god", "action", "prices"),
    [
        ("poseidon", "recruit fleet E1", [0, 1, 2, 3]),
        ("ares", "recruit troop IS5", [0, 2, 3, 4]),
        ("zeus", "recruit priest", [0, 4]),
        ("athena", "recruit philosopher", [0, 4]),
    ],
)
def test_the_first_recruit_is_free_and_the_others_cost_more_and_more(god: str, action: str, prices: list[int]) -> None:
    """C7.3."""
    table = lay_out(3, god, isles={"IS5": "0 x1"})
    for price in prices:
        before = gold_of(table)
        table.do(action)

        assert before - price == gold_of(table)
    assert action not in table.codes


def test_prices_count_afresh_each_turn() -> None:
    """C7.3: with two players, who may have two turns a cycle."""
    table = lay_out(2, "zeus", isles={"IS1": "0", "IS2": "1"}, later="athena:0")
    table.do("recruit priest", "recruit priest", "end", "recruit philosopher")

    assert gold_of(table) == 20 - 4
    assert (table.state.priests[0], table.state.philosophers[0]) == (2, 1)


@pytest.mark.parametrize(("gold", "can"), [(2, False), (3, True)])
def test_a_recruit_that_cannot_be_paid_is_not_listed(gold: int, can: bool) -> None:
    """C7.3: the second troop costs 2, the third 3."""
    table = lay_out(3, "ares", isles={"IS5": "0"}, gold={0: gold + 2})
    table.do("recruit troop IS5", "recruit troop IS5")

    assert can == ("recruit troop IS5" in table.codes)


def test_without_reserve_or_supply_there_is_no_recruiting() -> None:
    """C1.1, C1.2, C7.3."""
    assert lay_out(3, "ares", isles={"IS5": "0 x8"}).listed("recruit") == []
    assert lay_out(3, "poseidon", isles={"IS5": "0"}, seas={"A1": "0 x8"}).listed("recruit") == []
    assert lay_out(3, "zeus", isles={"IS5": "0"}, priests={0: 9, 1: 9}).listed("recruit") == []
    assert lay_out(3, "athena", isles={"IS5": "0"}, philosophers={1: 9, 2: 8}).listed("recruit") == []
    assert lay_out(3, "ares", isles={"IS5": "0 x7"}).listed("recruit") == ["troop IS5"]


def test_fleets_come_to_seas_at_own_islands_without_enemies_that_are_not_barred() -> None:
    """C7.4, C1.4: IS5 touches E1, E2, F1, F3, G3, H1 and H2; Polyphemus on IS8 bars H1 and H2."""
    table = lay_out(
        3,
        "poseidon",
        isles={"IS5": "0", "IS8": "polyphemus:1"},
        seas={"E1": "1 x1", "F3": "kraken", "E2": "0 x2"},
    )

    assert sorted(table.listed("recruit")) == ["fleet E2", "fleet F1", "fleet G3"]


def test_troops_come_to_own_islands() -> None:
    """C7.4: Medusa and others do not hinder."""
    table = lay_out(3, "ares", isles={"IS5": "0 medusa:1", "IS7": "0 x1", "IS1": "1", "IS2": ""})

    assert table.listed("recruit") == ["troop IS5", "troop IS7"]


# -- building ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("god", "building"), [("poseidon", "port"), ("ares", "fortress"), ("zeus", "temple"), ("athena", "university")]
)
def test_each_god_has_his_building(god: str, building: str) -> None:
    """C7.5: any number, several of one type, as long as there are slots."""
    table = lay_out(3, god, isles={"IS5": "0", "IS1": "0 port"}, gold={0: 7})

    assert [f"{building} IS5"] == table.listed("build")
    table.do(f"build {building} IS5", f"build {building} IS5", f"build {building} IS5")
    assert gold_of(table) == 1
    assert f"0 {building} {building} {building}" == table.isle("IS5")
    assert table.listed("build") == []


def test_building_takes_gold_a_free_slot_and_a_building_that_is_left() -> None:
    """C7.5, C1.2, C10.8: a Metropolis covers slots."""
    assert lay_out(3, "ares", isles={"IS5": "0"}, gold={0: 1}).listed("build") == []
    assert lay_out(3, "ares", isles={"IS5": "0 port metropolis"}).listed("build") == []
    full = {"IS7": "0 metropolis port port", "IS5": "0 metropolis", "IS8": "0 metropolis port", "IS1": "0 metropolis"}
    assert lay_out(3, "ares", isles=full).listed("build") == ["fortress IS5"]
    table = lay_out(3, "ares", isles={"IS5": "0"})
    table.state.buildings_left[2] = 1
    table.do("build fortress IS5")
    assert table.listed("build") == []


# -- Apollo --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("isles", "income"), [({"IS1": "0"}, 4), ({"IS1": "0", "IS2": "0"}, 1)])
def test_apollo_gives_one_gold_or_four_with_one_island(isles: Mapping[str, str], income: int) -> None:
    """C7.9."""
    table = lay_out(3, "apollo", isles=isles, gold={0: 3}, apollo="1")
    told = [code for code in table.told if code.startswith("0:")]

    assert f"0: gain {income}" == told[1]


def test_the_first_at_apollo_puts_a_prosperity_marker_on_an_island_of_his() -> None:
    """C7.9: any number on an island; the others get none."""
    isles = {"IS1": "0 horn", "IS2": "0", "IS5": "1", "IS8": "1"}
    table = lay_out(3, "zeus", seat=2, isles={**isles, "IS7": "2"}, apollo="0 1")
    table.do("end")

    assert (table.seat, table.prompt, table.listed("prosper")) == (0, "prosper", ["IS1", "IS2"])
    table.do("prosper IS1")
    assert table.isle("IS1") == "0 horn horn"
    assert [code for code in table.told if code.startswith("1:")][:2] == ["1: turn apollo", "1: gain 1"]
    assert not any("1: prosper" in code for code in table.told)


def test_with_one_island_the_marker_goes_there_without_a_question() -> None:
    """C7.9: that the choice is forced all can see."""
    table = lay_out(3, "zeus", seat=1, isles={"IS1": "0", "IS2": "1"}, apollo="0")
    table.do("end")

    assert "0: prosper IS1" in table.told
    assert table.isle("IS1") == "0 horn"


def test_without_markers_left_there_is_none() -> None:
    """C7.9, C1.2."""
    table = lay_out(3, "zeus", seat=1, isles={"IS1": "0", "IS2": "1"}, apollo="0")
    table.state.prosperity_left = 0
    table.do("end")

    assert table.isle("IS1") == "0"


# -- changing and buying creatures ---------------------------------------------------------------------------


def test_zeus_changes_creatures_for_a_gold_each() -> None:
    """C7.8: discarded first, then replaced from the deck."""
    table = lay_out(3, "zeus", isles={"IS1": "0"}, spaces="siren giant harpy", deck="sylph medusa", gold={0: 2})

    assert table.listed("change") == ["siren", "giant", "harpy"]
    table.do("change giant")
    assert [table.cards("spaces"), table.cards("discard")] == ["siren sylph harpy", "giant"]
    table.do("change sylph")
    assert [table.cards("spaces"), table.cards("discard")] == ["siren medusa harpy", "giant sylph"]
    assert gold_of(table) == 0
    assert table.listed("change") == []


def test_a_changed_card_may_come_back_from_a_new_deck() -> None:
    """C7.8, C3.2."""
    table = lay_out(3, "zeus", isles={"IS1": "0"}, spaces="siren - -", deck="")
    table.do("change siren")

    assert [table.cards("spaces"), table.cards("discard")] == ["siren", ""]
    assert "shuffle" in table.told


@pytest.mark.parametrize(("god", "verbs"), [("ares", False), ("athena", False), ("poseidon", False), ("zeus", True)])
def test_only_zeus_changes_creatures(god: str, verbs: bool) -> None:
    """C7.8."""
    table = lay_out(3, god, isles={"IS1": "0"}, spaces="siren - -")

    assert verbs == bool(table.listed("change"))


@pytest.mark.parametrize(
    ("isles", "used", "prices"),
    [
        ({"IS1": "0"}, 0, [4, 3, 2]),
        ({"IS1": "0 temple"}, 0, [3, 2, 1]),
        ({"IS5": "0 temple temple"}, 0, [2, 1, 1]),
        ({"IS5": "0 temple metropolis"}, 0, [2, 1, 1]),
        ({"IS5": "0 temple temple temple", "IS7": "0 temple temple"}, 0, [1, 1, 1]),
        ({"IS5": "0 temple temple"}, 1, [3, 2, 1]),
        ({"IS5": "0 temple temple"}, 2, [4, 3, 2]),
        # More used than are left: at least 0.
        ({"IS1": "0"}, 2, [4, 3, 2]),
        ({"IS1": "0", "IS5": "1 temple temple metropolis"}, 0, [4, 3, 2]),
    ],
)
def test_what_a_creature_costs(isles: Mapping[str, str], used: int, prices: list[int]) -> None:
    """C7.10, C7.13: each Temple and Metropolis takes 1 off once a cycle; at least 1 is paid."""
    table = lay_out(3, isles=isles, spaces="kraken medusa chiron")
    table.state.discounts_used[0] = used

    assert prices == [cards.price_of(table.state, 0, space) for space in range(3)]


def test_a_purchase_uses_as_many_discounts_as_help() -> None:
    """C7.13: by itself; what is used is gone for the cycle."""
    table = lay_out(3, isles={"IS5": "0 temple temple temple"}, spaces="siren medusa chiron", gold={0: 9})
    table.do("buy chiron", "place IS1")

    assert (gold_of(table), table.state.discounts_used[0]) == (8, 1)
    table.do("buy medusa", "place IS2")
    assert (gold_of(table), table.state.discounts_used[0]) == (7, 3)


def test_two_turns_of_a_cycle_share_the_discounts_and_the_next_cycle_has_them_anew() -> None:
    """C7.13: with two players."""
    isles = {"IS5": "0 temple", "IS1": "1"}
    table = lay_out(2, "zeus", isles=isles, spaces="kraken medusa chiron", later="ares:0 athena:1")
    table.do("buy chiron", "place IS1", "end", "buy medusa", "place IS2")

    assert gold_of(table) == 20 - 1 - 3
    table.do("end", "end")
    assert table.state.discounts_used == [0, 0]


@pytest.mark.parametrize(("gold", "listed"), [(1, []), (2, ["chiron"]), (3, ["medusa", "chiron"])])
def test_a_creature_that_cannot_be_paid_is_not_listed(gold: int, listed: list[str]) -> None:
    """C7.10."""
    table = lay_out(3, isles={"IS1": "0"}, spaces="kraken medusa chiron", gold={0: gold})

    assert listed == table.listed("buy")


def test_creatures_are_bought_between_actions_not_inside_one() -> None:
    """C7.10."""
    table = lay_out(3, "poseidon", isles={"IS5": "0"}, seas={"E2": "0 x2"}, spaces="kraken medusa chiron")
    table.do("move E2>D1 x2")

    assert table.prompt == "sail D1"
    assert table.listed("buy") == []
    table.do("stop")
    assert table.listed("buy") == ["kraken", "medusa", "chiron"]


def test_the_same_card_is_bought_once_a_turn() -> None:
    """C7.14: also where a Chimera and Zeus bring it back."""
    table = lay_out(3, "zeus", isles={"IS1": "0 x1"}, spaces="chimera fates -", deck="fates", discard="", gold={0: 90})
    state = table.state
    table.do("buy fates")
    table.do("buy chimera")
    assert sum("replay fates" in code for code in table.told) == 1
    state.deck = [card for card in state.deck if card.name != "FATES"]
    state.spaces[1] = Creature.FATES
    table.do("recruit priest")

    assert "fates" in table.cards("spaces")
    assert table.listed("buy fates") == []


def test_in_apollos_turn_nothing_is_bought() -> None:
    """C7.9, C7.10: there is no decision but for the marker."""
    isles = {"IS1": "0", "IS2": "0", "IS5": "1"}
    table = lay_out(3, "apollo", isles=isles, spaces="kraken medusa chiron")

    assert (table.prompt, table.codes) == ("prosper", ["prosper IS1", "prosper IS2"])


# -- bounds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("god", "isles", "there", "back"),
    [
        ("poseidon", {"IS5": "0 x1"}, ["move E2>D1 x1", "stop"], ["move D1>E2 x1", "stop"]),
        ("ares", {"IS5": "0 x1", "IS3": "0"}, ["move IS5>IS3 x1"], ["move IS3>IS5 x1"]),
        ("zeus", {"IS5": "0 x1"}, [], []),
    ],
)
def test_sixteen_paid_moves_or_changes_a_turn(
    god: str, isles: Mapping[str, str], there: list[str], back: list[str]
) -> None:
    """C7.14: then no more, whatever gold is left."""
    table = lay_out(3, god, isles=isles, seas={"E2": "0 x1"}, spaces="siren - -", gold={0: 99})
    for number in range(16):
        table.do(*((back if number % 2 else there) or [table.codes[1]]))

    assert gold_of(table) == 99 - 16
    assert table.listed("move") + table.listed("change") == []
    assert table.listed("recruit")


def test_names_of_others_and_of_other_maps_are_refused_and_change_nothing() -> None:
    """Legal are the listed actions alone."""
    table = lay_out(3, "ares", isles={"IS5": "0 x1", "IS7": "1 x1"}, seas={"E2": "0 x1", "F3": "0 x1"})
    for code in ("recruit troop IS7", "recruit troop IS13", "move IS7>IS5 x1", "move IS5>IS3 x2", "build port IS5"):
        digest = table.state.digest()

        with pytest.raises(IllegalActionError, match=code):
            table.do(code)
        assert digest == table.state.digest()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_turn_lists_its_end(seats: int) -> None:
    """C7.2."""
    for state in random_match(seats, 3, busy=True):
        decision = state.decision
        if decision is not None and decision.prompt.startswith("turn"):
            assert Table(state).codes[-1] == "end"
