"""The steps that order and choose other steps: seq, choose, may, if, each_opponent, pick_opponent, pay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import moves
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.counting import holds
from agon_engine.elysium.enums import Todo
from agon_engine.elysium.legality import can_pay, can_pick, is_legal
from agon_engine.elysium.tables import KINDS, Node
from agon_engine.elysium.taking import ask_sacrifice

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_EACH: Final = int(Todo.EACH)
_CHOOSE: Final = int(Todo.CHOOSE)
_MAY: Final = int(Todo.MAY)
_PICK: Final = int(Todo.PICK)
_PAY: Final = int(Todo.PAY)
_KIND_MAY: Final = KINDS.index(v.May)
_KIND_PAY: Final = KINDS.index(v.Pay)
_KIND_PICK: Final = KINDS.index(v.PickOpponent)


def run_seq(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    for kid in reversed(node.kids):
        moves.resolve(state, kid, owner, subject, source)


def run_if(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    assert node.check is not None
    branch = 0 if holds(state, node.check, owner, subject) else 1
    if branch < len(node.kids):
        moves.resolve(state, node.kids[branch], owner, subject, source)


# -- choose --------------------------------------------------------------------------------------------------


def run_choose(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    step = node.step
    assert isinstance(step, v.Choose)
    ask_choose(state, node.number, owner, subject, source, step.n, 0)


def ask_choose(
    state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, left: int, picked: int
) -> None:
    """Ask for one of the options that are legal now and were not picked before (bits of `picked`)."""
    codes = state.tables.actions.choose
    options = [
        codes[option]
        for option, kid in enumerate(state.tables.nodes[number].kids, 1)
        if not picked >> option & 1 and is_legal(state, kid, owner, subject, source)
    ]
    if options:
        prompt = f"choose {state.tables.ids[state.tables.design[source]]}"
        moves.ask(state, (_CHOOSE, number, owner, subject, source, left, picked), subject, prompt, options)


def choose_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, subject: Seat, source: int, left: int, picked: int
) -> None:
    option = state.tables.actions.x[action]
    if left > 1:
        state.agenda.append((_CHOOSE, number, owner, subject, source, left - 1, picked | 1 << option))
    kid = state.tables.nodes[state.tables.nodes[number].kids[option - 1]]
    if kid.kind == _KIND_MAY:
        moves.resolve(state, kid.kids[0], owner, subject, source)
    elif kid.kind == _KIND_PAY:
        _pay(state, kid, owner, subject, source)
    else:
        moves.resolve(state, kid.number, owner, subject, source)


# -- may -----------------------------------------------------------------------------------------------------


def run_may(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    kid = state.tables.nodes[node.kids[0]]
    if not is_legal(state, kid.number, owner, subject, source):
        return
    if kid.kind == _KIND_PICK and subject == owner:
        _ask_pick(state, kid, owner, source, optional=1)
    else:
        ask_may(state, node.number, owner, subject, source, 0, 0)


def ask_may(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    actions = state.tables.actions
    prompt = f"may {state.tables.ids[state.tables.design[source]]}"
    asked = (_MAY, number, owner, subject, source, 0, 0)
    moves.ask(state, asked, subject, prompt, [actions.accept, actions.skip])


def may_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int
) -> None:
    if action == state.tables.actions.accept:
        moves.resolve(state, state.tables.nodes[number].kids[0], owner, subject, source)


# -- opponents -----------------------------------------------------------------------------------------------


def run_each_opponent(state: ElysiumState, node: Node, owner: Seat, _: Seat, source: int) -> None:
    state.agenda.append((_EACH, node.number, owner, owner, source, 0, 0))


def each(state: ElysiumState, number: int, owner: Seat, _: Seat, source: int, done: int, __: int) -> None:
    """Let the next opponent be the subject; whether the condition holds is checked now."""
    others = state.after(owner)
    node = state.tables.nodes[number]
    if done + 1 < len(others):
        state.agenda.append((_EACH, number, owner, owner, source, done + 1, 0))
    subject = others[done]
    if node.check is None or holds(state, node.check, owner, subject):
        moves.resolve(state, node.kids[0], owner, subject, source)


def run_pick_opponent(state: ElysiumState, node: Node, owner: Seat, _: Seat, source: int) -> None:
    _ask_pick(state, node, owner, source, optional=0)


def _ask_pick(state: ElysiumState, node: Node, owner: Seat, source: int, *, optional: int) -> None:
    ask_pick(state, node.number, owner, owner, source, optional, 0)


def ask_pick(state: ElysiumState, number: int, owner: Seat, _: Seat, source: int, optional: int, __: int) -> None:
    """Ask the owner for an opponent; the choice that a `may` gives is part of it."""
    actions = state.tables.actions
    found = [actions.seat[seat] for seat in sorted(can_pick(state, state.tables.nodes[number], owner, source))]
    if found:
        asked = (_PICK, number, owner, owner, source, optional, 0)
        prompt = f"pick {state.tables.ids[state.tables.design[source]]}"
        moves.ask(state, asked, owner, prompt, [*found, actions.skip] if optional else found)


def pick_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, _: Seat, source: int, __: int, ___: int
) -> None:
    actions = state.tables.actions
    if action != actions.skip:
        moves.resolve(state, state.tables.nodes[number].kids[0], owner, actions.x[action], source)


# -- pay, sacrifice ------------------------------------------------------------------------------------------


def run_pay(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    if can_pay(state, node, owner, subject, source):
        ask_pay(state, node.number, owner, subject, source, 0, 0)


def ask_pay(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    actions = state.tables.actions
    prompt = f"pay {state.tables.ids[state.tables.design[source]]}"
    moves.ask(state, (_PAY, number, owner, subject, source, 0, 0), subject, prompt, [actions.pay, actions.skip])


def pay_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int
) -> None:
    if action == state.tables.actions.pay:
        _pay(state, state.tables.nodes[number], owner, subject, source)


def _pay(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    step = node.step
    assert isinstance(step, v.Pay)
    moves.gain(state, subject, node.resource, -step.n)
    moves.resolve(state, node.kids[0], owner, subject, source)


def run_sacrifice(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    if is_legal(state, node.number, owner, subject, source):
        ask_sacrifice(state, node.number, owner, subject, source, 0, 0)
