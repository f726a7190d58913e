"""The expected score of a rating difference, by a fixed table, so that no machine's floating point matters."""

from __future__ import annotations

from typing import Final

from agon_ladder.ratings.expected_table import EXPECTED

SCALE: Final = 1_000_000
"""An expected score of one, in the table's units."""
LIMIT: Final = (len(EXPECTED) - 1) * 1000
"""Differences beyond this, in thousandths of a point, count as this."""


def expected_score(difference: int) -> int:
    """Return the score to expect against somebody `difference` thousandths of a point lower, in millionths.

    Between two whole points the table is read by linear interpolation; the value is within 1.3 millionths of the curve.
    `expected_score(d) + expected_score(-d) == SCALE` for every d.

    >>> expected_score(0), expected_score(400_000), expected_score(-400_000)
    (500000, 909091, 90909)
    """
    size = difference if difference >= 0 else -difference
    if size >= LIMIT:
        score = EXPECTED[-1]
    else:
        point = size // 1000
        score = EXPECTED[point]
        score += ((EXPECTED[point + 1] - score) * (size - 1000 * point) + 500) // 1000
    return score if difference >= 0 else SCALE - score
