"""Nothing hidden is told (E8, D2): what peeks show is known to one seat, in its view as long as it holds, and to nobody
else; nor does it show by who is asked, or how often."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.engine.elysium.custom import trying
from tests.engine.elysium.positions import Table, lay_out, random_match
from tests.support.swaps import SWAPS

from agon_engine.conformance import Case, Parting, follow, worlds
from agon_engine.elysium import GAME
from agon_engine.elysium.viewing import NO_OWN
from agon_engine.elysium.vocabulary import Peek
from agon_engine.elysium.words import Put


def owl(**position: Any) -> Table:
    """Lay out a position in which seat 0 has the Little Owl and looks at two cards of four."""
    deck = "zeus-io hades-charon poseidon-cetus zeus-metis"
    fixed = {"domains": {0: "athena-owl"}, "deck": deck, "agora": "zeus-leda zeus-dodona", "seats": 3}
    return lay_out(**{**fixed, **position}).do("power athena-owl")


def known(table: Table, seat: int) -> dict[int, str]:
    """Return what a seat knows of the draw pile: the card by its place from the top, 1 the top card."""
    view = table.view(seat)
    return {view.table.deck - place: GAME.tables.ids[design] for place, design, _ in view.own.deck}


# -- peeks ---------------------------------------------------------------------------------------------------


def test_a_peek_is_shown_to_one_seat_and_the_others_are_told_how_many() -> None:
    """E8, peek."""
    table = owl()

    assert [GAME.tables.ids[design] for design in table.view(0).own.looking] == ["zeus-io", "hades-charon"]
    assert "look zeus-io hades-charon" in table.told(0)
    for other in (1, 2, None):
        assert table.view(other).own == NO_OWN
        assert "look 2" in table.told(other)
        assert not any("zeus-io" in told for told in table.told(other))


def test_how_the_cards_are_put_back_is_private_but_for_how_many_go_to_the_bottom() -> None:
    """peek."""
    table = owl().do("top 2 bottom 1")

    assert "top 2 bottom 1" in table.told(0)
    assert "put 1 1" in table.told(1)
    assert table.view(1).table.sightings == ((0, 1), (3, 1))


def test_a_single_card_is_asked_about_only_where_it_may_go_to_the_bottom() -> None:
    """peek: that it goes back on top all know, and nothing is to be chosen."""
    asked = trying(Peek(1, Put.TOP_OR_BOTTOM), deck="zeus-io hades-helm").do("power zeus-semele")
    forced = trying(Peek(1, Put.TOP), deck="zeus-io hades-helm").do("power zeus-semele")

    assert (asked.prompt, asked.codes) == ("peek zeus-semele", ["top 1", "bottom 1"])
    assert (forced.prompt, forced.told(1)[-2:]) == ("turn", ["look 1", "put 1 0"])
    assert known(forced, 0) == {1: "zeus-io"}


def test_who_looked_knows_the_cards_until_they_leave_the_pile() -> None:
    """D2: the top card is turned up by Stymphalides, the bottom one stays known."""
    table = owl(domains={0: "athena-owl ares-stymphalides"}).do("top 2 bottom 1")
    assert known(table, 0) == {1: "hades-charon", 4: "zeus-io"}

    table.do("power ares-stymphalides", "move zeus-leda")

    assert known(table, 0) == {3: "zeus-io"}
    assert known(table, 1) == known(table, 2) == {}


def test_a_peek_of_another_player_over_it_ends_the_knowledge() -> None:
    """D2: it counts as unknown again, also where the other has put it back as it was."""
    table = owl(domains={0: "athena-owl", 1: "athena-owl"}).do("top 1 2", "take zeus-leda", "dismiss yellow")
    assert known(table, 0) == {1: "zeus-io", 2: "hades-charon"}

    table.do("power athena-owl", "top 1 bottom 2")

    assert known(table, 0) == {}
    assert known(table, 1) == {1: "zeus-io", 4: "hades-charon"}


def test_a_known_card_that_becomes_a_citizen_goes_on_being_known_to_that_seat() -> None:
    """D2, E8."""
    table = owl(domains={0: "athena-owl hades-elpenor"}).do("top 1 2")
    assert known(table, 0) == {1: "zeus-io", 2: "hades-charon"}

    table.do("power hades-elpenor")

    faces = table.view(0).own.faces
    assert [(face.owner, face.legend, GAME.tables.ids[face.design]) for face in faces] == [(0, 0, "zeus-io")]
    assert table.view(1).own == NO_OWN
    assert table.view(1).domains[0].known[-1] == 1, "that seat 0 knows it, all know"


def test_a_face_stays_known_in_a_legend() -> None:
    """D2."""
    table = owl(
        domains={0: "athena-owl hades-elpenor hades-pomegranate zeus-io"},
        deck="zeus-olympia hades-charon poseidon-cetus",
        elysiums={0: "zeus-semele hades-asphodel"},
        gold={0: 9},
    )
    table.do("top 1 2", "power hades-elpenor", "power hades-pomegranate", "transfer citizen")

    assert [(face.legend, face.at) for face in table.view(0).own.faces] == [(1, 2)]


def test_the_shuffle_under_the_pile_does_not_end_what_is_known() -> None:
    """D1, D2: a face that is known, and the one card that was left, which is looked at with two from beneath."""
    table = lay_out(
        domains={0: "athena-owl hades-elpenor apollo-pythia"},
        deck="zeus-io hades-charon",
        discard="poseidon-cetus zeus-metis hades-lethe",
        agora="zeus-leda zeus-dodona",
    )
    table.do("power athena-owl", "top 1 2", "power hades-elpenor")
    assert known(table, 0) == {1: "hades-charon"}

    table.do("power apollo-pythia")

    assert "shuffle 3" in table.told(1)
    assert known(table, 0)[1] == "hades-charon"
    assert [GAME.tables.ids[face.design] for face in table.view(0).own.faces] == ["zeus-io"]


# -- peek_take -----------------------------------------------------------------------------------------------


def cassandra(deck: str, own: str = "zeus-leda") -> Table:
    return lay_out(3, agora="apollo-cassandra zeus-dodona", domains={0: own}, deck=deck).do("take apollo-cassandra")


@pytest.mark.parametrize("own", ["zeus-leda", "zeus-io hades-charon poseidon-triton"])
def test_whether_and_how_often_a_seat_is_asked_tells_nothing(own: str) -> None:
    """peek_take: where no card may be taken the seat is asked all the same, and then for the order."""
    table = cassandra("zeus-io hades-charon poseidon-triton zeus-metis", own)
    before = table.state.events_count
    prompts = []
    while table.prompt.endswith("cassandra"):
        prompts.append(table.prompt)
        table.do("skip" if "skip" in table.codes else table.codes[0])

    assert prompts == ["keep apollo-cassandra", "order apollo-cassandra"]
    assert table.told(1, before) == ["decides", "put 0 3"]


def test_what_is_taken_shows_only_when_the_others_are_put_back() -> None:
    """peek_take."""
    table = cassandra("zeus-io hades-charon poseidon-cetus zeus-metis")
    before = table.state.events_count
    table.do("keep hades-charon")

    assert table.told(1, before) == ["decides"]
    assert GAME.tables.ids[table.view(0).own.kept] == "hades-charon"
    assert table.view(1).own == NO_OWN

    table.do("bottom 2 1")

    assert table.told(1, before)[1:3] == ["put 0 2", "takes hades-charon"]
    assert table.state.known_by[table.card("hades-charon")] == 0, "it lies open, and no secret of it is left"
    assert known(table, 0) == {2: "poseidon-cetus", 3: "zeus-io"}


def test_two_equal_cards_left_are_still_asked_for_in_private() -> None:
    """peek_take: with one way to order them; others may not know that they are equal."""
    table = cassandra("zeus-io hades-charon zeus-io zeus-metis").do("keep hades-charon")

    assert (table.prompt, table.codes) == ("order apollo-cassandra", ["bottom 1 2"])


# -- leaks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_worlds_that_a_seat_cannot_tell_apart_look_the_same_to_it(seats: int) -> None:
    """E8, D2: over all hidden facts, with exchanged ones too."""
    parted: Counter[Parting] = Counter()
    for number in range(1, 5):
        choices = Case(GAME, seats, number).chance("elysium")
        for pair in worlds(GAME, seats, number, 6, swaps=SWAPS["elysium"]):
            parted[follow(pair, choices, steps=60)] += 1

    assert sum(parted.values()) > 40


def test_no_public_code_names_a_card_that_is_hidden() -> None:
    """E8: of all that is told to all, names of cards are those that lie open then, or have just been turned up."""
    for number in range(12):
        heard = 0
        for state in random_match(2 + number % 3, number):
            ids, design = GAME.tables.ids, GAME.tables.design
            hidden = {ids[design[abs(card)]] for card in state.deck}
            shown = {card for row in state.rows for card in row}
            shown |= {card for domain in state.domains for card in domain if card > 0}
            shown |= {card for elysium in state.elysiums for legend in elysium for card in legend.cards if card > 0}
            only_hidden = hidden - {ids[design[card]] for card in shown}
            words = {word for event in state.events_since(heard) for word in event.code.split()}
            heard = state.events_count
            if state.decision is not None:
                assert not words & only_hidden
                assert not set(state.decision.prompt.split()) & only_hidden


def test_a_secret_is_for_one_seat_alone() -> None:
    """D2."""
    for number in range(10):
        *_, state = random_match(3, number, families="apollo,ares,athena,hades,hermes")
        secrets = [event for event in state.events_since(0) if event.secret]

        assert secrets
        assert all(event.audience == (event.seat,) for event in secrets)
        assert {event.code.split()[0] for event in secrets} <= {"look", "put", "decides"}
