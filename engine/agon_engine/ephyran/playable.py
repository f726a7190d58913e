"""Which supports would have a legal effect now (P5.4): a check a support, and what they share. Moves nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.ephyran.data import CARD_SUPPORT, CELLS, TOKENS, ZONES
from agon_engine.ephyran.enums import Support
from agon_engine.ephyran.fitting import CARD_CELLS, next_cells

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState


def _has_target_column(state: EphyranState, seat: Seat, _: int) -> bool:
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for column, height in enumerate(state.heights[other]):
                if height and not locks[column]:
                    return True
    return False


def _has_zone_to_steal(state: EphyranState, seat: Seat, _: int) -> bool:
    mine = state.heights[seat]
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for column, height in enumerate(state.heights[other]):
                if height == mine[column] + 1 and not locks[column]:
                    return True
    return False


def _has_token_to_steal(state: EphyranState, seat: Seat, _: int) -> bool:
    return has_free_zone(state, seat) and bool(stealable_tokens(state, seat))


def _can_win_token(state: EphyranState, seat: Seat, _: int) -> bool:
    return state.tokens_won < TOKENS and has_free_zone(state, seat)


def _can_double_build(state: EphyranState, seat: Seat, card: int) -> bool:
    cells = next_cells(state.heights[seat])
    return any(CARD_CELLS[other] & cells for other in state.hands[seat] if other != card)


def _can_build_from_discard(state: EphyranState, seat: Seat, _: int) -> bool:
    cells = next_cells(state.heights[seat])
    return any(CARD_CELLS[card] & cells for card in state.first_discard)


def _can_lock_or_unlock(state: EphyranState, seat: Seat, _: int) -> bool:
    locks = state.locks[seat]
    for column, height in enumerate(state.heights[seat]):
        if height and not locks[column]:
            return True
    return any(any(row) for row in state.locks)


def _can_draw(state: EphyranState, _: Seat, __: int) -> bool:
    return bool(state.deck or state.first_discard)


def _can_look(state: EphyranState, _: Seat, __: int) -> bool:
    return bool(state.deck)


def _can_dig(state: EphyranState, _: Seat, __: int) -> bool:
    return bool(state.first_discard)


def has_free_zone(state: EphyranState, seat: Seat) -> bool:
    """Return whether the city has a zone without a token (P4.1)."""
    return sum(state.heights[seat]) > CELLS - state.zone_tokens[seat].count(0)


def stealable_tokens(state: EphyranState, seat: Seat) -> list[int]:
    """Return the tokens in opponents' unlocked columns, by seat and cell."""
    tokens = []
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for cell, token in enumerate(state.zone_tokens[other]):
                if token and not locks[cell // ZONES]:
                    tokens.append(token)
    return tokens


Check = Callable[["EphyranState", Seat, int], bool]

CHECKS: Final[dict[Support, Check]] = {
    Support.SHIELD: _can_lock_or_unlock,
    Support.HECATE: _can_lock_or_unlock,
    Support.ARES_DESTROY: _has_target_column,
    Support.ARES_STEAL_ZONE: _has_zone_to_steal,
    Support.ARES_STEAL_TOKEN: _has_token_to_steal,
    Support.ATHENA_WIN_TOKEN: _can_win_token,
    Support.ATHENA_DOUBLE_BUILD: _can_double_build,
    Support.ATHENA_BUILD_FROM_DISCARD: _can_build_from_discard,
    Support.DRAW_TWO: _can_draw,
    Support.DRAW_PICK_THREE: _can_look,
    Support.DRAW_DIG_DISCARD: _can_dig,
}
"""By support: whether a seat that holds the card could play it with an effect."""

CAN_PLAY: Final[tuple[Check | None, ...]] = tuple(CHECKS.get(support) for support in CARD_SUPPORT)
"""By card, from `CARD_SUPPORT`: its check, or None for a card without a support half."""
