"""Using a card's own power (E4.7, T1, T6), and the steps that use other cards: reuse and recharge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import moves
from agon_engine.elysium.enums import Activation, Todo
from agon_engine.elysium.layout import RESOLVED, REUSED, RING, STALE_DOMAIN, TURNED
from agon_engine.elysium.legality import is_legal, rechargeable, reusable
from agon_engine.elysium.tables import Node
from agon_engine.elysium.taking import own_card

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_MOVED: Final = int(Todo.MOVED)
_REUSE: Final = int(Todo.REUSE)
_RECHARGE: Final = int(Todo.RECHARGE)
_ACTIVATE: Final = int(Activation.ACTIVATE)
_TRIGGER: Final = int(Activation.TRIGGER)
_ELEUSIS: Final = int(Activation.ELEUSIS)
_LEGEND: Final = int(Activation.LEGEND)
_FLOW: Final = tuple(
    int(todo) for todo in (Todo.NEXT_TURN, Todo.NEXT_WRITER, Todo.TURN, Todo.DISMISS, Todo.AFTER, Todo.WRITE)
)
"""Where one of these is next, no effect is interrupted."""
_UNREADY: Final = TURNED | RESOLVED


def powers(state: ElysiumState, seat: Seat) -> list[Action]:
    """List the powers that a seat may use in its turn of Phase II: those whose effect would do something (T5)."""
    tables = state.tables
    design, activation, marks = tables.design, tables.activation, state.marks
    found = []
    for card in state.domains[seat]:
        if card < 0:
            continue
        number = design[card]
        when = activation[number]
        if when == _ACTIVATE:
            ready = not marks[card] & _UNREADY
        elif when == _TRIGGER:
            ready = marks[card] & (RING | RESOLVED) == RING
        elif when == _ELEUSIS:
            ready = not marks[card] & _UNREADY and _has_partner(state, seat, card)
        else:
            continue
        if ready and is_legal(state, tables.effect[number], seat, seat, card):
            found.append(tables.actions.power[number])
    return found


def _has_partner(state: ElysiumState, seat: Seat, card: int) -> bool:
    """Return whether another Eleusis card, turned or not, lies in the Domain (T6)."""
    design, activation = state.tables.design, state.tables.activation
    return any(other > 0 and other != card and activation[design[other]] == _ELEUSIS for other in state.domains[seat])


def legend_powers(state: ElysiumState, seat: Seat) -> list[Action]:
    """List the powers that a seat may use in its step of Phase III."""
    tables = state.tables
    found = []
    for card in state.domains[seat]:
        if card > 0 and tables.activation[tables.design[card]] == _LEGEND and not state.marks[card] & _UNREADY:
            number = tables.design[card]
            if is_legal(state, tables.effect[number], seat, seat, card):
                found.append(tables.actions.power[number])
    return found


def use_power(state: ElysiumState, seat: Seat, design: int) -> None:
    """Use a power of the own Domain: the card is turned, or its ring removed, first (T6)."""
    card = own_card(state, seat, design)
    if state.tables.activation[design] == _TRIGGER:
        state.marks[card] &= ~RING
    else:
        state.marks[card] |= TURNED
    _begin(state, seat, card)


def instant(state: ElysiumState, _: int, __: Seat, seat: Seat, card: int, ___: int, ____: int) -> None:
    """Resolve the Instantaneous power of a card just taken, unless it was in this turn (T1)."""
    if not state.marks[card] & RESOLVED:
        _begin(state, seat, card)


def _begin(state: ElysiumState, seat: Seat, card: int) -> None:
    moves.mark(state, card, RESOLVED)
    _resolve(state, state.tables.effect[state.tables.design[card]], seat, card)


def _resolve(state: ElysiumState, node: int, seat: Seat, source: int) -> None:
    """Resolve a whole effect; one that is interrupted by it goes on with its own moved_level."""
    if state.agenda[-1][0] not in _FLOW:
        state.agenda.append((_MOVED, 0, seat, seat, 0, state.moved_level, 0))
    state.moved_level = 0
    moves.resolve(state, node, seat, seat, source)


def moved(state: ElysiumState, _: int, __: Seat, ___: Seat, ____: int, level: int, _____: int) -> None:
    state.moved_level = level


# -- reuse ---------------------------------------------------------------------------------------------------


def run_reuse(state: ElysiumState, node: Node, owner: Seat, _: Seat, source: int) -> None:
    ask_reuse(state, node.number, owner, owner, source, 0, 0)


def ask_reuse(state: ElysiumState, number: int, owner: Seat, _: Seat, source: int, __: int, ___: int) -> None:
    """Ask which card is used; those of the same id are offered once, wherever they lie."""
    codes = state.tables.actions.reuse
    cards = [codes[design] for design in sorted(reusable(state, state.tables.nodes[number], owner, source))]
    if cards:
        prompt = f"reuse {state.tables.ids[state.tables.design[source]]}"
        moves.ask(state, (_REUSE, number, owner, owner, source, 0, 0), owner, prompt, cards)


def reuse_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, _: Seat, source: int, __: int, ___: int
) -> None:
    """Resolve the other card's effect; "this card" is then the one that uses it."""
    design = state.tables.actions.x[action]
    card = reusable(state, state.tables.nodes[number], owner, source)[design]
    moves.mark(state, card, REUSED)
    _resolve(state, state.tables.effect[design], owner, source)


# -- recharge ------------------------------------------------------------------------------------------------


def run_recharge(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    ask_recharge(state, node.number, owner, subject, source, 0, 0)


def ask_recharge(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    tables = state.tables
    cards = rechargeable(state, tables.nodes[number], subject, source)
    if cards:
        asked = (_RECHARGE, number, owner, subject, source, 0, 0)
        actions = [tables.actions.recharge[tables.design[card]] for card in cards]
        moves.ask(state, asked, subject, f"recharge {tables.ids[tables.design[source]]}", actions)


def recharge_answered(
    state: ElysiumState, action: Action, _: int, __: Seat, subject: Seat, ___: int, ____: int, _____: int
) -> None:
    design = state.tables.actions.x[action]
    card = own_card(state, subject, design)
    if state.tables.activation[design] == _TRIGGER:
        state.marks[card] |= RING
    else:
        state.marks[card] &= ~TURNED
    state.stale |= STALE_DOMAIN << subject
