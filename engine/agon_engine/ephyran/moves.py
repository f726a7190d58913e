"""The small moves of cards, zones and tokens that every rule is made of.

Each keeps the counts, drops the view parts that it makes stale and tells memories of what was revealed. When a move is
due is for `turn.py` and `supports.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Decision, RulesBug, Seat
from agon_engine.ephyran import events, memory
from agon_engine.ephyran.data import CELLS, COLUMNS, FIRST_DIONYSOS, ZONES
from agon_engine.ephyran.enums import NOBODY, NOT_BUILT, Colour, Ending, Phase, Step, Support

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

_DIONYSOS_HALVES: Final = 2 * FIRST_DIONYSOS
_KEEP: Final = Phase.KEEP
_DRAW_STEP: Final = Step.DRAW
_NO_SUPPORT: Final = Support.NONE
_NO_COLOUR: Final = Colour.NONE
_NO_ENDING: Final = Ending.NONE

# -- asking --------------------------------------------------------------------------------------------------


def ask(state: EphyranState, phase: Phase, seat: Seat, prompt: str, actions: tuple[Action, ...]) -> None:
    """Open a decision."""
    state.phase = phase
    state.pending_part = None
    state.decision = Decision(seat, prompt, actions)


def close_effect(state: EphyranState) -> None:
    """Forget what the support, or the taking of a Dionysos, was about: it is over."""
    state.support = _NO_SUPPORT
    state.half = 0
    state.target = NOBODY
    state.colour = _NO_COLOUR
    state.token = 0
    state.built = 0


# -- cards ---------------------------------------------------------------------------------------------------


def leave_hand(state: EphyranState, seat: Seat, card: int) -> None:
    """Take a card out of a hand, openly; the caller puts it where it goes."""
    hand = state.hands[seat]
    hand.remove(card)
    known = state.known[seat]
    if card in known:
        known.remove(card)
    state.hand_parts[seat] = state.own_parts[seat] = state.hands_part = None
    for other, accounts in enumerate(state.accounts):
        if accounts and other != seat:
            remember(state, other, memory.after_reveal(accounts, seat, card, len(hand) - len(known)))


def join_hand(state: EphyranState, seat: Seat, card: int) -> None:
    state.hands[seat].append(card)
    state.hand_parts[seat] = state.own_parts[seat] = state.hands_part = None


def take_from_first(state: EphyranState, seat: Seat, card: int) -> None:
    """Move a card of the first discard, any one, to a hand; everybody knows that it is there."""
    leave_first(state, card)
    state.known[seat].append(card)
    join_hand(state, seat, card)


def leave_first(state: EphyranState, card: int) -> None:
    state.first_discard.remove(card)
    state.first_part = None


def put_on_first(state: EphyranState, card: int) -> None:
    """Put a card of the seat whose turn it is on the first discard, which is closed to it from now on (P3.7)."""
    state.first_discard.append(card)
    state.first_part = None
    state.closed = True
    state.table_part = None


def put_on_second(state: EphyranState, card: int) -> None:
    state.second_discard.append(card)
    state.second_part = None
    state.tell(events.SPENT[card])


def take_from_deck(state: EphyranState, seat: Seat) -> None:
    """Move the top card of the deck to a hand."""
    card = state.deck.pop()
    join_hand(state, seat, card)
    state.tell(events.DRAWN_FROM_DECK[seat][card])
    place = len(state.deck)
    if place < len(state.under):
        state.under.pop()
        for other, accounts in enumerate(state.accounts):
            if other == seat:
                remember(state, other, memory.after_own_draw(accounts, card, place))
            else:
                remember(state, other, memory.after_draw(accounts, seat, place))
    deck_was_drawn(state)


def look_at_deck(state: EphyranState, seat: Seat) -> list[int]:
    """Show the top cards of the deck to a seat; return them, the top one first."""
    state.phase = _KEEP
    state.own_parts[seat] = None
    cards = state.cards_looked_at()
    remember(state, seat, memory.after_look(state.accounts[seat], cards, len(state.deck)))
    return cards


def keep_from_deck(state: EphyranState, seat: Seat, card: int) -> None:
    """Move one of the cards being looked at to a hand and the others under the deck, the last seen lowest."""
    looked = state.cards_looked_at()
    size = len(state.deck)
    for other, accounts in enumerate(state.accounts):
        if other == seat:
            remember(state, other, memory.after_own_pick(accounts, looked, card))
        elif accounts:
            remember(state, other, memory.after_pick(accounts, seat, size, len(looked)))
    rest = state.deck[: size - len(looked)]
    back = [other for other in reversed(looked) if other != card]
    state.deck[:] = back + rest
    state.under[:] = [seat] * len(back) + state.under[: len(rest)]
    join_hand(state, seat, card)
    state.tell(events.KEPT[seat][card])
    deck_was_drawn(state)


def deck_was_drawn(state: EphyranState) -> None:
    state.stirred = True
    state.table_part = None
    if not state.deck:
        begin_ending(state, Ending.DECK)


def remember(state: EphyranState, seat: Seat, accounts: memory.Accounts) -> None:
    if accounts != state.accounts[seat]:
        state.accounts[seat] = accounts
        state.memory_parts[seat] = None


def spend(state: EphyranState) -> None:
    """Put the card in play on the second discard (P5.1)."""
    put_on_second(state, state.card)
    state.card = 0


def draw_at_end(state: EphyranState, draws: int) -> None:
    """Put the draws of the seat on turn on the agenda (P3.7, P3.8)."""
    state.agenda.append((_DRAW_STEP, state.turn, draws))


# -- zones ---------------------------------------------------------------------------------------------------


def add_zone(state: EphyranState, seat: Seat, cell: int, half: int, token: int = 0) -> None:
    """Lay a half on the next zone of a column; completing a city begins the last round (P7.1)."""
    lay_zone(state, seat, cell, half, token)
    heights = state.heights[seat]
    if cell % ZONES == ZONES - 1 and sum(heights) == CELLS:
        state.completed[seat] = 1 + max(state.completed)
        begin_ending(state, Ending.CITY)


def lay_zone(state: EphyranState, seat: Seat, cell: int, half: int, token: int) -> None:
    """Lay a half on the next zone of a column, with no consequence."""
    state.heights[seat][cell // ZONES] += 1
    _set_zone(state, seat, cell, half, token)


def remove_zone(state: EphyranState, seat: Seat, column: int) -> tuple[int, int]:
    """Lift the uncovered zone of a column; return its half and token."""
    heights = state.heights[seat]
    heights[column] -= 1
    cell = column * ZONES + heights[column]
    lifted = state.zones[seat][cell], state.zone_tokens[seat][cell]
    _set_zone(state, seat, cell, 0, 0)
    state.completed[seat] = 0
    return lifted


def replace_zone(state: EphyranState, seat: Seat, cell: int, half: int) -> tuple[int, int]:
    """Lay a half in the place of another, at once and without its token; return what was there."""
    lifted = state.zones[seat][cell], state.zone_tokens[seat][cell]
    _set_zone(state, seat, cell, half, 0)
    return lifted


def _set_zone(state: EphyranState, seat: Seat, cell: int, half: int, token: int) -> None:
    zones = state.zones[seat]
    before = zones[cell]
    if before >= _DIONYSOS_HALVES:
        state.dionysos_at[(before - _DIONYSOS_HALVES) // 2] = NOT_BUILT
    if half >= _DIONYSOS_HALVES:
        state.dionysos_at[(half - _DIONYSOS_HALVES) // 2] = seat * CELLS + cell
    zones[cell] = half
    state.zone_tokens[seat][cell] = token
    _column_changed(state, seat, cell // ZONES)
    if not state.stirred:
        state.stirred = True
        state.table_part = None


def _column_changed(state: EphyranState, seat: Seat, column: int) -> None:
    state.column_parts[seat * COLUMNS + column] = state.city_parts[seat] = state.cities_part = None


def set_lock(state: EphyranState, seat: Seat, column: int, card: int) -> int:
    """Lay a defence card (0: none) on a column; return what lay there."""
    before = state.locks[seat][column]
    state.locks[seat][column] = card
    _column_changed(state, seat, column)
    return before


def begin_ending(state: EphyranState, cause: Ending) -> None:
    """Begin the last round, unless it has begun."""
    if state.ending is _NO_ENDING:
        state.ending = cause
        state.table_part = None
        state.tell(events.ending(state.turn, cause))


# -- tokens --------------------------------------------------------------------------------------------------


def win_token(state: EphyranState) -> int:
    state.tokens_won += 1
    state.table_part = state.lore_part = None
    return state.tokens_won


def set_token(state: EphyranState, seat: Seat, cell: int, token: int) -> None:
    state.zone_tokens[seat][cell] = token
    _column_changed(state, seat, cell // ZONES)


def look_at_token(state: EphyranState, seat: Seat, token: int) -> None:
    """Let a seat know a token from now on (P4.3)."""
    bit = 1 << seat
    if not state.token_seen[token] & bit:
        state.token_seen[token] |= bit
        state.lore_part = state.own_token_parts[seat] = None
    state.tell(events.looked_at_token(seat, token, state.token_items[token]))


def drop_token(state: EphyranState, seat: Seat, token: int) -> None:
    """Let a token leave the game, unshown (P4.4)."""
    state.tokens_gone += 1
    state.tell(events.token_gone(seat, token))


def find_token(state: EphyranState, token: int) -> tuple[Seat, int]:
    """Return the seat and cell where a token lies."""
    for seat, row in enumerate(state.zone_tokens):
        if token in row:
            return seat, row.index(token)
    raise RulesBug(f"the token lies in no city: {token!r}")
