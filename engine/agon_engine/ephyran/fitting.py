"""Which halves fit a city: the next zone of each column (P3.1), and a Dionysos on any of them (P3.5). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agon_engine.ephyran.data import CARDS, CELLS, COLUMNS, HALF_CELL, NO_CELL, ZONES, is_dionysos

ZONE_HALVES: Final = tuple(
    tuple((half, HALF_CELL[half]) for half in (2 * card, 2 * card + 1) if HALF_CELL[half] != NO_CELL)
    for card in range(CARDS + 1)
)
"""By card: its zone halves, each with its cell. A Dionysos has none."""

CARD_CELLS: Final = tuple(
    (1 << CELLS) - 1 if is_dionysos(card) else sum({1 << cell for _, cell in ZONE_HALVES[card]})
    for card in range(CARDS + 1)
)
"""By card: the cells on which it can lie, as bits."""

_NEXT: Final = tuple((*(1 << (column * ZONES + height) for height in range(ZONES)), 0) for column in range(COLUMNS))
"""By column and height: the bit of its next cell."""


def next_cells(heights: Sequence[int]) -> int:
    """Return the cells that can be built next in a city of those heights, as bits."""
    blue, red, green, brown = heights
    return _NEXT[0][blue] | _NEXT[1][red] | _NEXT[2][green] | _NEXT[3][brown]


def builds(heights: Sequence[int], card: int) -> list[tuple[int, int]]:
    """Return the halves of a card that can be built in a city of those heights, each with its cell."""
    if is_dionysos(card):
        return [(2 * card, column * ZONES + height) for column, height in enumerate(heights) if height < ZONES]

    return [(half, cell) for half, cell in ZONE_HALVES[card] if cell % ZONES == heights[cell // ZONES]]
