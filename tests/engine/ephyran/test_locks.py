"""Locks (P6)."""

import pytest
from tests.engine.ephyran.positions import lay_out


@pytest.mark.parametrize("card", ["TS04", "TS22"])
def test_either_defence_card_locks_an_own_column_with_a_zone_and_no_lock(card: str) -> None:
    """P6.1."""
    table = lay_out(
        hands={0: card}, cities={0: "TT01 a, TT02 a", 1: "TT03 a"}, locks={(0, "red"): "TS07"}, deck="TT30 TT31"
    )

    assert table.do(f"play {card}").codes == ["lock blue", "unlock 0 red"]

    table.do("lock blue")

    assert card == table.lock(0, "blue")
    assert card not in table.second
    assert (table.seat, table.prompt) == (0, "draw")


def test_a_lock_guards_the_whole_column_against_ares_and_the_taking_of_a_dionysos() -> None:
    """P6.1."""
    table = lay_out(
        hands={0: "TS01 TS11 TS14 TT01"},
        cities={0: "TT02 a", 1: "D2 blue 1, TT05 a"},
        tokens={(1, "blue 1"): "owl", (1, "blue 2"): "owl"},
        locks={(1, "blue"): "TS04"},
    )

    assert table.codes_of("play") == []
    assert table.codes_of("take") == []


@pytest.mark.parametrize("owner", [0, 1])
def test_a_lock_anywhere_can_be_removed_and_both_cards_are_spent(owner: int) -> None:
    """P6.2."""
    table = lay_out(hands={0: "TS22"}, cities={owner: "TT01 a"}, locks={(owner, "blue"): "TS04"})
    table.do("play TS22", f"unlock {owner} blue")

    assert table.lock(owner, "blue") == ""
    assert table.second == "TS04 TS22"
    assert (table.seat, table.prompt) == (0, "draw")


def test_locking_asks_nobody_for_a_reaction() -> None:
    """P6.1, P5.2."""
    table = lay_out(hands={0: "TS22", 1: "TS04 TS25"}, cities={0: "TT01 a"})
    table.do("play TS22", "lock blue")

    assert (table.seat, table.prompt) == (0, "draw")


def test_a_lock_is_public_and_a_zone_above_it_is_guarded_too() -> None:
    """P6.1, P8."""
    table = lay_out(hands={0: "TS22", 1: "TS01"}, cities={0: "TT01 a"})
    table.do("play TS22", "lock blue", "draw deck")

    assert table.view(1).cities[0].columns[0].lock == 54
    assert table.codes_of("play") == []
