"""The end of a match: triggers, the last round, the stall guard (P7.1, P7.2)."""

from typing import Any

import pytest
from tests.engine.ephyran.positions import Table, full_city, lay_out

from agon_engine.ephyran.enums import Ending, Phase


def test_an_empty_deck_begins_the_last_round_and_the_round_is_finished() -> None:
    """P7.1."""
    table = lay_out(3, on_turn=1, first=1, hands=dict.fromkeys(range(3), "TT01"), deck="TT30")
    table.do("discard TT01", "draw deck")

    assert table.told(None)[-2] == "last round deck"
    assert table.view(2).table.ending == Ending.DECK

    table.do("build TT01 a", "draw discard")

    assert (table.seat, table.prompt) == (0, "turn")

    table.do("discard TT01")

    assert table.state.decision is None
    assert table.view(None).pending.phase == Phase.OVER
    assert table.told(None)[-1] == "over deck"


def test_all_had_equally_many_turns() -> None:
    """P7.1."""
    table = lay_out(4, on_turn=2, first=2, hands=dict.fromkeys(range(4), "TT01 TT02"), deck="TT30 TT31")
    while table.state.decision is not None:
        table.do(table.codes[0])
    turns = [event.seat for event in table.events() if event.code == "turn"]

    assert turns == [2, 3, 0, 1]


def test_a_deck_that_is_empty_in_the_last_turn_of_a_round_ends_the_match_with_it() -> None:
    """P7.1."""
    table = lay_out(on_turn=1, first=0, hands={0: "TT01", 1: "TT02"}, deck="TT30")
    table.do("discard TT02", "draw deck")

    assert table.state.decision is None


def test_in_the_last_round_draws_are_from_the_first_discard_or_not_at_all() -> None:
    """P7.1."""
    table = lay_out(hands={0: "TT01", 1: "TT02"}, deck="", first_discard="TT30", ending=Ending.DECK)

    assert table.do("build TT01 a").codes == ["draw discard"]

    table.do("draw discard", "build TT02 a")

    assert table.state.decision is None


def test_cards_being_looked_at_still_count_as_deck() -> None:
    """P7.1."""
    table = lay_out(hands={0: "TS09", 1: "TT02"}, deck="TT20 TT21")
    table.do("play TS09")

    assert (table.view(1).table.deck, table.view(1).table.ending) == (2, Ending.NONE)

    table.do("keep TT20")

    assert (table.view(1).table.deck, table.view(1).table.ending) == (1, Ending.NONE)


def test_keeping_the_last_card_of_the_deck_begins_the_last_round() -> None:
    """P7.1."""
    table = lay_out(hands={0: "TS09", 1: "TT02"}, deck="TT20")
    table.do("play TS09", "keep TT20")

    assert table.view(1).table.ending == Ending.DECK


def test_sixteen_zones_begin_the_last_round_at_the_moment_it_happens_whatever_follows() -> None:
    """P7.1: the city is destroyed again in the same round."""
    table = lay_out(
        hands={0: "D1", 1: "TS01"}, cities={0: full_city(without="brown 4")}, deck="TT31 TT32", first_discard=""
    )
    table.do("build D1 brown 4")

    assert table.view(None).table.ending == Ending.CITY
    assert table.told(None)[-1] == "last round city"

    table.do("draw deck", "play TS01", "target 0 brown", "pass", "draw deck")

    assert table.state.decision is None
    assert len(table.city(0)) == 15
    assert table.told(None)[-1] == "over city"


def test_the_first_cause_of_the_last_round_stays_its_cause() -> None:
    """P7.1."""
    table = lay_out(hands={0: "D1", 1: "TT02"}, cities={0: full_city(without="brown 4")}, deck="TT31")
    table.do("build D1 brown 4", "draw deck")

    assert table.view(None).table.ending == Ending.CITY
    assert sum(told.startswith("last round") for told in table.told(None)) == 1


QUIET: dict[str, Any] = {
    "hands": {0: "TS04 TS07 TS19 TS32 TS44 TS47", 1: "TS56 TS59 TS10 TS13 TS22 TS25"},
    "cities": {0: "TT01 a", 1: "TT02 a"},
    "first_discard": "TT20 TT21 TT22 TT23 TT24 TT27 TT28 TT29",
}


def quiet_turn(table: Table, owner: int, colour: str, locked: bool) -> None:
    card = table.codes_of("play")[0]
    table.do(card, f"unlock {owner} {colour}" if locked else f"lock {colour}", "draw discard")


def test_three_full_rounds_without_a_deck_draw_and_a_change_of_zones_end_the_match() -> None:
    """P7.2."""
    table = lay_out(**QUIET)
    for turn in range(6):
        assert (turn // 2, False) == (table.view(None).table.quiet_rounds, table.view(None).table.stirred)
        seat, colour = (0, "blue") if turn % 2 == 0 else (1, "red")
        quiet_turn(table, seat, colour, locked=turn // 2 % 2 == 1)

    assert table.state.decision is None
    assert table.view(None).table.ending == Ending.STALL
    outcome = table.state.outcome()
    assert outcome is not None
    assert outcome.by_cap


@pytest.mark.parametrize("stir", ["draw deck", "build"])
def test_a_deck_draw_or_a_change_of_zones_begins_the_count_anew(stir: str) -> None:
    """P7.2."""
    table = lay_out(**{**QUIET, "hands": {0: "TS04 TS07 TS19 TT05", 1: "TS56 TS59 TS10"}})
    for turn in range(4):
        seat, colour = (0, "blue") if turn % 2 == 0 else (1, "red")
        quiet_turn(table, seat, colour, locked=turn // 2 == 1)
    if stir == "build":
        table.do("build TT05 a", "draw discard")
    else:
        table.do("play TS19", "lock blue", "draw deck")

    assert table.view(None).table.stirred

    quiet_turn(table, 1, "red", locked=False)

    assert (table.view(None).table.quiet_rounds, table.view(None).table.stirred) == (0, False)
    assert (table.seat, table.prompt) == (0, "turn")


def test_a_natural_end_is_no_cap() -> None:
    """P7.1, J4."""
    table = lay_out(hands={0: "TT01", 1: "TT02"}, deck="TT30")
    table.do("discard TT01", "draw deck", "discard TT02")
    outcome = table.state.outcome()

    assert outcome is not None
    assert not outcome.by_cap


def test_there_is_no_outcome_while_a_decision_is_open_but_a_standing() -> None:
    table = lay_out(hands={0: "TT01"}, cities={1: "TT02 a"})

    assert table.state.outcome() is None
    assert table.state.standing().scores == (0, 4)
    assert table.state.standing().placements == (2, 1)
