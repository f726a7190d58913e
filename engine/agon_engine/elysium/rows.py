"""The steps of the public rows: row_move, reserve, row_access, and those that change the normal take: acquire_mod,
column_return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import moves, vocabulary as v
from agon_engine.elysium.effects import always, ask_subject, asks, matching
from agon_engine.elysium.enums import COLOURS, Family, Phase, Todo
from agon_engine.elysium.layout import AGORA, ROWS, STALE_PLAYER, STALE_ROW, STALE_TABLE, Power, Task
from agon_engine.elysium.tables import ALL_COLUMNS, Node
from agon_engine.elysium.taking import free_cards
from agon_engine.elysium.words import Ignore, Zone

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps, Tasks
    from agon_engine.elysium.state import ElysiumState

_APOLLO: Final = int(Family.APOLLO)
_LAST_ROUND: Final = 4

# -- row_move ------------------------------------------------------------------------------------------------


def can_row_move(state: ElysiumState, node: Node[v.RowMove], power: Power) -> bool:
    """Return whether a card would move; without Apollo there is no Oracle to move it to (O1)."""
    step = node.step
    if step.to is Zone.ORACLE and _APOLLO not in state.families:
        return False
    if step.source is Zone.DECK:
        return moves.can_draw(state)

    return bool(matching(state, node, power, free_cards(state, power.subject, ROWS[step.source]).values()))


def run_row_move(state: ElysiumState, node: Node[v.RowMove], power: Power) -> None:
    """Turn up the top cards of the draw pile, or ask for the cards of a row."""
    step = node.step
    if not can_row_move(state, node, power):
        return
    if step.source is Zone.DECK:
        for _ in range(moves.ready(state, step.n)):
            moves.turn_up(state, ROWS[step.to])
    else:
        state.agenda.append(Task(Todo.MOVE, power, node.number, step.n))


def ask_row_move(state: ElysiumState, task: Task) -> None:
    node: Node[v.RowMove] = state.tables.nodes[task.node]
    row, design = ROWS[node.step.source], state.tables.design
    codes = state.tables.actions.move if row == AGORA else state.tables.actions.move_oracle
    cards = matching(state, node, task.power, free_cards(state, task.power.subject, row).values())
    if cards:
        ask_subject(state, task, "move", [codes[design[card]] for card in sorted(cards)])


def row_move_answered(state: ElysiumState, action: Action, task: Task) -> None:
    node: Node[v.RowMove] = state.tables.nodes[task.node]
    row = ROWS[node.step.source]
    design = state.tables.actions.x[action]
    card = free_cards(state, task.power.subject, row)[design]
    moves.leave_row(state, row, card)
    moves.lay(state, ROWS[node.step.to], card)
    state.moved_level = state.tables.level[design]
    left = task.x - 1
    if left:
        state.agenda.append(Task(Todo.MOVE, task.power, task.node, left))


# -- reserve -------------------------------------------------------------------------------------------------


def _reservable(state: ElysiumState, node: Node[v.Reserve], power: Power) -> dict[int, int]:
    """Return the cards of the Agora that nobody has reserved, by design."""
    design = state.tables.design
    free = [card for card in reversed(state.rows[AGORA]) if card not in state.reserved]
    return {design[card]: card for card in matching(state, node, power, free)}


def can_reserve(state: ElysiumState, node: Node[v.Reserve], power: Power) -> bool:
    return bool(_reservable(state, node, power))


def ask_reserve(state: ElysiumState, task: Task) -> None:
    codes = state.tables.actions.reserve
    cards = [codes[design] for design in sorted(_reservable(state, state.tables.nodes[task.node], task.power))]
    if cards:
        ask_subject(state, task, "reserve", cards)


def reserve_answered(state: ElysiumState, action: Action, task: Task) -> None:
    found = _reservable(state, state.tables.nodes[task.node], task.power)
    state.reserved[task.power.subject] = found[state.tables.actions.x[action]]
    state.stale |= STALE_ROW << AGORA


# -- what the normal take may be -----------------------------------------------------------------------------


def run_row_access(state: ElysiumState, _node: Node[v.RowAccess], _power: Power) -> None:
    state.oracle_open = True
    state.stale |= STALE_TABLE


def run_acquire_mod(state: ElysiumState, node: Node[v.AcquireMod], _power: Power) -> None:
    """Let the normal take of this turn leave out symbols; a Permanent card's modifier is not run, it just is."""
    state.leave_out.append(node.number)
    state.stale |= STALE_TABLE


def left_out(state: ElysiumState, seat: Seat, design: int) -> int:
    """Return how many symbols of a card's condition the seat may leave out now (at most 2)."""
    tables = state.tables
    count = 0
    for number in state.leave_out:
        count += _left_out_by(tables.nodes[number], design)
    for card in state.domains[seat]:
        passive = tables.passive[tables.design[card]] if card > 0 else None
        if passive is not None:
            for node in passive.leave_out:
                count += _left_out_by(node, design)
    return min(count, 2)


def _left_out_by(node: Node[v.AcquireMod], design: int) -> int:
    if not node.fits[design]:
        return 0

    return 2 if node.step.ignore is Ignore.ALL else 1


# -- column_return -------------------------------------------------------------------------------------------


def can_column_return(state: ElysiumState, _node: Node[v.ColumnReturn], power: Power) -> bool:
    return state.columns[power.subject] != ALL_COLUMNS and _has_a_take_to_come(state, power.subject)


def _has_a_take_to_come(state: ElysiumState, seat: Seat) -> bool:
    if state.phase is not Phase.ACTIONS:
        return False
    if state.round < _LAST_ROUND:
        return True

    at = state.order.index(seat)
    return at > state.place or (at == state.place and not state.took)


def ask_column_return(state: ElysiumState, task: Task) -> None:
    node: Node[v.ColumnReturn] = state.tables.nodes[task.node]
    if can_column_return(state, node, task.power):
        standing = state.columns[task.power.subject]
        codes = state.tables.actions.column_return
        ask_subject(state, task, "return", [codes[colour] for colour in COLOURS if not standing >> (colour - 1) & 1])


def column_return_answered(state: ElysiumState, action: Action, task: Task) -> None:
    seat = task.power.subject
    state.columns[seat] |= 1 << (state.tables.actions.x[action] - 1)
    state.stale |= STALE_PLAYER << seat
    left = task.x - 1
    if left:
        state.agenda.append(Task(Todo.RETURN, task.power, task.node, left))


STEPS: Final[Steps] = {
    v.RowMove: (can_row_move, run_row_move),
    v.Reserve: (can_reserve, asks(Todo.RESERVE)),
    v.RowAccess: (always, run_row_access),
    v.AcquireMod: (always, run_acquire_mod),
    v.ColumnReturn: (can_column_return, asks(Todo.RETURN, n_times=True)),
}
TASKS: Final[Tasks] = {
    Todo.MOVE: (ask_row_move, row_move_answered),
    Todo.RESERVE: (ask_reserve, reserve_answered),
    Todo.RETURN: (ask_column_return, column_return_answered),
}
