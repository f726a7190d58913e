"""Times of any number of decisions in little memory: how many there were of each length, to three digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class Charges:
    """What decisions were charged, in microseconds."""

    def __init__(self) -> None:
        self.count = 0
        self.total_us = 0
        self.max_us = 0
        self._lengths: Counter[int] = Counter()

    def add(self, charged_us: Iterable[int]) -> None:
        for charge in charged_us:
            self.count += 1
            self.total_us += charge
            self.max_us = max(self.max_us, charge)
            self._lengths[rounded_up(charge)] += 1

    @property
    def mean_us(self) -> float | None:
        return self.total_us / self.count if self.count else None

    def quantile_us(self, share: float) -> int | None:
        """Return a length that so large a share of the decisions did not exceed, at most one per cent too long."""
        wanted = share * self.count
        passed = 0
        for length in sorted(self._lengths):
            passed += self._lengths[length]
            if passed >= wanted:
                return min(length, self.max_us)
        return None


def rounded_up(value: int) -> int:
    """Return the number, of its decimal digits all but the first three made 0, rounded up.

    >>> rounded_up(999), rounded_up(12_340), rounded_up(12_301)
    (999, 12400, 12400)
    """
    unit: int = 10 ** max(0, len(str(value)) - 3)
    return -(-value // unit) * unit
