"""The small moves of gold, pieces and figurines that every rule is made of.

Each keeps the counts and drops the view parts that it makes stale. When a move is due is for the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Decision, Seat
from agon_engine.cyclades import events
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.enums import CREATURES, FIRST_FIGURINE, NOBODY, Creature
from agon_engine.cyclades.layout import (
    KINDS,
    STALE_CREATURES,
    STALE_ISLAND,
    STALE_PLAYER,
    STALE_SEAS,
    STALE_SUPPLY,
    figurine_index,
)

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_POLYPHEMUS: Final = figurine_index(Creature.POLYPHEMUS)


def ask(state: CycladesState, step: Due, prompt: str, actions: list[Action]) -> None:
    """Open the decision of a step, which stays on the agenda until it is answered."""
    state.agenda.append(step)
    state.decision = Decision(step.seat, prompt, tuple(actions))


# -- gold ----------------------------------------------------------------------------------------------------


def change_gold(state: CycladesState, seat: Seat, change: int) -> None:
    """Give gold to a seat, or take it. The caller tells the amount; it does not take more than the seat has."""
    state.purses[seat] += change
    state.ledger[seat] += change
    state.stale |= STALE_PLAYER << seat


def gain(state: CycladesState, seat: Seat, amount: int) -> None:
    change_gold(state, seat, amount)
    state.tell(events.gained(seat, amount))


def pay(state: CycladesState, seat: Seat, amount: int) -> None:
    change_gold(state, seat, -amount)
    state.tell(events.paid(seat, amount))


def income(state: CycladesState, seat: Seat) -> int:
    """Return a seat's revenue: horns of its islands and its trade seas (C5.1)."""
    board = BOARDS[state.seats]
    prosperity, horns = state.prosperity, board.horns
    on_islands = sum([horns[island] + prosperity[island] for island in members(state.isles[seat])])
    return on_islands + (state.waters[seat] & board.trade).bit_count()


# -- fleets --------------------------------------------------------------------------------------------------


def add_fleets(state: CycladesState, seat: Seat, sea: int, count: int) -> None:
    """Put fleets into a sea without fleets of others."""
    state.sea_owner[sea] = seat
    state.fleets[sea] += count
    state.waters[seat] |= 1 << sea
    state.stale |= STALE_SEAS


def take_fleets(state: CycladesState, sea: int, count: int) -> None:
    """Take fleets out of a sea; the caller puts them where they go."""
    left = state.fleets[sea] - count
    state.fleets[sea] = left
    state.stale |= STALE_SEAS
    if not left:
        state.waters[state.sea_owner[sea]] &= ~(1 << sea)
        state.sea_owner[sea] = NOBODY


def lose_fleets(state: CycladesState, sea: int, count: int) -> None:
    """Send fleets back to their owner's reserve."""
    owner = state.sea_owner[sea]
    take_fleets(state, sea, count)
    state.fleet_reserve[owner] += count
    state.stale |= STALE_PLAYER << owner
    state.tell(events.lost_fleets(owner, BOARDS[state.seats].sea_names[sea], count))


def barred_seas(state: CycladesState) -> int:
    """Return the bits of the seas that no fleet may enter (C1.4)."""
    barred = BOARDS[state.seats].island_waters[state.figurine_island[_POLYPHEMUS]]
    return barred | 1 << state.kraken if state.kraken else barred


def seas_of_others(state: CycladesState, seat: Seat) -> int:
    """Return the bits of the seas with fleets of other seats."""
    others = 0
    for other, waters in enumerate(state.waters):
        if other != seat:
            others |= waters
    return others


# -- troops and islands --------------------------------------------------------------------------------------


def add_troops(state: CycladesState, island: int, count: int) -> None:
    state.troops[island] += count
    state.stale |= STALE_ISLAND << island


def lose_troop(state: CycladesState, island: int) -> None:
    """Send a troop of an island back to its owner's reserve."""
    owner = state.island_owner[island]
    state.troops[island] -= 1
    state.troop_reserve[owner] += 1
    state.stale |= STALE_ISLAND << island | STALE_PLAYER << owner
    state.tell(events.lost_troops(owner, island, 1))


def own_island(state: CycladesState, seat: Seat, island: int, troops: int) -> None:
    """Give an island, which has no troops any more, to a seat with its troops."""
    old = state.island_owner[island]
    if old != NOBODY:
        state.isles[old] &= ~(1 << island)
    state.island_owner[island] = seat
    state.isles[seat] |= 1 << island
    state.troops[island] = troops
    state.stale |= STALE_ISLAND << island
    state.tell(events.TOOK[seat][island])


def free_islands(state: CycladesState) -> int:
    """Return the bits of the islands that nobody owns."""
    owned = 0
    for isles in state.isles:
        owned |= isles
    return BOARDS[state.seats].all_islands & ~owned


def joined_islands(state: CycladesState, seat: Seat, island: int) -> int:
    """Return the bits of the islands that an unbroken chain of a seat's fleets joins to one."""
    board = BOARDS[state.seats]
    neighbours, shores, waters = board.sea_neighbours, board.sea_shores, state.waters[seat]
    reached = ahead = board.island_waters[island] & waters
    joined = 0
    while ahead:
        low = ahead & -ahead
        sea = low.bit_length() - 1
        joined |= shores[sea]
        further = neighbours[sea] & waters & ~reached
        reached |= further
        ahead = ahead ^ low | further
    return joined & ~(1 << island)


# -- buildings -----------------------------------------------------------------------------------------------


def add_building(state: CycladesState, island: int, building: int) -> None:
    state.buildings[island * KINDS + building] += 1
    state.buildings_left[building] -= 1
    state.stale |= STALE_ISLAND << island | STALE_SUPPLY


def remove_building(state: CycladesState, island: int, building: int) -> None:
    """Put a building back into the supply."""
    state.buildings[island * KINDS + building] -= 1
    state.buildings_left[building] += 1
    state.stale |= STALE_ISLAND << island | STALE_SUPPLY


def buildings_on(state: CycladesState, island: int) -> int:
    """Return how many buildings an island has, its Metropolis apart."""
    first = island * KINDS
    return sum(state.buildings[first : first + KINDS])


def count_buildings(state: CycladesState, seat: Seat, building: int) -> int:
    """Return how many of a kind a seat has."""
    buildings = state.buildings
    return sum([buildings[island * KINDS + building] for island in members(state.isles[seat])])


def free_slots(state: CycladesState, island: int) -> int:
    """Return how many buildings still find a slot on an island (C10.8)."""
    board = BOARDS[state.seats]
    covered = board.covered[island] if state.metropolises >> island & 1 else 0
    return board.slots[island] - covered - buildings_on(state, island)


# -- figurines -----------------------------------------------------------------------------------------------


def island_of(state: CycladesState, creature: Creature) -> int:
    """Return the island on which a figurine stands; 0: on none."""
    return state.figurine_island[creature - FIRST_FIGURINE]


def lift_figurine(state: CycladesState, creature: Creature) -> None:
    """Take a figurine off its island; its card is without a place until the caller gives it one."""
    index = figurine_index(creature)
    state.tell(events.lifted(creature, state.figurine_island[index]))
    state.figurine_island[index] = 0
    state.figurine_owner[index] = NOBODY
    state.figurine_cycle[index] = 0
    state.stale |= STALE_CREATURES


def discard_card(state: CycladesState, creature: Creature) -> None:
    state.discard.append(creature)
    state.stale |= STALE_CREATURES
    state.tell(events.discarded(creature))


def dismiss_figurine(state: CycladesState, creature: Creature) -> None:
    """Take a figurine off its island and put its card on the discard pile."""
    lift_figurine(state, creature)
    discard_card(state, creature)


def figurine_on(state: CycladesState, island: int) -> Creature:
    """Return the figurine on an island, or NONE."""
    places = state.figurine_island
    return CREATURES[FIRST_FIGURINE - 1 + places.index(island)] if island in places else Creature.NONE
