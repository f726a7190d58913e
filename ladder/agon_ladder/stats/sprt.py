"""The sequential probability ratio test of one bot against the others of its line-up, on the scores of complete blocks.

Tested is the *first* bot: what it scores in a block, over all comparisons with other bots at the same table, as a share
of what there was to score. With two seats a block is the pair of chess engine testing (five possible scores, hence
*pentanomial*); with n bots at n seats it has `2 n (n - 1) + 1` possible scores. A block is one observation: its matches
have one line-up, perhaps one deal, and are not independent. So is the test: H0, the first bot is `elo0` stronger than
the others, against H1, it is `elo1` stronger; `alpha` bounds how often H1 is accepted where H0 is true, `beta` the
reverse.

A. Wald, *Sequential Tests of Statistical Hypotheses* (1945): go on while the log-likelihood ratio is between
`log(beta / (1 - alpha))` and `log((1 - beta) / alpha)`. Since the distribution of scores is not known, the ratio is the
generalised one: each hypothesis has the likelihood of the distribution that fulfils it and explains the counts best.

*logistic* fixes the mean score, `1 / (1 + 10 ** (-elo / 400))`. The best such distribution is M. Van den Bergh's, *The
generalized maximum likelihood ratio for the expectation value of a distribution*, proposition 1.1.

*normalized*, the default as it is fishtest's and fastchess's, fixes how far the mean is above a half in standard
deviations of one match, `nelo / (800 / ln 10)`: the length of a test then does not depend on how much luck or how many
draws a game has. M. Van den Bergh, *Comments on Normalized Elo*, section 4.1. As there a pair has the spread of two
independent matches, a block here has that of its n: its own ratio is `sqrt(n)` times a match's.

As fishtest does, a score that has not occurred counts as a thousandth of a block, so that every hypothesis is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, isfinite, log, sqrt, ulp
from operator import mul
from typing import Final

from agon_ladder.errors import SprtError

NELO: Final = 800 / log(10)
"""Normalized Elo of a match whose mean score is one standard deviation above a half."""
MOST_ELO: Final = 400.0
UNSEEN: Final = 1e-3
"""Blocks that a score counts for which has not occurred."""
_CLOSE: Final = 1e-8
"""A guess of a distribution's size is right when it is no farther off."""
_EXACT: Final = 1e-13
"""A multiplier is right when it is off by no more of its distance from the nearer pole."""
_ROUNDS: Final = 200
"""Of a search at most; a few are usual."""


class EloModel(StrEnum):
    """What `elo0` and `elo1` are measured in."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


class Verdict(StrEnum):
    """Where a test stands."""

    H0 = "H0"
    H1 = "H1"
    OPEN = "open"
    """Neither bound is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """What is tested and how surely. Raise SprtError for what is no test."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = EloModel.NORMALIZED

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            value = getattr(self, name)
            if not (isfinite(value) and abs(value) <= MOST_ELO):
                raise SprtError(f"{name} is a number from -{MOST_ELO:g} to {MOST_ELO:g}, not {value!r}")
        if not self.elo0 < self.elo1:
            raise SprtError(f"elo0 is less than elo1, which is {self.elo1:g}: {self.elo0!r}")
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0.0 < value < 0.5:
                raise SprtError(f"{name} is a probability above 0 and below 0.5, not {value!r}")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return log((1.0 - self.beta) / self.alpha)

    def verdict(self, llr: float) -> Verdict:
        """Return what a log-likelihood ratio says."""
        return Verdict.H1 if llr >= self.upper else Verdict.H0 if llr <= self.lower else Verdict.OPEN

    def llr(self, counts: Sequence[int], matches: int) -> float:
        """Return the log-likelihood ratio of H1 over H0.

        `counts` says how many blocks had each possible score, from nothing to all, evenly spaced; `matches` how many
        matches a block has. No blocks: 0.
        """
        if not any(counts):
            return 0.0

        scores, shares, total = _observed(counts)

        def best(elo: float) -> list[float]:
            if self.model is EloModel.LOGISTIC:
                return _best_with_mean(scores, shares, 1 / (1 + exp(-elo * log(10) / 400)))
            return _best_with_ratio(scores, shares, elo / NELO * sqrt(matches))

        under0, under1 = best(self.elo0), best(self.elo1)
        return total * sum(share * log(two / one) for share, one, two in zip(shares, under0, under1, strict=True))


def _observed(counts: Sequence[int]) -> tuple[list[float], list[float], float]:
    """Return the possible scores, the share of blocks that had each, none of them 0, and how many blocks that are."""
    weights = [count or UNSEEN for count in counts]
    total = sum(weights)
    return [at / (len(counts) - 1) for at in range(len(counts))], [weight / total for weight in weights], total


def _best_with_mean(scores: Sequence[float], shares: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution of a given mean."""
    away = [score - mean for score in scores]
    multiplier = _multiplier(away, shares)
    return [share / (1 + multiplier * off) for share, off in zip(shares, away, strict=True)]


def _best_with_ratio(scores: Sequence[float], shares: Sequence[float], ratio: float) -> list[float]:
    """Return the most likely distribution whose mean is `ratio` standard deviations above a half.

    That is `mean - 1/2 = k * size`, where size is the root mean square of what scores are away from a half and k is
    `ratio / sqrt(1 + ratio ** 2)`. Near a guess c of the size, `(size ** 2 / c + c) / 2` stands for it, which makes the
    condition linear; where the size of what then is most likely is the guess, that is it.
    """
    share_of_size = ratio / sqrt(1 + ratio * ratio)
    off = [score - 0.5 for score in scores]
    # Below, no score is above the condition: it could not be fulfilled.
    low, high = abs(share_of_size) / (1 + sqrt(1 - share_of_size**2)) / (len(scores) - 1), 0.5
    guess = sqrt(sum(one * one for one in off) / len(off))
    multiplier = before = short_before = 0.0
    for _ in range(_ROUNDS):
        away = [one - share_of_size * (one * one / guess + guess) / 2 for one in off]
        multiplier = _multiplier(away, shares, multiplier)
        best = [share / (1 + multiplier * far) for share, far in zip(shares, away, strict=True)]
        size = sqrt(sum(one * one * share for one, share in zip(off, best, strict=True)))
        short = size - guess
        if abs(short) < _CLOSE:
            return best

        low, high = (guess, high) if short > 0 else (low, guess)
        # By the secant where there is one, since the size itself can lead there slowly.
        after = guess - short * (guess - before) / (short - short_before) if before and short != short_before else size
        before, short_before = guess, short
        guess = after if low < after < high else (low + high) / 2
    raise ArithmeticError(f"no distribution of this ratio was found: {ratio!r}")


def _multiplier(away: Sequence[float], shares: Sequence[float], start: float = 0.0) -> float:
    """Return Lagrange's multiplier x: the root of `sum(share * off / (1 + x * off))` between the poles of the greatest
    and the least `off`.

    By Newton's steps on that sum times `(1 + x * greatest) * (1 + x * least)`, which has no poles there; where one
    leads outside of what is left, by halves.
    """
    greatest, least = max(away), min(away)
    low, high = lowest, highest = -1 / greatest, -1 / least
    x = start if low < start < high else 0.0
    for _ in range(_ROUNDS):
        terms = [off / (1 + x * off) for off in away]
        weighted = list(map(mul, shares, terms))
        value, slope = sum(weighted), -sum(map(mul, weighted, terms))
        low, high = (x, high) if value > 0 else (low, x)
        up, down = 1 + x * greatest, 1 + x * least
        slope = slope * up * down + value * (greatest * down + least * up)
        step = x - value * up * down / slope if slope else low
        after = step if low < step < high else (low + high) / 2
        # How far it is from the poles is what the shares depend on.
        if abs(after - x) <= max(_EXACT * min(x - lowest, highest - x), 2 * ulp(x)):
            return after
        x = after
    return x
