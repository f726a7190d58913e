"""The offerings: markers, bids, outbidding and payment (C6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.cyclades import events, pieces
from agon_engine.cyclades.data import MAX_BID
from agon_engine.cyclades.enums import NOBODY, God, Phase, Todo
from agon_engine.cyclades.layout import STALE_GODS, STALE_TABLE, due
from agon_engine.cyclades.notation import BID, GOD, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_APOLLO: Final = God.APOLLO
_NEXT_MARKER: Final = due(Todo.NEXT_MARKER)
_NEXT_TURN: Final = due(Todo.NEXT_TURN)
_BID_PROMPTS: Final = tuple(f"bid {god.name.lower()}" for god in God)


def next_marker(state: CycladesState, _: Due) -> None:
    """Let the next marker of the track be placed; after the last one everybody pays (C6.1, C6.5)."""
    state.stale |= STALE_TABLE
    if state.placed == len(state.order):
        settle(state)
        return

    seat = state.order[state.placed]
    state.placed += 1
    state.agenda.append(_NEXT_MARKER)
    state.agenda.append(due(Todo.GOD, seat))


def settle(state: CycladesState) -> None:
    """Let everybody pay and begin the actions (C6.5)."""
    costs = [standing_cost(state, seat) for seat in range(state.seats)]
    for seat, cost in enumerate(costs):
        pieces.change_gold(state, seat, -cost)
    state.tell(events.offerings(costs))
    state.phase = Phase.ACTIONS
    state.stale |= STALE_GODS
    state.agenda.append(_NEXT_TURN)


def cost_of(state: CycladesState, seat: Seat, amount: int) -> int:
    """Return what a bid costs its seat: less its priests, at least 1 (C6.3)."""
    return max(1, amount - state.priests[seat])


def standing_cost(state: CycladesState, seat: Seat) -> int:
    """Return what all bids of a seat that stand cost it together."""
    bids = state.bids
    return sum([cost_of(state, seat, bids[god]) for god in state.gods if state.bidders[god] == seat])


def highest_bid(state: CycladesState, seat: Seat) -> int:
    """Return the highest amount that a seat can bid now, beside its bid that stands; 0: it can bid nothing (C6.3)."""
    gold = state.purses[seat] - standing_cost(state, seat)
    return min(MAX_BID, gold + state.priests[seat]) if gold >= 1 else 0


def ask_god(state: CycladesState, step: Due) -> None:
    """Ask on which god a marker goes: not on the one just lost, not on one that the seat holds (C6.2, C6.4)."""
    seat, lost = step.seat, step.what
    highest = highest_bid(state, seat)
    bids, bidders = state.bids, state.bidders
    actions = [GOD[god] for god in state.gods if god != lost and bidders[god] != seat and bids[god] < highest]
    actions.append(GOD[_APOLLO])
    pieces.ask(state, step, "god", actions)


def choose_god(state: CycladesState, step: Due, move: Move) -> None:
    """Take Apollo, or ask for the amount; only Apollo is told, another god is told with the bid."""
    if move.what == _APOLLO:
        state.tell(events.ACTED[step.seat][GOD[_APOLLO]])
        state.apollo.append(step.seat)
        state.stale |= STALE_GODS
    else:
        state.agenda.append(due(Todo.BID, step.seat, what=move.what))


def ask_bid(state: CycladesState, step: Due) -> None:
    """Ask how much: more than the bid that stands there, as much as the seat can pay (C6.1, C6.3, C6.6)."""
    god = step.what
    highest = highest_bid(state, step.seat)
    pieces.ask(state, step, _BID_PROMPTS[god], list(BID[god][state.bids[god] + 1 : highest + 1]))


def bid(state: CycladesState, step: Due, move: Move) -> None:
    """Place the bid; a marker that was there bids again at once (C6.2)."""
    god = move.what
    displaced = state.bidders[god]
    state.bidders[god] = step.seat
    state.bids[god] = move.number
    state.stale |= STALE_GODS
    if displaced != NOBODY:
        state.agenda.append(due(Todo.GOD, displaced, what=god))
