"""The course of a match: awakening (E3), turns in disc order (E4), Phase III (E5.1 to E5.3), Phase IV (E6), the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.elysium import events, happening, lots, moves, scoring
from agon_engine.elysium.effects import never
from agon_engine.elysium.enums import Family, Phase, Todo
from agon_engine.elysium.layout import AGORA, DISCARD, OF_SEAT, ORACLE, RING, STALE_ALL, Task
from agon_engine.elysium.tables import ALL_COLUMNS, GOLD, VP
from agon_engine.elysium.turn import end_turn, quest_columns, quest_of

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Tasks
    from agon_engine.elysium.state import ElysiumState

EPOCHS: Final = 5
ROUNDS: Final = 4
ORACLE_SIZE: Final = 4
_APOLLO: Final = int(Family.APOLLO)

# -- phase I and the turns of phase II -----------------------------------------------------------------------


def begin_epoch(state: ElysiumState) -> None:
    """Fill the rows (from the second epoch on: E3) and let the first player's turn begin."""
    state.tell(events.epoch(state.epoch))
    rows = state.rows
    if rows[AGORA]:
        rows[DISCARD] += rows[AGORA]
        rows[AGORA].clear()
    if rows[ORACLE]:
        rows[AGORA] += rows[ORACLE]
        rows[ORACLE].clear()
    _fill(state, AGORA, 3 * state.seats + 1)
    if _APOLLO in state.families:
        _fill(state, ORACLE, ORACLE_SIZE)
    state.phase = Phase.ACTIONS
    state.round = 1
    state.place = 0
    state.stale = STALE_ALL
    _begin_turn(state)


def _fill(state: ElysiumState, row: int, size: int) -> None:
    """Fill a row from the draw pile, as far as there are cards (E3.1, E3.2, D1)."""
    for _ in range(moves.ready(state, max(0, size - len(state.rows[row])))):
        moves.turn_up(state, row)


def _begin_turn(state: ElysiumState) -> None:
    seat = state.on_turn()
    state.tell(events.TURN[seat])
    state.agenda.append(Task(Todo.NEXT_TURN, OF_SEAT[seat]))
    state.agenda.append(Task(Todo.TURN, OF_SEAT[seat]))


def next_turn(state: ElysiumState, _task: Task) -> None:
    """Go on with the next player in disc order, the next round, or Phase III (E4)."""
    end_turn(state)
    state.place += 1
    if state.place == state.seats:
        state.place = 0
        state.round += 1
    if state.round <= ROUNDS:
        _begin_turn(state)
    else:
        _begin_legends(state)


# -- phase III -----------------------------------------------------------------------------------------------


def _begin_legends(state: ElysiumState) -> None:
    """Hand out what is left of the quests, put the players in order and pay them (E4.5, E5.1, E5.2)."""
    left = [number for number in range(1, len(quest_columns(state)) + 1) if number not in state.quests]
    for seat in state.order:
        if not state.quests[seat]:
            state.quests[seat] = left.pop(0)
            state.incomplete[seat] = True
            state.tell(events.left_over(seat, state.quests[seat]))
    complete = sorted((seat for seat in state.order if not state.incomplete[seat]), key=lambda seat: state.quests[seat])
    state.order = [*complete, *(seat for seat in state.order if state.incomplete[seat])]
    state.tell(events.order(state.order))
    for seat in state.order:
        quest = quest_of(state, seat)
        moves.gain(state, seat, GOLD, quest.gold)
        moves.gain(state, seat, VP, quest.vp)
    state.phase = Phase.LEGENDS
    state.round = ROUNDS
    state.place = -1
    state.stale = STALE_ALL
    state.agenda.append(Task(Todo.NEXT_WRITER, OF_SEAT[0]))
    happening.quests_paid(state)


def next_writer(state: ElysiumState, _task: Task) -> None:
    """Go on with the next player's transfers in the new order, or with Phase IV (E5.3)."""
    end_turn(state)
    state.written = 0
    state.place += 1
    if state.place == state.seats:
        _end_epoch(state)
        return

    seat = state.on_turn()
    state.tell(events.WRITES[seat])
    state.agenda.append(Task(Todo.NEXT_WRITER, OF_SEAT[seat]))
    state.agenda.append(Task(Todo.WRITE, OF_SEAT[seat]))


# -- phase IV ------------------------------------------------------------------------------------------------


def _end_epoch(state: ElysiumState) -> None:
    """Put everything back that is for one epoch (E6), then go on with the next one, or score after the fifth."""
    seats = state.seats
    state.columns = [ALL_COLUMNS] * seats
    state.quests = [0] * seats
    state.incomplete = [False] * seats
    state.taken = [0] * seats
    state.extra = [0] * seats
    state.transferred = [0] * seats
    state.discounts = [[] for _ in range(seats)]
    state.reserved = [0] * seats
    state.marks = [mark & RING for mark in state.marks]
    lots.clear_veils(state, ~RING)
    state.place = 0
    state.stale = STALE_ALL
    if state.epoch < EPOCHS:
        state.epoch += 1
        begin_epoch(state)
    else:
        scoring.begin_scoring(state)


TASKS: Final[Tasks] = {
    Todo.NEXT_TURN: (next_turn, never),
    Todo.NEXT_WRITER: (next_writer, never),
}
