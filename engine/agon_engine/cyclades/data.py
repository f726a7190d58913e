"""The material (C1) and the four maps, read once from `maps.json`. No rules here.

Islands and seas are numbered from 1 in the order of a map's data, so that island n is `ISn`; 0 is none. A sea's name is
its cell on the grid; cells are numbered over all maps together, since action codes name them.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final, NamedTuple

MIN_SEATS: Final = 2
MAX_SEATS: Final = 5
TROOPS: Final = 8
FLEETS: Final = 8
"""Of each seat (C1.1)."""
BUILDINGS_EACH: Final = 10
METROPOLISES: Final = 10
PROSPERITY: Final = 16
PRIESTS: Final = 18
PHILOSOPHERS: Final = 17
DIE: Final = (0, 1, 1, 2, 2, 3)
START_GOLD: Final = 5
SPACE_PRICES: Final = (4, 3, 2)
"""By space of the creature track (C3.1)."""
MAX_BID: Final = 200
FLEET_PRICES: Final = (0, 1, 2, 3)
"""Of the first fleet recruited in a turn, the second, … (C7.3)."""
TROOP_PRICES: Final = (0, 2, 3, 4)
PRIEST_PRICES: Final = (0, 4)
PHILOSOPHER_PRICES: Final = (0, 4)
BUILDING_PRICE: Final = 2
MAX_STEPS: Final = 3
"""Of a paid fleet move (C7.6)."""
MAX_SYLPH_STEPS: Final = 10
MAX_KRAKEN_SEAS: Final = 10
MAX_MOVES: Final = 16
"""Paid moves, and creature changes, of a turn (C7.14)."""
SALE_PRICE: Final = 2
"""What the Sphinx pays."""
APOLLO_INCOME: Final = 1
APOLLO_RELIEF: Final = 4
"""With at most one island (C7.9)."""
MINOTAUR_STRENGTH: Final = 2
SET: Final = 4
"""So many different buildings, or philosophers, make a Metropolis (C10.1)."""
MIN_CYCLES: Final = 5
MAX_CYCLES: Final = 100


def winning_number(seats: int) -> int:
    """Return how many Metropolises win, by the seats at the start (C4.5)."""
    return 3 if seats == 2 else 2


def markers_each(seats: int) -> int:
    """Return how many offering markers a seat has (C1.1)."""
    return 2 if seats == 2 else 1


class IslandData(NamedTuple):
    """What is printed of an island."""

    cells: tuple[str, ...]
    slots: int
    covered: int
    """Slots under the frame of a Metropolis (C10.8)."""
    horns: int
    seas: tuple[int, ...]
    """Those that touch it, in the order of the data, which is that of C9.3."""


class SeaData(NamedTuple):
    """What is printed of a sea."""

    cell: str
    trade: int
    """1 for a trade sea (C5.1)."""
    seas: tuple[int, ...]
    islands: tuple[int, ...]


class Start(NamedTuple):
    """Where a seat begins: one troop on each island, one fleet in each sea."""

    islands: tuple[int, ...]
    seas: tuple[int, ...]


class MapData(NamedTuple):
    """A map as printed. The first island and sea are fillers, so that numbers count from 1."""

    row_lengths: tuple[int, ...]
    """Cells of row A, B, …"""
    islands: tuple[IslandData, ...]
    seas: tuple[SeaData, ...]
    starts: tuple[Start, ...]
    """By seat."""


def read_maps(text: str) -> dict[int, MapData]:
    """Read the JSON text of the maps; by number of seats. Raise ValueError, naming the first thing that is wrong."""
    return {int(seats): _read_map(int(seats), entry) for seats, entry in json.loads(text)["maps"].items()}


def _read_map(seats: int, entry: dict[str, Any]) -> MapData:
    sea_number = {row["id"]: number for number, row in enumerate(entry["seas"], 1)}
    island_number = {row["id"]: number for number, row in enumerate(entry["islands"], 1)}
    ids = [f"IS{number}" for number in island_number.values()]
    _check(list(island_number) == ids, "the islands are not numbered in their order", list(island_number))
    islands, seas = [IslandData((), 0, 0, 0, ())], [SeaData("", 0, (), ())]
    for row in entry["islands"]:
        touching = tuple([sea_number[name] for name in row["adjacent_seas"]])
        slots, covered = row["building_slots"], row["metropolis_covers_slots"]
        _check(0 < covered <= slots, "a frame covers more slots than there are", row["id"])
        islands.append(IslandData(tuple(row["cells"]), slots, covered, row["printed_prosperity"], touching))
    for row in entry["seas"]:
        near = tuple([sea_number[name] for name in row["adjacent_seas"]])
        shores = tuple([island_number[name] for name in row["adjacent_islands"]])
        seas.append(SeaData(row["id"], row["trade_prosperity"], near, shores))

    starts = []
    for seat, row in enumerate(entry["starts"]):
        _check(row["seat"] == seat, "the starts are not in the order of the seats", row["seat"])
        troops = tuple([island_number[name] for name in row["troops"]])
        starts.append(Start(troops, tuple([sea_number[name] for name in row["fleets"]])))
    _check(len(starts) == seats, "the map has another number of starts", len(starts))
    return MapData(tuple(entry["row_lengths"]), tuple(islands), tuple(seas), tuple(starts))


def _check(holds: bool, problem: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"{problem}: {value!r}")


MAPS: Final = read_maps(files("agon_engine.cyclades").joinpath("maps.json").read_text("utf-8"))
"""By number of seats."""


def _by_place(cell: str) -> tuple[str, int]:
    return cell[0], int(cell[1:])


CELLS: Final = (
    "",
    *sorted({sea.cell for printed in MAPS.values() for sea in printed.seas if sea.cell}, key=_by_place),
)
"""The names of all cells that are sea on some map, row by row; by number, from 1."""
CELL_NUMBER: Final = {cell: number for number, cell in enumerate(CELLS)}
MAX_ISLANDS: Final = max(len(printed.islands) - 1 for printed in MAPS.values())
ISLAND_NAMES: Final = ("", *(f"IS{number}" for number in range(1, MAX_ISLANDS + 1)))
