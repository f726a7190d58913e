"""What one combination of labels of a histogram has counted. How that is exposed is `histogram`'s."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate


class Series:
    """The observations of one combination of labels."""

    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        """Count a value, in the metric's unit."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def read(self) -> tuple[list[int], float]:
        """Return how many values lay at or below each bound, the last one for all, and their sum."""
        return list(accumulate(self._counts)), self._sum
