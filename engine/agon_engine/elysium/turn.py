"""A turn of Phase II (E4): powers, the normal take, the column that is dismissed, powers again. And a step of Phase III
(E5.3): Legend powers and the transfers of the quest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import happening, moves, taking, transferring, using
from agon_engine.elysium.card_set import Quest
from agon_engine.elysium.effects import ask
from agon_engine.elysium.enums import COLOURS, Todo
from agon_engine.elysium.layout import AGORA, ORACLE, STALE_PLAYER, STALE_TABLE, Task
from agon_engine.elysium.notation import Kind
from agon_engine.elysium.rows import left_out
from agon_engine.elysium.words import Price

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Tasks
    from agon_engine.elysium.state import ElysiumState

CARDS_AN_EPOCH: Final = 3
_POWER: Final = int(Kind.POWER)
_TAKE: Final = int(Kind.TAKE)
_TAKE_ORACLE: Final = int(Kind.TAKE_ORACLE)
_QUEST: Final = int(Kind.QUEST)
_CITIZEN: Final = int(Kind.CITIZEN)

# -- the take ------------------------------------------------------------------------------------------------


def ask_turn(state: ElysiumState, task: Task) -> None:
    """Ask for a power or for the turn's take: a Citizen or a pass where there is nothing else (E4.4, E4.5)."""
    seat = task.power.owner
    takes = cards_to_take(state, seat) if state.taken[seat] < CARDS_AN_EPOCH else []
    if not state.quests[seat]:
        takes += quests_to_take(state, seat)
    if not takes:
        actions = state.tables.actions
        takes = [actions.citizen if state.taken[seat] < CARDS_AN_EPOCH else actions.pass_turn]
    ask(state, task, seat, "turn", using.powers(state, seat) + takes)


def cards_to_take(state: ElysiumState, seat: Seat) -> list[Action]:
    """List the cards that the seat's normal take may be (E4.2, E4.3)."""
    actions = state.tables.actions
    found = _in_row(state, seat, AGORA, actions.take)
    if state.oracle_open:
        found += _in_row(state, seat, ORACLE, actions.take_oracle)
    return found


def _in_row(state: ElysiumState, seat: Seat, row: int, codes: tuple[Action, ...]) -> list[Action]:
    tables = state.tables
    columns = state.columns[seat]
    plain, one, both = tables.open_to
    found = []
    for design in sorted(taking.takeable(state, seat, row)):
        if plain[design] >> columns & 1:
            found.append(codes[design])
        elif columns:
            without = left_out(state, seat, design)
            if without and (one if without == 1 else both)[design] >> columns & 1:
                found.append(codes[design])
    return found


def quests_to_take(state: ElysiumState, seat: Seat) -> list[Action]:
    """List the quests that nobody has and under whose colours the seat has a column."""
    columns, taken = state.columns[seat], state.quests
    return [
        state.tables.actions.quest[number]
        for number, colours in enumerate(quest_columns(state), 1)
        if number not in taken and columns & colours
    ]


def quest_columns(state: ElysiumState) -> tuple[int, ...]:
    """Return for each quest the columns, as bits, one of which it takes (E2.2, E4.2)."""
    return state.tables.quest_columns[0 if state.seats == 2 else 1][state.side - 1]


def quest_of(state: ElysiumState, seat: Seat) -> Quest:
    """Return the side of the quest tile that a seat has; it has one from Phase III on."""
    cards = state.tables.cards
    if state.incomplete[seat]:
        return cards.incomplete

    return (cards.quests_two if state.seats == 2 else cards.quests_more)[state.quests[seat] - 1]


def turn_answered(state: ElysiumState, action: Action, task: Task) -> None:
    """Use a power and ask again, or make the turn's take; then a column is dismissed (T2)."""
    actions, seat = state.tables.actions, task.power.owner
    kind, x = actions.kind[action], actions.x[action]
    if kind == _POWER:
        state.agenda.append(task)
        using.use_power(state, seat, x)
        return

    state.took = True
    state.stale |= STALE_TABLE
    state.agenda.append(Task(Todo.DISMISS, task.power))
    if kind == _QUEST:
        state.quests[seat] = x
        state.stale |= STALE_PLAYER << seat
        happening.quest_taken(state, seat)
    elif kind in (_TAKE, _TAKE_ORACLE):
        row = AGORA if kind == _TAKE else ORACLE
        card = taking.takeable(state, seat, row)[x]
        moves.leave_row(state, row, card)
        _count(state, seat)
        taking.take_in(state, seat, card)
    elif kind == _CITIZEN:
        _count(state, seat)
        moves.draw_citizen(state, seat)


def _count(state: ElysiumState, seat: Seat) -> None:
    state.taken[seat] += 1
    state.stale |= STALE_PLAYER << seat


# -- the column, and powers after it -------------------------------------------------------------------------


def ask_dismiss(state: ElysiumState, task: Task) -> None:
    seat, codes = task.power.owner, state.tables.actions.dismiss
    columns = state.columns[seat]
    ask(state, task, seat, "dismiss", [codes[colour] for colour in COLOURS if columns >> (colour - 1) & 1])


def dismiss_answered(state: ElysiumState, action: Action, task: Task) -> None:
    seat = task.power.owner
    state.agenda.append(Task(Todo.AFTER, task.power))
    state.columns[seat] &= ~(1 << (state.tables.actions.x[action] - 1))
    state.stale |= STALE_PLAYER << seat


def ask_after(state: ElysiumState, task: Task) -> None:
    """Ask for powers after the take, where there is one to use."""
    seat = task.power.owner
    found = using.powers(state, seat)
    if found:
        ask(state, task, seat, "after", [*found, state.tables.actions.end])


def after_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions = state.tables.actions
    if action != actions.end:
        state.agenda.append(task)
        using.use_power(state, task.power.owner, actions.x[action])


def end_turn(state: ElysiumState) -> None:
    """Let all end that is for one turn."""
    moves.clear_turn_marks(state)
    state.took = False
    state.oracle_open = False
    state.leave_out.clear()
    state.stale |= STALE_TABLE


# -- the step of Phase III -----------------------------------------------------------------------------------


def ask_write(state: ElysiumState, task: Task) -> None:
    """Ask for a Legend power, for a transfer of the quest or for the end of the step, while there is one of them."""
    seat, actions = task.power.owner, state.tables.actions
    found = using.legend_powers(state, seat)
    if state.written < quest_of(state, seat).transfers + state.extra[seat]:
        found += transferring.payable(state, seat, state.domains[seat], Price.NORMAL, actions.transfer)
    if found:
        ask(state, task, seat, "write", [*found, actions.end])


def write_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions, seat = state.tables.actions, task.power.owner
    if action == actions.end:
        return

    state.agenda.append(task)
    if actions.kind[action] == _POWER:
        using.use_power(state, seat, actions.x[action])
    else:
        state.written += 1
        state.stale |= STALE_TABLE
        card = taking.own_card(state, seat, actions.x[action])
        state.agenda.append(Task(Todo.PLACE, task.power, x=card))


TASKS: Final[Tasks] = {
    Todo.TURN: (ask_turn, turn_answered),
    Todo.DISMISS: (ask_dismiss, dismiss_answered),
    Todo.AFTER: (ask_after, after_answered),
    Todo.WRITE: (ask_write, write_answered),
}
