"""Reactions (P5.2): who is asked about the support in play, and what a defence card does.

Whether, when and how often a seat is asked depends on what everybody sees, never on what it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat, Step as AgendaStep
from agon_engine.ephyran import moves
from agon_engine.ephyran.data import CARD_SUPPORT, COLOUR_NAMES, COUNTERED_BY, HALF_NAMES, SUPPORT_IDS
from agon_engine.ephyran.enums import Phase, Step
from agon_engine.ephyran.notation import CANCEL, PASS

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

_REACT: Final = Phase.REACT
_RESOLVE: Final[AgendaStep] = (Step.RESOLVE,)


def ask_target(state: EphyranState) -> None:
    state.agenda.append(_RESOLVE)
    state.agenda.append((Step.ASK_REACTION, state.target))


def ask_opponents(state: EphyranState) -> None:
    """Let the opponents be asked from the left of the seat on turn, round the table."""
    state.agenda += reactions_due(state, state.turn)


def reactions_due(state: EphyranState, asked: Seat) -> list[tuple[int, ...]]:
    """Return the steps that follow on the reaction of a seat to an Athena support: the last one is next."""
    seats, actor = state.seats, state.turn
    left = (actor - asked) % seats or seats
    return [_RESOLVE, *((Step.ASK_REACTION, (actor - back) % seats) for back in range(1, left))]


def ask_nobody(state: EphyranState) -> None:
    state.agenda.append(_RESOLVE)


def ask_reaction(state: EphyranState, seat: Seat) -> None:
    """Ask a seat whether it cancels the support in play, whether or not it holds the card (P5.2)."""
    defence = COUNTERED_BY[state.support]
    cards = [CANCEL[card] for card in state.hands[seat] if CARD_SUPPORT[card] is defence]
    moves.ask(state, _REACT, seat, _reaction_prompt(state), (PASS, *cards))


def _reaction_prompt(state: EphyranState) -> str:
    prompt = f"react {SUPPORT_IDS[state.support]}"
    if state.token:
        return f"{prompt} {state.token}"
    if state.half:
        return f"{prompt} {HALF_NAMES[state.half]}"
    if state.colour:
        return f"{prompt} {COLOUR_NAMES[state.colour]}"
    return prompt


def pass_reaction(_: EphyranState, __: Seat, ___: int, ____: int) -> None:
    """Let the support go on."""


def cancel(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    """Cancel the support in play: it is spent, and so is the turn's action (P5.1)."""
    moves.leave_hand(state, seat, card)
    moves.spend(state)
    moves.put_on_second(state, card)
    moves.close_effect(state)
    del state.agenda[1:]
    moves.draw_at_end(state, 1)
    if state.defender_redraws:
        state.agenda.append((Step.DRAW, seat, 1))
