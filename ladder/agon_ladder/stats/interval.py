"""How sure a bot's score is: a 95 % interval of its mean pairwise score by block bootstrap, put into Elo points.

The unit is the complete block, since the matches of one block have the same line-up (and perhaps the same deal) and
are not independent. What a bot scored in a block is a whole number of half points out of `2 n (n - 1)`, so all that
is needed of its history is a histogram.

1. To the n blocks of the bot one more is added that is half a clean win and half a clean loss. It keeps the width
   honest where the history has too little variety to tell (a bot that has only won), and fades with 1/n.
2. The mean of n blocks, drawn with replacement from those, is taken `RESAMPLES` times (B. Efron, *Bootstrap Methods:
   Another Look at the Jackknife*, 1979); its 2.5 % and 97.5 % quantiles are the ends of the interval.
3. A score p is `400 * log10(p / (1 - p))` points above the opposition met. No difference is great enough for a clean
   score: an interval whose end it would be is open there. With fewer than two blocks it is open at both ends.

± is half the width, at most `WIDEST`, and that for an open interval. Nothing here is ever infinite or not a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isqrt, log10
from typing import Final

import numpy as np

from agon_ladder.ratings.system import POINT
from agon_ladder.stats.draws import generator

RESAMPLES: Final = 1000
WIDEST: Final = 800 * POINT
"""The ± of a bot whose interval is open, in thousandths of a point; no other is shown as wider."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of a strength, in thousandths of an Elo point: above the opposition met, or as a fit says."""

    low: int | None
    """None: it is open below."""
    high: int | None
    """None: it is open above."""
    blocks: int
    """The complete blocks it rests on."""

    @property
    def plus_minus(self) -> int:
        """Half the width, rounded up, but not above `WIDEST`: what is shown as ±."""
        return WIDEST if self.low is None or self.high is None else min((self.high - self.low + 1) // 2, WIDEST)

    def covers(self, strength: float) -> bool:
        """Tell whether a strength is in it; whatever lies beyond no end is."""
        return (self.low is None or self.low <= strength) and (self.high is None or strength <= self.high)


def rough_plus_minus(blocks: int) -> int:
    """Return about what ± a bot with so many complete blocks has, in thousandths of a point, for pairing."""
    return WIDEST // isqrt(1 + blocks)


def elo_of_score(score: float) -> int | None:
    """Return how far above its opposition a mean pairwise score puts a bot, in thousandths of a point; None for what no
    difference is great enough for, a score of 1 (or of 0) above all.

    >>> elo_of_score(0.5), elo_of_score(10 / 11), elo_of_score(1 / 11), elo_of_score(1.0)
    (0, 400000, -400000, None)
    """
    return round(400 * POINT * log10(score / (1.0 - score))) if 0.0 < score < 1.0 else None


def block_interval(histogram: Mapping[int, int], most: int, seed: str) -> Interval:
    """Return the interval of a bot whose blocks scored as the histogram says.

    `histogram` maps half points in a complete block, 0 to `most`, to the number of such blocks. The same arguments
    give the same interval.
    """
    blocks = sum(histogram.values())
    if blocks < 2:
        return Interval(None, None, blocks)

    counts = np.zeros(most + 1)
    for scored, count in histogram.items():
        counts[scored] = count
    counts[0] += 0.5
    counts[most] += 0.5
    drawn = generator(seed).multinomial(blocks, counts / (blocks + 1), size=RESAMPLES)
    all_points = most * blocks
    low, high = np.quantile(drawn @ np.arange(most + 1), (0.025, 0.975)).tolist()
    # A quantile can lie between two draws, of which one is clean: nearer to that one it is clean as well.
    return Interval(
        elo_of_score(low / all_points) if low > 0.5 else None,
        elo_of_score(high / all_points) if high < all_points - 0.5 else None,
        blocks,
    )
