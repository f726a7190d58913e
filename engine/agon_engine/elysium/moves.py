"""The small moves of cards and resources that every rule is made of.

Each drops the view parts that it makes stale and tells what happened. When a move is due is for the other modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.elysium import events, lots
from agon_engine.elysium.enums import Activation
from agon_engine.elysium.layout import (
    AGORA,
    DISCARD,
    IN_DOMAIN,
    RING,
    STALE_ALL,
    STALE_DOMAIN,
    STALE_OWNS,
    STALE_PLAYER,
    STALE_ROW,
    STALE_TABLE,
    THIS_TURN,
    Power,
)

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

MOST_HELD: Final = 1_000_000_000
"""Of gold, VP or PP a seat holds no more, whatever a card set gives: scores and views hold them in 32 bits."""
ROW_WORDS: Final = ("agora", "oracle", "discard")
"""By row."""
_TRIGGER: Final = int(Activation.TRIGGER)

# -- resources -----------------------------------------------------------------------------------------------


def gain(state: ElysiumState, seat: Seat, resource: int, n: int) -> None:
    """Give a seat something of the supply, as far as it can hold it, or (below 0) take it from it; the caller sees to
    it that it has that much."""
    n = min(n, MOST_HELD - state.purses[resource][seat])
    if n:
        state.purses[resource][seat] += n
        state.stale |= STALE_PLAYER << seat
        state.tell(events.changed(seat, resource, n))


def is_shielded(state: ElysiumState, power: Power, loss: int) -> bool:
    """Return whether the subject is kept from losing this (a resource, or CARD_LOSS) by a power of another seat."""
    if power.subject == power.owner:
        return False

    design, passive = state.tables.design, state.tables.passive
    for card in state.domains[power.subject]:
        if card > 0:
            found = passive[design[card]]
            if found is not None and found.shield >> loss & 1:
                return True
    return False


# -- cards ---------------------------------------------------------------------------------------------------


def leave_row(state: ElysiumState, row: int, card: int) -> None:
    """Take a card out of the Agora, the Oracle or the discard pile; a marker on it comes off."""
    state.rows[row].remove(card)
    state.stale |= STALE_ROW << row
    if row == AGORA and card in state.reserved:
        state.reserved[state.reserved.index(card)] = 0


def lay(state: ElysiumState, row: int, card: int) -> None:
    """Lay a card face up in a row or on the discard pile."""
    state.rows[row].append(card)
    state.stale |= STALE_ROW << row


def enter_domain(state: ElysiumState, seat: Seat, card: int) -> None:
    """Put a card face up and upright into a Domain; a Trigger card gets a ring (E4.6, ruling 29)."""
    state.domains[seat].append(card)
    state.stale |= STALE_DOMAIN << seat
    if state.tables.activation[state.tables.design[card]] == _TRIGGER:
        state.marks[card] |= RING


def leave_domain(state: ElysiumState, seat: Seat, card: int) -> None:
    """Take a card, or a Citizen (below 0), out of a Domain; its ring goes back to the supply (E5.7)."""
    state.domains[seat].remove(card)
    # What a seat knows of Citizens names their places in the Domain.
    state.stale |= STALE_DOMAIN << seat | STALE_OWNS
    if card > 0:
        state.marks[card] &= ~IN_DOMAIN


def oldest_citizen(state: ElysiumState, seat: Seat) -> int:
    """Return the Citizen that has been longest in a Domain: the one that leaves it first. 0: there is none."""
    for card in state.domains[seat]:
        if card < 0:
            return card
    return 0


def mark(state: ElysiumState, card: int, bits: int) -> None:
    """Mark a card for this turn (T1), wherever it lies."""
    state.marks[card] |= bits
    state.marked.append(card)
    state.stale |= STALE_ALL


def clear_turn_marks(state: ElysiumState) -> None:
    if state.marked:
        for card in state.marked:
            state.marks[card] &= ~THIS_TURN
        state.marked.clear()
        lots.clear_veils(state, THIS_TURN)
        state.stale |= STALE_ALL


# -- the draw pile -------------------------------------------------------------------------------------------


def ready(state: ElysiumState, n: int) -> int:
    """See to it that so many cards can be drawn (D1); return how many there are, up to `n`."""
    deck = state.deck
    if len(deck) < n and state.rows[DISCARD]:
        discard = state.rows[DISCARD]
        state.tell(events.shuffled(len(discard)))
        lots.shuffle_in(state, discard)
        state.chance.shuffle("discard", discard)
        deck[:0] = discard
        discard.clear()
        state.stale |= STALE_TABLE | STALE_ROW << DISCARD | STALE_OWNS
    n = min(n, len(deck))
    if state.loose:
        _draw_order(state, n)
    return n


def _draw_order(state: ElysiumState, n: int) -> None:
    """In a look-ahead: draw which of the cards that nobody knows come next, each from its lot."""
    deck, known_by, lot_of = state.deck, state.known_by, state.lots
    unknown: dict[int, list[int]] = {}
    for place, card in enumerate(deck):
        if not known_by[card]:
            unknown.setdefault(lot_of[card], []).append(place)
    for top in range(len(deck) - 1, len(deck) - 1 - n, -1):
        if not known_by[deck[top]]:
            places = unknown[lot_of[deck[top]]]
            place = state.chance.choice("lookahead", places)
            deck[top], deck[place] = deck[place], deck[top]
            places.pop()


def can_draw(state: ElysiumState) -> bool:
    return bool(state.deck or state.rows[DISCARD])


def turn_up(state: ElysiumState, row: int) -> None:
    """Lay the top card of the draw pile face up in a row, or on the discard pile. There is one."""
    card = state.deck.pop()
    show(state, card)
    lay(state, row, card)
    state.tell(events.turned_up(ROW_WORDS[row], state.tables.ids[state.tables.design[card]]))


def show(state: ElysiumState, card: int) -> None:
    """Let all know a card that has left the draw pile and lies nowhere yet."""
    state.stale |= STALE_TABLE
    if state.lots[card] or state.mixes:
        lots.leave(state, card)
    if state.known_by[card]:
        state.known_by[card] = 0
        state.stale |= STALE_OWNS


def draw_citizen(state: ElysiumState, seat: Seat) -> None:
    """Put the top card of the draw pile face down into a Domain; without any there is none (D1)."""
    if not ready(state, 1):
        state.tell(events.NO_CITIZEN[seat])
        return

    card = state.deck.pop()
    state.domains[seat].append(-card)
    state.stale |= STALE_TABLE | STALE_DOMAIN << seat
    if state.known_by[card]:
        state.stale |= STALE_OWNS
    state.tell(events.CITIZEN[seat])


def look(state: ElysiumState, seat: Seat, n: int) -> list[int]:
    """Show the top cards of the draw pile to a seat alone; what others knew of them they know no more (D2). Return the
    cards, the top one first."""
    cards = state.deck[: -n - 1 : -1]
    lots.look(state, seat, cards)
    for card in cards:
        state.known_by[card] = 1 << seat
    state.stale |= STALE_TABLE | STALE_OWNS
    ids, design = state.tables.ids, state.tables.design
    state.tell(events.looked(seat, [ids[design[card]] for card in cards]))
    return cards


def put_back(state: ElysiumState, top: list[int], bottom: list[int]) -> None:
    """Put cards that are off the draw pile on top (the first uppermost) and at the bottom (the last lowest)."""
    state.deck[:0] = bottom[::-1]
    state.deck += top[::-1]
    state.stale |= STALE_TABLE | STALE_OWNS
