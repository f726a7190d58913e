"""What moves a match: the lists of all modules put together, and the loop that does what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, RulesBug, run_agenda
from agon_engine.elysium import (
    choosing,
    epoch,
    gaining,
    happening,
    peeking,
    rows,
    scoring,
    taking,
    transferring,
    turn,
    using,
)
from agon_engine.elysium.effects import never
from agon_engine.elysium.enums import PRIVATE, Todo
from agon_engine.elysium.layout import Task

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps, Tasks
    from agon_engine.elysium.state import ElysiumState

STEPS: Final[Steps] = {
    **choosing.STEPS,
    **gaining.STEPS,
    **taking.STEPS,
    **rows.STEPS,
    **peeking.STEPS,
    **transferring.STEPS,
    **using.STEPS,
    **happening.STEPS,
}
"""What the rules say of each kind of step of a card."""


def _effect(state: ElysiumState, task: Task) -> None:
    node = state.tables.nodes[task.node]
    node.run(state, node, task.power)


def _over(_state: ElysiumState, task: Task) -> None:
    raise RulesBug(f"nothing is to be done, but was: {task!r}")


_TASKS: Final[Tasks] = {
    Todo.NONE: (_over, never),
    Todo.EFFECT: (_effect, never),
    **epoch.TASKS,
    **turn.TASKS,
    **choosing.TASKS,
    **taking.TASKS,
    **rows.TASKS,
    **peeking.TASKS,
    **transferring.TASKS,
    **using.TASKS,
    **scoring.TASKS,
}
_DO: Final = tuple(_TASKS[todo][0] for todo in Todo)
_ANSWER: Final = tuple(_TASKS[todo][1] for todo in Todo)


def perform(state: ElysiumState, action: Action) -> None:
    """Carry a legal answer out and run on to the next decision."""
    _answer(state, action)
    run(state)


def run(state: ElysiumState) -> None:
    """Run the agenda to the next choice, or to the end, which the bound of all choices may bring. What is forced, and
    what all know to be forced, is done without asking."""
    while True:
        run_agenda(state, _DO, spread=False, answer_forced=_answer_forced)
        if state.decision is None:
            return

        state.asked += 1
        if state.asked <= scoring.MAX_DECISIONS:
            return

        state.decision = None
        scoring.begin_scoring(state)


def _answer_forced(state: ElysiumState) -> bool:
    decision = state.decision
    if decision is None or len(decision.actions) > 1 or state.pending.todo >= PRIVATE:
        return False

    _answer(state, decision.actions[0])
    return True


def _answer(state: ElysiumState, action: Action) -> None:
    task, decision = state.pending, state.decision
    assert decision is not None
    state.decision = None
    if task.todo < PRIVATE:
        state.tell(state.tables.actions.acted[decision.seat][action])
    _ANSWER[task.todo](state, action, task)
