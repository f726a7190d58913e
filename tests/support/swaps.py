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


def elysium(state: State[Any], seat: Seat, chance: Chance) -> Iterator[ElysiumState]:
    """Exchange two cards of a lot (D1) that lie face down and that the seat does not know: of the draw pile, those that
    another seat knows before others; a Citizen's face; a card that another seat has seen go into a mixed lot, for one
    of the lot that it came from; and what another seat is looking at, which is then asked anew."""
    assert isinstance(state, ElysiumState)
    if state.decision is None:
        return

    looking = state.pending.x if state.pending.todo >= PRIVATE else 0
    deck, lots = state.deck, state.lots
    places = [place for place in range(len(deck) - looking) if not _knows(state, seat, deck[place])]
    if len(places) < 2:
        return

    known = [place for place in places if state.known_by[deck[place]]]
    one = chance.choice("one", known or places)
    other = chance.choice("other", [place for place in places if lots[deck[place]] == lots[deck[one]]])
    swapped = state.clone()
    _exchange(swapped, one, other)
    yield swapped

    yield from _seen_otherwise(state, seat, places, chance)
    citizens = [
        (owner, index)
        for owner, domain in enumerate(state.domains)
        for index, card in enumerate(domain)
        if card < 0 and not _knows(state, seat, -card) and lots[-card] == lots[deck[one]]
    ]
    if citizens:
        owner, index = chance.choice("citizen", citizens)
        swapped = state.clone()
        face, card = -swapped.domains[owner][index], swapped.deck[one]
        swapped.domains[owner][index], swapped.deck[one] = -card, face
        _exchange_knowledge(swapped, face, card)
        yield swapped

    if looking and state.decision.seat != seat:
        yield from _look_at_others(state, seat, looking, places, chance)


def _seen_otherwise(state: ElysiumState, seat: Seat, places: list[int], chance: Chance) -> Iterator[ElysiumState]:
    """Exchange a card of a mixed lot that another seat has made for one of the lot that it came from."""
    deck, lots, design = state.deck, state.lots, state.tables.design
    pairs = [
        (mix.number, parent, one, other)
        for mix in state.mixes
        if mix.seat != seat
        for parent, number in mix.origins
        for one in places
        if lots[deck[one]] == mix.number and design[deck[one]] == number
        for other in places
        if lots[deck[other]] == parent
    ]
    if pairs:
        swapped = state.clone()
        _see_otherwise(swapped, *chance.choice("seen", pairs))
        yield swapped


def _see_otherwise(state: ElysiumState, number: int, parent: int, one: int, other: int) -> None:
    """Exchange a card of a mixed lot in a place for one of its parent in another: then this went into the mixed lot."""
    deck, design = state.deck, state.tables.design
    for index, mix in enumerate(state.mixes):
        if mix.number == number:
            origins = list(mix.origins)
            origins[origins.index((parent, design[deck[one]]))] = (parent, design[deck[other]])
            state.mixes[index] = mix._replace(origins=tuple(sorted(origins)))
    _exchange(state, one, other)
    state.lots[deck[one]], state.lots[deck[other]] = number, parent


def _look_at_others(
    state: ElysiumState, seat: Seat, looking: int, places: list[int], chance: Chance
) -> Iterator[ElysiumState]:
    """Exchange a card that is being looked at for one of those places: if there is one, so that another number of
    choices comes of it, since that is what the others could notice."""
    assert state.decision is not None
    top = len(state.deck) - 1 - chance.below("looked", looking)
    card, lots = state.deck[top], state.lots
    if card == state.kept:
        return

    # The look itself may have made a mixed lot: then another card of the lot from which one came was looked at.
    mixes = [mix for mix in state.mixes if mix.number == lots[card] and mix.seat != seat]
    design = state.tables.design[card]
    parents = {parent for mix in mixes for parent, number in mix.origins if number == design}
    places = [place for place in places if lots[state.deck[place]] in {lots[card], *parents}]
    chance.shuffle("places", places)
    for place in places:
        swapped = state.clone()
        lot = lots[state.deck[place]]
        if lot == lots[card]:
            _exchange(swapped, top, place)
        else:
            _see_otherwise(swapped, lots[card], lot, top, place)
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
