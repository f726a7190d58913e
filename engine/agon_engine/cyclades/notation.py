"""All action codes of Cyclades and what each number stands for. Codes are listed in README.md.

An action is an index into `NOTATION`; `MOVES` says what it is; the tables say which number a move has. Seas are cells
here, numbered over all maps (`data.CELLS`); `board.py` has the same tables by the seas of one map. Nothing depends on a
state.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from agon_engine.core import Action, Notation
from agon_engine.cyclades.data import CELL_NUMBER, CELLS, FLEETS, ISLAND_NAMES, MAPS, MAX_BID, MAX_SEATS, TROOPS
from agon_engine.cyclades.enums import BUILDINGS, CREATURES, SHUFFLED_GODS, Building, God


class Kind(IntEnum):
    """The kinds of action; beside each, the fields of its `Move` that are filled."""

    GOD = 0
    """`what`: the god to bid on; Apollo takes the marker at once."""
    BID = 1
    """`what`: the god; `number`: the amount."""
    END = 2
    STOP = 3
    """No further step, sea or sale."""
    FIGHT = 4
    """No retreat."""
    RECRUIT_FLEET = 5
    """`place`: the cell."""
    RECRUIT_TROOP = 6
    """`place`: the island."""
    RECRUIT_PRIEST = 7
    RECRUIT_PHILOSOPHER = 8
    BUILD = 9
    """`what`: the building; `place`: the island."""
    SAIL = 10
    """`place`, `target`: cells; `number`: fleets."""
    MARCH = 11
    """`place`, `target`: islands; `number`: troops."""
    CHANGE = 12
    """`what`: the creature."""
    BUY = 13
    """`what`: the creature."""
    PROSPER = 14
    """`place`: the island."""
    RETREAT_BY_LAND = 15
    """`place`: the island."""
    RETREAT_BY_SEA = 16
    """`place`: the cell."""
    GIVE = 17
    """`what`: the building; `place`: the island."""
    FOUND = 18
    """`place`: the island."""
    RAZE = 19
    """`what`: the building; `place`: the island."""
    LURE = 20
    """`place`: the cell of the fleet that goes (Siren)."""
    COME_FROM = 21
    """`place`: the cell that the own fleet leaves (Siren)."""
    FLY = 22
    """`place`, `target`: islands; `number`: troops (Pegasus)."""
    DESTROY = 23
    """`what`: the building; `place`: the island (Giant)."""
    REPLAY = 24
    """`what`: the creature (Chimera)."""
    REPLACE = 25
    """`what`: the building that goes; `place`: the island; `number`: the building that comes (Cyclops)."""
    SELL_TROOP = 26
    """`place`: the island (Sphinx)."""
    SELL_FLEET = 27
    """`place`: the cell (Sphinx)."""
    SELL_PRIEST = 28
    SELL_PHILOSOPHER = 29
    KILL = 30
    """`place`: the island (Harpy)."""
    ROB = 31
    """`what`: the seat (Griffon, Satyr, Dryad)."""
    KRAKEN = 32
    """`place`: the cell that it enters."""
    PLACE = 33
    """`place`: the island (figurines)."""
    PUSH = 34
    """`place`: the cell to which the fleets go (Polyphemus)."""


class Move(NamedTuple):
    """What an action is. Which fields it fills stands beside its kind; the others are 0."""

    kind: Kind
    what: int
    place: int
    target: int
    number: int


_codes: list[str] = []
_moves: list[Move] = []

NO_ACTION: Final = -1
"""Fills the tables where there is no such move; never listed."""


def _add(kind: Kind, code: str, what: int = 0, place: int = 0, target: int = 0, number: int = 0) -> Action:
    _codes.append(code)
    _moves.append(Move(kind, what, place, target, number))
    return len(_codes) - 1


_SEA_CELLS: Final = range(1, len(CELLS))
_ISLANDS: Final = range(1, len(ISLAND_NAMES))


def _on_cells(kind: Kind, verb: str) -> tuple[Action, ...]:
    """Add one code for each cell; by cell."""
    return (NO_ACTION, *(_add(kind, f"{verb} {CELLS[cell]}", place=cell) for cell in _SEA_CELLS))


def _on_islands(kind: Kind, verb: str) -> tuple[Action, ...]:
    """Add one code for each island; by island."""
    return (NO_ACTION, *(_add(kind, f"{verb} {ISLAND_NAMES[island]}", place=island) for island in _ISLANDS))


def _buildings(kind: Kind, verb: str) -> tuple[tuple[Action, ...], ...]:
    """Add one code for each building and island; by building and island."""
    none = (NO_ACTION,) * len(ISLAND_NAMES)
    return (none, *(_buildings_of(kind, verb, building) for building in BUILDINGS))


def _buildings_of(kind: Kind, verb: str, building: Building) -> tuple[Action, ...]:
    name = building.name.lower()
    codes = (_add(kind, f"{verb} {name} {ISLAND_NAMES[island]}", building, island) for island in _ISLANDS)
    return (NO_ACTION, *codes)


def _creatures(kind: Kind, verb: str) -> tuple[Action, ...]:
    """Add one code for each creature; by creature."""
    return (NO_ACTION, *(_add(kind, f"{verb} {creature.name.lower()}", creature) for creature in CREATURES))


def _between_islands(kind: Kind, verb: str) -> tuple[tuple[Action, ...], ...]:
    """Add one code for each two islands and number of troops; by islands: the action of one troop, more follow it."""
    table = [(NO_ACTION,) * len(ISLAND_NAMES)]
    for place in _ISLANDS:
        row = [NO_ACTION] * len(ISLAND_NAMES)
        for target in _ISLANDS:
            if target != place:
                route = f"{verb} {ISLAND_NAMES[place]}>{ISLAND_NAMES[target]}"
                row[target] = _add(kind, f"{route} x1", 0, place, target, 1)
                for count in range(2, TROOPS + 1):
                    _add(kind, f"{route} x{count}", 0, place, target, count)
        table.append(tuple(row))
    return tuple(table)


def _between_cells() -> dict[tuple[int, int], Action]:
    """Add one code for each two neighbouring seas of some map and number of fleets; by cells, as for islands."""
    routes: set[tuple[int, int]] = set()
    for printed in MAPS.values():
        for sea in printed.seas[1:]:
            routes |= {(CELL_NUMBER[sea.cell], CELL_NUMBER[printed.seas[near].cell]) for near in sea.seas}
    table = {}
    for place, target in sorted(routes):
        route = f"move {CELLS[place]}>{CELLS[target]}"
        table[place, target] = _add(Kind.SAIL, f"{route} x1", 0, place, target, 1)
        for count in range(2, FLEETS + 1):
            _add(Kind.SAIL, f"{route} x{count}", 0, place, target, count)
    return table


def _bids() -> tuple[tuple[Action, ...], ...]:
    """Add one code for each god and amount; by god and amount."""
    rows: list[tuple[Action, ...]] = [()]
    for god in SHUFFLED_GODS:
        name = god.name.lower()
        codes = (_add(Kind.BID, f"bid {name} {amount}", god, number=amount) for amount in range(1, MAX_BID + 1))
        rows.append((NO_ACTION, *codes))
    return tuple(rows)


def _replacements() -> tuple[tuple[tuple[Action, ...], ...], ...]:
    """Add one code for each building, island and other building; in that order."""
    table = [((NO_ACTION,) * len(Building),) * len(ISLAND_NAMES)]
    for old in BUILDINGS:
        rows = [(NO_ACTION,) * len(Building)]
        for island in _ISLANDS:
            row = [NO_ACTION] * len(Building)
            for new in BUILDINGS:
                if new != old:
                    code = f"replace {old.name.lower()} {ISLAND_NAMES[island]} {new.name.lower()}"
                    row[new] = _add(Kind.REPLACE, code, old, island, number=new)
            rows.append(tuple(row))
        table.append(tuple(rows))
    return tuple(table)


GOD: Final = (NO_ACTION, *(_add(Kind.GOD, f"god {god.name.lower()}", god) for god in God if god))
BID: Final = _bids()
END: Final = _add(Kind.END, "end")
STOP: Final = _add(Kind.STOP, "stop")
FIGHT: Final = _add(Kind.FIGHT, "fight")
RECRUIT_FLEET: Final = _on_cells(Kind.RECRUIT_FLEET, "recruit fleet")
RECRUIT_TROOP: Final = _on_islands(Kind.RECRUIT_TROOP, "recruit troop")
RECRUIT_PRIEST: Final = _add(Kind.RECRUIT_PRIEST, "recruit priest")
RECRUIT_PHILOSOPHER: Final = _add(Kind.RECRUIT_PHILOSOPHER, "recruit philosopher")
BUILD: Final = _buildings(Kind.BUILD, "build")
SAIL: Final = _between_cells()
MARCH: Final = _between_islands(Kind.MARCH, "move")
CHANGE: Final = _creatures(Kind.CHANGE, "change")
BUY: Final = _creatures(Kind.BUY, "buy")
PROSPER: Final = _on_islands(Kind.PROSPER, "prosper")
RETREAT_BY_LAND: Final = _on_islands(Kind.RETREAT_BY_LAND, "retreat")
RETREAT_BY_SEA: Final = _on_cells(Kind.RETREAT_BY_SEA, "retreat")
GIVE: Final = _buildings(Kind.GIVE, "give")
FOUND: Final = _on_islands(Kind.FOUND, "found")
RAZE: Final = _buildings(Kind.RAZE, "raze")
LURE: Final = _on_cells(Kind.LURE, "lure")
COME_FROM: Final = _on_cells(Kind.COME_FROM, "from")
FLY: Final = _between_islands(Kind.FLY, "fly")
DESTROY: Final = _buildings(Kind.DESTROY, "destroy")
REPLAY: Final = _creatures(Kind.REPLAY, "replay")
REPLACE: Final = _replacements()
SELL_TROOP: Final = _on_islands(Kind.SELL_TROOP, "sell troop")
SELL_FLEET: Final = _on_cells(Kind.SELL_FLEET, "sell fleet")
SELL_PRIEST: Final = _add(Kind.SELL_PRIEST, "sell priest")
SELL_PHILOSOPHER: Final = _add(Kind.SELL_PHILOSOPHER, "sell philosopher")
KILL: Final = _on_islands(Kind.KILL, "kill")
ROB: Final = tuple(_add(Kind.ROB, f"rob {seat}", seat) for seat in range(MAX_SEATS))
KRAKEN: Final = _on_cells(Kind.KRAKEN, "kraken")
PLACE: Final = _on_islands(Kind.PLACE, "place")
PUSH: Final = _on_cells(Kind.PUSH, "push")

NOTATION: Final = Notation("cyclades", _codes)
MOVES: Final = tuple(_moves)
"""By action."""
