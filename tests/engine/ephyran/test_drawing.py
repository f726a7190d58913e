"""Draws: where from, when the pile is closed, and supports that replace the draw (P3.7, P3.8)."""

import pytest
from tests.engine.ephyran.positions import lay_out


def test_a_draw_is_from_the_deck_or_the_top_of_the_first_discard() -> None:
    """P3.7."""
    from_deck = lay_out(hands={0: "TT01"}, deck="TT20 TT21", first_discard="TT30 TT31")
    from_pile = lay_out(hands={0: "TT01"}, deck="TT20 TT21", first_discard="TT30 TT31")
    from_deck.do("build TT01 a", "draw deck")
    from_pile.do("build TT01 a", "draw discard")

    assert from_deck.hand(0) == "TT20"
    assert (from_pile.hand(0), from_pile.first) == ("TT30", "TT31")


@pytest.mark.parametrize("code", ["discard TT05", "exchange TT05 a"])
def test_the_pile_is_closed_to_who_put_its_top_card_there_this_turn(code: str) -> None:
    """P3.7."""
    table = lay_out(hands={0: "TT05"}, cities={0: "TT01 a, TS05 a"}, first_discard="TT30")
    table.do(code)

    assert table.codes == ["draw deck"]
    assert table.view(1).table.closed


def test_the_pile_is_open_to_the_next_seat_and_to_the_same_one_a_turn_later() -> None:
    """P3.7."""
    table = lay_out(hands={0: "TT05 TT01", 1: "TT02"})
    table.do("discard TT05", "draw deck", "build TT02 a")

    assert table.codes == ["draw deck", "draw discard"]
    assert not table.view(1).table.closed

    table.do("draw deck", "build TT01 a")

    assert table.codes == ["draw deck", "draw discard"]


def test_with_both_impossible_there_is_no_draw() -> None:
    """P3.7."""
    table = lay_out(hands={0: "TT05", 1: "TT02"}, deck="", first_discard="TT30")
    table.do("discard TT05")

    assert table.seat == 1
    assert table.prompt == "turn"
    assert table.hand(0) == ""


def test_an_empty_hand_means_no_action_only_a_draw() -> None:
    """P3.7."""
    table = lay_out(hands={0: "", 1: "TT02"}, first_discard="TT30")

    assert (table.seat, table.prompt, table.codes) == (0, "draw", ["draw deck", "draw discard"])

    table.do("draw discard")

    assert (table.hand(0), table.seat) == ("TT30", 1)


def test_an_empty_hand_with_nothing_to_draw_passes_the_turn_on() -> None:
    """P3.7."""
    table = lay_out(hands={1: "TT02"}, deck="")

    assert (table.seat, table.prompt) == (1, "turn")


def test_a_forced_draw_is_still_a_decision() -> None:
    """P3.7."""
    table = lay_out(hands={0: "TT05"})
    table.do("discard TT05")

    assert table.codes == ["draw deck"]


def test_there_is_no_hand_limit() -> None:
    """P3.7."""
    table = lay_out(hands={0: " ".join(f"TT{number:02}" for number in range(1, 25))})
    table.do("discard TT02", "draw deck")

    assert table.view(None).hands[0].size == 24


def test_two_draws_are_chosen_one_after_the_other() -> None:
    """P3.8, `draw_two`."""
    table = lay_out(hands={0: "TS03"}, deck="TT20 TT21", first_discard="TT30 TT31")
    table.do("play TS03")

    assert table.view(None).pending.draws == 2

    table.do("draw discard")

    assert (table.view(None).pending.draws, table.codes) == (1, ["draw deck", "draw discard"])

    table.do("draw discard")

    assert (table.hand(0), table.seat) == ("TT30 TT31", 1)


def test_of_two_draws_the_second_is_left_out_where_nothing_is_left() -> None:
    """P3.7, P3.8."""
    table = lay_out(hands={0: "TS03", 1: "TT02"}, deck="TT20")
    table.do("play TS03", "draw deck")

    assert (table.seat, table.prompt, table.hand(0)) == (1, "turn", "TT20")


@pytest.mark.parametrize(("moves", "draws"), [(["build TT01 a", "done"], 2), (["build TT01 a", "build TT02 a"], 3)])
def test_the_masons_draw_as_many_as_cards_used(moves: list[str], draws: int) -> None:
    """P3.8, `athena_double_build`."""
    table = lay_out(hands={0: "TS12 TT01 TT02"})
    table.do("play TS12", "pass", *moves)
    counted = 0
    while table.seat == 0:
        counted += 1
        table.do("draw deck")

    assert draws == counted


def test_a_cancelled_support_leaves_the_one_normal_draw() -> None:
    """P3.8."""
    table = lay_out(hands={0: "TS12 TT01 TT02", 1: "TS22 TT03"})
    table.do("play TS12", "cancel TS22", "draw deck")

    assert (table.seat, table.prompt) == (1, "turn")
    assert table.city(0) == {}


def test_looking_at_three_replaces_the_draw() -> None:
    """P3.8, `draw_pick_three`."""
    table = lay_out(hands={0: "TS09"}, deck="TT20 TT21 TT22 TT23")
    table.do("play TS09")

    assert table.codes == ["keep TT20", "keep TT21", "keep TT22"]

    table.do("keep TT21")

    assert (table.hand(0), table.seat) == ("TT21", 1)


def test_digging_replaces_the_draw() -> None:
    """P3.8, `draw_dig_discard`."""
    table = lay_out(hands={0: "TS16"}, first_discard="TT20 TT21 TT22")
    table.do("play TS16")

    assert table.codes == ["dig TT20", "dig TT21", "dig TT22"]

    table.do("dig TT21")

    assert (table.hand(0), table.first, table.seat) == ("TT21", "TT20 TT22", 1)
