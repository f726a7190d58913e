"""The text for people."""

import pytest
from tests.engine.ephyran.positions import lay_out, random_match

from agon_engine.ephyran import GAME


def test_a_position_is_drawn_as_a_table() -> None:
    table = lay_out(
        hands={0: "TS01 TT05 D1", 1: "TS04 TT20"},
        known={0: "D1"},
        cities={0: "TT02 a", 1: "TT01 a, D2 blue 2"},
        tokens={(1, "blue 1"): "owl", (0, "red 1"): "helmet"},
        seen={1: [1], 2: [0]},
        locks={(0, "red"): "TS07"},
        first_discard="TT30 TT31",
    ).do("play TS01", "target 1 blue")

    assert (
        GAME.render(table.view(1))
        == """\
Round 1, seat 0 began. Deck 87. Tokens left 10.
Seat 0 is on turn; seat 1 (you) is asked for a reaction (ares_destroy, in play
  TS01, aimed at seat 1, blue).

Seat 0, poseidon: hand 2 (D1 known); 3 points so far
  blue  x2
  red     # Chimera+1 t2
  green
  brown
Seat 1 (you), hephaestus: hand 2; 3 points so far
  blue      Triton t1        Dionysos
  red   x2
  green
  brown

First discard, top first: TT30 TT31
Second discard: none
t1: seen by seat 1; owl
t2: seen by seat 0

Your hand:
  TS04: a blue 1 Scylla, b shield (Athena's Shield)
  TT20: a brown 1 Satyr +1, b blue 4 Hippocamp"""
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_view_fits_80_columns_and_ends_without_a_newline(seats: int) -> None:
    for number in range(3):
        for step, state in enumerate(random_match(seats, number, supports=True, defender_redraws=True)):
            for seat in (None, *range(seats)) if step % 7 == 0 else ():
                text = GAME.render(state.view(seat))

                assert max(map(len, text.split("\n"))) <= 80
                assert text == text.rstrip()


def test_a_spectator_sees_no_hand() -> None:
    text = GAME.render(lay_out(hands={0: "TT01", 1: "TT02"}).view(None))

    assert "Your hand" not in text
    assert "(you)" not in text
    assert "TT0" not in text


def test_what_is_looked_at_and_remembered_is_drawn_for_the_one_who_knows_it() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TT01", 1: "TS21 TT03"}, deck="TT20 TT21 TT22 TT23").do("play TS09")

    assert "You look at the top of the deck:\n  TT20: a brown 1 Satyr +1" in GAME.render(table.view(0))

    table.do("keep TT20", "play TS21", "keep TT21")

    assert "You know: TT21 in the deck above 1; TT22 in the deck above 0 -- or else:" in GAME.render(table.view(0))
    assert "You know" not in GAME.render(table.view(None))


def test_the_end_is_told() -> None:
    *_, state = random_match(2, 1)

    assert "The match is over: the deck is empty." in GAME.render(state.view(0))
