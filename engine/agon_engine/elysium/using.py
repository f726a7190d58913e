"""Using a card's own power (E4.7, T1, T6), and the steps that use other cards: reuse and recharge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import moves, vocabulary as v
from agon_engine.elysium.effects import ask_subject, asks, is_legal, matching, never, resolve
from agon_engine.elysium.enums import Activation, Todo
from agon_engine.elysium.layout import AGORA, OF_SEAT, RESOLVED, REUSED, RING, STALE_DOMAIN, TURNED, Power, Task
from agon_engine.elysium.tables import Node
from agon_engine.elysium.taking import own_card
from agon_engine.elysium.words import Zone

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps, Tasks
    from agon_engine.elysium.state import ElysiumState

_ACTIVATE: Final = int(Activation.ACTIVATE)
_TRIGGER: Final = int(Activation.TRIGGER)
_ELEUSIS: Final = int(Activation.ELEUSIS)
_LEGEND: Final = int(Activation.LEGEND)
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
        if ready and is_legal(state, tables.effect[number], Power(seat, seat, card)):
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
            if is_legal(state, tables.effect[number], Power(seat, seat, card)):
                found.append(tables.actions.power[number])
    return found


def use_power(state: ElysiumState, seat: Seat, design: int) -> None:
    """Use a power of the own Domain: the card is turned, or its ring removed, first (T6)."""
    card = own_card(state, seat, design)
    if state.tables.activation[design] == _TRIGGER:
        state.marks[card] &= ~RING
    else:
        state.marks[card] |= TURNED
    _resolve_own(state, Power(seat, seat, card))


def instant(state: ElysiumState, task: Task) -> None:
    """Resolve the Instantaneous power of a card just taken, unless it was in this turn (T1)."""
    if not state.marks[task.power.source] & RESOLVED:
        _resolve_own(state, task.power)


def _resolve_own(state: ElysiumState, power: Power) -> None:
    """Resolve the source's own effect."""
    moves.mark(state, power.source, RESOLVED)
    _begin(state, state.tables.design[power.source], power)


def _begin(state: ElysiumState, design: int, power: Power) -> None:
    """Resolve a card's whole effect, with a moved_level of its own; one that is interrupted by it goes on with its."""
    state.agenda.append(Task(Todo.MOVED, OF_SEAT[power.owner], x=state.moved_level))
    state.moved_level = 0
    resolve(state, state.tables.effect[design], power)


def moved(state: ElysiumState, task: Task) -> None:
    state.moved_level = task.x


# -- reuse ---------------------------------------------------------------------------------------------------


def _reusable(state: ElysiumState, node: Node[v.Reuse], power: Power) -> dict[int, int]:
    """Return the cards whose effect the owner may resolve, by design; of copies the first that T1 allows."""
    tables, activations = state.tables, node.step.activation
    found: dict[int, int] = {}
    for zone in node.step.zones:
        for card in matching(state, node, power, _cards_in(state, power.owner, zone)):
            design = tables.design[card]
            if (
                design not in found
                and tables.activation[design] in activations
                and not tables.uses_others[design]
                and not state.marks[card] & REUSED
                and is_legal(state, tables.effect[design], power)
            ):
                found[design] = card
    return found


def _cards_in(state: ElysiumState, owner: Seat, zone: Zone) -> list[int]:
    """Return the Family cards of a zone, none that is reserved for another seat."""
    if zone is Zone.AGORA:
        mine = state.reserved[owner]
        free = [card for card in state.rows[AGORA] if card == mine or card not in state.reserved]
        return sorted(free, key=lambda card: card != mine)
    if zone is Zone.OWN_DOMAIN:
        return [card for card in state.domains[owner] if card > 0]
    if zone is Zone.OWN_ELYSIUM:
        return [card for legend in state.elysiums[owner] for card in legend.cards if card > 0]
    return [card for seat in state.after(owner) for card in state.domains[seat] if card > 0]


def can_reuse(state: ElysiumState, node: Node[v.Reuse], power: Power) -> bool:
    return bool(_reusable(state, node, power))


def ask_reuse(state: ElysiumState, task: Task) -> None:
    """Ask which card is used; those of the same id are offered once, wherever they lie."""
    codes = state.tables.actions.reuse
    cards = [codes[design] for design in sorted(_reusable(state, state.tables.nodes[task.node], task.power))]
    if cards:
        ask_subject(state, task, "reuse", cards)


def reuse_answered(state: ElysiumState, action: Action, task: Task) -> None:
    """Resolve the other card's effect; "this card" is then the one that uses it."""
    design = state.tables.actions.x[action]
    card = _reusable(state, state.tables.nodes[task.node], task.power)[design]
    moves.mark(state, card, REUSED)
    _begin(state, design, task.power)


# -- recharge ------------------------------------------------------------------------------------------------


def _rechargeable(state: ElysiumState, node: Node[v.Recharge], power: Power) -> list[int]:
    """Return the turned cards, and the Trigger cards without a ring, that may be made ready again; never the source."""
    tables = state.tables
    found = []
    for card in matching(state, node, power, state.domains[power.subject]):
        design = tables.design[card] if card > 0 else 0
        if card != power.source and not tables.uses_others[design]:
            activation = tables.activation[design]
            spent = not state.marks[card] & RING if activation == _TRIGGER else state.marks[card] & TURNED
            if spent and activation in node.step.activation:
                found.append(card)
    return found


def can_recharge(state: ElysiumState, node: Node[v.Recharge], power: Power) -> bool:
    return bool(_rechargeable(state, node, power))


def ask_recharge(state: ElysiumState, task: Task) -> None:
    tables = state.tables
    cards = _rechargeable(state, tables.nodes[task.node], task.power)
    if cards:
        ask_subject(state, task, "recharge", [tables.actions.recharge[tables.design[card]] for card in cards])


def recharge_answered(state: ElysiumState, action: Action, task: Task) -> None:
    seat, design = task.power.subject, state.tables.actions.x[action]
    card = own_card(state, seat, design)
    if state.tables.activation[design] == _TRIGGER:
        state.marks[card] |= RING
    else:
        state.marks[card] &= ~TURNED
    state.stale |= STALE_DOMAIN << seat


STEPS: Final[Steps] = {
    v.Reuse: (can_reuse, asks(Todo.REUSE)),
    v.Recharge: (can_recharge, asks(Todo.RECHARGE)),
}
TASKS: Final[Tasks] = {
    Todo.INSTANT: (instant, never),
    Todo.MOVED: (moved, never),
    Todo.REUSE: (ask_reuse, reuse_answered),
    Todo.RECHARGE: (ask_recharge, recharge_answered),
}
