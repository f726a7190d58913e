"""Sampling (E8, D2): a drawn state is consistent with all that a seat knows, and uniform in what it does not."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.engine.elysium.custom import trying
from tests.engine.elysium.positions import Table, lay_out, random_match, seed

from agon_engine.elysium import GAME, ElysiumState
from agon_engine.elysium.layout import RESOLVED
from agon_engine.elysium.view import View
from agon_engine.elysium.vocabulary import Filter, Gain, Peek, RowMove, Sacrifice, Seq
from agon_engine.elysium.words import VP, Put, Zone


def drawn(view: View, number: int = 0) -> ElysiumState:
    return GAME.sample(view, seed(number))


def names(state: ElysiumState, cards: list[int]) -> list[str]:
    return [GAME.tables.ids[GAME.tables.design[abs(card)]] for card in cards]


def marked(table: Table) -> list[tuple[str, int]]:
    """Return the cards that lie face down with marks."""
    return [(GAME.tables.ids[card], lot.marks) for lot in table.view(1).table.lots if lot.marks for card in lot.cards]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_drawn_state_looks_the_same_and_goes_on_the_same(seats: int) -> None:
    """E8: at every decision of random matches, for the seat that is asked and for others."""
    for number in range(3):
        for step, state in enumerate(random_match(seats, number + 10)):
            if step % 5 and (state.decision is None or not state.decision.prompt.startswith(("peek", "keep", "order"))):
                continue
            for seat in (0, seats - 1, None):
                view = state.view(seat)
                other = drawn(view, step)

                assert other.view(seat) == view
                assert dict(other.inventory()) == {"cards": 105, "different cards": 105}
                if state.decision is not None and state.decision.seat == seat:
                    assert other.decision is not None
                    assert other.decision.actions == state.decision.actions


def test_known_cards_lie_where_they_are_known_and_the_others_anywhere() -> None:
    """D2."""
    table = lay_out(
        domains={0: "athena-owl"},
        deck="zeus-io zeus-leda hades-charon hades-helm",
        agora="zeus-dodona hades-lethe",
    )
    table.do("power athena-owl", "top 2 bottom 1")
    tops: Counter[str] = Counter()
    for number in range(60):
        mine, other = drawn(table.view(0), number), drawn(table.view(1), number)
        assert names(mine, mine.deck[::-1])[0::3] == ["zeus-leda", "zeus-io"]
        tops[names(other, other.deck[-1:])[0]] += 1

    assert len(tops) > 3


def test_what_others_know_is_drawn_as_known_to_them() -> None:
    """D2: seat 1 sees that seat 0 knows two places."""
    table = lay_out(
        domains={0: "athena-owl"},
        deck="zeus-io zeus-leda hades-charon hades-helm",
        agora="zeus-dodona hades-lethe",
    )
    table.do("power athena-owl", "top 2 bottom 1")
    other = drawn(table.view(1))

    assert [known.place for known in other.view(0).own.deck] == [0, 3]


def test_a_known_face_stays_and_unknown_ones_are_drawn() -> None:
    table = lay_out(
        domains={0: "athena-owl hades-elpenor citizen"},
        deck="zeus-io zeus-leda hades-charon",
        agora="zeus-dodona hades-helm",
    )
    table.do("power athena-owl", "top 1 2", "power hades-elpenor")
    faces = {names(state, state.domains[0])[-1] for state in (drawn(table.view(0), number) for number in range(20))}
    others = {names(state, state.domains[0])[-1] for state in (drawn(table.view(1), number) for number in range(20))}

    assert faces == {"zeus-io"}
    assert len(others) > 3


def test_a_half_done_look_is_drawn_for_others_with_or_without_a_card_taken() -> None:
    """peek_take: in ORDER only the seat itself knows whether it has taken one."""
    table = lay_out(3, agora="apollo-cassandra zeus-dodona", deck="zeus-io hades-charon poseidon-cetus zeus-metis")
    table.do("take apollo-cassandra", "keep hades-charon")

    assert {names(state, [state.kept])[0] for state in (drawn(table.view(0), n) for n in range(9))} == {"hades-charon"}
    assert {bool(drawn(table.view(1), number).kept) for number in range(30)} == {False, True}


def test_of_two_looked_at_that_there_is_an_order_says_that_none_was_taken() -> None:
    table = lay_out(3, agora="apollo-cassandra zeus-dodona", deck="zeus-io hades-charon").do(
        "take apollo-cassandra",
        "skip",
    )

    assert table.prompt == "order apollo-cassandra"
    assert {drawn(table.view(1), number).kept for number in range(20)} == {0}


def test_marks_of_a_card_under_the_pile_are_known_to_all() -> None:
    """T1, D1: a card whose power was resolved in this turn goes under the draw pile by a shuffle."""
    table: Table = lay_out(
        agora="hephaestus-anvil zeus-dodona hades-helm",
        domains={0: "zeus-semele hades-elpenor hephaestus-cedalion"},
        deck="",
        discard="zeus-io",
    )
    table.do(
        "take hephaestus-anvil",
        "dismiss red",
        "power zeus-semele",
        "sacrifice hephaestus-anvil",
        "power hades-elpenor",
    )

    assert table.prompt == "after", "the turn goes on, and with it what T1 says of the Anvil"
    assert marked(table) == [("hephaestus-anvil", RESOLVED)]
    assert all(drawn(table.view(seat), number).view(seat) == table.view(seat) for seat in (0, 1) for number in range(9))


def test_marks_under_the_pile_are_told_until_the_turn_ends() -> None:
    """T1, D1."""
    table = lay_out(
        agora="hephaestus-anvil zeus-dodona hades-helm",
        domains={0: "zeus-semele hades-elpenor hephaestus-cedalion"},
        deck="",
        discard="zeus-io",
    )
    table.do("take hephaestus-anvil", "dismiss red", "power zeus-semele", "sacrifice hephaestus-anvil")
    table.do("power hades-elpenor", "end")

    assert marked(table) == []
    assert table.view(1).table.mixes == (), "one lot again, since all of it was shuffled together"


def test_a_lot_without_marks_may_get_the_number_of_one_that_had_some() -> None:
    """T1, D1: the only card that was shuffled, with marks, has turned up; in the same turn another one is shuffled."""
    to_discard = RowMove(Zone.AGORA, to=Zone.DISCARD)
    effect = Seq(Sacrifice(Filter(), then=Gain(VP, 1)), RowMove(Zone.DECK, to=Zone.AGORA), to_discard, Peek(1, Put.TOP))
    domains = {0: "hephaestus-cedalion hades-elpenor"}
    table = trying(effect, agora="hephaestus-anvil zeus-dodona hades-helm", domains=domains, deck="")
    table.do("take hephaestus-anvil", "dismiss red", "power zeus-semele", "sacrifice hephaestus-anvil")
    table.do("move zeus-dodona")

    assert table.prompt == "after"
    assert table.view(1).table.lots == ((1, (GAME.tables.ids.index("zeus-dodona"),), 0),)
    assert drawn(table.view(1)).view(1) == table.view(1)


def test_a_card_with_marks_that_is_turned_up_is_under_the_pile_no_more() -> None:
    """T1, D1: Stymphalides turns one of the two up that were shuffled."""
    turned_up = set()
    for chance in range(8):
        table = lay_out(
            agora="hephaestus-anvil zeus-dodona hades-helm",
            domains={0: "zeus-semele ares-stymphalides hephaestus-cedalion"},
            deck="",
            chance=chance,
        )
        table.do("take hephaestus-anvil", "dismiss red", "power zeus-semele", "sacrifice hephaestus-anvil")
        table.do("power ares-stymphalides", "move zeus-dodona")
        card = table.agora[-1]
        turned_up.add(card)
        under = [] if card == "hephaestus-anvil" else [("hephaestus-anvil", RESOLVED)]

        assert marked(table) == under
        assert drawn(table.view(1)).view(1) == table.view(1)
    assert turned_up == {"hephaestus-anvil", "zeus-dodona"}


def test_of_two_copies_the_one_reserved_for_the_seat_is_the_one_that_it_transfers() -> None:
    """C1: in the middle of a transfer from the Agora, between the card and its place."""
    table = lay_out(
        agora="zeus-leda zeus-leda zeus-io",
        reserved={0: "zeus-leda"},
        domains={0: "hades-tartarus"},
        elysiums={0: "hades-charon"},
        gold=5,
    )
    table.do("power hades-tartarus", "transfer zeus-leda agora")
    assert table.prompt == "place zeus-leda"
    other = drawn(table.view(1))
    for state in (table.state, other):
        state.apply(GAME.notation.parse("place legend 1"))

    assert other.view(1) == table.view(1)
    assert table.view(1).agora.reserved == ()
