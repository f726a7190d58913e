"""The formulas of `weng_lin` in 50 decimal digits, for the few matches whose doubles are too close to a half to round.

Python's `decimal` rounds every operation correctly, exp and sqrt included, so all machines have the same digits. They
take 2 (two seats) to 14 times (eight) as long as openskill's doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from typing import Final

from agon_ladder.ratings.system import POINT

_CONTEXT: Final = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999)
"""Our own, whatever the program has set: the digits depend on it."""
_HALF: Final = Decimal("0.5")


def rated(
    ratings: Sequence[tuple[int, int]], places: Sequence[int], *, beta: float, kappa: float, tau: float
) -> list[tuple[Decimal, Decimal]]:
    """Return by how much each mu changes and its new sigma, in thousandths of a point, not rounded to them.

    `ratings` are mu and sigma in thousandths, `places` as many; the order of the two is that in which the comparisons
    are added up. `beta` and `tau` are in points.
    """
    with localcontext(_CONTEXT):
        both_lucks, least = 2 * (Decimal(beta) * POINT) ** 2, Decimal(kappa)
        means = [Decimal(mu) for mu, _ in ratings]
        variances = [Decimal(sigma) ** 2 + (Decimal(tau) * POINT) ** 2 for _, sigma in ratings]
        after = []
        for one, (mean, variance, place) in enumerate(zip(means, variances, places, strict=True)):
            gain = shrink = Decimal(0)
            for other, (other_mean, other_variance, other_place) in enumerate(
                zip(means, variances, places, strict=True)
            ):
                if other == one:
                    continue

                width = (variance + other_variance + both_lucks).sqrt()
                chance = 1 / (1 + ((other_mean - mean) / width).exp())
                score = _HALF if other_place == place else Decimal(place < other_place)
                gain += variance / width * (score - chance)
                shrink += (variance.sqrt() / width) ** 3 * chance * (1 - chance)
            after.append((gain, (variance * max(1 - shrink, least)).sqrt()))
        return after
