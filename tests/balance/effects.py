"""The statistics: what taking an item does, means with intervals, and the band in which peers lie. Standard formulas on
arrays; nothing here knows a game.

**The effect of an item.** Who wins has taken more cards and better ones, and has better columns to take them with: the
plain difference between seats with and without a card says as much of the seats as of the card. So half of a drafting
seat's takes are drawn by lot among those that are listed. Whether a card is taken is then a coin that nothing before
it has a part in, and what follows is the card's doing. Each draw moves a seat's row by 1 for what was picked less
`1/n` for each of the n options: its expectation is 0 whatever the seat is like, so the least-squares coefficients of
the seat's lead on these rows are free of confounding (treatments centred at their known propensity: P. Rosenbaum,
D. Rubin, *The central role of the propensity score*, Biometrika 1983; regression in randomised experiments: W. Lin,
*Agnostic notes on regression adjustments to experimental data*, 2013). A coefficient is known but for a constant that
all share, since something is taken anyway; an effect is therefore *over the mean of its peers*: the points by which a
seat is further ahead of the mean of the others at the end for having taken this card, by lot, rather than a mean card
of its level, everything that it goes on to do with it included.

Errors allow for unequal spread and for seats of one match that are not independent (the cluster sandwich: K.-Y. Liang,
S. Zeger, *Longitudinal data analysis using generalized linear models*, 1986), scaled for the coefficients that were
fitted (CR1: A. Cameron, D. Miller, *A practitioner's guide to cluster-robust inference*, 2015). The sandwich holds for
many matches, and falls to 0 where the fit follows each of them: an item is *known* when it was drawn and passed over
`DRAWS` times each, in a fit with `MATCHES_EACH` matches or more for each coefficient. Of others nothing is said.

**The band** of peers is the median of their effects ± `BAND` points. Of cards that is about what a level is worth: in
Elysium's house set the mean card of a level does 2 to 3 points more than that of the level below, so a card outside the
band would be more at home in another level. An item is flagged when the whole 95 % interval of its effect lies outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tests.balance.accounts import Draw

Floats = NDArray[np.float64]

Z: Final = 1.959964
"""The 97.5 % quantile of the normal distribution."""
MISSES: Final = 0.05
"""The share of intervals that miss what they estimate, by chance; no correction is made for their number."""
BAND: Final = 2.5
"""Half the width of the band, in points."""
DRAWS: Final = 50
"""How often an item has to be drawn, and how often listed in a draw of another, to be judged."""
MATCHES_EACH: Final = 3
"""How many matches with draws a fit needs for each of its coefficients."""
NEGLIGIBLE: Final = 1e-6
"""A standard error, in points, below which nothing was estimated: an item over itself."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its standard error."""

    value: float
    error: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.value - Z * self.error

    @property
    def high(self) -> float:
        return self.value + Z * self.error

    @property
    def plus_minus(self) -> float:
        return Z * self.error


@dataclass(frozen=True, slots=True)
class Band:
    """Where the effects of peers should lie."""

    low: float
    high: float

    def verdict(self, effect: Estimate) -> str:
        """Return `strong` or `weak` where the whole interval lies outside, else nothing."""
        return "strong" if effect.low > self.high else "weak" if effect.high < self.low else ""


def band_of(effects: Sequence[Estimate]) -> Band:
    """Return the band of some peers: at least one."""
    middle = float(np.median([effect.value for effect in effects]))
    return Band(middle - BAND, middle + BAND)


def mean_of(values: Sequence[float], clusters: Sequence[int]) -> Estimate | None:
    """Return the mean of values that come in clusters, numbered in any way; None where there are fewer than two."""
    numbers, places = np.unique(np.asarray(clusters, dtype=np.int64), return_inverse=True)
    if len(numbers) < 2:
        return None

    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean())
    sums = np.bincount(places, weights=array - mean)
    corrected = float(sums @ sums) * len(numbers) / (len(numbers) - 1)
    return Estimate(mean, sqrt(corrected) / len(array))


class Effects:
    """The fit of leads on draws."""

    def __init__(
        self,
        leads: Sequence[float],
        draws: Sequence[Sequence[Draw]],
        starts: Sequence[int],
        clusters: Sequence[int],
        items: int,
    ) -> None:
        """Fit. By row (a seat of a match): its lead, its draws, its place in the first order and its match; rows of one
        match stand together."""
        z = np.zeros((len(leads), items))
        self.drawn: NDArray[np.int64] = np.zeros(items, dtype=np.int64)
        """By item: how often it was picked by lot."""
        self.passed: NDArray[np.int64] = np.zeros(items, dtype=np.int64)
        """By item: how often another one was picked where it was listed."""
        for row, those in zip(z, draws, strict=True):
            for draw in those:
                row[draw.picked] += 1.0
                row[list(draw.options)] -= 1.0 / len(draw.options)
                self.drawn[draw.picked] += 1
                for option in set(draw.options) - {draw.picked}:
                    self.passed[option] += 1
        places = np.unique(np.asarray(starts))
        x = np.hstack([(np.asarray(starts)[:, None] == places).astype(np.float64), z])
        y = np.asarray(leads, dtype=np.float64)
        # The coefficients are free but for a constant; the pseudo-inverse fixes it, and contrasts do not depend on it.
        bread: Floats = np.linalg.pinv(x.T @ x, hermitian=True)
        found: Floats = bread @ (x.T @ y)
        scores = x * (y - x @ found)[:, None]
        _, firsts = np.unique(np.asarray(clusters), return_index=True)
        by_match: Floats = np.add.reduceat(scores, np.sort(firsts), axis=0)
        matches, coefficients = len(firsts), int(np.count_nonzero(x.any(axis=0)))
        self._is_sound = matches >= MATCHES_EACH * coefficients
        scale = matches / (matches - 1) * (len(y) - 1) / (len(y) - coefficients) if self._is_sound else 1.0
        covariance: Floats = scale * (bread @ (by_match.T @ by_match) @ bread)
        self._found = found[len(places) :]
        self._covariance = covariance[len(places) :, len(places) :]

    def is_known(self, item: int) -> bool:
        """Return whether there were enough draws and matches to say what the item does."""
        return self._is_sound and bool(min(self.drawn[item], self.passed[item]) >= DRAWS)

    def over(self, pairs: Sequence[tuple[int, Sequence[int]]]) -> Estimate | None:
        """Return the mean effect of some known items, each over the mean of those given with it; None where these are
        the same, or there are none."""
        weights: Floats = np.zeros(len(self._found))
        for item, others in pairs:
            weights[item] += 1.0 / len(pairs)
            weights[list(others)] -= 1.0 / (len(pairs) * len(others))
        error = sqrt(max(0.0, float(weights @ self._covariance @ weights)))
        return Estimate(float(weights @ self._found), error) if error > NEGLIGIBLE else None
