"""Matches in which the draw pile runs out again and again, with cards that look into it: for lots (D1, D2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.engine.elysium.positions import seed

from agon_engine.core import Chance
from agon_engine.elysium import Elysium, ElysiumState, game_with, vocabulary as v
from agon_engine.elysium.cards import HOUSE
from agon_engine.elysium.checking import mistakes_in
from agon_engine.elysium.enums import Activation
from agon_engine.elysium.words import Kind, Put, Resource, Zone

_CITIZEN = v.TakeCitizen()
_EFFECTS: tuple[v.Step, ...] = (
    v.Peek(3, Put.TOP_OR_BOTTOM),
    v.Peek(2, Put.TOP),
    v.Peek(1, Put.TOP_OR_BOTTOM),
    v.PeekTake(3),
    v.PeekTake(2),
    v.Seq(v.Peek(2, Put.TOP_OR_BOTTOM), _CITIZEN),
    v.Seq(_CITIZEN, v.Peek(3, Put.TOP)),
    v.Sacrifice(v.Filter(kind=Kind.FAMILY), then=v.PeekTake(2)),
    v.Seq(
        v.Sacrifice(v.Filter(kind=Kind.FAMILY), then=v.Peek(3, Put.TOP_OR_BOTTOM)), v.RowMove(Zone.DECK, to=Zone.AGORA)
    ),
    v.Sacrifice(v.Filter(kind=Kind.CITIZEN), then=v.Gain(Resource.VP, 1)),
    v.RowMove(Zone.DECK, to=Zone.DISCARD, n=2),
    v.RowMove(Zone.DECK, to=Zone.AGORA, n=1),
    v.RowMove(Zone.AGORA, to=Zone.DISCARD, n=2),
)


def peeking_game(chance: Chance) -> Elysium:
    """Return a game whose cards all do something with the draw pile or the discard pile. Of each family three have many
    copies, and are in several lots at once."""
    copies = _copies()
    cards = tuple(
        replace(
            card,
            copies=copies[card.id],
            activation=chance.choice("activation", (Activation.ACTIVATE, Activation.INSTANT)),
            effect=chance.choice("effect", _EFFECTS),
        )
        for card in HOUSE.cards
    )
    peeking = replace(HOUSE, cards=cards)
    assert list(mistakes_in(peeking)) == []
    return game_with(peeking)


def _copies() -> dict[str, int]:
    copies = {card.id: 1 for card in HOUSE.cards}
    for family in {card.family for card in HOUSE.cards}:
        ids = [card.id for card in HOUSE.cards if card.family is family]
        for number in range(21 - len(ids)):
            copies[ids[number % 3]] += 1
    return copies


def short_of_cards(game: Elysium, seats: int, number: int, left: int) -> Iterator[ElysiumState]:
    """Yield a random match of so many cards in the draw pile, the others being gone, before each decision and at its
    end: one object that moves on."""
    state = game.start(seats, seed(number), {})
    state.gone = state.deck[:-left]
    state.deck = state.deck[-left:]
    state.stale = -1
    dice = seed(number).fork("dice")
    yield state
    while state.decision is not None:
        state.apply(dice.choice("action", state.decision.actions))
        yield state
