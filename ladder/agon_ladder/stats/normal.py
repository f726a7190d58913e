"""The normal distribution, as far as statistics here need it."""

from __future__ import annotations

from math import erf, sqrt
from typing import Final

Z95: Final = 1.959963984540054
"""Standard deviations on either side of the mean that hold 95 %."""


def below(deviations: float) -> float:
    """Return the chance of a value at most so many standard deviations above the mean.

    >>> below(0.0), round(below(Z95), 6)
    (0.5, 0.975)
    """
    return 0.5 * (1.0 + erf(deviations / sqrt(2.0)))
