"""Battles on land and at sea: rounds, losses, retreats and who keeps the place (C8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.cyclades import conquest, events, pieces
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import DIE, MINOTAUR_STRENGTH
from agon_engine.cyclades.enums import NOBODY, Building, Creature, Todo
from agon_engine.cyclades.layout import KINDS, STALE_BATTLE, STALE_PLAYER, due
from agon_engine.cyclades.notation import FIGHT, RETREAT_BY_LAND, Kind, Move
from agon_engine.cyclades.view import Roll

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_MINOTAUR: Final = Creature.MINOTAUR
_FORTRESS: Final = Building.FORTRESS
_PORT: Final = Building.PORT
_OF_DEFENDER: Final = 0
_OF_ATTACKER: Final = 1
"""The `number` of a step RETREAT."""


def begin_land_battle(state: CycladesState, seat: Seat, island: int, troops: int) -> None:
    """Open a battle for an island with troops that are on none now."""
    state.battle_island = island
    _begin(state, seat, troops)


def begin_sea_battle(state: CycladesState, seat: Seat, sea: int, fleets: int) -> None:
    state.battle_sea = sea
    _begin(state, seat, fleets)


def _begin(state: CycladesState, seat: Seat, units: int) -> None:
    state.attacker = seat
    state.attackers = units
    state.rolls = []
    state.stale |= STALE_BATTLE
    state.agenda.append(due(Todo.ROUND, seat))


def defender_of(state: CycladesState) -> Seat:
    """Return who defends in the battle under way; NOBODY: there is none."""
    return state.island_owner[state.battle_island] if state.battle_island else state.sea_owner[state.battle_sea]


def _close(state: CycladesState) -> int:
    """End the battle; return the attackers left, who are the caller's to place."""
    left = state.attackers
    state.battle_island = state.battle_sea = state.attackers = 0
    state.attacker = NOBODY
    state.stale |= STALE_BATTLE
    return left


# -- a round -------------------------------------------------------------------------------------------------


def fight_round(state: CycladesState, _: Due) -> None:
    """Roll the dice, take the losses and see whether the battle is over (C8.1, C8.2)."""
    on_top = _strengths(state)
    dice = DIE[state.chance.below("dice", len(DIE))], DIE[state.chance.below("dice", len(DIE))]
    state.rolls.append(Roll(*dice))
    state.stale |= STALE_BATTLE
    state.tell(events.rolled(dice, on_top))
    attack, defence = dice[0] + on_top[0], dice[1] + on_top[1]
    if attack <= defence:
        _lose_attacker(state)
    if defence <= attack:
        _lose_defender(state)
    if not state.attackers:
        _close(state)
    elif not _is_defended(state):
        _win(state)
    else:
        state.agenda.append(due(Todo.RETREAT, defender_of(state), number=_OF_DEFENDER))


def _strengths(state: CycladesState) -> tuple[int, int]:
    """Return what attacker and defender add to their dice (C8.1, C8.5)."""
    island, sea = state.battle_island, state.battle_sea
    defender = defender_of(state)
    if island:
        minotaur = MINOTAUR_STRENGTH if pieces.island_of(state, _MINOTAUR) == island else 0
        fortresses = state.buildings[island * KINDS + _FORTRESS]
        return state.attackers, state.troops[island] + minotaur + fortresses + (state.metropolises >> island & 1)

    attack = state.attackers + (_ports(state, state.attacker, sea) if state.attacker_port_bonus else 0)
    return attack, state.fleets[sea] + _ports(state, defender, sea)


def _ports(state: CycladesState, seat: Seat, sea: int) -> int:
    """Return how many Ports and Metropolises of a seat touch a sea."""
    shores = BOARDS[state.seats].sea_shores[sea] & state.isles[seat]
    ports = sum([state.buildings[island * KINDS + _PORT] for island in members(shores)])
    return ports + (shores & state.metropolises).bit_count()


def _lose_attacker(state: CycladesState) -> None:
    seat = state.attacker
    state.attackers -= 1
    state.stale |= STALE_PLAYER << seat
    if state.battle_island:
        state.troop_reserve[seat] += 1
        state.tell(events.lost_troops(seat, state.battle_island, 1))
    else:
        state.fleet_reserve[seat] += 1
        state.tell(events.lost_fleets(seat, BOARDS[state.seats].sea_names[state.battle_sea], 1))


def _lose_defender(state: CycladesState) -> None:
    """Take a unit of the defender; the Minotaur falls only where it stands alone (C8.5)."""
    island = state.battle_island
    if not island:
        pieces.lose_fleets(state, state.battle_sea, 1)
    elif state.troops[island]:
        pieces.lose_troop(state, island)
    else:
        pieces.dismiss_figurine(state, _MINOTAUR)


def _is_defended(state: CycladesState) -> bool:
    island = state.battle_island
    if not island:
        return state.fleets[state.battle_sea] > 0

    return state.troops[island] > 0 or pieces.island_of(state, _MINOTAUR) == island


def _win(state: CycladesState) -> None:
    """Let the attackers left come to the place, which nobody defends any more (C8.4)."""
    seat, island, sea = state.attacker, state.battle_island, state.battle_sea
    units = _close(state)
    if island:
        conquest.take_island(state, seat, island, units)
    else:
        pieces.add_fleets(state, seat, sea, units)


# -- retreats ------------------------------------------------------------------------------------------------


def ask_retreat(state: CycladesState, step: Due) -> None:
    """Ask a side whether it retreats; without a place it cannot, nor can a lone Minotaur (C8.3, C8.5)."""
    places = _retreats(state, step.seat, step.number == _OF_ATTACKER)
    if places:
        pieces.ask(state, step, "retreat", [*places, FIGHT])
    else:
        fight_on(state, step)


def _retreats(state: CycladesState, seat: Seat, attacks: bool) -> list[Action]:
    island, sea = state.battle_island, state.battle_sea
    board = BOARDS[state.seats]
    if island:
        if not attacks and not state.troops[island]:
            return []

        places = pieces.joined_islands(state, seat, island) & (state.isles[seat] | pieces.free_islands(state))
        return [RETREAT_BY_LAND[place] for place in members(places)]

    places = board.sea_neighbours[sea] & ~pieces.seas_of_others(state, seat) & ~pieces.barred_seas(state)
    return [board.retreat[place] for place in members(places)]


def fight_on(state: CycladesState, step: Due) -> None:
    """Ask the attacker after the defender, and after the attacker fight another round."""
    if step.number == _OF_DEFENDER:
        state.agenda.append(due(Todo.RETREAT, state.attacker, number=_OF_ATTACKER))
    else:
        state.agenda.append(due(Todo.ROUND, state.attacker))


def retreat(state: CycladesState, step: Due, move: Move) -> None:
    if move.kind is Kind.FIGHT:
        fight_on(state, step)
    elif step.number == _OF_ATTACKER:
        units = _close(state)
        _come_back(state, step.seat, move, units)
    else:
        units = _clear_place(state)
        _come_back(state, step.seat, move, units)
        _win(state)


def _clear_place(state: CycladesState) -> int:
    """Take all that defends off the place; return how many they are."""
    island, sea = state.battle_island, state.battle_sea
    if island:
        units = state.troops[island]
        pieces.add_troops(state, island, -units)
    else:
        units = state.fleets[sea]
        pieces.take_fleets(state, sea, units)
    return units


def _come_back(state: CycladesState, seat: Seat, move: Move, units: int) -> None:
    """Put retreating units where they go; a free island so reached is their owner's (C8.3)."""
    if move.kind is Kind.RETREAT_BY_SEA:
        pieces.add_fleets(state, seat, BOARDS[state.seats].sea_of_cell[move.place], units)
    elif state.island_owner[move.place] == seat:
        pieces.add_troops(state, move.place, units)
    else:
        conquest.take_island(state, seat, move.place, units)
