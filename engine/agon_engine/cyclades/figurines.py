"""Island figurines: where they are placed, and whom Polyphemus drives away (C9.2, C9.3). What a figurine does as long
as it stands is with the rule that it changes: `battle.py`, `moving.py`, `havoc.py`, `pieces.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.cyclades import events, pieces
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.enums import NOBODY, Creature, Todo
from agon_engine.cyclades.layout import STALE_CREATURES, STALE_TURN, due, figurine_index
from agon_engine.cyclades.notation import PLACE, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_CREATURE: Final = tuple(Creature)
_NAMES: Final = tuple(creature.name.lower() for creature in Creature)
_POLYPHEMUS: Final = Creature.POLYPHEMUS


def ask_figurine(state: CycladesState, step: Due) -> None:
    isles = range(1, BOARDS[state.seats].islands + 1)
    pieces.ask(state, step, _NAMES[step.what], [PLACE[island] for island in isles])


def place_figurine(state: CycladesState, step: Due, move: Move) -> None:
    """Put a figurine on an island; two on one island destroy each other, and the card goes to the discard pile."""
    creature, island = _CREATURE[step.what], move.place
    there = pieces.figurine_on(state, island)
    if there:
        pieces.dismiss_figurine(state, there)
        return

    index = figurine_index(creature)
    state.figurine_island[index] = island
    state.figurine_owner[index] = step.seat
    state.figurine_cycle[index] = state.cycle
    state.playing.remove(creature)
    state.stale |= STALE_CREATURES | STALE_TURN
    if creature is _POLYPHEMUS:
        state.agenda.append(due(Todo.PUSH_NEXT, step.seat, place=island))


def push_next(state: CycladesState, step: Due) -> None:
    """Drive the fleets of the next sea around the island away (C9.3)."""
    board = BOARDS[state.seats]
    seas = board.island_seas[step.place]
    if step.number == len(seas):
        return

    state.agenda.append(due(Todo.PUSH_NEXT, step.seat, place=step.place, number=step.number + 1))
    sea = seas[step.number]
    owner = state.sea_owner[sea]
    if owner == NOBODY:
        return

    if _refuges(state, sea):
        state.agenda.append(due(Todo.PUSH, owner, place=sea))
    else:
        pieces.lose_fleets(state, sea, state.fleets[sea])


def _refuges(state: CycladesState, sea: int) -> tuple[int, ...]:
    """Return the seas to which the fleets of a sea can go: not barred, without fleets of others."""
    owner = state.sea_owner[sea]
    near = BOARDS[state.seats].sea_neighbours[sea]
    return members(near & ~pieces.barred_seas(state) & ~pieces.seas_of_others(state, owner))


def ask_push(state: CycladesState, step: Due) -> None:
    """Ask the owner of fleets where they go, if there is a choice."""
    board = BOARDS[state.seats]
    actions = [board.push[sea] for sea in _refuges(state, step.place)]
    pieces.ask(state, step, f"push {board.sea_names[step.place]}", actions)


def push(state: CycladesState, step: Due, move: Move) -> None:
    board = BOARDS[state.seats]
    target = board.sea_of_cell[move.place]
    count = state.fleets[step.place]
    pieces.take_fleets(state, step.place, count)
    pieces.add_fleets(state, step.seat, target, count)
    state.tell(events.pushed(step.seat, board.sea_names[step.place], board.sea_names[target]))
