"""What a block is expected to tell: how much less is unknown of the strengths of two bots after they have met.

The design is that of M. Glickman and S. Jensen (*Adaptive paired comparison design*, 2005): of the comparisons that
could be made next, make the one with the greatest expected information (D. Lindley, *On a Measure of the Information
Provided by an Experiment*, 1956). For one comparison under the logistic curve of Elo, and with normal uncertainty of
the difference with variance V, that is in close approximation

    1/2 * ln(1 + V * q^2 * p * (1 - p)),   q = ln(10) / 400 a point,

since q^2 p (1 - p) is the Fisher information of the comparison. p is the score expected over all that the difference
may be: the curve at the difference of the *means*, flattened for its uncertainty (Glickman, *Parameter estimation in
large dynamic paired comparison experiments*, 1999). So what is uncertain comes first and what is close comes first, and
an uncertain bot is not taken for a weak one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log, log1p, pi, sqrt
from typing import Final

from agon_ladder.pairing.players import Candidate
from agon_ladder.ratings.system import POINT

_Q: Final = log(10) / (400 * POINT)
_Z: Final = 1.96
"""Standard deviations in a 95 % interval's half."""
_LEAST_VARIANCE: Final = float(2 * (10 * POINT) ** 2)
"""Nobody's strength is known better than to 10 points: bots change, and so does what they meet."""


def information(difference: int, uncertainty: int, other: int) -> float:
    """Return the expected information, in nats, of a comparison of two bots whose ratings differ by so much and have
    these ± (half of a 95 % interval); all in thousandths of a point."""
    variance = max(_LEAST_VARIANCE, (uncertainty * uncertainty + other * other) / (_Z * _Z))
    flattened = 1 / sqrt(1 + 3 * _Q * _Q * variance / (pi * pi))
    # Beyond 40 the score is 0 or 1 to the last digit, and exp has not yet overflowed.
    score = 1 / (1 + exp(min(40.0, _Q * flattened * abs(difference))))
    return 0.5 * log1p(variance * _Q * _Q * score * (1 - score))


def expected_gain(candidate: Candidate, others: Sequence[Candidate], met: Mapping[str, int]) -> float:
    """Return what its meeting these is expected to tell, in nats; of each less for every time that it met it lately."""
    return sum(
        information(candidate.rating - one.rating, candidate.uncertainty, one.uncertainty)
        / (1 + met.get(one.player.bot, 0))
        for one in others
    )
