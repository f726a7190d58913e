"""What every rating system fulfils. Ratings are tuples of ints, so that they are stored, compared and rebuilt exactly.

A system knows placements and ratings: no names, no matches, no order but that of its calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

Rating = tuple[int, ...]
"""What a system knows about a bot, in its own fixed-point units; opaque to all others."""

POINT = 1000
"""Units of one displayed rating point: ratings that people see are kept in thousandths."""


class Estimate(NamedTuple):
    """A rating as a system itself sees it, in thousandths of a point."""

    value: int
    sigma: int | None
    """The standard deviation of the value; None where the system knows none."""


class RatingSystem(Protocol):
    """A rule that moves ratings by placements, the same on every machine and in any order of the seats."""

    @property
    def name(self) -> str:
        """What ladders and commands call the system."""
        ...

    @property
    def keeps_sum(self) -> bool:
        """Whether an update leaves the sum of the displayed values unchanged, exactly."""
        ...

    @property
    def initial(self) -> Rating:
        """What a bot has before its first match."""
        ...

    def update(self, ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
        """Return the ratings after one match, by seat. Only the order of the placements matters, not their size."""
        ...

    def value(self, rating: Rating) -> int:
        """Return the number that ranks and is shown, in thousandths of a point."""
        ...

    def estimate(self, rating: Rating) -> Estimate:
        """Return the value with what the system itself knows of its error."""
        ...
