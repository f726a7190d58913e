"""Win trades: bots that lose to one other bot far more than their matches with all others let expect. Pure.

1. A strength is fitted to every bot by the pairwise scores of all matches given (`stats.pairwise`). Strengths count as
   constant: give the matches of a time in which the bots did not change much.
2. For each ordered pair with enough matches, the score that the loser should have against the winner follows from what
   both did against all others: the pair's own matches are left out of the fit, by one step of Newton's method from it,
   and to the end where that looks like a trade, of more than `MOST_FITS` pairs for the least likely ones.
3. The p-value is the chance of a score as low as was seen: the tail P(X <= seen) of the binomial distribution, a tie as
   half a win and half a win rounded up, in the mean over what is not known of the expected score, whose logit is
   normal with the variance that the fit states. Ties make the true distribution narrower, so it errs to the side of
   the bots.
4. Over all pairs tested the false discovery rate is held (Y. Benjamini, Y. Hochberg, *Controlling the False Discovery
   Rate*, 1995), and only a deficit that matters is told: `DEFICIT` of the score a match.

Time grows with the cube of the number of bots, and for each pair that looks like a trade with its square: 2,000 bots
with a hundred such pairs take some ten seconds of a processor (`python -m tests.bench fit`).

What it cannot tell: why. A bot that has found how to beat another one looks the same as a trade, so this is a reason to
look at matches, and none to purge. Nor does it see bots that share a gain among three or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from agon_ladder.stats.arrays import Floats, Ints
from agon_ladder.stats.pairwise import PairwiseFit, sigmoid

MIN_MATCHES: Final = 20
"""Pairs with fewer matches are not tested."""
FALSE_SHARE: Final = 0.01
"""Of the pairs that are told, so many may be there by chance."""
DEFICIT: Final = 0.15
"""A pair is told only where the loser has so much less than expected, a match."""
_SUSPICIOUS: Final = 0.1
"""Up to this false discovery rate a pair is worth a fit of its own."""
MOST_FITS: Final = 500
"""So many pairs get one: a minute for 2,000 bots. More look like trades only where strength is no single number, as in
a game in which A beats B beats C beats A."""
_CHUNK: Final = 10_000
"""So many pairs are judged at a time: bounds the memory."""
_SURE: Final = 1e-9
"""No chance of a win is nearer to 0 or 1."""

_NODES, _HERMITE = np.polynomial.hermite.hermgauss(31)
_WEIGHTS: Floats = _HERMITE / np.sqrt(np.pi)
"""The mean over a normal distribution is the weighted one over these nodes."""


@dataclass(frozen=True, slots=True)
class Trade:
    """A pair of bots of which one loses to the other more than it should."""

    loser: str
    winner: str
    matches: int
    """In which both sat."""
    score: float
    """The loser's mean score against the winner: 1 for a better place, 1/2 for the same."""
    expected: float
    """What it should be by the strengths of the two."""
    chance: float
    """The p-value, adjusted for all pairs tested: the least false discovery rate at which the pair is told."""


@dataclass(frozen=True, slots=True)
class TradeReport:
    """What was found, and in how much."""

    trades: tuple[Trade, ...]
    """The least likely by chance first."""
    matches: int
    bots: int
    pairs: int
    """Pairs that were tested, in both directions together."""


class Meetings:
    """How often each bot met each other one, and with which score."""

    def __init__(self) -> None:
        self.matches = 0
        self._number: dict[str, int] = {}
        self._met = np.zeros((16, 16), dtype=np.int64)
        self._half_points = np.zeros((16, 16), dtype=np.int64)

    @property
    def bots(self) -> tuple[str, ...]:
        """All bots, in the order in which they came."""
        return tuple(self._number)

    def add(self, bots: Sequence[str], placements: Sequence[int]) -> None:
        """Count a match; both are by seat. A bot that sits twice does not meet itself."""
        self.matches += 1
        seats = [self._number_of(bot) for bot in bots]
        for seat, one in enumerate(seats):
            for other_seat, other in enumerate(seats):
                if one != other:
                    ahead = placements[other_seat] - placements[seat]
                    self._met[one, other] += 1
                    self._half_points[one, other] += 2 if ahead > 0 else ahead == 0

    def _number_of(self, bot: str) -> int:
        number = self._number.setdefault(bot, len(self._number))
        if number == len(self._met):
            self._met, self._half_points = (np.pad(each, (0, number)) for each in (self._met, self._half_points))
        return number

    def tables(self) -> tuple[Floats, Floats]:
        """Return matches and scores, by bot and opponent."""
        size = len(self._number)
        return self._met[:size, :size].astype(float), self._half_points[:size, :size] / 2


def find_trades(meetings: Meetings, *, min_matches: int = MIN_MATCHES, false_share: float = FALSE_SHARE) -> TradeReport:
    """Return the pairs of which one loses to the other more than expected."""
    names = meetings.bots
    met, scores = meetings.tables()
    losers, winners = np.nonzero(met >= max(1, min_matches))
    expected, chances = _judged(met, scores, losers, winners) if len(losers) else (np.zeros(0), np.zeros(0))
    adjusted = _benjamini_hochberg(chances)
    trades = [
        Trade(
            loser=names[losers[at]],
            winner=names[winners[at]],
            matches=int(met[losers[at], winners[at]]),
            score=float(scores[losers[at], winners[at]] / met[losers[at], winners[at]]),
            expected=float(expected[at]),
            chance=float(adjusted[at]),
        )
        for at in np.flatnonzero(adjusted <= false_share)
    ]
    trades.sort(key=lambda trade: (trade.chance, trade.loser, trade.winner))
    return TradeReport(tuple(trades), meetings.matches, len(names), len(losers))


def _judged(met: Floats, scores: Floats, losers: Ints, winners: Ints) -> tuple[Floats, Floats]:
    """Return for each pair the loser's score to expect, a match, and the p-value of the score that it has."""
    fitted = PairwiseFit(met, scores)
    matches, seen = met[losers, winners], scores[losers, winners]
    log_factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, matches.max() + 1)))))
    parts = [
        _tested(*fitted.nearly_without(losers[part], winners[part]), matches[part], seen[part], log_factorials)
        for part in (slice(start, start + _CHUNK) for start in range(0, len(losers), _CHUNK))
    ]
    expected, chances = (np.concatenate(column) for column in zip(*parts, strict=True))
    suspicious = np.flatnonzero(_benjamini_hochberg(chances) <= _SUSPICIOUS)
    for at in suspicious[np.argsort(chances[suspicious], kind="stable")][:MOST_FITS]:
        difference, variance = np.array([fitted.without(int(losers[at]), int(winners[at]))]).T
        one = slice(at, at + 1)
        expected[one], chances[one] = _tested(difference, variance, matches[one], seen[one], log_factorials)
    return expected, chances


def _tested(
    differences: Floats, variances: Floats, matches: Floats, seen: Floats, log_factorials: Floats
) -> tuple[Floats, Floats]:
    """Return expected scores and p-values of pairs, from what is known of their differences without their matches."""
    likely = np.clip(sigmoid(differences[:, None] + np.sqrt(2 * variances)[:, None] * _NODES), _SURE, 1 - _SURE)
    expected: Floats = likely @ _WEIGHTS
    # Who does not lack as much is not told, whatever its p-value is; 1 is the safe one for all others.
    chances = np.ones(len(expected))
    for at in np.flatnonzero(expected - seen / matches >= DEFICIT):
        tails = _binomial_tails(ceil(seen[at]), int(matches[at]), likely[at], log_factorials)
        chances[at] = min(1.0, float(_WEIGHTS @ tails))
    return expected, chances


def _binomial_tails(most: int, matches: int, chances: Floats, log_factorials: Floats) -> Floats:
    """Return P(X <= most) of binomial distributions with these chances of a win, each above 0 and below 1."""
    wins = np.arange(min(most, matches) + 1)
    ways = log_factorials[matches] - log_factorials[wins] - log_factorials[matches - wins]
    logs = ways + np.outer(np.log(chances), wins) + np.outer(np.log1p(-chances), matches - wins)
    tails: Floats = np.minimum(1.0, np.exp(logs).sum(axis=1))
    return tails


def _benjamini_hochberg(chances: Floats) -> Floats:
    """Return the p-values adjusted for their number."""
    order = np.argsort(chances, kind="stable")
    number = len(chances)
    scaled = chances[order] * number / np.arange(1, number + 1)
    adjusted = np.empty(number)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return adjusted
