"""Creatures that bring something: Sphinx, Griffon, Fates, Satyr, Dryad (C9)."""

import pytest
from tests.engine.cyclades.positions import ISLES, buy, lay_out

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
