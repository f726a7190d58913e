"""The steps that order and choose other steps: seq, choose, may, if, each_opponent, pick_opponent, pay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import moves, vocabulary as v
from agon_engine.elysium.counting import holds
from agon_engine.elysium.effects import ask_subject, asks, is_legal, never, resolve
from agon_engine.elysium.enums import Todo
from agon_engine.elysium.layout import Power, Task
from agon_engine.elysium.tables import Node

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps, Tasks
    from agon_engine.elysium.state import ElysiumState

# -- seq, if -------------------------------------------------------------------------------------------------


def can_do_some(state: ElysiumState, node: Node[Any], power: Power) -> bool:
    """Return whether one of the steps inside would do something."""
    return any(is_legal(state, kid, power) for kid in node.kids)


def run_seq(state: ElysiumState, node: Node[v.Seq], power: Power) -> None:
    for kid in reversed(node.kids):
        resolve(state, kid, power)


def _branch(state: ElysiumState, node: Node[v.If], power: Power) -> int:
    """Return the step that the condition selects now; 0: none."""
    if holds(state, node.check, power):
        return node.kids[0]
    return node.kids[1] if len(node.kids) > 1 else 0


def can_if(state: ElysiumState, node: Node[v.If], power: Power) -> bool:
    branch = _branch(state, node, power)
    return branch != 0 and is_legal(state, branch, power)


def run_if(state: ElysiumState, node: Node[v.If], power: Power) -> None:
    branch = _branch(state, node, power)
    if branch:
        resolve(state, branch, power)


# -- choose --------------------------------------------------------------------------------------------------


def ask_choose(state: ElysiumState, task: Task) -> None:
    """Ask for one of the options that are legal now and were not picked before."""
    codes, picked = state.tables.actions.choose, task.y
    options = [
        codes[option]
        for option, kid in enumerate(state.tables.nodes[task.node].kids, 1)
        if not picked >> option & 1 and is_legal(state, kid, task.power)
    ]
    if options:
        ask_subject(state, task, "choose", options)


def choose_answered(state: ElysiumState, action: Action, task: Task) -> None:
    """Resolve an option; to pick one that is `may` or `pay` is its acceptance, there is no second question."""
    option = state.tables.actions.x[action]
    left, picked = task.x - 1, task.y | 1 << option
    if left:
        state.agenda.append(Task(Todo.CHOOSE, task.power, task.node, left, picked))
    nodes = state.tables.nodes
    kid = nodes[nodes[task.node].kids[option - 1]]
    if isinstance(kid.step, v.May):
        resolve(state, kid.kids[0], task.power)
    elif isinstance(kid.step, v.Pay):
        _pay(state, kid, task.power)
    else:
        resolve(state, kid.number, task.power)


# -- may -----------------------------------------------------------------------------------------------------


def ask_may(state: ElysiumState, task: Task) -> None:
    """Ask whether to do it; where it is to pick an opponent, to decline is one of the answers to that."""
    nodes = state.tables.nodes
    kid = nodes[nodes[task.node].kids[0]]
    if not is_legal(state, kid.number, task.power):
        return
    if isinstance(kid.step, v.PickOpponent):
        ask_pick(state, Task(Todo.PICK, task.power, kid.number, 1))
    else:
        actions = state.tables.actions
        ask_subject(state, task, "may", [actions.accept, actions.skip])


def may_answered(state: ElysiumState, action: Action, task: Task) -> None:
    if action == state.tables.actions.accept:
        resolve(state, state.tables.nodes[task.node].kids[0], task.power)


# -- opponents -----------------------------------------------------------------------------------------------


def _opponents(state: ElysiumState, node: Node[Any], power: Power) -> list[Seat]:
    """Return the opponents that meet the condition and for whom the step inside would do something."""
    found = []
    for seat in state.after(power.owner):
        as_subject = Power(power.owner, seat, power.source)
        if holds(state, node.check, as_subject) and is_legal(state, node.kids[0], as_subject):
            found.append(seat)
    return found


def can_do_to_some(state: ElysiumState, node: Node[Any], power: Power) -> bool:
    return bool(_opponents(state, node, power))


def each(state: ElysiumState, task: Task) -> None:
    """Let the next opponent be the subject; whether the condition holds is checked now."""
    owner, done = task.power.owner, task.x
    others = state.after(owner)
    if done + 1 < len(others):
        state.agenda.append(Task(Todo.EACH, task.power, task.node, done + 1))
    node = state.tables.nodes[task.node]
    as_subject = Power(owner, others[done], task.power.source)
    if holds(state, node.check, as_subject):
        resolve(state, node.kids[0], as_subject)


def ask_pick(state: ElysiumState, task: Task) -> None:
    """Ask the owner for an opponent."""
    actions, can_decline = state.tables.actions, task.x
    found = [actions.seat[seat] for seat in sorted(_opponents(state, state.tables.nodes[task.node], task.power))]
    if found:
        ask_subject(state, task, "pick", [*found, actions.skip] if can_decline else found)


def pick_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions = state.tables.actions
    if action != actions.skip:
        as_subject = Power(task.power.owner, actions.x[action], task.power.source)
        resolve(state, state.tables.nodes[task.node].kids[0], as_subject)


# -- pay -----------------------------------------------------------------------------------------------------


def can_pay(state: ElysiumState, node: Node[v.Pay], power: Power) -> bool:
    has = state.purses[node.resource][power.subject] >= node.step.n
    return has and is_legal(state, node.kids[0], power)


def ask_pay(state: ElysiumState, task: Task) -> None:
    if is_legal(state, task.node, task.power):
        actions = state.tables.actions
        ask_subject(state, task, "pay", [actions.pay, actions.skip])


def pay_answered(state: ElysiumState, action: Action, task: Task) -> None:
    if action == state.tables.actions.pay:
        _pay(state, state.tables.nodes[task.node], task.power)


def _pay(state: ElysiumState, node: Node[v.Pay], power: Power) -> None:
    moves.gain(state, power.subject, node.resource, -node.step.n)
    resolve(state, node.kids[0], power)


STEPS: Final[Steps] = {
    v.Seq: (can_do_some, run_seq),
    v.If: (can_if, run_if),
    v.Choose: (can_do_some, asks(Todo.CHOOSE, n_times=True)),
    v.May: (can_do_some, asks(Todo.MAY)),
    v.EachOpponent: (can_do_to_some, asks(Todo.EACH)),
    v.PickOpponent: (can_do_to_some, asks(Todo.PICK)),
    v.Pay: (can_pay, asks(Todo.PAY)),
}
TASKS: Final[Tasks] = {
    Todo.CHOOSE: (ask_choose, choose_answered),
    Todo.MAY: (ask_may, may_answered),
    Todo.EACH: (each, never),
    Todo.PICK: (ask_pick, pick_answered),
    Todo.PAY: (ask_pay, pay_answered),
}
