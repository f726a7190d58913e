"""What moves a match: the table of what each step of the agenda does, and of what an answer to it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from agon_engine.core import Action, RulesBug, Seat, run_agenda
from agon_engine.elysium import (
    choosing,
    epoch,
    gaining,
    peeking,
    rows,
    scoring,
    taking,
    transferring,
    turn,
    using,
)
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import PRIVATE, Todo
from agon_engine.elysium.tables import KINDS, Node

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

    Run = Callable[["ElysiumState", Node, Seat, Seat, int], None]

# -- the steps of cards --------------------------------------------------------------------------------------


def _passive(_: ElysiumState, __: Node, ___: Seat, ____: Seat, _____: int) -> None:
    """What a Permanent card does is not run: it holds while the card lies in a Domain."""


_RUNS: Final[dict[type[v.Step], Run]] = {
    v.Seq: choosing.run_seq,
    v.Choose: choosing.run_choose,
    v.May: choosing.run_may,
    v.If: choosing.run_if,
    v.EachOpponent: choosing.run_each_opponent,
    v.PickOpponent: choosing.run_pick_opponent,
    v.Pay: choosing.run_pay,
    v.Sacrifice: choosing.run_sacrifice,
    v.Gain: gaining.gain,
    v.Lose: gaining.lose,
    v.Tribute: gaining.tribute,
    v.Score: gaining.score,
    v.Pardon: gaining.pardon,
    v.Take: taking.run_take,
    v.TakeCitizen: taking.run_take_citizen,
    v.LoseCard: taking.run_lose_card,
    v.RowMove: rows.run_row_move,
    v.Reserve: rows.run_reserve,
    v.RowAccess: rows.run_row_access,
    v.AcquireMod: rows.run_acquire_mod,
    v.ColumnReturn: rows.run_column_return,
    v.Peek: peeking.run_peek,
    v.PeekTake: peeking.run_peek_take,
    v.Transfer: transferring.run_transfer,
    v.LimitMod: transferring.run_limit_mod,
    v.CostMod: transferring.run_cost_mod,
    v.Reuse: using.run_reuse,
    v.Recharge: using.run_recharge,
    v.CitizenMod: _passive,
    v.On: _passive,
    v.Shield: _passive,
}
_RUN: Final = tuple(_RUNS[kind] for kind in KINDS)


def _effect(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    node = state.tables.nodes[number]
    _RUN[node.kind](state, node, owner, subject, source)


# -- the steps of the agenda, and answers --------------------------------------------------------------------

_STEPS: Final[dict[Todo, Callable[..., None]]] = {
    Todo.NEXT_TURN: epoch.next_turn,
    Todo.NEXT_WRITER: epoch.next_writer,
    Todo.EFFECT: _effect,
    Todo.INSTANT: using.instant,
    Todo.EACH: choosing.each,
    Todo.MOVED: using.moved,
    Todo.PUT_UNDER: peeking.put_under,
    Todo.SCORE: scoring.score,
    Todo.TURN: turn.ask_turn,
    Todo.DISMISS: turn.ask_dismiss,
    Todo.AFTER: turn.ask_after,
    Todo.WRITE: turn.ask_write,
    Todo.PLACE: transferring.ask_place,
    Todo.CHOOSE: choosing.ask_choose,
    Todo.MAY: choosing.ask_may,
    Todo.PICK: choosing.ask_pick,
    Todo.PAY: choosing.ask_pay,
    Todo.SACRIFICE: taking.ask_sacrifice,
    Todo.TAKE: taking.ask_take,
    Todo.LOSE_CARD: taking.ask_lose_card,
    Todo.MOVE: rows.ask_row_move,
    Todo.RESERVE: rows.ask_reserve,
    Todo.RETURN: rows.ask_column_return,
    Todo.TRANSFER: transferring.ask_transfer,
    Todo.REUSE: using.ask_reuse,
    Todo.RECHARGE: using.ask_recharge,
    Todo.PEEK: peeking.ask_peek,
    Todo.KEEP: peeking.ask_keep,
    Todo.ORDER: peeking.ask_order,
}

_ANSWERS: Final[dict[Todo, Callable[..., None]]] = {
    Todo.TURN: turn.turn_answered,
    Todo.DISMISS: turn.dismiss_answered,
    Todo.AFTER: turn.after_answered,
    Todo.WRITE: turn.write_answered,
    Todo.PLACE: transferring.place_answered,
    Todo.CHOOSE: choosing.choose_answered,
    Todo.MAY: choosing.may_answered,
    Todo.PICK: choosing.pick_answered,
    Todo.PAY: choosing.pay_answered,
    Todo.SACRIFICE: taking.sacrifice_answered,
    Todo.TAKE: taking.take_answered,
    Todo.LOSE_CARD: taking.lose_card_answered,
    Todo.MOVE: rows.row_move_answered,
    Todo.RESERVE: rows.reserve_answered,
    Todo.RETURN: rows.column_return_answered,
    Todo.TRANSFER: transferring.transfer_answered,
    Todo.REUSE: using.reuse_answered,
    Todo.RECHARGE: using.recharge_answered,
    Todo.PEEK: peeking.peek_answered,
    Todo.KEEP: peeking.keep_answered,
    Todo.ORDER: peeking.order_answered,
}


def _never(*_: Any) -> None:
    raise RulesBug("a step that opens no decision was answered")


STEPS: Final[tuple[Callable[..., None], ...]] = tuple(_STEPS.get(todo, _never) for todo in Todo)
_ANSWER: Final[tuple[Callable[..., None], ...]] = tuple(_ANSWERS.get(todo, _never) for todo in Todo)
_PRIVATE_STEP: Final = int(PRIVATE)


def perform(state: ElysiumState, seat: Seat, action: Action) -> None:
    """Carry a legal answer out and run on to the next decision."""
    _answer(state, seat, action)
    run(state)


def run(state: ElysiumState) -> None:
    """Run the agenda to the next choice. What is forced, and what all know to be forced, is done without asking."""
    while True:
        run_agenda(state, STEPS)
        decision = state.decision
        if decision is None or len(decision.actions) > 1 or state.pending[0] >= _PRIVATE_STEP:
            return

        _answer(state, decision.seat, decision.actions[0])


def _answer(state: ElysiumState, seat: Seat, action: Action) -> None:
    step = state.pending
    state.decision = None
    if step[0] < _PRIVATE_STEP:
        state.tell(state.tables.actions.acted[seat][action])
    _ANSWER[step[0]](state, action, *step[1:])
