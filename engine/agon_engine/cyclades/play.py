"""The two tables that move a match: what runs a step, and what carries its answer out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, RulesBug, Seat, run_agenda
from agon_engine.cyclades import (
    battle,
    creatures,
    cycle,
    events,
    figurines,
    havoc,
    moving,
    offerings,
    sets,
    turn,
    wealth,
)
from agon_engine.cyclades.enums import Todo
from agon_engine.cyclades.notation import MOVES, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

Run = Callable[["CycladesState", "Due"], None]
Answer = Callable[["CycladesState", "Due", Move], None]

RUNS: Final[dict[Todo, Run]] = {
    Todo.BEGIN_CYCLE: cycle.begin_cycle,
    Todo.NEXT_MARKER: offerings.next_marker,
    Todo.NEXT_TURN: turn.next_turn,
    Todo.END_TURN: turn.end_turn,
    Todo.ROUND: battle.fight_round,
    Todo.SETS: sets.exchange_sets,
    Todo.CARD_DONE: creatures.card_done,
    Todo.PUSH_NEXT: figurines.push_next,
    Todo.GOD: offerings.ask_god,
    Todo.BID: offerings.ask_bid,
    Todo.TURN: turn.ask_turn,
    Todo.PROSPER: turn.ask_prosper,
    Todo.SAIL: moving.ask_sail,
    Todo.RETREAT: battle.ask_retreat,
    Todo.GIVE: sets.ask_give,
    Todo.FOUND: sets.ask_found,
    Todo.RAZE: sets.ask_raze,
    Todo.SIREN: havoc.ask_siren,
    Todo.SIREN_FROM: havoc.ask_siren_from,
    Todo.PEGASUS: moving.ask_pegasus,
    Todo.GIANT: havoc.ask_giant,
    Todo.CHIMERA: creatures.ask_chimera,
    Todo.CYCLOPS: havoc.ask_cyclops,
    Todo.SPHINX: wealth.ask_sphinx,
    Todo.SYLPH: moving.ask_sylph,
    Todo.HARPY: havoc.ask_harpy,
    Todo.GRIFFON: wealth.ask_griffon,
    Todo.SATYR: wealth.ask_satyr,
    Todo.DRYAD: wealth.ask_dryad,
    Todo.KRAKEN: havoc.ask_kraken,
    Todo.KRAKEN_MOVE: havoc.ask_kraken_move,
    Todo.FIGURINE: figurines.ask_figurine,
    Todo.PUSH: figurines.ask_push,
}
"""What runs a step: it does its part, or opens a decision and stays on the agenda."""

ANSWERS: Final[dict[Todo, Answer]] = {
    Todo.GOD: offerings.choose_god,
    Todo.BID: offerings.bid,
    Todo.TURN: turn.act,
    Todo.PROSPER: turn.prosper,
    Todo.SAIL: moving.sail_on,
    Todo.RETREAT: battle.retreat,
    Todo.GIVE: sets.give,
    Todo.FOUND: sets.found,
    Todo.RAZE: sets.raze,
    Todo.SIREN: havoc.siren,
    Todo.SIREN_FROM: havoc.siren_from,
    Todo.PEGASUS: moving.pegasus,
    Todo.GIANT: havoc.giant,
    Todo.CHIMERA: creatures.chimera,
    Todo.CYCLOPS: havoc.cyclops,
    Todo.SPHINX: wealth.sphinx,
    Todo.SYLPH: moving.sylph,
    Todo.HARPY: havoc.harpy,
    Todo.GRIFFON: wealth.griffon,
    Todo.SATYR: wealth.satyr,
    Todo.DRYAD: wealth.dryad,
    Todo.KRAKEN: havoc.kraken,
    Todo.KRAKEN_MOVE: havoc.kraken_move,
    Todo.FIGURINE: figurines.place_figurine,
    Todo.PUSH: figurines.push,
}
"""What carries the answer to a step out."""

DEPEND_ON_GOLD: Final = frozenset({Todo.GOD, Todo.BID, Todo.TURN, Todo.KRAKEN_MOVE})
"""Asked also where one action is left: others may not know that it is, since it depends on the seat's gold."""


def _never_run(_: CycladesState, step: Due) -> None:
    raise RulesBug(f"a step that is never on the agenda: {step!r}")


def _never_asked(_: CycladesState, step: Due, __: Move) -> None:
    raise RulesBug(f"a step that opens no decision: {step!r}")


_GOD: Final = Todo.GOD
"""Its answer is not told by `_answer`: it is by the bid that follows."""
_RUNS: Final = tuple(RUNS.get(todo, _never_run) for todo in Todo)
_ANSWERS: Final = tuple(ANSWERS.get(todo, _never_asked) for todo in Todo)
_MAY_SKIP: Final = tuple(todo not in DEPEND_ON_GOLD for todo in Todo)


def perform(state: CycladesState, seat: Seat, action: Action) -> None:
    """Carry a legal answer out and run on to the next decision."""
    _answer(state, seat, action)
    run(state)


def _answer(state: CycladesState, seat: Seat, action: Action) -> None:
    state.decision = None
    step = state.agenda.pop()
    if step.todo is not _GOD:
        state.tell(events.ACTED[seat][action])
    _ANSWERS[step.todo](state, step, MOVES[action])


def run(state: CycladesState) -> None:
    """Run the agenda to a decision or to the end of the match. A choice that all know to be forced is made at once."""
    run_agenda(state, _RUNS, spread=False, answer_forced=_answer_forced)


def _answer_forced(state: CycladesState) -> bool:
    decision = state.decision
    if decision is None or len(decision.actions) > 1 or not _MAY_SKIP[state.agenda[-1].todo]:
        return False

    _answer(state, decision.seat, decision.actions[0])
    return True
