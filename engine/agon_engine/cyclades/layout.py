"""How a state is laid out: steps of the agenda, indexes of its lists, and the bits that say which view parts have to be
made anew. Numbers and types alone."""

from __future__ import annotations

from typing import Final

from agon_engine.core import Seat
from agon_engine.cyclades.data import MAX_SEATS
from agon_engine.cyclades.enums import FIRST_FIGURINE, NOBODY, Building, Todo
from agon_engine.cyclades.view import Due

KINDS: Final = len(Building)
"""`state.buildings` has so many places an island, the first of them unused: a kind of building is counted for an island
at `island * KINDS + building`."""

STALE_TABLE: Final = 1
STALE_GODS: Final = 2
STALE_TURN: Final = 4
STALE_CREATURES: Final = 8
STALE_SUPPLY: Final = 16
STALE_SEAS: Final = 32
STALE_BATTLE: Final = 64
STALE_PLAYER: Final = 128
"""Shifted by the seat."""
STALE_ISLAND: Final = STALE_PLAYER << MAX_SEATS
"""Shifted by the island."""
STALE_PLAYERS: Final = STALE_ISLAND - STALE_PLAYER
STALE_ALL: Final = -1


def due(todo: Todo, seat: Seat = NOBODY, place: int = 0, what: int = 0, number: int = 0) -> Due:
    """Return a step for the agenda."""
    return _new(Due, (todo, seat, place, int(what), number))


def figurine_index(creature: int) -> int:
    """Return the place of a figurine in the lists of the state that are by figurine."""
    return creature - FIRST_FIGURINE


_new = tuple.__new__  # half the time of calling a NamedTuple
