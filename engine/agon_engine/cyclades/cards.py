"""The creature cards: the deck, the three spaces, and what a card costs (C3, C7.10, C7.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.cyclades import events, pieces
from agon_engine.cyclades.data import SPACE_PRICES
from agon_engine.cyclades.enums import Building, Creature, CreatureStart
from agon_engine.cyclades.layout import STALE_CREATURES

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState

_NO_CARD: Final = Creature.NONE
_SPACES: Final = len(SPACE_PRICES)
_TEMPLE: Final = Building.TEMPLE


def draw_card(state: CycladesState) -> Creature:
    """Take the top card of the deck; the discard pile becomes a new deck first where there is none (C3.2).

    Return NONE where there is no card at all.
    """
    deck = state.deck
    state.stale |= STALE_CREATURES
    if not deck:
        if not state.discard:
            return _NO_CARD
        shuffle_in(state)
    return deck.pop(state.chance.below("deck", len(deck))) if state.loose else deck.pop()


def shuffle_in(state: CycladesState) -> None:
    """Shuffle the discard pile into the deck."""
    state.deck += state.discard
    state.discard.clear()
    if not state.loose:
        state.chance.shuffle("deck", state.deck)
    state.stale |= STALE_CREATURES
    state.tell(events.SHUFFLED)


def spaces_in_use(state: CycladesState) -> int:
    """Return how many spaces have a card in this cycle, the dearest first (C3.2)."""
    return _SPACES if state.creature_start is CreatureStart.FULL else min(state.cycle, _SPACES)


def refresh_spaces(state: CycladesState) -> None:
    """Discard the card for 2, slide the others on and fill the empty spaces (C3.1)."""
    spaces = state.spaces
    if spaces[-1]:
        pieces.discard_card(state, spaces[-1])
        spaces[-1] = _NO_CARD
    cheapest = spaces_in_use(state) - 1
    cards = [(space, spaces[space]) for space in range(cheapest, -1, -1) if spaces[space]]
    for space, (old, card) in zip(range(cheapest, -1, -1), cards, strict=False):
        if space != old:
            spaces[old] = _NO_CARD
            spaces[space] = card
            state.tell(events.slid(card, SPACE_PRICES[space]))
    for space in range(cheapest, -1, -1):
        if not spaces[space]:
            reveal_card(state, space)


def reveal_card(state: CycladesState, space: int) -> None:
    """Fill a space from the deck, if there is a card."""
    card = draw_card(state)
    state.spaces[space] = card
    if card:
        state.tell(events.revealed(card, SPACE_PRICES[space]))


def discounts_left(state: CycladesState, seat: Seat) -> int:
    """Return how much less a seat can still pay in this cycle (C7.13)."""
    metropolises = (state.metropolises & state.isles[seat]).bit_count()
    temples = pieces.count_buildings(state, seat, _TEMPLE)
    return max(0, temples + metropolises - state.discounts_used[seat])


def price_of(state: CycladesState, seat: Seat, space: int) -> int:
    """Return what a seat pays for the card on a space: at least 1 (C7.10)."""
    return max(1, SPACE_PRICES[space] - discounts_left(state, seat))
