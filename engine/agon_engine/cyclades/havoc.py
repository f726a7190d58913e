"""Creatures that strike what is on the map: Siren, Giant, Harpy, Cyclops, Kraken (C9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.cyclades import pieces
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import MAX_KRAKEN_SEAS
from agon_engine.cyclades.enums import BUILDINGS, NOBODY, Creature, Todo
from agon_engine.cyclades.layout import KINDS, STALE_CREATURES, STALE_PLAYER, due
from agon_engine.cyclades.notation import DESTROY, KILL, REPLACE, STOP, Kind, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_CHIRON: Final = Creature.CHIRON

# -- Siren ---------------------------------------------------------------------------------------------------


def _lone_fleets(state: CycladesState, seat: Seat) -> list[int]:
    """Return the seas with exactly one fleet of another seat."""
    fleets = state.fleets
    return [sea for sea in members(pieces.seas_of_others(state, seat)) if fleets[sea] == 1]


def can_lure(state: CycladesState, seat: Seat) -> bool:
    return bool((state.fleet_reserve[seat] or state.waters[seat]) and _lone_fleets(state, seat))


def ask_siren(state: CycladesState, step: Due) -> None:
    lure = BOARDS[state.seats].lure
    pieces.ask(state, step, "siren", [lure[sea] for sea in _lone_fleets(state, step.seat)])


def siren(state: CycladesState, step: Due, move: Move) -> None:
    """Send the fleet home and put an own one in its place, from the reserve if there is one."""
    seat = step.seat
    sea = BOARDS[state.seats].sea_of_cell[move.place]
    pieces.lose_fleets(state, sea, 1)
    if state.fleet_reserve[seat]:
        state.fleet_reserve[seat] -= 1
        state.stale |= STALE_PLAYER << seat
        pieces.add_fleets(state, seat, sea, 1)
    else:
        state.agenda.append(due(Todo.SIREN_FROM, seat, place=sea))


def ask_siren_from(state: CycladesState, step: Due) -> None:
    come_from = BOARDS[state.seats].come_from
    pieces.ask(state, step, "from", [come_from[sea] for sea in members(state.waters[step.seat])])


def siren_from(state: CycladesState, step: Due, move: Move) -> None:
    pieces.take_fleets(state, BOARDS[state.seats].sea_of_cell[move.place], 1)
    pieces.add_fleets(state, step.seat, step.place, 1)


# -- Giant and Harpy -----------------------------------------------------------------------------------------


def _exposed(state: CycladesState) -> list[int]:
    """Return the islands of somebody that Chiron does not guard."""
    chiron = pieces.island_of(state, _CHIRON)
    owners = state.island_owner
    return [island for island in range(1, len(owners)) if owners[island] != NOBODY and island != chiron]


def can_destroy(state: CycladesState, _: Seat) -> bool:
    return any(pieces.buildings_on(state, island) for island in _exposed(state))


def ask_giant(state: CycladesState, step: Due) -> None:
    buildings = state.buildings
    actions = [
        DESTROY[building][island]
        for island in _exposed(state)
        for building in BUILDINGS
        if buildings[island * KINDS + building]
    ]
    pieces.ask(state, step, "giant", actions)


def giant(state: CycladesState, _: Due, move: Move) -> None:
    pieces.remove_building(state, move.place, move.what)


def can_kill(state: CycladesState, _: Seat) -> bool:
    troops = state.troops
    return any(troops[island] for island in _exposed(state))


def ask_harpy(state: CycladesState, step: Due) -> None:
    troops = state.troops
    pieces.ask(state, step, "harpy", [KILL[island] for island in _exposed(state) if troops[island]])


def harpy(state: CycladesState, _: Due, move: Move) -> None:
    pieces.lose_troop(state, move.place)


# -- Cyclops -------------------------------------------------------------------------------------------------


def _replacements(state: CycladesState, seat: Seat) -> list[Action]:
    buildings, left = state.buildings, state.buildings_left
    return [
        REPLACE[old][island][new]
        for island in members(state.isles[seat])
        for old in BUILDINGS
        if buildings[island * KINDS + old]
        for new in BUILDINGS
        if new != old and left[new]
    ]


def can_replace(state: CycladesState, seat: Seat) -> bool:
    return bool(_replacements(state, seat))


def ask_cyclops(state: CycladesState, step: Due) -> None:
    pieces.ask(state, step, "cyclops", _replacements(state, step.seat))


def cyclops(state: CycladesState, step: Due, move: Move) -> None:
    pieces.remove_building(state, move.place, move.what)
    pieces.add_building(state, move.place, move.number)
    state.agenda.append(due(Todo.SETS, step.seat))


# -- Kraken --------------------------------------------------------------------------------------------------


def ask_kraken(state: CycladesState, step: Due) -> None:
    board = BOARDS[state.seats]
    pieces.ask(state, step, "kraken", [board.kraken[sea] for sea in range(1, board.seas + 1)])


def kraken(state: CycladesState, step: Due, move: Move) -> None:
    """Put the Kraken into a sea; where it was before it is lifted."""
    _rise(state, BOARDS[state.seats].sea_of_cell[move.place])
    state.agenda.append(due(Todo.KRAKEN_MOVE, step.seat))


def _rise(state: CycladesState, sea: int) -> None:
    """Let the Kraken appear in a sea: all fleets there die."""
    state.kraken = sea
    state.stale |= STALE_CREATURES
    if state.fleets[sea]:
        pieces.lose_fleets(state, sea, state.fleets[sea])


def ask_kraken_move(state: CycladesState, step: Due) -> None:
    """Ask for the next sea, also where the seat cannot pay: that others may not know."""
    if step.number == MAX_KRAKEN_SEAS:
        return

    board = BOARDS[state.seats]
    actions = [STOP]
    if state.purses[step.seat]:
        actions += [board.kraken[sea] for sea in members(board.sea_neighbours[state.kraken])]
    pieces.ask(state, step, "swim", actions)


def kraken_move(state: CycladesState, step: Due, move: Move) -> None:
    if move.kind is Kind.STOP:
        return

    pieces.pay(state, step.seat, 1)
    _rise(state, BOARDS[state.seats].sea_of_cell[move.place])
    state.agenda.append(due(Todo.KRAKEN_MOVE, step.seat, number=step.number + 1))
