"""The cells of a map drawn as text: rows of bricks, which touch each other as the hexes do.

A cell has two lines of text; what is written in it is the caller's. Between the cells of one island there is no wall.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Final

from agon_engine.cyclades.data import MAPS

ROOM: Final = 6
"""Characters of a line in a cell."""
_BRICK: Final = ROOM + 1
"""With the wall at the left."""
_OUTSIDE: Final = ""

Lines = tuple[str, str]


@cache
def grid_of(seats: int) -> Grid:
    """Return the grid of the map for so many seats."""
    return Grid(seats)


class Grid:
    """Where the cells of a map lie."""

    def __init__(self, seats: int) -> None:
        printed = MAPS[seats]
        area_of = {sea.cell: sea.cell for sea in printed.seas}
        for number, island in enumerate(printed.islands):
            area_of |= dict.fromkeys(island.cells, f"IS{number}")

        widest = max(printed.row_lengths)
        self._rows: list[list[str]] = []
        """Of each row: the area, an island or a sea, that lies left of each column."""
        self._cells: list[list[tuple[int, str]]] = []
        """Of each row: where a cell begins, and its name."""
        for row, length in enumerate(printed.row_lengths):
            indent = (widest - length) * _BRICK // 2
            names = [f"{chr(ord('A') + row)}{place}" for place in range(1, length + 1)]
            areas = [_OUTSIDE] * (indent + 1)
            for name in names:
                areas += [area_of[name]] * _BRICK
            self._rows.append(areas + [_OUTSIDE] * (widest * _BRICK + 2 - len(areas)))
            self._cells.append([(indent + place * _BRICK, name) for place, name in enumerate(names)])

    def draw(self, text: Mapping[str, Lines]) -> Iterator[str]:
        """Draw the map with a text in each cell, by its name."""
        above = [_OUTSIDE] * len(self._rows[0])
        for areas, cells in zip(self._rows, self._cells, strict=True):
            yield _border(above, areas)
            yield from _fill(areas, [(start, text[name]) for start, name in cells])
            above = areas
        yield _border(above, [_OUTSIDE] * len(above))


def _border(above: list[str], below: list[str]) -> str:
    """Draw the line between two rows."""
    corners = zip(pairwise(above), pairwise(below), strict=True)
    return "".join([_corner(*over, *under) for over, under in corners]).rstrip()


def _corner(left_above: str, right_above: str, left_below: str, right_below: str) -> str:
    """Return the sign between four areas."""
    if left_above == right_above and left_below == right_below:
        return " " if left_above == left_below else "-"

    return "+"


def _fill(areas: list[str], cells: list[tuple[int, Lines]]) -> Iterator[str]:
    """Draw both lines of a row."""
    walls = "".join([" " if left == right else "|" for left, right in pairwise(areas)])
    for number in (0, 1):
        line = walls
        for start, lines in cells:
            line = f"{line[: start + 1]}{lines[number]:<{ROOM}}{line[start + _BRICK :]}"
        yield line.rstrip()
