"""How a line-up is turned around the table, so that everybody sits equally often at each seat: what a block is."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import factorial
from typing import Final, TypeVar

T = TypeVar("T")

MAX_ALL_SEATS: Final = 3
"""Seats up to which a block can have all permutations: 6 matches; with one more seat it would be 24."""


class Rotations(StrEnum):
    """Under which orders of its seats a block plays its line-up."""

    CYCLIC = "cyclic"
    """Everybody sits once at each seat, and has the same neighbours."""
    ALL = "all"
    """All permutations, for 2 and 3 seats: with 3 everybody also plays once after and once before each other bot from
    each seat. With 2 it is the same as cyclic."""


def block_size(seats: int, rotations: Rotations) -> int:
    """Return how many matches a block has. Raise ValueError where all permutations are too many.

    >>> [block_size(3, rotations) for rotations in Rotations]
    [3, 6]
    """
    if rotations is Rotations.CYCLIC:
        return seats
    if seats > MAX_ALL_SEATS:
        raise ValueError(f"rotations = all is for 2 to {MAX_ALL_SEATS} seats, not {seats!r}")

    return factorial(seats)


def rotation(line_up: Sequence[T], place: int) -> tuple[T, ...]:
    """Return who sits where, by seat, in a place of the line-up's block: first its cyclic rotations, then those of the
    other way around the table.

    >>> [rotation("ABC", place) for place in range(3)]
    [('A', 'B', 'C'), ('B', 'C', 'A'), ('C', 'A', 'B')]
    >>> [rotation("ABC", place) for place in range(3, 6)]
    [('A', 'C', 'B'), ('C', 'B', 'A'), ('B', 'A', 'C')]
    """
    turned, shift = divmod(place, len(line_up))
    way = mirrored(line_up) if turned else line_up
    return (*way[shift:], *way[:shift])


def mirrored(line_up: Sequence[T]) -> tuple[T, ...]:
    """Return a line-up the other way around the table, from the same first seat."""
    return (line_up[0], *line_up[:0:-1])
