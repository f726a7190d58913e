"""Sets and Metropolises (C10.1 to C10.3, C10.8)."""

from collections.abc import Mapping

import pytest
from tests.engine.cyclades.positions import Table, lay_out

from agon_engine.core import OptionValue
from agon_engine.cyclades import cards, scoring


def build(isles: Mapping[str, str], where: str, **options: OptionValue) -> Table:
    """Let seat 0 build a University, which may complete a set."""
    table = lay_out(3, "athena", isles=isles, options=options)
    return table.do(f"build university {where}")


# -- what makes a set ----------------------------------------------------------------------------------------


def test_four_different_buildings_on_any_islands_make_a_metropolis_at_once() -> None:
    """C10.1: all four go, back to the supply; the fourth is placed first."""
    table = build({"IS5": "0 port fortress", "IS7": "0 temple", "IS8": "1"}, "IS7")

    assert (
        table.prompt,
        table.codes,
        table.state.buildings_left,
    ) == ("found", ["found IS5", "found IS7"], [0, 10, 10, 10, 10])
    table.do("found IS5")
    assert [
        table.isle("IS5"),
        table.isle("IS7"),
        table.state.metropolises_left,
        table.prompt,
    ] == ["0 metropolis", "0", 9, "turn athena"]


@pytest.mark.parametrize(
    "isles",
    [
        {"IS7": "0 port fortress", "IS8": "1 temple"},
        {"IS7": "0 port fortress fortress", "IS8": "0 port"},
        # A Metropolis counts as no building (C10.3).
        {"IS7": "0 metropolis port", "IS8": "0 temple"},
    ],
)
def test_less_is_no_set(isles: Mapping[str, str]) -> None:
    """C10.1."""
    table = build({**isles, "IS5": "0"}, "IS5")

    assert [table.prompt, table.isle("IS5")] == ["turn athena", "0 university"]


def test_four_philosophers_make_a_metropolis_and_go() -> None:
    """C10.1."""
    table = lay_out(3, "athena", isles={"IS5": "0", "IS7": "1"}, philosophers={0: 3, 1: 2})
    table.do("recruit philosopher")

    assert [
        table.isle("IS5"),
        table.state.philosophers[0],
        table.state.philosophers_left,
    ] == ["0 metropolis", 0, 17 - 2]


def test_of_a_type_that_a_player_has_twice_he_picks_which_goes() -> None:
    """C10.1: two on one island are alike."""
    isles = {"IS5": "0 port fortress", "IS7": "0 port port temple", "IS8": "1"}
    table = build(isles, "IS5")

    assert (table.prompt, table.codes) == ("give port", ["give port IS5", "give port IS7"])
    table.do("give port IS7", "found IS7")
    assert [table.isle("IS5"), table.isle("IS7")] == ["0 port", "0 port metropolis"]


def test_another_set_follows_while_there_is_one() -> None:
    """C10.1, C10.7."""
    isles = {"IS5": "0 port port fortress", "IS7": "0 fortress temple temple", "IS8": "0 university"}
    table = build(isles, "IS8")
    while table.prompt != "turn athena":
        table.do(table.codes[0])

    assert table.state.metropolises.bit_count() == 2
    assert table.state.buildings_left == [0, 10, 10, 10, 10]


# -- the place -----------------------------------------------------------------------------------------------


def test_one_metropolis_an_island() -> None:
    """C10.1: where one island is left there is no question."""
    table = build({"IS7": "0 port fortress metropolis", "IS5": "0 temple", "IS8": "1"}, "IS5")

    assert "0: found IS5" in table.told
    assert [table.isle("IS5"), table.isle("IS7")] == ["0 metropolis", "0 metropolis"]


@pytest.mark.parametrize(
    ("isle", "islands_left", "prompt"),
    [
        # IS5 has three slots, two of them under the frame: one building finds a slot beside it.
        ("0 port", {"IS5": "0 port metropolis"}, "turn athena"),
        ("0", {"IS5": "0 metropolis"}, "turn athena"),
        ("0 port port", {"IS5": "0 port metropolis"}, "turn athena"),
        ("0 port port port", {"IS5": "0 port metropolis"}, "turn athena"),
        ("0 port fortress", {}, "raze IS5"),
        ("0 port port fortress", {}, "raze IS5"),
    ],
)
def test_buildings_under_the_frame_go_to_the_supply(isle: str, islands_left: Mapping[str, str], prompt: str) -> None:
    """C10.2, C10.8: only those beyond the slots left, and the owner picks which they are."""
    table = lay_out(3, "athena", isles={"IS5": isle, "IS1": "0", "IS7": "1"}, philosophers={0: 3})
    table.do("recruit philosopher", "found IS5")

    assert prompt == table.prompt
    for name, text in islands_left.items():
        assert text == table.isle(name)


def test_the_owner_picks_building_by_building() -> None:
    """C10.8."""
    isles = {"IS5": "0 port temple fortress", "IS1": "0", "IS7": "1"}
    table = lay_out(3, "athena", isles=isles, philosophers={0: 3})
    table.do("recruit philosopher", "found IS5")

    assert table.codes == ["raze port IS5", "raze fortress IS5", "raze temple IS5"]
    table.do("raze fortress IS5")
    assert table.codes == ["raze port IS5", "raze temple IS5"]
    table.do("raze temple IS5")
    assert [table.isle("IS5"), table.state.buildings_left] == ["0 port metropolis", [0, 9, 10, 10, 10]]


def test_where_all_buildings_go_there_is_nothing_to_pick() -> None:
    """C10.8: IS2 has two slots, both under the frame."""
    table = lay_out(3, "athena", isles={"IS2": "0 port temple", "IS7": "1"}, philosophers={0: 3})
    table.do("recruit philosopher")

    assert [table.isle("IS2"), table.prompt] == ["0 metropolis", "turn athena"]
    assert [code for code in table.told if "raze" in code] == ["0: raze port IS2", "0: raze temple IS2"]


def test_forbid_allows_no_metropolis_over_buildings() -> None:
    """C10.2, C10.8: looked at when the set is gone."""
    isles = {"IS5": "0 port fortress temple", "IS1": "0", "IS2": "0 port", "IS3": "0", "IS7": "0 port port", "IS8": "1"}
    table = lay_out(3, "athena", isles=isles, options={"metropolis_over_buildings": "forbid"}, gold={0: 9})
    table.do("build university IS1", "give port IS5")

    # IS1 and IS5 have been emptied; two Ports on IS7 stand beside the frame, the one on IS2 under it.
    assert table.codes == ["found IS1", "found IS3", "found IS5", "found IS7"]


@pytest.mark.parametrize(
    ("rule", "isles"),
    [
        ("forbid", {"IS7": "0 metropolis port", "IS5": "0 metropolis fortress", "IS2": "0 temple temple"}),
        ("remove", {"IS7": "0 metropolis port fortress", "IS5": "0 metropolis temple", "IS8": "0 metropolis"}),
    ],
)
def test_without_a_place_the_set_is_lost_for_nothing(rule: str, isles: Mapping[str, str]) -> None:
    """C10.2."""
    where = "IS7" if rule == "forbid" else "IS8"
    before = sum("metropolis" in isle for isle in isles.values())
    table = build({**isles, "IS3": "1"}, where, metropolis_over_buildings=rule)

    assert "0: no metropolis" in table.told
    assert ["turn athena", before] == [table.prompt, table.state.metropolises.bit_count()]
    assert [table.state.buildings_left[0], *table.state.buildings_left[1:3]] == [0, 10, 10]


def test_without_metropolises_left_the_set_is_lost() -> None:
    """C10.2, C1.2."""
    table = lay_out(3, "athena", isles={"IS5": "0", "IS7": "1"}, philosophers={0: 3})
    table.state.metropolises_left = 0
    table.do("recruit philosopher")

    assert [table.isle("IS5"), table.state.philosophers_left] == ["0", 17]
    assert "0: no metropolis" in table.told


# -- what a Metropolis does ----------------------------------------------------------------------------------


def test_a_metropolis_has_the_powers_of_all_four_buildings() -> None:
    """C10.3: a discount; the rest is with battles (C8.1)."""
    table = lay_out(3, isles={"IS5": "0 metropolis", "IS7": "1"}, spaces="kraken medusa chiron")

    assert [cards.price_of(table.state, 0, space) for space in range(3)] == [3, 2, 1]
    assert [scoring.metropolises_of(table.state, seat) for seat in range(3)] == [1, 0, 0]


def test_a_metropolis_that_is_taken_counts_for_who_has_it() -> None:
    """C10.1."""
    isles = {"IS5": "0 x1", "IS3": "1 metropolis", "IS7": "1", "IS8": "2"}
    table = lay_out(3, "ares", isles=isles, seas={"E2": "0 x1"})
    table.do("move IS5>IS3 x1")

    assert [scoring.metropolises_of(table.state, seat) for seat in range(3)] == [1, 0, 0]
