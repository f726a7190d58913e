"""Playing a support half: what comes first, its target (P5.3), and the locks of defence cards (P6).

Whether one can be played says `playable.py`; what comes after the target, `reactions.py` and then `effects.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.ephyran import moves, reactions
from agon_engine.ephyran.data import CARD_SUPPORT, SUPPORT_IDS, ZONES
from agon_engine.ephyran.enums import COLOURS, Phase, Support
from agon_engine.ephyran.fitting import builds
from agon_engine.ephyran.notation import LOCK, RECALL, TARGET, TOKEN, UNLOCK
from agon_engine.ephyran.playable import stealable_tokens

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

_TARGET: Final = Phase.TARGET
_STEAL_ZONE: Final = Support.ARES_STEAL_ZONE


def play(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    """Play a support half (P3.2)."""
    moves.leave_hand(state, seat, card)
    state.card = card
    state.support = CARD_SUPPORT[card]
    _PLAYED[state.support](state)


def ask_target(state: EphyranState) -> None:
    """Ask for the target of the support in play (P5.3)."""
    prompt = f"target {SUPPORT_IDS[state.support]}"
    moves.ask(state, _TARGET, state.turn, prompt, tuple(_TARGETS[state.support](state, state.turn)))


def _locks(state: EphyranState, seat: Seat) -> list[Action]:
    """List what a defence card can do as an action: lock an own column or unlock any (P6)."""
    locks = state.locks[seat]
    actions = [LOCK[column] for column, height in enumerate(state.heights[seat]) if height and not locks[column]]
    for owner, row in enumerate(state.locks):
        actions += [UNLOCK[owner][column] for column, lock in enumerate(row) if lock]
    return actions


def _columns(state: EphyranState, seat: Seat) -> list[Action]:
    """List the opponents' unlocked columns; for `ARES_STEAL_ZONE` those whose uncovered zone could be built now."""
    mine = state.heights[seat]
    stealing = state.support is _STEAL_ZONE
    actions = []
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for column, height in enumerate(state.heights[other]):
                if height and not locks[column] and (not stealing or height == mine[column] + 1):
                    actions.append(TARGET[other][column])
    return actions


def _tokens(state: EphyranState, seat: Seat) -> list[Action]:
    return [TOKEN[token] for token in stealable_tokens(state, seat)]


def _halves(state: EphyranState, seat: Seat) -> list[Action]:
    """List the halves of the first discard that can be built, the top card's first."""
    heights = state.heights[seat]
    return [RECALL[half][cell] for card in reversed(state.first_discard) for half, cell in builds(heights, card)]


def lock(state: EphyranState, seat: Seat, column: int, _: int) -> None:
    """Lock an own column (P6.1)."""
    moves.set_lock(state, seat, column, state.card)
    state.card = 0
    moves.draw_at_end(state, 1)


def unlock(state: EphyranState, _: Seat, owner: int, column: int) -> None:
    """Remove a lock; both defence cards are spent (P6.2)."""
    moves.put_on_second(state, moves.set_lock(state, owner, column, 0))
    moves.spend(state)
    moves.draw_at_end(state, 1)


def target(state: EphyranState, _: Seat, owner: int, column: int) -> None:
    """Aim at a column."""
    state.target = owner
    state.colour = COLOURS[column + 1]
    reactions.ask_target(state)


def aim_at_token(state: EphyranState, _: Seat, token: int, __: int) -> None:
    state.token = token
    owner, cell = moves.find_token(state, token)
    state.target = owner
    state.colour = COLOURS[cell // ZONES + 1]
    reactions.ask_target(state)


def recall(state: EphyranState, _: Seat, half: int, cell: int) -> None:
    """Choose the half of the first discard that is to be built."""
    state.half = half
    state.colour = COLOURS[cell // ZONES + 1]
    reactions.ask_opponents(state)


_PLAYED: Final = {
    Support.SHIELD: ask_target,
    Support.HECATE: ask_target,
    Support.ARES_DESTROY: ask_target,
    Support.ARES_STEAL_ZONE: ask_target,
    Support.ARES_STEAL_TOKEN: ask_target,
    Support.ATHENA_WIN_TOKEN: reactions.ask_opponents,
    Support.ATHENA_DOUBLE_BUILD: reactions.ask_opponents,
    Support.ATHENA_BUILD_FROM_DISCARD: ask_target,
    Support.DRAW_TWO: reactions.ask_nobody,
    Support.DRAW_PICK_THREE: reactions.ask_nobody,
    Support.DRAW_DIG_DISCARD: reactions.ask_nobody,
}
"""By support: what comes once it is played."""

_TARGETS: Final = {
    Support.SHIELD: _locks,
    Support.HECATE: _locks,
    Support.ARES_DESTROY: _columns,
    Support.ARES_STEAL_ZONE: _columns,
    Support.ARES_STEAL_TOKEN: _tokens,
    Support.ATHENA_BUILD_FROM_DISCARD: _halves,
}
"""By support that has a target: what it can be."""
