"""Islands that change hands: taking, the last island, elimination (C7.11, C7.12, C10.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.cyclades import cycle, events, pieces, sets
from agon_engine.cyclades.board import members
from agon_engine.cyclades.enums import FIGURINES, NOBODY, Creature, Ending, God, Phase, Todo
from agon_engine.cyclades.layout import STALE_CREATURES, STALE_GODS, STALE_PLAYER, STALE_TABLE, due, figurine_index

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState

_MINOTAUR: Final = Creature.MINOTAUR
_OVER: Final = Phase.OVER


def take_island(state: CycladesState, seat: Seat, island: int, troops: int) -> None:
    """Give an island with all on it to the seat whose troops come there; see to what follows (C8.4, C10.7)."""
    old = state.island_owner[island]
    pieces.own_island(state, seat, island, troops)
    if pieces.island_of(state, _MINOTAUR) == island:
        pieces.dismiss_figurine(state, _MINOTAUR)
    if old != NOBODY:
        if not state.isles[old]:
            eliminate(state, old)
        if state.phase is not _OVER:
            state.agenda.append(due(Todo.SETS, seat))


def eliminate(state: CycladesState, seat: Seat) -> None:
    """Take a seat without islands out of the game with all that it has (C7.12)."""
    state.tell(events.ELIMINATED[seat])
    state.fallen.append(seat)
    for sea in members(state.waters[seat]):
        pieces.take_fleets(state, sea, state.fleets[sea])
    state.troop_reserve[seat] = state.fleet_reserve[seat] = 0
    state.purses[seat] = state.ledger[seat] = 0
    state.lost_priests += state.priests[seat]
    state.lost_philosophers += state.philosophers[seat]
    state.priests[seat] = state.philosophers[seat] = 0
    for creature in FIGURINES:
        if state.figurine_owner[figurine_index(creature)] == seat:
            pieces.lift_figurine(state, creature)
            state.gone.append(creature)
    _leave_the_track(state, seat)
    state.stale |= STALE_TABLE | STALE_GODS | STALE_CREATURES | STALE_PLAYER << seat
    if len(state.fallen) == state.seats - 1:
        cycle.end_match(state, Ending.LAST_PLAYER)


def _leave_the_track(state: CycladesState, seat: Seat) -> None:
    """Take the markers off; a god turn still to come is lost, the places at Apollo stay as they are."""
    state.order = [other for other in state.order if other != seat]
    state.placed = len(state.order)
    state.next_order = [other for other in state.next_order if other != seat]
    for god in God:
        if state.bidders[god] == seat:
            state.bidders[god] = NOBODY
            state.bids[god] = 0


def protected_islands(state: CycladesState, seat: Seat) -> int:
    """Return the bits of the last islands of others, which a seat may not attack by land, unless it wins (C7.11)."""
    protected = 0
    for other, isles in enumerate(state.isles):
        if other != seat and isles and not isles & (isles - 1):
            island = isles.bit_length() - 1
            if not sets.would_win(state, seat, island):
                protected |= isles
    return protected
