"""The two tables that move a match: what carries an answer out, by phase and kind of action, and what runs a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, RulesBug, Seat, run_agenda
from agon_engine.ephyran import effects, events, reactions, supports, turn
from agon_engine.ephyran.enums import Phase, Support
from agon_engine.ephyran.notation import KIND, Kind, X, Y

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

Move = Callable[["EphyranState", Seat, int, int], None]


def _build_inside(state: EphyranState, seat: Seat, half: int, cell: int) -> None:
    """Build inside an effect: a zone of `ATHENA_DOUBLE_BUILD`, else the Dionysos that was taken (P3.6)."""
    carry_out = effects.build_one if state.support is Support.ATHENA_DOUBLE_BUILD else turn.settle_dionysos
    carry_out(state, seat, half, cell)


MOVES: Final[dict[tuple[Phase, Kind], Move]] = {
    (Phase.TURN, Kind.BUILD): turn.build,
    (Phase.TURN, Kind.EXCHANGE): turn.exchange,
    (Phase.TURN, Kind.DISCARD): turn.discard,
    (Phase.TURN, Kind.PLAY): supports.play,
    (Phase.TURN, Kind.TAKE): turn.take,
    (Phase.TARGET, Kind.FROM): turn.take_from,
    (Phase.TARGET, Kind.TARGET): supports.target,
    (Phase.TARGET, Kind.TOKEN): supports.aim_at_token,
    (Phase.TARGET, Kind.RECALL): supports.recall,
    (Phase.TARGET, Kind.LOCK): supports.lock,
    (Phase.TARGET, Kind.UNLOCK): supports.unlock,
    (Phase.REACT, Kind.PASS): reactions.pass_reaction,
    (Phase.REACT, Kind.CANCEL): reactions.cancel,
    (Phase.PLACE, Kind.PLACE): effects.place,
    (Phase.BUILD, Kind.BUILD): _build_inside,
    (Phase.BUILD, Kind.DONE): effects.done,
    (Phase.DRAW, Kind.DRAW_DECK): turn.draw_deck,
    (Phase.DRAW, Kind.DRAW_DISCARD): turn.draw_discard,
    (Phase.KEEP, Kind.KEEP): effects.keep,
    (Phase.DIG, Kind.DIG): effects.dig,
}
"""What carries an answer out: (state, seat, x, y) with the action's x and y."""


def _never(state: EphyranState, _: Seat, __: int, ___: int) -> None:
    raise RulesBug(f"an action of a kind that is never listed in this phase: {state.phase!r}")


_BY_PHASE: Final = tuple(tuple(MOVES.get((phase, kind), _never) for kind in Kind) for phase in (Phase.TURN, *Phase))
"""The same by number; phases count from 1."""

STEPS: Final = (
    turn.end_turn,
    turn.draw,
    reactions.ask_reaction,
    effects.resolve,
    effects.ask_place,
    effects.ask_build,
    effects.look,
    effects.ask_dig,
)
"""By `Step`."""


def perform(state: EphyranState, seat: Seat, action: Action) -> None:
    """Carry a legal answer out and run on to the next decision."""
    state.decision = None
    event = events.ACTED[seat][action]
    if event is not None:
        state.tell(event)
    _BY_PHASE[state.phase][KIND[action]](state, seat, X[action], Y[action])
    run_agenda(state, STEPS)
