"""Creatures that strike what is on the map: Siren, Giant, Harpy, Cyclops, Kraken (C9)."""

from tests.engine.cyclades.positions import buy

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
