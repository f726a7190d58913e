"""What all know of the cards that lie face down once the discard pile has been shuffled (D1): which cards were shuffled
together, a *lot*, and where the cards of a lot lie. Views tell it, and what is drawn from a view fits it (E8)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.engine.elysium.custom import trying
from tests.engine.elysium.positions import Table, lay_out, seed
from tests.support.swaps import SWAPS

from agon_engine.conformance import Parting, World, follow
from agon_engine.elysium import GAME, ElysiumState
from agon_engine.elysium.enums import NOBODY, Phase
from agon_engine.elysium.view import Face
from agon_engine.elysium.vocabulary import Filter, Gain, Peek, RowMove, Sacrifice, Seq, TakeCitizen
from agon_engine.elysium.words import VP, Kind, Put, Zone

DISCARD = (
    "zeus-io hades-charon athena-olive poseidon-cetus zeus-leda zeus-dodona hades-helm athena-nike poseidon-triton "
    "zeus-themis hades-orpheus"
)
SEATS = (0, 1, None)


def names(state: ElysiumState, cards: list[int]) -> list[str]:
    return sorted(in_order(state, cards))


def in_order(state: ElysiumState, cards: list[int]) -> list[str]:
    return [GAME.tables.ids[GAME.tables.design[abs(card)]] for card in cards]


def awakened(**position: Any) -> Table:
    """Let an epoch begin for which seven cards are needed: one is there, the discard pile is shuffled beneath it."""
    fixed = {
        "phase": Phase.LEGENDS,
        "on_turn": 1,
        "quests": {0: 1, 1: 2},
        "gold": {1: 3},
        "domains": {0: "citizen citizen citizen zeus-semele", 1: "hades-lethe"},
        "deck": "zeus-metis",
        "discard": DISCARD,
    }
    return lay_out(**{**fixed, **position}).do("end")


def faces(state: ElysiumState) -> list[int]:
    return [card for domain in state.domains for card in domain if card < 0]


def samples(table: Table, seat: int | None, count: int = 40) -> list[ElysiumState]:
    return [GAME.sample(table.view(seat), seed(number)) for number in range(count)]


def test_what_lies_face_down_after_a_shuffle_is_known_as_a_whole() -> None:
    """D1, E8: of eleven cards six were turned up, the other five are the draw pile."""
    table = awakened()
    left = set(DISCARD.split()) - set(table.agora)

    for seat in SEATS:
        view = table.view(seat)
        assert view.table.deck_lot == 1
        (lot,) = view.table.lots
        assert (lot.number, {GAME.tables.ids[design] for design in lot.cards}) == (1, left)
        assert view.domains[0].lots == ()


@pytest.mark.parametrize("seat", SEATS)
def test_a_sample_has_in_the_pile_what_was_shuffled_and_as_citizens_what_was_not(seat: int | None) -> None:
    """D1: Citizens that were drawn before are none of the cards that lay on the discard pile."""
    table = awakened()
    drawn = samples(table, seat)

    assert {tuple(names(state, state.deck)) for state in drawn} == {tuple(names(table.state, table.state.deck))}
    assert len({tuple(state.deck) for state in drawn}) > 3, "their order is drawn"
    assert {tuple(names(state, faces(state))) for state in drawn} == {tuple(names(table.state, faces(table.state)))}
    assert len({tuple(in_order(state, faces(state))) for state in drawn}) == 3, "three faces, two alike, each anywhere"
    assert all(state.view(seat) == table.view(seat) for state in drawn)


def test_a_citizen_drawn_from_the_lot_is_one_of_it() -> None:
    """D1: with the draw pile it makes the lot."""
    effect = TakeCitizen()
    table = trying(effect, deck="", discard=DISCARD, domains={0: "citizen citizen"}).do("power zeus-semele")
    lot, dealt = sorted(DISCARD.split()), faces(table.state)[:2]
    assert table.view(1).domains[0].lots == (0, 0, 0, 1)

    for seat in SEATS:
        drawn = samples(table, seat)
        latest = Counter(names(state, faces(state)[-1:])[0] for state in drawn)
        assert {tuple(names(state, [*state.deck, faces(state)[-1]])) for state in drawn} == {tuple(lot)}
        assert len(latest) > 4
        assert {tuple(names(state, faces(state)[:-1])) for state in drawn} == {tuple(names(table.state, dealt))}


def test_two_shuffles_make_two_lots() -> None:
    """D1: two Citizens of the first lot, one of the second, which is the draw pile."""
    effect = Seq(TakeCitizen(), TakeCitizen(), RowMove(Zone.AGORA, to=Zone.DISCARD, n=3), TakeCitizen())
    agora = "zeus-leda hades-charon athena-olive poseidon-triton"
    table = trying(effect, deck="", discard="zeus-io hades-helm", agora=agora).do("power zeus-semele")
    table.do("move zeus-leda", "move hades-charon", "move athena-olive")
    first, second = ["hades-helm", "zeus-io"], ["athena-olive", "hades-charon", "zeus-leda"]

    assert table.view(0).domains[0].lots == (0, 1, 1, 2)
    assert (table.view(0).table.deck_lot, len(table.state.deck)) == (2, 2)
    for state in samples(table, 0):
        assert names(state, faces(state)[:2]) == first
        assert names(state, [faces(state)[2], *state.deck]) == second
        assert state.view(1) == table.view(1)


def test_a_look_over_the_boundary_makes_a_mixed_lot() -> None:
    """D1, D2: three cards are looked at, two of them lay above; how they were put back only the seat itself knows, and
    which of the cards beneath it has seen. What a seat can infer from that: see `test_mixed_lots.py`."""
    table = trying(Peek(3, Put.TOP), deck="zeus-metis zeus-olympia", discard=DISCARD, domains={0: "citizen"})
    table.do("power zeus-semele", "top 3 1 2")
    public = table.view(1).table
    design = GAME.tables.design
    third = design[table.state.deck[-1]]

    assert public.mixes == ((2, 0, ((0, 2), (1, 1))),)
    assert sorted(public.lots[0].cards) == sorted(GAME.tables.ids.index(name) for name in DISCARD.split())
    assert (public.deck_lot, public.layers) == (1, ((10, 2),))
    assert table.view(1).own.origins == ()
    assert [(parent, card) for _, parent, card in table.view(0).own.origins] == sorted(
        [(0, GAME.tables.ids.index("zeus-metis")), (0, GAME.tables.ids.index("zeus-olympia")), (1, third)]
    )
    tops = {names(state, state.deck[-1:])[0] for state in samples(table, 1, 80)}
    assert tops > {"zeus-metis"}
    assert tops & set(DISCARD.split())
    assert {tuple(in_order(state, state.deck[-3:])) for state in samples(table, 0)} == {
        tuple(in_order(table.state, table.state.deck[-3:]))
    }


def test_cards_put_at_the_bottom_stay_in_the_lot() -> None:
    """D1, D2: a look inside the pile moves no card from one lot to another."""
    table = awakened(domains={0: "citizen athena-owl", 1: "hades-lethe"})
    pile = names(table.state, table.state.deck)
    table.do("power athena-owl", "bottom 2 1")

    assert table.view(1).table.deck_lot == 1
    assert {tuple(names(state, state.deck)) for state in samples(table, 1)} == {tuple(pile)}
    known = in_order(table.state, table.state.deck[:2])
    assert {tuple(in_order(state, state.deck[:2])) for state in samples(table, 0)} == {tuple(known)}


def test_a_citizen_that_has_left_the_game_keeps_its_lot_and_who_knows_its_face() -> None:
    """D1, D2, ruling 9: seat 0 has looked at it before it was drawn."""
    effect = Seq(Peek(1, Put.TOP), TakeCitizen(), Sacrifice(Filter(kind=Kind.CITIZEN), then=Gain(VP, 1)))
    table = trying(effect, deck="", discard=DISCARD).do("power zeus-semele", "sacrifice citizen")
    view, at = table.view(0), len(table.state.gone) - 1
    face = GAME.tables.design[-table.state.gone[-1]]

    assert view.table.gone_lots[at] == 1
    assert view.table.gone_known[at] == 1
    assert view.own.faces == (Face(NOBODY, 0, at, face, ()),)
    assert {names(state, state.gone[-1:])[0] for state in samples(table, 0)} == {GAME.tables.ids[face]}
    assert {names(state, state.gone[-1:])[0] for state in samples(table, 1, 80)} == set(DISCARD.split())


def test_a_look_ahead_draws_what_is_left_of_the_pile_before_the_cards_beneath() -> None:
    """D1: in an order of its own, but no card of one lot in the place of one of the other."""
    position: Any = {"phase": Phase.LEGENDS, "on_turn": 1, "quests": {0: 1, 1: 2}, "gold": {1: 3}}
    table = lay_out(**position, domains={1: "hades-lethe"}, deck="zeus-metis zeus-olympia", discard=DISCARD)
    agoras = set()
    for number in range(20):
        ahead = Table(table.state.clone(lookahead=seed(number))).do("end")
        assert sorted(ahead.agora[:2]) == ["zeus-metis", "zeus-olympia"]
        assert set(ahead.agora[2:]) < set(DISCARD.split())
        agoras.add(tuple(ahead.agora))

    assert len(agoras) > 10


def test_a_look_ahead_draws_the_cards_of_a_mixed_lot_where_it_lies() -> None:
    """D1, D2: two cards of it at the bottom, of which nobody knows any more which is which."""
    table = trying(
        Seq(Peek(3, Put.TOP_OR_BOTTOM), RowMove(Zone.DECK, to=Zone.DISCARD)),
        deck="zeus-io zeus-olympia",
        discard="hades-charon poseidon-cetus athena-olive hades-helm",
        domains={0: "ares-stymphalides", 1: "citizen"},
        agora="zeus-leda zeus-dodona",
    )
    table.do("power zeus-semele", "top 3 bottom 2 1")
    table.state.known_by = [0] * len(table.state.known_by)
    beneath = set(names(table.state, table.state.deck[2:]))
    turned_up = set()
    for number in range(30):
        ahead = Table(table.state.clone(lookahead=seed(number)), table.game)
        ahead.do("power ares-stymphalides", "move zeus-leda")
        turned_up.add(ahead.agora[-1])

    assert turned_up == beneath, "none of the two at the bottom, which are of the mixed lot"


def test_a_look_ahead_leaves_the_cards_that_somebody_knows_where_they_are() -> None:
    """D2: the top card is known, and the one at the bottom; the two between them are drawn anew."""
    deck = "zeus-io hades-charon poseidon-cetus zeus-metis"
    domains = {0: "athena-owl hades-elpenor ares-stymphalides"}
    table = lay_out(domains=domains, deck=deck, agora="zeus-leda zeus-dodona").do("power athena-owl", "top 2 bottom 1")
    turned_up = set()
    for number in range(20):
        ahead = Table(table.state.clone(lookahead=seed(number)))
        ahead.do("power hades-elpenor", "power ares-stymphalides", "move zeus-leda")
        assert names(ahead.state, [-ahead.state.domains[0][-1]]) == ["hades-charon"]
        turned_up.add(ahead.agora[-1])

    assert turned_up == {"poseidon-cetus", "zeus-metis"}


def test_the_draw_pile_is_of_one_lot_but_for_looks_over_several() -> None:
    """D1: whatever is above a lot is drawn or looked at as soon as it is there. Of a few cards, so many shuffles."""
    shuffles = 0
    for number in range(12):
        dice = seed(number).fork("dice")
        domains = {0: "athena-owl hades-elpenor", 1: "apollo-pythia athena-owl hades-elpenor"}
        cards = "zeus-io hades-charon zeus-olympia hades-orpheus zeus-themis athena-mentor apollo-cassandra ares-ajax"
        state = awakened(domains=domains, discard=f"{cards} apollo-clio zeus-perseus hades-helm apollo-daphne").state
        while state.decision is not None:
            assert len({state.lots[card] for card in state.deck}) <= 1 + len(state.mixes)
            assert not any(state.lots[card] for row in state.rows for card in row)
            state.apply(dice.choice("action", state.decision.actions))
        shuffles += sum(event.code.startswith("shuffle") for event in state.events_since(0))

    assert shuffles > 24


@pytest.mark.parametrize("seat", [0, 1])
def test_worlds_with_a_shuffle_look_the_same_to_a_seat_that_cannot_tell_them_apart(seat: int) -> None:
    """E8, D1: from before a shuffle and from after it, with samples and exchanged cards."""
    parted: Counter[Parting] = Counter()
    for number in range(12):
        chance = seed(number)
        table = awakened(domains={0: "citizen athena-owl", 1: "athena-owl hades-elpenor hades-lethe"})
        others = [GAME.sample(table.view(seat), chance), *SWAPS["elysium"](table.state, seat, chance)]
        for other in others:
            parted[follow(World(seat, table.state.clone(), other, 0, "lots"), seed(number).fork("choices"))] += 1

    assert sum(parted.values()) >= 24
    assert parted[Parting.CHOICE] < sum(parted.values())
