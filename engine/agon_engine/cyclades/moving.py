"""Fleets and troops on the move: paid moves, the steps of a fleet move and of the Sylph, the march and Pegasus
(C7.6, C7.7, C9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.cyclades import battle, conquest, pieces
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import MAX_STEPS, MAX_SYLPH_STEPS
from agon_engine.cyclades.enums import NOBODY, Creature, Todo
from agon_engine.cyclades.layout import STALE_TURN, due
from agon_engine.cyclades.notation import FLY, MARCH, STOP, Kind, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_MINOTAUR: Final = Creature.MINOTAUR
_CHIRON: Final = Creature.CHIRON
_MEDUSA: Final = Creature.MEDUSA

# -- fleets --------------------------------------------------------------------------------------------------


def steps_from(state: CycladesState, seas: int) -> list[Action]:
    """Return every step that the fleets in some seas, all of one seat, can make (C7.6)."""
    routes, fleets = BOARDS[state.seats].routes, state.fleets
    barred = pieces.barred_seas(state)
    actions: list[Action] = []
    for sea in members(seas):
        count = fleets[sea]
        for _, bit, first in routes[sea]:
            if not barred & bit:
                actions += range(first, first + count)
    return actions


def make_step(state: CycladesState, seat: Seat, move: Move) -> bool:
    """Take fleets from a sea to the next; return whether that opens a battle."""
    sea_of_cell = BOARDS[state.seats].sea_of_cell
    target = sea_of_cell[move.target]
    pieces.take_fleets(state, sea_of_cell[move.place], move.number)
    if state.sea_owner[target] in (NOBODY, seat):
        pieces.add_fleets(state, seat, target, move.number)
        return False

    battle.begin_sea_battle(state, seat, target, move.number)
    return True


def sail(state: CycladesState, seat: Seat, move: Move, more: int = MAX_STEPS - 1) -> None:
    """Make a step of a paid move; ask for the next one, unless there is a battle."""
    target = BOARDS[state.seats].sea_of_cell[move.target]
    if not make_step(state, seat, move) and more:
        state.agenda.append(due(Todo.SAIL, seat, place=target, number=more))


def ask_sail(state: CycladesState, step: Due) -> None:
    actions = steps_from(state, 1 << step.place)
    if actions:
        pieces.ask(state, step, f"sail {BOARDS[state.seats].sea_names[step.place]}", [*actions, STOP])


def sail_on(state: CycladesState, step: Due, move: Move) -> None:
    if move.kind is Kind.SAIL:
        sail(state, step.seat, move, step.number - 1)


# -- the Sylph -----------------------------------------------------------------------------------------------


def ask_sylph(state: CycladesState, step: Due) -> None:
    """Ask for the next step, if there is one; the first one is due."""
    actions: list[Action] = []
    if step.number < MAX_SYLPH_STEPS:
        actions = steps_from(state, state.waters[step.seat] & ~state.fought)
    if not actions:
        return

    if step.number:
        actions.append(STOP)
    pieces.ask(state, step, "sylph", actions)


def sylph(state: CycladesState, step: Due, move: Move) -> None:
    if move.kind is Kind.STOP:
        return

    state.agenda.append(due(Todo.SYLPH, step.seat, number=step.number + 1))
    if make_step(state, step.seat, move):
        state.fought |= 1 << state.battle_sea
        state.stale |= STALE_TURN


def can_step(state: CycladesState, seat: Seat) -> bool:
    """Tell whether any fleet of a seat can make a step."""
    return bool(steps_from(state, state.waters[seat]))


# -- troops --------------------------------------------------------------------------------------------------


def marches(state: CycladesState, seat: Seat) -> list[Action]:
    """Return every march of troops of a seat along its chains of fleets (C7.7)."""
    troops = state.troops
    allowed = 0
    actions: list[Action] = []
    for island in _origins(state, seat):
        joined = pieces.joined_islands(state, seat, island)
        if joined:
            allowed = allowed or ~conquest.protected_islands(state, seat)
            row, count = MARCH[island], troops[island]
            for target in members(joined & allowed):
                first = row[target]
                actions += range(first, first + count)
    return actions


def flights(state: CycladesState, seat: Seat) -> list[Action]:
    """Return every flight of troops of a seat by Pegasus."""
    origins = _origins(state, seat)
    if not origins:
        return []

    troops = state.troops
    targets = members(_landings(state, seat))
    actions: list[Action] = []
    for island in origins:
        row, count = FLY[island], troops[island]
        for target in targets:
            if target != island:
                first = row[target]
                actions += range(first, first + count)
    return actions


def can_fly(state: CycladesState, seat: Seat) -> bool:
    """Tell whether Pegasus has any flight for a seat."""
    landings = _landings(state, seat)
    return any(landings & ~(1 << island) for island in _origins(state, seat))


def _origins(state: CycladesState, seat: Seat) -> list[int]:
    """Return the islands that troops of a seat may leave: not under Medusa."""
    troops, medusa = state.troops, pieces.island_of(state, _MEDUSA)
    return [island for island in members(state.isles[seat]) if troops[island] and island != medusa]


def _landings(state: CycladesState, seat: Seat) -> int:
    """Return the bits of the islands that Pegasus may reach: no last one, Chiron's only for their owner."""
    landings = BOARDS[state.seats].all_islands & ~conquest.protected_islands(state, seat)
    chiron = pieces.island_of(state, _CHIRON)
    if chiron and state.island_owner[chiron] != seat:
        landings &= ~(1 << chiron)
    return landings


def go(state: CycladesState, seat: Seat, move: Move) -> None:
    """Bring troops from an island to another one: their own, a free one, or one to be fought for (C7.7)."""
    target, count = move.target, move.number
    pieces.add_troops(state, move.place, -count)
    owner = state.island_owner[target]
    if owner == seat:
        pieces.add_troops(state, target, count)
    elif owner != NOBODY and (state.troops[target] or pieces.island_of(state, _MINOTAUR) == target):
        battle.begin_land_battle(state, seat, target, count)
    else:
        conquest.take_island(state, seat, target, count)


def ask_pegasus(state: CycladesState, step: Due) -> None:
    pieces.ask(state, step, "pegasus", flights(state, step.seat))


def pegasus(state: CycladesState, step: Due, move: Move) -> None:
    go(state, step.seat, move)
