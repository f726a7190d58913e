"""What all steps of cards have in common: to be judged, to be run, to be asked about.

What a kind of step does is in the module of its group, which lists at its end what it offers: `STEPS`, by kind of step
whether it would do something and what runs it, and `TASKS`, by task what does it and what carries an answer out.
`play.py` puts the lists together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from agon_engine.core import Action, Decision, RulesBug, Seat
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import Todo
from agon_engine.elysium.layout import Power, Task

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState
    from agon_engine.elysium.tables import Node

    Can = Callable[[ElysiumState, Node[Any], Power], bool]
    Run = Callable[[ElysiumState, Node[Any], Power], None]
    Do = Callable[[ElysiumState, Task], None]
    Answer = Callable[[ElysiumState, Action, Task], None]
    Steps = dict[type[v.Step], tuple[Can, Run]]
    Tasks = dict[Todo, tuple[Do, Answer]]

# -- judging and running -------------------------------------------------------------------------------------


def is_legal(state: ElysiumState, number: int, power: Power) -> bool:
    """Return whether a step would do something on the present state; nothing is foreseen (ruling 30)."""
    node = state.tables.nodes[number]
    return node.can(state, node, power)


def resolve(state: ElysiumState, number: int, power: Power) -> None:
    """Let a step be run next."""
    state.agenda.append(Task(Todo.EFFECT, power, number))


def always(_state: ElysiumState, _node: Node[Any], _power: Power) -> bool:
    """Judge a step that is legal whenever its power may be used."""
    return True


def just_is(_state: ElysiumState, _node: Node[Any], _power: Power) -> None:
    """Run what a Permanent card does: it holds while the card lies in a Domain, so there is nothing to run."""


def matching(state: ElysiumState, node: Node[Any], power: Power, cards: Iterable[int]) -> list[int]:
    """Return those of the cards, and of the Citizens (below 0), that a step's filter lets through."""
    design, fits = state.tables.design, node.fits
    but = power.source if node.not_source else 0
    return [card for card in cards if fits[design[card] if card > 0 else 0] and card != but]


# -- asking --------------------------------------------------------------------------------------------------


def asks(todo: Todo, *, n_times: bool = False) -> Run:
    """Return what runs a step that is a question: the task asks it next, where there is something to choose, and has
    x to count how often yet."""

    def run(state: ElysiumState, node: Node[Any], power: Power) -> None:
        state.agenda.append(Task(todo, power, node.number, node.plain if n_times else 0))

    return run


def ask(state: ElysiumState, task: Task, seat: Seat, prompt: str, actions: Sequence[Action]) -> None:
    """Open a decision; `task` is what opened it, and opens it again when it is done again."""
    state.pending = task
    state.decision = Decision(seat, prompt, tuple(actions))


def ask_subject(state: ElysiumState, task: Task, verb: str, actions: Sequence[Action]) -> None:
    """Ask the subject of a card's power; the prompt names the card: `take athena-mentor`."""
    ask(state, task, task.power.subject, prompt(state, task, verb), actions)


def prompt(state: ElysiumState, task: Task, verb: str) -> str:
    return f"{verb} {state.tables.ids[state.tables.design[task.power.source]]}"


def never(_state: ElysiumState, _action: Action, task: Task) -> None:
    """Stand where an answer would, of a task that opens no decision."""
    raise RulesBug(f"what opens no decision was answered: {task!r}")
