"""Elo for any number of seats: a match of n is n(n-1)/2 games of two, each at K/(n-1). All in integers.

For each pair, `transfer = K / (n-1) * (score - expected)` moves from one rating to the other, with score 1, 1/2 or 0
by the placements and the expected score of Elo's logistic curve, `1 / (1 + 10**(-difference/400))` (A. Elo, *The
Rating of Chessplayers*, 1978, in the logistic form that USCF and FIDE servers use). With two seats it is plain Elo.

A transfer is computed once for a pair, taken from one seat and given to the other, so the sum of all ratings is kept
exactly; it is rounded half away from zero, so that it does not matter which of the two seats is named first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agon_ladder.ratings.expected import SCALE, expected_score
from agon_ladder.ratings.system import POINT, Estimate, Rating

INITIAL: Final = 1500 * POINT
K: Final = 24 * POINT
"""What a match can move a rating at most, in thousandths: 24 points, whatever the number of seats."""
_HALF: Final = SCALE // 2


class Elo:
    """Multi-player Elo in thousandths of a point."""

    name: Final = "elo"
    keeps_sum: Final = True
    initial: Final[Rating] = (INITIAL,)

    def update(self, ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
        """Return the ratings after one match, by seat. Raise ValueError when there are no two seats."""
        seats = len(ratings)
        if seats < 2 or len(placements) != seats:
            raise ValueError(f"a match needs two or more ratings and as many placements, not {len(placements)!r}")

        values = [rating[0] for rating in ratings]
        changes = [0] * seats
        divisor = (seats - 1) * SCALE
        twice = 2 * divisor
        for one in range(1, seats):
            value, place, gained = values[one], placements[one], 0
            for other in range(one):
                behind = place - placements[other]
                score = SCALE if behind < 0 else 0 if behind else _HALF
                exact = K * (score - expected_score(value - values[other]))
                # Rounded half away from zero.
                transfer = (2 * exact + divisor) // twice if exact >= 0 else -((divisor - 2 * exact) // twice)
                gained += transfer
                changes[other] -= transfer
            changes[one] += gained
        return [(value + change,) for value, change in zip(values, changes, strict=True)]

    def value(self, rating: Rating) -> int:
        return rating[0]

    def estimate(self, rating: Rating) -> Estimate:
        return Estimate(rating[0], None)
