"""The text of a view: what a person follows, in 80 columns."""

from __future__ import annotations

from tests.engine.elysium.custom import trying
from tests.engine.elysium.positions import lay_out, random_match

from agon_engine.elysium import GAME
from agon_engine.elysium.enums import Phase
from agon_engine.elysium.vocabulary import Peek, RowMove, Seq
from agon_engine.elysium.words import Put, Zone


def test_the_table_and_the_seats_are_drawn_with_the_ids_that_actions_use() -> None:
    table = lay_out(
        agora="zeus-leda hades-charon",
        oracle="apollo-clio",
        domains={0: "zeus-amalthea zeus-semele citizen", 1: "athena-aegis"},
        elysiums={0: "zeus-io zeus-olympia, hades-helm"},
        turned="zeus-semele",
        gold={0: 3},
        vp={0: 7},
        reserved={1: "hades-charon"},
        quests={1: 2},
        level_tiles={2: 1},
    )
    text = GAME.render(table.view(0))

    for line in (
        "Epoch 2 of 5, actions. Families: apollo athena hades hephaestus zeus.",
        "Round 1, seat 0 (you) on turn; seat 0 (you) asked: turn.",
        "Quests (gold/VP/transfers): 1 red or yellow 2/3/2,\n  2 green or blue 1/3/3 (seat 1)",
        f"Draw pile: {len(table.deck)}.",
        "Agora: zeus-leda 1I R, hades-charon 1A^1 R",
        "Oracle: apollo-clio 3C B*",
        "Bonus tiles: level 2 (4) seat 1.",
        "Seat 0 (you): 3 gold, 7 VP; red yellow green blue; 0 taken",
        "  Domain: zeus-amalthea 1To, zeus-semele 1A/, citizen",
        "  Legend 1 (zeus 23): zeus-io 2E, zeus-olympia 3A",
        "  Legend 2: hades-helm 3A",
    ):
        assert line in text


def test_what_only_the_viewer_knows_is_drawn_for_it_alone() -> None:
    table = lay_out(domains={0: "athena-owl"}, deck="zeus-io zeus-leda hades-charon", agora="zeus-dodona hades-helm")
    table.do("power athena-owl")
    assert "You look at, the top one first: zeus-io, zeus-leda" in GAME.render(table.view(0))

    table.do("top 2 bottom 1")

    assert "You know of the draw pile, from the top: 1: zeus-leda, 3: zeus-io" in GAME.render(table.view(0))
    for other in (1, None):
        assert "You" not in GAME.render(table.view(other)).replace("(you)", "")


def test_what_went_into_a_mixed_lot_is_drawn() -> None:
    """D1, D2: zeus-io, of which both lots have a copy, was on top and has turned up."""
    effect = Seq(Peek(3, Put.TOP), RowMove(Zone.DECK, to=Zone.DISCARD))
    table = trying(effect, deck="zeus-io hades-charon", discard="zeus-io poseidon-cetus")
    table.do("power zeus-semele", "top 1 2 3")

    public, own = (" ".join(GAME.render(table.view(seat)).split()) for seat in (1, 0))
    assert "Face down of shuffle 1: zeus-io, poseidon-cetus" in public
    assert "Mix 2, put together by seat 0: 2 of the deal, 1 of shuffle 1; turned up since: zeus-io." in public
    assert "You put" not in public
    assert "You put into mix 2: zeus-io (the deal), hades-charon (the deal), poseidon-cetus (shuffle 1)" in own


def test_the_end_shows_the_scores() -> None:
    table = lay_out(phase=Phase.LEGENDS, epoch=5, on_turn=1, quests={0: 1, 1: 2}, domains={1: "hephaestus-talos"}, vp=4)
    text = GAME.render(table.do("end").view(None))

    assert "the match is over" in text
    assert text.count("score 4") == 2


def test_lines_fit_in_80_columns() -> None:
    for number in range(6):
        for state in random_match(4, number):
            for line in GAME.render(state.view(number % 4)).splitlines():
                assert len(line) <= 80
