"""The steps that look into the draw pile: peek and peek_take. What is seen and how it is put back is private (D2); that
the seat is asked, how often, and how many cards go to the bottom depends on nothing hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import events, moves, vocabulary as v
from agon_engine.elysium.effects import ask_subject, matching, never
from agon_engine.elysium.enums import Todo
from agon_engine.elysium.layout import STALE_OWN, Power, Task
from agon_engine.elysium.notation import ORDERS
from agon_engine.elysium.tables import Node
from agon_engine.elysium.taking import take_in
from agon_engine.elysium.words import Put

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps, Tasks
    from agon_engine.elysium.state import ElysiumState


def can_peek(state: ElysiumState, _node: Node[Any], _power: Power) -> bool:
    return moves.can_draw(state)


def looked_at(state: ElysiumState, task: Task) -> list[int]:
    """Return the cards that are being looked at, the top one first."""
    return state.deck[: -task.x - 1 : -1]


def _orders(state: ElysiumState, cards: list[int], *, with_top: bool, with_bottom: bool) -> list[Action]:
    """List the ways to put cards back, those that look the same once."""
    design = state.tables.design
    seen = set()
    orders = []
    for action, (top, bottom) in zip(state.tables.actions.order, ORDERS, strict=True):
        if len(top) + len(bottom) == len(cards) and (with_top or not top) and (with_bottom or not bottom):
            outcome = tuple(design[cards[place]] for place in top), tuple(design[cards[place]] for place in bottom)
            if outcome not in seen:
                seen.add(outcome)
                orders.append(action)
    return orders


# -- peek ----------------------------------------------------------------------------------------------------


def run_peek(state: ElysiumState, node: Node[v.Peek], power: Power) -> None:
    """Show the top cards; a single one that goes back on top is not asked about, as all know that it must."""
    n = moves.ready(state, node.step.n)
    if not n:
        return

    moves.look(state, power.subject, n)
    if n == 1 and node.step.put is Put.TOP:
        state.tell(events.put(power.subject, 1, 0, "top 1"))
    else:
        state.agenda.append(Task(Todo.PEEK, power, node.number, n))


def ask_peek(state: ElysiumState, task: Task) -> None:
    node: Node[v.Peek] = state.tables.nodes[task.node]
    with_bottom = node.step.put is Put.TOP_OR_BOTTOM
    ask_subject(state, task, "peek", _orders(state, looked_at(state, task), with_top=True, with_bottom=with_bottom))


def peek_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions, cards = state.tables.actions, looked_at(state, task)
    top, bottom = ORDERS[actions.x[action]]
    del state.deck[-task.x :]
    moves.put_back(state, [cards[place] for place in top], [cards[place] for place in bottom])
    state.tell(events.put(task.power.subject, len(top), len(bottom), actions.notation.codes[action]))


# -- peek_take -----------------------------------------------------------------------------------------------


def run_peek_take(state: ElysiumState, node: Node[v.PeekTake], power: Power) -> None:
    n = moves.ready(state, node.step.n)
    if n:
        moves.look(state, power.subject, n)
        state.agenda.append(Task(Todo.KEEP, power, node.number, n))


def keepable(state: ElysiumState, task: Task) -> dict[int, int]:
    """Return the cards looked at that the seat may take, by design."""
    design = state.tables.design
    own = {design[card] for card in state.domains[task.power.subject] if card > 0}
    cards = matching(state, state.tables.nodes[task.node], task.power, reversed(looked_at(state, task)))
    return {design[card]: card for card in cards if design[card] not in own}


def ask_keep(state: ElysiumState, task: Task) -> None:
    """Ask which card is taken, if any: whether there is one that may be, only the seat knows."""
    actions = state.tables.actions
    ask_subject(
        state, task, "keep", [*(actions.keep[design] for design in sorted(keepable(state, task))), actions.skip]
    )


def keep_answered(state: ElysiumState, action: Action, task: Task) -> None:
    """Note the card that is taken; then the others are put under the draw pile, in an order where there is one."""
    actions = state.tables.actions
    state.kept = 0 if action == actions.skip else keepable(state, task)[actions.x[action]]
    state.stale |= STALE_OWN << task.power.subject
    state.tell(events.kept(task.power.subject, actions.notation.codes[action]))
    others = task.x - 1 if state.kept else task.x
    state.agenda.append(Task(Todo.ORDER if others > 1 else Todo.PUT_UNDER, task.power, task.node, task.x))


def _others(state: ElysiumState, task: Task) -> list[int]:
    """Return the cards looked at that are not taken."""
    return [card for card in looked_at(state, task) if card != state.kept]


def ask_order(state: ElysiumState, task: Task) -> None:
    ask_subject(state, task, "order", _orders(state, _others(state, task), with_top=False, with_bottom=True))


def order_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions, others = state.tables.actions, _others(state, task)
    bottom = ORDERS[actions.x[action]][1]
    _put_under(state, task, [others[place] for place in bottom], actions.notation.codes[action])


def put_under(state: ElysiumState, task: Task) -> None:
    """Put what is left under the draw pile where there is nothing to order."""
    others = _others(state, task)
    _put_under(state, task, others, "bottom 1" if others else "")


def _put_under(state: ElysiumState, task: Task, bottom: list[int], code: str) -> None:
    """Put cards at the bottom, then let the one taken enter the Domain, where all see it."""
    seat: Seat = task.power.subject
    card = state.kept
    state.kept = 0
    del state.deck[-task.x :]
    moves.put_back(state, [], bottom)
    if bottom:
        state.tell(events.put(seat, 0, len(bottom), code))
    if card:
        moves.show(state, card)
        state.tell(events.about("takes", state.tables.ids[state.tables.design[card]], seat))
        take_in(state, seat, card)


STEPS: Final[Steps] = {
    v.Peek: (can_peek, run_peek),
    v.PeekTake: (can_peek, run_peek_take),
}
TASKS: Final[Tasks] = {
    Todo.PEEK: (ask_peek, peek_answered),
    Todo.KEEP: (ask_keep, keep_answered),
    Todo.ORDER: (ask_order, order_answered),
    Todo.PUT_UNDER: (put_under, never),
}
