"""Win trades: bots that lose to one other bot far more than their matches with all others let expect. Pure.

1. A strength is fitted to every bot: maximum likelihood of the pairwise scores of all matches given, on the curve that
   Elo has too (R. Bradley, M. Terry, *Rank Analysis of Incomplete Block Designs*, 1952), with one drawn game against
   the mean as prior. Strengths count as constant: give the matches of a time in which the bots did not change much.
2. For each ordered pair with enough matches, the score that the loser should have against the winner follows from what
   both did against all others: the pair's own matches are left out of the fit, by one step of Newton's method from it,
   and where that looks like a trade by a fit of its own.
3. The p-value is the chance of a score as low as was seen: the tail P(X <= seen) of the binomial distribution, a tie as
   half a win and half a win rounded up, in the mean over what is not known of the expected score, whose logit is
   normal with the variance that the fit states. Ties make the true distribution narrower, so it errs to the side of
   the bots.
4. Over all pairs tested the false discovery rate is held (Y. Benjamini, Y. Hochberg, *Controlling the False Discovery
   Rate*, 1995), and only a deficit that matters is told: `DEFICIT` of the score a match.

What it cannot tell: why. A bot that has found how to beat another one looks the same as a trade, so this is a reason to
look at matches, and none to purge. Nor does it see bots that share a gain among three or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

MIN_MATCHES: Final = 20
"""Pairs with fewer matches are not tested."""
FALSE_SHARE: Final = 0.01
"""Of the pairs that are told, so many may be there by chance."""
DEFICIT: Final = 0.15
"""A pair is told only where the loser has so much less than expected, a match."""
_STEPS: Final = 60
_CLOSE: Final = 1e-9
_LONGEST_STEP: Final = 2.0
"""Of Newton's method, in natural logits: keeps it from overshooting where a bot has only won."""

_LEAST_SHARE: Final = 1e-3
"""Of a pair's information that others gave; with less nothing is known without its own matches."""
_SUSPICIOUS: Final = 0.1
"""Up to this false discovery rate a pair is worth a fit of its own."""

Floats = NDArray[np.float64]

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


def strengths(met: Floats, scores: Floats, start: Floats | None = None) -> Floats:
    """Return the bots' strengths of greatest likelihood under the prior, in natural logits, with a mean near 0."""
    found = np.zeros(len(met)) if start is None else start.copy()
    for _ in range(_STEPS):
        gradient = (scores - met * _sigmoid(found[:, None] - found[None, :])).sum(axis=1) + 0.5 - _sigmoid(found)
        step = np.linalg.solve(_information(met, found), gradient)
        longest = np.abs(step).max(initial=0.0)
        if longest > _LONGEST_STEP:
            step *= _LONGEST_STEP / longest
        found += step
        if longest < _CLOSE:
            break
    return found


def _information(met: Floats, found: Floats) -> Floats:
    """Return Fisher's information of the strengths, the prior's included."""
    chances, alone = _sigmoid(found[:, None] - found[None, :]), _sigmoid(found)
    weights = met * chances * (1 - chances)
    result: Floats = np.diag(weights.sum(axis=1) + alone * (1 - alone)) - weights
    return result


def find_trades(meetings: Meetings, *, min_matches: int = MIN_MATCHES, false_share: float = FALSE_SHARE) -> TradeReport:
    """Return the pairs of which one loses to the other more than expected."""
    names = meetings.bots
    met, scores = meetings.tables()
    tested = np.argwhere(met >= max(1, min_matches))
    judged = _judged(met, scores, tested) if len(tested) else []
    adjusted = _benjamini_hochberg(np.array([pair.chance for pair in judged]))
    trades = [
        Trade(
            loser=names[pair.loser],
            winner=names[pair.winner],
            matches=int(met[pair.loser, pair.winner]),
            score=float(scores[pair.loser, pair.winner] / met[pair.loser, pair.winner]),
            expected=pair.expected,
            chance=float(chance),
        )
        for pair, chance in zip(judged, adjusted, strict=True)
        if chance <= false_share
    ]
    trades.sort(key=lambda trade: (trade.chance, trade.loser, trade.winner))
    return TradeReport(tuple(trades), meetings.matches, len(names), len(judged))


class _Pair(NamedTuple):
    loser: int
    winner: int
    expected: float
    """The loser's score a match, by all other matches of the two."""
    chance: float


def _judged(met: Floats, scores: Floats, tested: NDArray[np.intp]) -> list[_Pair]:
    found = strengths(met, scores)
    inverse = np.linalg.inv(_information(met, found))
    log_factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, met.max() + 1)))))
    pairs = []
    for one, other in tested:
        matches, score = met[one, other], scores[one, other]
        difference = found[one] - found[other]
        expected = float(_sigmoid(difference))
        # The step and the variance without the pair, by the formula of Sherman and Morrison.
        variance = inverse[one, one] + inverse[other, other] - 2 * inverse[one, other]
        variance /= max(1 - matches * expected * (1 - expected) * variance, _LEAST_SHARE)
        difference -= (score - matches * expected) * variance
        pairs.append(_pair(one, other, matches, score, difference, variance, log_factorials))
    for at in np.flatnonzero(_benjamini_hochberg(np.array([pair.chance for pair in pairs])) <= _SUSPICIOUS):
        one, other = tested[at]
        difference, variance = _without(met, scores, one, other, found)
        pairs[at] = _pair(one, other, met[one, other], scores[one, other], difference, variance, log_factorials)
    return pairs


def _pair(
    one: int, other: int, matches: float, score: float, difference: float, variance: float, log_factorials: Floats
) -> _Pair:
    chances = np.clip(_sigmoid(difference + np.sqrt(2 * variance) * _NODES), _CLOSE, 1 - _CLOSE)
    expected = float(_WEIGHTS @ chances)
    if expected - score / matches < DEFICIT:
        # It is not told whatever its p-value is; 1 is the safe one for all others.
        return _Pair(int(one), int(other), expected, 1.0)

    tails = _binomial_tails(ceil(score), int(matches), chances, log_factorials)
    return _Pair(int(one), int(other), expected, min(1.0, float(_WEIGHTS @ tails)))


def _without(met: Floats, scores: Floats, one: int, other: int, start: Floats) -> tuple[float, float]:
    """Return the difference of two strengths by all matches but those of the two, and its variance."""
    met, scores = met.copy(), scores.copy()
    for table in (met, scores):
        table[one, other] = table[other, one] = 0.0
    found = strengths(met, scores, start)
    inverse = np.linalg.inv(_information(met, found))
    variance = inverse[one, one] + inverse[other, other] - 2 * inverse[one, other]
    return float(found[one] - found[other]), float(variance)


def trades_of(matches: Iterable[tuple[Sequence[str], Sequence[int]]], **limits: Any) -> TradeReport:
    """Return what `find_trades` does of matches, each as bots and placements by seat."""
    meetings = Meetings()
    for bots, placements in matches:
        meetings.add(bots, placements)
    return find_trades(meetings, **limits)


def _sigmoid(values: Floats) -> Floats:
    result: Floats = 0.5 * (1.0 + np.tanh(0.5 * values))
    return result


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
