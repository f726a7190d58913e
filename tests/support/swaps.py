"""For each game that has one: how two hidden facts are exchanged, for closer pairs of worlds in the leak test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agon_engine.conformance import Swaps
from agon_engine.core import Chance, Seat, State
from agon_engine.cyclades.state import CycladesState
from agon_engine.elysium import ElysiumState, play
from agon_engine.elysium.enums import PRIVATE
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


def elysium(state: State[Any], seat: Seat, chance: Chance) -> Iterator[State[Any]]:
    """Exchange two cards that lie face down and that the seat does not know: of the draw pile, those that another seat
    knows before others; a Citizen's face of the pile's lot (D1); and what another seat is looking at, which is then
    asked anew."""
    assert isinstance(state, ElysiumState)
    if state.decision is None:
        return

    looking = state.pending.x if state.pending.todo >= PRIVATE else 0
    places = [place for place in range(len(state.deck) - looking) if not _knows(state, seat, state.deck[place])]
    if len(places) < 2:
        return

    known = [place for place in places if state.known_by[state.deck[place]]]
    one, other = chance.choice("one", known or places), chance.choice("other", places)
    swapped = state.clone()
    _exchange(swapped, one, other)
    yield swapped

    citizens = [
        (owner, index)
        for owner, domain in enumerate(state.domains)
        for index, card in enumerate(domain)
        if card < 0 and not _knows(state, seat, -card) and state.lots[-card] == state.lots[state.deck[one]]
    ]
    if citizens:
        owner, index = chance.choice("citizen", citizens)
        swapped = state.clone()
        face, card = -swapped.domains[owner][index], swapped.deck[one]
        swapped.domains[owner][index], swapped.deck[one] = -card, face
        _exchange_knowledge(swapped, face, card)
        yield swapped

    if looking and state.decision.seat != seat:
        yield from _look_at_others(state, looking, places, chance)


def _look_at_others(state: ElysiumState, looking: int, places: list[int], chance: Chance) -> Iterator[ElysiumState]:
    """Exchange a card that is being looked at for one of those places: if there is one, so that another number of
    choices comes of it, since that is what the others could notice."""
    assert state.decision is not None
    top = len(state.deck) - 1 - chance.below("looked", looking)
    if state.deck[top] == state.kept:
        return

    chance.shuffle("places", places)
    for place in places:
        swapped = state.clone()
        _exchange(swapped, top, place)
        _ask_again(swapped)
        asked = swapped.decision
        if place == places[-1] or (asked is not None and len(asked.actions) != len(state.decision.actions)):
            yield swapped
            return


def _ask_again(state: ElysiumState) -> None:
    state.agenda.append(state.pending)
    state.decision = None
    play.run(state)


def _knows(state: ElysiumState, seat: Seat, card: int) -> bool:
    return bool(state.known_by[card] >> seat & 1)


def _exchange(state: ElysiumState, one: int, other: int) -> None:
    """Exchange two cards of the draw pile."""
    deck = state.deck
    deck[one], deck[other] = deck[other], deck[one]
    _exchange_knowledge(state, deck[one], deck[other])


def _exchange_knowledge(state: ElysiumState, one: int, other: int) -> None:
    """Let who knew the card in a place know the one that lies there now."""
    known_by = state.known_by
    known_by[one], known_by[other] = known_by[other], known_by[one]
    state.stale = -1


def cyclades(state: State[Any], seat: Seat, chance: Chance) -> Iterator[State[Any]]:
    """Take gold from another seat without telling anybody, and exchange two cards of the creature deck.

    A seat that is asked now keeps its gold: its question depends on it. Nobody is given gold: played on, a seat could
    pay what by all that is told it has not.
    """
    assert isinstance(state, CycladesState)
    if state.decision is None:
        return

    busy = {state.decision.seat, state.turn_seat, seat}
    others = [other for other in range(state.seats) if other not in busy and state.purses[other]]
    if others:
        swapped = state.clone()
        other = chance.choice("other", others)
        swapped.purses[other] = chance.below("gold", swapped.purses[other])
        yield swapped
    if len(state.deck) > 1:
        swapped = state.clone()
        one, two = chance.below("one", len(state.deck)), chance.below("two", len(state.deck))
        swapped.deck[one], swapped.deck[two] = swapped.deck[two], swapped.deck[one]
        yield swapped


SWAPS: dict[str, Swaps] = {"cyclades": cyclades, "elysium": elysium, "ephyran": ephyran}
