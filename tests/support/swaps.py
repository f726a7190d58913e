"""For each game that has one: how two hidden facts are exchanged, for closer pairs of worlds in the leak test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agon_engine.conformance import Swaps
from agon_engine.core import Chance, Seat, State
from agon_engine.ephyran.enums import Phase
from agon_engine.ephyran.state import EphyranState


def ephyran(state: State[Any], seat: Seat, chance: Chance) -> Iterator[State[Any]]:
    """Exchange a card of another's hand for one of the deck, neither of which any seat has an account of.

    A seat that is asked now, or in the middle of its turn, keeps its hand: its question depends on it.
    """
    assert isinstance(state, EphyranState)
    if state.decision is None:
        return

    busy = {state.decision.seat} | ({state.turn} if state.phase is not Phase.TURN else set())
    told = {fact.card for accounts in state.accounts for account in accounts for fact in account}
    unseen = range(len(state.under), len(state.deck) - len(state.cards_looked_at()))
    places = [place for place in unseen if state.deck[place] not in told]
    for other in set(range(state.seats)) - busy - {seat}:
        cards = [card for card in state.hands[other] if card not in state.known[other] and card not in told]
        if not cards or not places:
            continue
        swapped = state.clone()
        card, place = chance.choice("card", cards), chance.choice("place", places)
        hand = swapped.hands[other]
        hand[hand.index(card)], swapped.deck[place] = swapped.deck[place], card
        # The view part of the hand that was is the other seat's.
        swapped.own_parts[other] = None
        yield swapped


SWAPS: dict[str, Swaps] = {"ephyran": ephyran}
