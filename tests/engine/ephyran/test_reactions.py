"""Reactions (P5.2): who is asked, when, and that the question tells nothing."""

import pytest
from tests.engine.ephyran.positions import Table, lay_out


def asked_until_the_draw(table: Table) -> list[int | None]:
    """Return who is asked in turn while everybody passes."""
    asked = []
    while table.prompt.startswith("react"):
        asked.append(table.seat)
        table.do("pass")
    return asked


@pytest.mark.parametrize("target", [0, 1, 3])
def test_an_ares_support_asks_its_target_only(target: int) -> None:
    """P5.2."""
    table = lay_out(4, on_turn=2, hands={2: "TS01"}, cities=dict.fromkeys(range(4), "TT01 a"))
    table.do("play TS01", f"target {target} blue")

    assert [target] == asked_until_the_draw(table)


@pytest.mark.parametrize(
    ("seats", "actor", "order"), [(2, 1, [0]), (3, 1, [2, 0]), (4, 0, [1, 2, 3]), (4, 2, [3, 0, 1])]
)
def test_an_athena_support_asks_the_opponents_from_the_left_round(seats: int, actor: int, order: list[int]) -> None:
    """P5.2."""
    table = lay_out(seats, on_turn=actor, hands={actor: "TS02"}, cities={actor: "TT01 a"})
    table.do("play TS02")

    assert order == asked_until_the_draw(table)


def test_the_first_to_cancel_ends_the_questions() -> None:
    """P5.2."""
    table = lay_out(4, hands={0: "TS02", 2: "TS22 TT01", 3: "TS25"}, cities={0: "TT01 a"})
    table.do("play TS02", "pass", "cancel TS22")

    assert (table.seat, table.prompt) == (0, "draw")
    assert table.hand(3) == "TS25"
    assert table.view(None).table.tokens == 12


@pytest.mark.parametrize("held", ["", "TT20", "TS22", "TS49 TT20", "TS04"])
def test_a_defender_is_asked_whether_or_not_it_holds_the_card(held: str) -> None:
    """P5.2, P8.2: what everybody sees up to the next choice is the same, whatever it holds."""

    def asked_with(hand: str) -> Table:
        return lay_out(hands={0: "TS01 TT30", 1: hand}, cities={1: "TT01 a"}).do("play TS01", "target 1 blue")

    table = asked_with(held)
    asked = (table.seat, table.prompt, table.view(None).pending)
    table.do("pass")

    assert asked[:2] == (1, "react ares_destroy blue")
    assert asked[2] == asked_with("TS04 TS07").view(None).pending
    assert table.told(0)[1:] == [
        "play TS01",
        "target 1 blue",
        "pass",
        "spend TS01",
        "lose TT01 a",
        "spend TT01",
    ]


def test_passing_is_always_possible_and_every_fitting_card_can_be_used() -> None:
    """P5.2."""
    table = lay_out(hands={0: "TS01", 1: "TS04 TS22 TS07 TT20"}, cities={1: "TT01 a"})

    assert table.do("play TS01", "target 1 blue").codes == ["pass", "cancel TS04", "cancel TS07"]


SHIELDED = ["play TS01,target 1 blue", "play TS11,target 1 red", "play TS14,token 1"]
SPELLBOUND = ["play TS02", "play TS12", "play TS15,recall TT26 a"]


@pytest.mark.parametrize(
    ("moves", "card"), [(moves, "TS04") for moves in SHIELDED] + [(moves, "TS22") for moves in SPELLBOUND]
)
def test_a_shield_cancels_ares_and_hecate_athena(moves: str, card: str) -> None:
    """P5, the table."""
    table = lay_out(
        hands={0: "TS01 TS11 TS14 TS02 TS12 TS15 D1", 1: "TS04 TS22"},
        cities={0: "TT09 a", 1: "TT01 a, TT02 a"},
        tokens={(1, "blue 1"): "owl"},
        first_discard="TT26 TT30",
    )
    before = table.city(0), table.city(1), table.tokens(0), table.tokens(1), table.first
    table.do(*moves.split(","))

    assert ["pass", f"cancel {card}"] == table.codes

    table.do(f"cancel {card}")

    assert before == (table.city(0), table.city(1), table.tokens(0), table.tokens(1), table.first)
    assert (table.seat, table.prompt) == (0, "draw")


def test_a_reaction_card_cannot_itself_be_cancelled() -> None:
    """P5.2."""
    table = lay_out(hands={0: "TS01 TS04 TS22", 1: "TS07 TT20"}, cities={1: "TT01 a"})
    table.do("play TS01", "target 1 blue", "cancel TS07")

    assert (table.seat, table.prompt) == (0, "draw")


def test_a_defender_does_not_redraw() -> None:
    """P5.2, option `defender_redraws` false."""
    table = lay_out(hands={0: "TS01", 1: "TS04 TT20"}, cities={1: "TT01 a"})
    table.do("play TS01", "target 1 blue", "cancel TS04", "draw deck")

    assert (table.hand(1), table.seat, table.prompt) == ("TT20", 1, "turn")


def test_with_the_option_a_defender_draws_one_card_before_play_goes_on() -> None:
    """P5.2, option `defender_redraws` true."""
    table = lay_out(
        hands={0: "TS01", 1: "TS04 TT20"}, cities={1: "TT01 a"}, first_discard="TT30", defender_redraws=True
    )
    table.do("play TS01", "target 1 blue", "cancel TS04")

    assert (table.seat, table.codes) == (1, ["draw deck", "draw discard"])

    table.do("draw discard")

    assert (table.hand(1), table.seat, table.prompt) == ("TT20 TT30", 0, "draw")


def test_with_the_option_a_defender_who_passes_draws_nothing() -> None:
    """P5.2, option `defender_redraws` true."""
    table = lay_out(hands={0: "TS01", 1: "TS04 TT20"}, cities={1: "TT01 a"}, defender_redraws=True)
    table.do("play TS01", "target 1 blue", "pass")

    assert (table.seat, table.prompt) == (0, "draw")


def test_a_redraw_that_empties_the_deck_begins_the_last_round() -> None:
    """P5.2, P7.1."""
    table = lay_out(hands={0: "TS01", 1: "TS04 TT20"}, cities={1: "TT01 a"}, deck="TT30", defender_redraws=True)
    table.do("play TS01", "target 1 blue", "cancel TS04", "draw deck")

    assert table.told(None)[-2] == "last round deck"
    assert (table.seat, table.prompt) == (1, "turn")


@pytest.mark.parametrize(
    ("moves", "prompt"),
    [
        ("play TS01,target 1 blue", "react ares_destroy blue"),
        ("play TS14,token 1", "react ares_steal_token 1"),
        ("play TS02", "react athena_win_token"),
        ("play TS15,recall TT30 a", "react athena_build_from_discard TT30 a"),
        ("play TS15,recall D3 blue 2", "react athena_build_from_discard D3"),
    ],
)
def test_the_question_says_what_it_is_about(moves: str, prompt: str) -> None:
    """P5.3."""
    table = lay_out(
        hands={0: "TS01 TS14 TS02 TS15"},
        cities={0: "TT09 a, TT02 a", 1: "TT01 a"},
        tokens={(1, "blue 1"): "owl"},
        first_discard="TT30 D3",
    )

    assert prompt == table.do(*moves.split(",")).prompt
