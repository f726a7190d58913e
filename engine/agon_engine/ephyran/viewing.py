"""Building a view from the state: each part from the fields that a seat may know, kept until one of them changes.

The state's moves set a part to None when they make it stale; nothing is ever taken out of a fuller view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.ephyran.data import COLUMNS, TOKENS, ZONES
from agon_engine.ephyran.enums import NOBODY, Colour, Item, Phase, Support
from agon_engine.ephyran.notation import MAX_SEATS
from agon_engine.ephyran.view import (
    City,
    Column,
    Deal,
    KnownToken,
    OwnHand,
    OwnMemory,
    OwnTokens,
    Pending,
    Pile,
    PublicHand,
    Table,
    TokenLore,
    View,
)

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

_new = tuple.__new__  # half the time of calling a NamedTuple, at each decision

NO_HAND: Final = OwnHand((), ())
NO_TOKENS: Final = OwnTokens(())
NO_MEMORY: Final = OwnMemory(())

_OVER: Final = Phase.OVER
_MAX_DRAWS: Final = 3


def _plain(phase: Phase, seat: Seat, draws: int) -> Pending:
    return Pending(phase, seat, Support.NONE, 0, 0, NOBODY, Colour.NONE, 0, 0, draws)


_PLAIN_TURN: Final = tuple(_plain(Phase.TURN, seat, 0) for seat in range(MAX_SEATS))
_PLAIN_DRAW: Final = tuple(
    tuple(_plain(Phase.DRAW, seat, draws) for draws in range(_MAX_DRAWS + 1)) for seat in range(MAX_SEATS)
)
_PHASE_TURN: Final = Phase.TURN
_PHASE_DRAW: Final = Phase.DRAW
_PHASE_KEEP: Final = Phase.KEEP


def build_view(state: EphyranState, seat: Seat | None) -> View:
    """Put the view of a seat (None: a spectator) together."""
    if seat is None:
        own_hand, own_tokens, own_memory = NO_HAND, NO_TOKENS, NO_MEMORY
    else:
        own_hand = state.own_parts[seat] or _own_hand(state, seat)
        own_tokens = state.own_token_parts[seat] or _own_tokens(state, seat)
        own_memory = state.memory_parts[seat] or _own_memory(state, seat)
    parts = (
        seat,
        state.deal_part or _deal(state),
        state.table_part or _table(state),
        state.pending_part or _pending(state),
        state.first_part or _first_discard(state),
        state.second_part or _second_discard(state),
        state.cities_part or _cities(state),
        state.hands_part or _hands(state),
        state.lore_part or _token_lore(state),
        own_hand,
        own_tokens,
        own_memory,
    )
    return _new(View, parts)


def _deal(state: EphyranState) -> Deal:
    part = Deal(state.first_seat, tuple(state.gods), state.defender_redraws, state.tie_break)
    state.deal_part = part
    return part


def _table(state: EphyranState) -> Table:
    values = (
        state.round,
        state.turn,
        len(state.deck),
        tuple(state.under),
        TOKENS - state.tokens_won,
        state.ending,
        state.quiet_rounds,
        state.stirred,
        state.closed,
    )
    part = _new(Table, values)
    state.table_part = part
    return part


def _pending(state: EphyranState) -> Pending:
    decision = state.decision
    phase = state.phase
    if decision is None:
        part = _plain(_OVER, NOBODY, 0)
    elif phase is _PHASE_TURN:
        part = _PLAIN_TURN[decision.seat]
    elif phase is _PHASE_DRAW:
        part = _PLAIN_DRAW[decision.seat][state.draws]
    else:
        part = Pending(
            phase,
            decision.seat,
            state.support,
            state.card,
            state.half,
            state.target,
            state.colour,
            state.token,
            state.built,
            0,
        )
    state.pending_part = part
    return part


def _first_discard(state: EphyranState) -> Pile:
    part = _new(Pile, (tuple(state.first_discard),))
    state.first_part = part
    return part


def _second_discard(state: EphyranState) -> Pile:
    part = _new(Pile, (tuple(state.second_discard),))
    state.second_part = part
    return part


def _cities(state: EphyranState) -> tuple[City, ...]:
    parts = []
    for seat, part in enumerate(state.city_parts):
        if part is None:
            part = state.city_parts[seat] = City(seat, _columns(state, seat), state.completed[seat])
        parts.append(part)
    state.cities_part = whole = tuple(parts)
    return whole


def _columns(state: EphyranState, seat: Seat) -> tuple[Column, ...]:
    parts = []
    for column, height in enumerate(state.heights[seat]):
        part = state.column_parts[seat * COLUMNS + column]
        if part is None:
            low = column * ZONES
            zones = tuple(state.zones[seat][low : low + height])
            tokens = tuple(state.zone_tokens[seat][low : low + height])
            part = _new(Column, (zones, tokens, state.locks[seat][column]))
            state.column_parts[seat * COLUMNS + column] = part
        parts.append(part)
    return tuple(parts)


def _hands(state: EphyranState) -> tuple[PublicHand, ...]:
    parts = []
    for seat, part in enumerate(state.hand_parts):
        if part is None:
            part = _new(PublicHand, (seat, len(state.hands[seat]), tuple(state.known[seat])))
            state.hand_parts[seat] = part
        parts.append(part)
    state.hands_part = whole = tuple(parts)
    return whole


def _token_lore(state: EphyranState) -> TokenLore:
    part = TokenLore(tuple(state.token_seen[1 : state.tokens_won + 1]), _shown(state))
    state.lore_part = part
    return part


def _shown(state: EphyranState) -> tuple[Item, ...]:
    if state.decision is not None:
        return ()

    in_cities = {token for row in state.zone_tokens for token in row}
    return tuple(
        state.token_items[token] if token in in_cities else Item.NONE for token in range(1, state.tokens_won + 1)
    )


def _own_hand(state: EphyranState, seat: Seat) -> OwnHand:
    looks = state.phase is _PHASE_KEEP and state.turn == seat
    part = _new(OwnHand, (tuple(state.hands[seat]), tuple(state.cards_looked_at()) if looks else ()))
    state.own_parts[seat] = part
    return part


def _own_tokens(state: EphyranState, seat: Seat) -> OwnTokens:
    bit = 1 << seat
    part = OwnTokens(
        tuple(
            KnownToken(token, state.token_items[token])
            for token in range(1, state.tokens_won + 1)
            if state.token_seen[token] & bit
        )
    )
    state.own_token_parts[seat] = part
    return part


def _own_memory(state: EphyranState, seat: Seat) -> OwnMemory:
    accounts = state.accounts[seat]
    part = OwnMemory(accounts) if accounts else NO_MEMORY
    state.memory_parts[seat] = part
    return part
