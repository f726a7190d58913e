"""Gods and revenue of a cycle (C4, C5)."""

from collections import Counter
from itertools import pairwise

import pytest
from tests.engine.cyclades.positions import Table, lay_out, seed

from agon_engine.core import OptionValue
from agon_engine.cyclades import GAME, pieces
from agon_engine.cyclades.enums import God


def rows_of_gods(seats: int, number: int, options: dict[str, OptionValue], cycles: int = 5) -> list[tuple[str, str]]:
    """Return the gods up and out in the first cycles of a match in which everybody goes to Apollo."""
    table = Table(GAME.start(seats, seed(number), options))
    rows: list[tuple[str, str]] = []
    while len(rows) < cycles:
        if len(rows) < table.state.cycle:
            rows.append((names(table.state.gods), names(table.state.gods_out)))
        table.do("god apollo" if table.prompt == "god" else table.codes[0])
    return rows


def names(gods: list[God]) -> str:
    return " ".join(god.name.lower() for god in gods)


ALL = ["ares", "athena", "poseidon", "zeus"]


@pytest.mark.parametrize(("seats", "options"), [(5, {}), (2, {}), (2, {"two_player_gods": 4})])
def test_with_five_and_two_players_all_gods_are_up_and_shuffled_each_cycle(
    seats: int, options: dict[str, OptionValue]
) -> None:
    """C4.1, C4.2."""
    orders: Counter[str] = Counter()
    for number in range(60):
        for up, out in rows_of_gods(seats, number, options):
            orders[up] += 1

            assert sorted(up.split()) == ALL
            assert out == ""
    assert len(orders) == 24


@pytest.mark.parametrize(("seats", "options"), [(4, {}), (2, {"two_player_gods": 3})])
def test_the_god_that_was_out_comes_first_and_the_last_of_the_others_is_out(
    seats: int, options: dict[str, OptionValue]
) -> None:
    """C4.2, C4.3."""
    lasts: Counter[str] = Counter()
    for number in range(40):
        rows = rows_of_gods(seats, number, options)
        for (_, before), (up, out) in pairwise(rows):
            lasts[out] += 1

            assert before == up.split()[0]
            assert sorted([*up.split(), out]) == ALL
    assert len(lasts) == 4


def test_with_three_players_two_gods_are_up_and_then_the_two_others() -> None:
    """C4.4: in random order; then all four are shuffled again."""
    kept = turned = 0
    again: Counter[str] = Counter()
    for number in range(60):
        rows = rows_of_gods(3, number, {})
        for first, second in ((rows[0], rows[1]), (rows[2], rows[3])):
            assert sorted(first[1].split()) == sorted(second[0].split())
            assert sorted(first[0].split()) == sorted(second[1].split())
            kept += first[1] == second[0]
            turned += first[1] != second[0]
        again[" ".join(sorted(rows[2][0].split()))] += 1

    assert kept > 20
    assert turned > 20
    assert len(again) == 6


def test_the_number_of_players_stays_that_of_the_start() -> None:
    """C4.5: with one of four eliminated three gods are up; the winning number stays 2."""
    table = lay_out(4, isles={"IS2": "0 x1", "IS3": "1", "IS4": "2", "IS5": "1"}, seas={"C3": "0 x1"})
    table.state.fallen = [3]
    table.state.next_order = [1, 2]
    table.do("end")

    assert len(table.state.gods) == 3
    assert sorted(set(table.state.order) - {0}) == [1, 2]


def test_revenue_is_horns_markers_and_trade_seas() -> None:
    """C5.1: a trade sea counts once however many fleets are there, and not for a Kraken or others' fleets."""
    table = lay_out(
        3,
        isles={"IS1": "0 x1 horn horn", "IS5": "0", "IS2": "1"},
        seas={"A2": "0 x3", "F1": "1 x1", "B2": "0 x2", "F7": "kraken"},
    )

    assert [pieces.income(table.state, seat) for seat in range(3)] == [2 + 2 + 1, 1 + 1, 0]


def test_everybody_gets_revenue_before_the_offerings_and_nobody_who_is_eliminated() -> None:
    """C5.1, C7.12."""
    table = lay_out(3, isles={"IS1": "0 x1", "IS2": "1"}, gold={0: 1, 1: 1, 2: 0}, cycle=6)
    table.state.fallen = [2]
    table.state.next_order = [1]
    table.do("end")

    assert table.state.purses == [3, 2, 0]
    assert [code for code in table.told if "revenue" in code] == ["revenue 2 1 0"]
    assert "cycle 7" in table.told
    assert table.prompt == "god"
