"""The maps laid out as tables for the rules: what touches what, as lists and as bit masks, and the actions on the seas
of one map. Bit n of a mask is island or sea n. Nothing here depends on a state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from agon_engine.core import Action
from agon_engine.cyclades.data import CELL_NUMBER, CELLS, MAPS, MAX_ISLANDS, MAX_SEATS, MapData, Start
from agon_engine.cyclades.notation import (
    COME_FROM,
    KRAKEN,
    LURE,
    NO_ACTION,
    PUSH,
    RECRUIT_FLEET,
    RETREAT_BY_SEA,
    SAIL,
    SELL_FLEET,
)


class Route(NamedTuple):
    """A way from a sea to one that it touches."""

    target: int
    bit: int
    """Of the target."""
    first: Action
    """That of one fleet; those of more fleets follow it."""


class Board:
    """A map as the rules use it. Lists are by island or sea and have a filler at 0."""

    __slots__ = (
        "all_islands",
        "all_seas",
        "come_from",
        "covered",
        "horns",
        "island_seas",
        "island_waters",
        "islands",
        "kraken",
        "lure",
        "push",
        "recruit_fleet",
        "retreat",
        "routes",
        "sea_names",
        "sea_neighbours",
        "sea_of_cell",
        "sea_shores",
        "seas",
        "sell_fleet",
        "slots",
        "starts",
        "trade",
    )

    def __init__(self, printed: MapData) -> None:
        self.islands = len(printed.islands) - 1
        """How many."""
        self.seas = len(printed.seas) - 1
        self.all_islands = mask(range(1, self.islands + 1))
        self.all_seas = mask(range(1, self.seas + 1))
        self.starts: tuple[Start, ...] = printed.starts

        self.slots = tuple([island.slots for island in printed.islands])
        self.covered = tuple([island.covered for island in printed.islands])
        """Slots under the frame of a Metropolis."""
        self.horns = tuple([island.horns for island in printed.islands])
        self.island_seas = tuple([island.seas for island in printed.islands])
        """The seas that touch an island, in the order of C9.3."""
        self.island_waters = tuple([mask(island.seas) for island in printed.islands])
        """The same as bits."""

        cells = [CELL_NUMBER[sea.cell] for sea in printed.seas]
        self.sea_names = tuple([sea.cell for sea in printed.seas])
        self.trade = mask(number for number, sea in enumerate(printed.seas) if sea.trade)
        """Bits of the trade seas."""
        self.sea_neighbours = tuple([mask(sea.seas) for sea in printed.seas])
        """Bits of the seas that touch a sea."""
        self.sea_shores = tuple([mask(sea.islands) for sea in printed.seas])
        """Bits of the islands that touch a sea."""
        self.routes = tuple(
            tuple([Route(near, 1 << near, SAIL[cells[number], cells[near]]) for near in sea.seas])
            for number, sea in enumerate(printed.seas)
        )

        sea_of_cell = [0] * len(CELLS)
        for number, cell in enumerate(cells):
            sea_of_cell[cell] = number
        self.sea_of_cell = tuple(sea_of_cell)
        """By the cell of an action: the sea, 0: it is none on this map."""
        self.recruit_fleet = _by_sea(RECRUIT_FLEET, cells)
        self.retreat = _by_sea(RETREAT_BY_SEA, cells)
        self.lure = _by_sea(LURE, cells)
        self.come_from = _by_sea(COME_FROM, cells)
        self.sell_fleet = _by_sea(SELL_FLEET, cells)
        self.kraken = _by_sea(KRAKEN, cells)
        self.push = _by_sea(PUSH, cells)


def _by_sea(actions: tuple[Action, ...], cells: list[int]) -> tuple[Action, ...]:
    return tuple([actions[cell] if cell else NO_ACTION for cell in cells])


def mask(numbers: Iterable[int]) -> int:
    """Return the bits of islands or seas."""
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


def members(bits: int) -> tuple[int, ...]:
    """Return the islands or seas of a mask, the lowest first."""
    if bits < len(_MEMBERS):
        return _MEMBERS[bits]

    numbers = []
    while bits:
        low = bits & -bits
        numbers.append(low.bit_length() - 1)
        bits ^= low
    return tuple(numbers)


def _all_members(count: int) -> list[tuple[int, ...]]:
    """Return the members of all masks of the numbers below `count`."""
    table: list[tuple[int, ...]] = [()]
    for number in range(count):
        table += [(*lower, number) for lower in table]
    return table


_MEMBERS: Final = _all_members(MAX_ISLANDS + 1)
"""By mask of islands, which the rules ask for all the time."""


_EMPTY: Final = MapData((), (), (), ())
BOARDS: Final = tuple(Board(MAPS.get(seats, _EMPTY)) for seats in range(MAX_SEATS + 1))
"""By number of seats."""
