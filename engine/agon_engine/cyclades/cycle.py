"""The cycle: its creatures, gods and revenue, and its end (C3, C4, C5, C10.4, C10.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Maker
from agon_engine.cyclades import cards, events, pieces, scoring
from agon_engine.cyclades.data import winning_number
from agon_engine.cyclades.enums import NOBODY, SHUFFLED_GODS, Ending, God, Phase, Todo
from agon_engine.cyclades.layout import STALE_GODS, STALE_PLAYERS, STALE_TABLE, STALE_TURN, due

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_BEGIN_CYCLE: Final = due(Todo.BEGIN_CYCLE)
_NEXT_MARKER: Final = due(Todo.NEXT_MARKER)


def begin_cycle(state: CycladesState, _: Due) -> None:
    """Run phases 1 to 3 and begin the offerings."""
    state.cycle += 1
    state.tell(events.cycle(state.cycle))
    if state.next_order:
        state.order = state.next_order
        state.next_order = []
        state.tell(events.order(state.order, Maker.REFEREE))
    state.phase = Phase.OFFERINGS
    state.placed = 0
    state.discounts_used = [0] * state.seats
    state.bidders = [NOBODY] * len(God)
    state.bids = [0] * len(God)
    state.apollo = []
    state.acted = 0
    state.stale |= STALE_TABLE | STALE_GODS | STALE_PLAYERS
    cards.refresh_spaces(state)
    raise_gods(state)
    collect_revenue(state)
    state.agenda.append(_NEXT_MARKER)


def gods_up(state: CycladesState) -> int:
    """Return how many gods are up beside Apollo (C4.2 to C4.4)."""
    if state.seats == 2:
        return state.two_player_gods
    return {3: 2, 4: 3, 5: 4}[state.seats]


def raise_gods(state: CycladesState) -> None:
    """Lay out the gods of this cycle."""
    up = gods_up(state)
    shuffle = state.chance.shuffle
    if up == 3 and state.gods_out:
        behind = state.gods
        shuffle("gods", behind)
        row = [*state.gods_out, *behind]
    elif up == 2 and state.cycle % 2 == 0:
        coming = state.gods_out
        shuffle("gods", coming)
        row = [*coming, *state.gods]
    else:
        row = list(SHUFFLED_GODS)
        shuffle("gods", row)
    state.gods, state.gods_out = row[:up], row[up:]
    state.tell(events.gods(state.gods, state.gods_out))


def collect_revenue(state: CycladesState) -> None:
    """Give each seat its revenue (C5.1); an eliminated one has none."""
    amounts = [pieces.income(state, seat) for seat in range(state.seats)]
    for seat, amount in enumerate(amounts):
        pieces.change_gold(state, seat, amount)
    state.tell(events.revenue(amounts))


def end_cycle(state: CycladesState) -> None:
    """End the match by C10.4 or C10.5, or go on with the next cycle."""
    if scoring.most_metropolises(state) >= winning_number(state.seats):
        end_match(state, Ending.METROPOLISES)
    elif state.cycle == state.max_cycles:
        end_match(state, Ending.CAP)
    else:
        state.agenda.append(_BEGIN_CYCLE)


def end_match(state: CycladesState, ending: Ending) -> None:
    """End the match at once, whatever was still to be done."""
    state.agenda.clear()
    state.phase = Phase.OVER
    state.ending = ending
    state.turn_seat = NOBODY
    state.turn_god = God.NONE
    state.stale |= STALE_TABLE | STALE_TURN
    for seat, score in enumerate(scoring.outcome_of(state).scores):
        state.tell(events.scored(seat, score))
    state.tell(events.over(ending))
