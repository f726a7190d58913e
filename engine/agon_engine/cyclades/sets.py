"""Sets that are exchanged for Metropolises: finding them, giving them up, their place, what goes under the frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.cyclades import events, pieces
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import SET, winning_number
from agon_engine.cyclades.enums import BUILDINGS, OverBuildings, Todo
from agon_engine.cyclades.layout import KINDS, STALE_ISLAND, STALE_PLAYER, STALE_SUPPLY, due
from agon_engine.cyclades.notation import FOUND, GIVE, RAZE, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_GIVE_PROMPTS: Final = ("", *(f"give {building.name.lower()}" for building in BUILDINGS))

# -- the exchange --------------------------------------------------------------------------------------------


def exchange_sets(state: CycladesState, step: Due) -> None:
    """Begin the exchange of a set, if there is one; look again after it (C10.1, C10.7)."""
    seat = step.seat
    if state.philosophers[seat] >= SET:
        state.philosophers[seat] -= SET
        state.philosophers_left += SET
        state.stale |= STALE_PLAYER << seat | STALE_SUPPLY
        state.agenda.append(step)
        state.agenda.append(due(Todo.FOUND, seat))
    elif has_buildings_of_all_kinds(state, seat):
        state.agenda.append(step)
        state.agenda.append(due(Todo.FOUND, seat))
        for building in reversed(BUILDINGS):
            state.agenda.append(due(Todo.GIVE, seat, what=building))


def has_buildings_of_all_kinds(state: CycladesState, seat: Seat) -> bool:
    buildings = state.buildings
    isles = members(state.isles[seat])
    return all(any(buildings[island * KINDS + building] for island in isles) for building in BUILDINGS)


def ask_give(state: CycladesState, step: Due) -> None:
    """Ask on which island a building of the set is given up."""
    building = step.what
    isles = [island for island in members(state.isles[step.seat]) if state.buildings[island * KINDS + building]]
    pieces.ask(state, step, _GIVE_PROMPTS[building], [GIVE[building][island] for island in isles])


def give(state: CycladesState, _: Due, move: Move) -> None:
    pieces.remove_building(state, move.place, move.what)


def ask_found(state: CycladesState, step: Due) -> None:
    """Ask where the Metropolis goes; where it can go nowhere the set is lost for nothing (C10.2)."""
    isles = members(sites(state, step.seat))
    if isles:
        pieces.ask(state, step, "found", [FOUND[island] for island in isles])
    else:
        state.tell(events.LOST_SET[step.seat])


def sites(state: CycladesState, seat: Seat) -> int:
    """Return the bits of the islands on which a seat can found a Metropolis."""
    if not state.metropolises_left:
        return 0

    possible = state.isles[seat] & ~state.metropolises
    if state.over_buildings is OverBuildings.FORBID:
        for island in members(possible):
            if buildings_under(state, island) > 0:
                possible &= ~(1 << island)
    return possible


def buildings_under(state: CycladesState, island: int) -> int:
    """Return how many buildings find no slot beside the frame of a Metropolis; 0 or less: all do (C10.8)."""
    board = BOARDS[state.seats]
    return pieces.buildings_on(state, island) - (board.slots[island] - board.covered[island])


def found(state: CycladesState, step: Due, move: Move) -> None:
    island = move.place
    under = buildings_under(state, island)
    state.metropolises |= 1 << island
    state.metropolises_left -= 1
    state.stale |= STALE_ISLAND << island | STALE_SUPPLY
    if under > 0:
        state.agenda.append(due(Todo.RAZE, step.seat, place=island, number=under))


def ask_raze(state: CycladesState, step: Due) -> None:
    """Ask which building goes under the frame; where all go there is nothing to choose (C10.8)."""
    island = step.place
    first = island * KINDS
    kinds = [building for building in BUILDINGS if state.buildings[first + building]]
    if step.number == pieces.buildings_on(state, island):
        kinds = kinds[:1]
    pieces.ask(state, step, f"raze IS{island}", [RAZE[building][island] for building in kinds])


def raze(state: CycladesState, step: Due, move: Move) -> None:
    pieces.remove_building(state, move.place, move.what)
    if step.number > 1:
        state.agenda.append(due(Todo.RAZE, step.seat, place=step.place, number=step.number - 1))


# -- what a conquest would bring -----------------------------------------------------------------------------

Isle = tuple[int, ...]
"""Of an island in thought: its slots beside the frame, whether it has a Metropolis (1 or 0), then its buildings by
kind. Which island it is does not matter here."""
Isles = tuple[Isle, ...]
"""Those of a seat in thought, in order, so that what comes to the same is equal."""
_HAS_METROPOLIS: Final = 1
_FIRST_KIND: Final = 2
"""Index of the first kind of building in an Isle."""
_KINDS: Final = range(_FIRST_KIND, _FIRST_KIND + len(BUILDINGS))


def would_win(state: CycladesState, seat: Seat, island: int) -> bool:
    """Tell whether taking an island would at once raise a seat to the winning number (C7.11).

    Sets count that the seat would complete with it, if it can choose so that they find a place.
    """
    needed = winning_number(state.seats) - (state.metropolises & state.isles[seat]).bit_count()
    if needed <= 0:
        return False

    needed -= state.metropolises >> island & 1
    if needed <= 0:
        return True

    isles = tuple(sorted([_isle(state, number) for number in members(state.isles[seat] | 1 << island)]))
    may_cover = state.over_buildings is OverBuildings.REMOVE
    return needed <= state.metropolises_left and _can_found(isles, needed, may_cover, set())


def _isle(state: CycladesState, island: int) -> Isle:
    board = BOARDS[state.seats]
    first = island * KINDS + 1
    beside = board.slots[island] - board.covered[island]
    return (beside, state.metropolises >> island & 1, *state.buildings[first : first + len(BUILDINGS)])


def _can_found(isles: Isles, needed: int, may_cover: bool, tried: set[tuple[Isles, int]]) -> bool:
    """Tell whether so many sets can be exchanged one after the other, each with a place for its Metropolis.

    What has been `tried` is not tried again: a seat with many islands has thousands of ways to the same.
    """
    if needed == 0:
        return True
    if (isles, needed) in tried or any(sum([isle[kind] for isle in isles]) < needed for kind in _KINDS):
        return False

    tried.add((isles, needed))
    return any(
        _can_found(after, needed - 1, may_cover, tried)
        for left in _without_a_set(isles)
        for after in _with_a_metropolis(left, may_cover)
    )


def _without_a_set(isles: Isles) -> set[Isles]:
    """Return what can be left of the islands when a building of each kind is given up."""
    ways = {isles}
    for kind in _KINDS:
        ways = {_with(way, isle, _less(isle, kind)) for way in ways for isle in {*way} if isle[kind]}
    return ways


def _with_a_metropolis(isles: Isles, may_cover: bool) -> set[Isles]:
    """Return what can become of the islands when a Metropolis is founded."""
    ways: set[Isles] = set()
    for isle in {*isles}:
        under = sum(isle[_FIRST_KIND:]) - isle[0]
        if isle[_HAS_METROPOLIS] or (under > 0 and not may_cover):
            continue
        left: set[Isle] = {(isle[0], 1, *isle[_FIRST_KIND:])}
        for _ in range(under):
            left = {_less(razed, kind) for razed in left for kind in _KINDS if razed[kind]}
        ways |= {_with(isles, isle, after) for after in left}
    return ways


def _with(isles: Isles, old: Isle, new: Isle) -> Isles:
    """Return the islands with another one in the place of one of them."""
    place = isles.index(old)
    return tuple(sorted([*isles[:place], new, *isles[place + 1 :]]))


def _less(isle: Isle, kind: int) -> Isle:
    return (*isle[:kind], isle[kind] - 1, *isle[kind + 1 :])
