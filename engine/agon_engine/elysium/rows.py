"""The steps of the public rows: row_move, reserve, row_access, and the modifiers of the normal take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import moves
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import COLOURS, Family, Phase, Todo
from agon_engine.elysium.layout import AGORA, STALE_PLAYER, STALE_ROW, STALE_TABLE
from agon_engine.elysium.tables import ALL_COLUMNS, Node
from agon_engine.elysium.taking import ROWS, free_cards

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_MOVE: Final = int(Todo.MOVE)
_RESERVE: Final = int(Todo.RESERVE)
_RETURN: Final = int(Todo.RETURN)
_APOLLO: Final = int(Family.APOLLO)
_LAST_ROUND: Final = 4

# -- row_move ------------------------------------------------------------------------------------------------


def run_row_move(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    step = node.step
    assert isinstance(step, v.RowMove)
    if step.to is v.Zone.ORACLE and _APOLLO not in state.families:
        return
    if step.source is v.Zone.DECK:
        for _ in range(moves.ready(state, step.n)):
            moves.turn_up(state, ROWS[step.to])
        return

    ask_row_move(state, node.number, owner, subject, source, step.n, 0)


def can_row_move(state: ElysiumState, node: Node, _: Seat, subject: Seat, __: int) -> bool:
    step = node.step
    assert isinstance(step, v.RowMove)
    if step.to is v.Zone.ORACLE and _APOLLO not in state.families:
        return False
    if step.source is v.Zone.DECK:
        return moves.can_draw(state)

    return any(node.fits[design] for design in free_cards(state, subject, ROWS[step.source]))


def ask_row_move(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, left: int, _: int) -> None:
    node = state.tables.nodes[number]
    step = node.step
    assert isinstance(step, v.RowMove)
    row = ROWS[step.source]
    codes = state.tables.actions.move if row == AGORA else state.tables.actions.move_oracle
    cards = [codes[design] for design in sorted(free_cards(state, subject, row)) if node.fits[design]]
    if cards:
        prompt = f"move {state.tables.ids[state.tables.design[source]]}"
        moves.ask(state, (_MOVE, number, owner, subject, source, left, 0), subject, prompt, cards)


def row_move_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, subject: Seat, source: int, left: int, _: int
) -> None:
    step = state.tables.nodes[number].step
    assert isinstance(step, v.RowMove)
    row = ROWS[step.source]
    design = state.tables.actions.x[action]
    card = free_cards(state, subject, row)[design]
    moves.leave_row(state, row, card)
    moves.lay(state, ROWS[step.to], card)
    state.moved_level = state.tables.level[design]
    if left > 1:
        state.agenda.append((_MOVE, number, owner, subject, source, left - 1, 0))


# -- reserve -------------------------------------------------------------------------------------------------


def _reservable(state: ElysiumState, node: Node) -> dict[int, int]:
    design = state.tables.design
    cards = [card for card in reversed(state.rows[AGORA]) if card not in state.reserved]
    return {design[card]: card for card in cards if node.fits[design[card]]}


def run_reserve(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    ask_reserve(state, node.number, owner, subject, source, 0, 0)


def can_reserve(state: ElysiumState, node: Node, _: Seat, __: Seat, ___: int) -> bool:
    return bool(_reservable(state, node))


def ask_reserve(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    codes = state.tables.actions.reserve
    cards = [codes[design] for design in sorted(_reservable(state, state.tables.nodes[number]))]
    if cards:
        prompt = f"reserve {state.tables.ids[state.tables.design[source]]}"
        moves.ask(state, (_RESERVE, number, owner, subject, source, 0, 0), subject, prompt, cards)


def reserve_answered(
    state: ElysiumState, action: Action, number: int, _: Seat, subject: Seat, __: int, ___: int, ____: int
) -> None:
    found = _reservable(state, state.tables.nodes[number])
    state.reserved[subject] = found[state.tables.actions.x[action]]
    state.stale |= STALE_ROW << AGORA


# -- what changes the normal take ----------------------------------------------------------------------------


def run_row_access(state: ElysiumState, _: Node, __: Seat, ___: Seat, ____: int) -> None:
    state.oracle_open = True
    state.stale |= STALE_TABLE


def run_acquire_mod(state: ElysiumState, node: Node, _: Seat, __: Seat, ___: int) -> None:
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
            for number in passive.leave_out:
                count += _left_out_by(tables.nodes[number], design)
    return min(count, 2)


def _left_out_by(node: Node, design: int) -> int:
    step = node.step
    assert isinstance(step, v.AcquireMod)
    if not node.fits[design]:
        return 0

    return 2 if step.ignore is v.Ignore.ALL else 1


# -- column_return -------------------------------------------------------------------------------------------


def run_column_return(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    if can_column_return(state, node, owner, subject, source):
        step = node.step
        assert isinstance(step, v.ColumnReturn)
        ask_column_return(state, node.number, owner, subject, source, step.n, 0)


def can_column_return(state: ElysiumState, _: Node, __: Seat, subject: Seat, ___: int) -> bool:
    return state.columns[subject] != ALL_COLUMNS and _has_a_take_to_come(state, subject)


def _has_a_take_to_come(state: ElysiumState, seat: Seat) -> bool:
    if state.phase is not Phase.ACTIONS:
        return False
    if state.round < _LAST_ROUND:
        return True

    at = state.order.index(seat)
    return at > state.place or (at == state.place and not state.took)


def ask_column_return(
    state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, left: int, _: int
) -> None:
    gone = [colour for colour in COLOURS if not state.columns[subject] >> (colour - 1) & 1]
    if gone:
        prompt = f"return {state.tables.ids[state.tables.design[source]]}"
        asked = (_RETURN, number, owner, subject, source, left, 0)
        moves.ask(state, asked, subject, prompt, [state.tables.actions.column_return[colour] for colour in gone])


def column_return_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, subject: Seat, source: int, left: int, _: int
) -> None:
    state.columns[subject] |= 1 << (state.tables.actions.x[action] - 1)
    state.stale |= STALE_PLAYER << subject
    if left > 1:
        state.agenda.append((_RETURN, number, owner, subject, source, left - 1, 0))
