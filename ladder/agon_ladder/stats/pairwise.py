"""Strengths by pairwise scores alone, and what they are without the matches of one pair: what win trades rest on.

A strength of greatest likelihood is found for every bot on the curve that Elo has too (R. Bradley, M. Terry, *Rank
Analysis of Incomplete Block Designs*, 1952), a tie as half a win, with one drawn game against a bot of strength 0 as
prior. No seats, no blocks: strengths to publish are those of `strength`. All is in natural logits, 400 / ln 10 points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from agon_ladder.stats.arrays import Floats, Ints

_STEPS: Final = 60
"""Of Newton's method at most, and of conjugate gradients for each."""
_CLOSE: Final = 1e-6
"""Newton's method ends when no strength moves by more."""
_LONGEST_STEP: Final = 2.0
"""Keeps Newton's method from overshooting where a bot has only won."""
_SOLVED: Final = 1e-6
"""Conjugate gradients end when what is left of the error is so much of what it was."""
_LEAST_SHARE: Final = 1e-3
"""Of what is known of a pair's difference, the share that others told; with less nothing is known without the pair."""


class PairwiseFit:
    """The strengths of bots by how often each met each other one, and with which score."""

    def __init__(self, met: Floats, scores: Floats) -> None:
        """Fit, in a time that grows with the cube of the number of bots.

        Both tables are by bot and opponent, with nothing in the diagonal; `met` is symmetric, and the scores of the two
        of a pair add up to it. Does not check that.
        """
        self._met, self._scores = met, scores
        one, other = np.nonzero(np.triu(met))
        self._likelihood = _Likelihood(one, other, met[one, other], scores.sum(axis=1))
        self.strengths = _maximum(self._likelihood, np.zeros(len(met)), _Information.solved)
        """By bot, with a mean near 0."""
        self._covariance = self._likelihood.information(self.strengths).inverse()

    def nearly_without(self, ones: Ints, others: Ints) -> tuple[Floats, Floats]:
        """Return how much stronger the first bot of each pair is by all matches but those of the two, and with which
        variance: nearly, by one step of Newton's method from the fit, with the formula of Sherman and Morrison."""
        differences = self.strengths[ones] - self.strengths[others]
        alone = self._covariance.diagonal()
        variances = alone[ones] + alone[others] - 2 * self._covariance[ones, others]
        matches, chances = self._met[ones, others], sigmoid(differences)
        variances = variances / np.maximum(1 - matches * chances * (1 - chances) * variances, _LEAST_SHARE)
        return differences - (self._scores[ones, others] - matches * chances) * variances, variances

    def without(self, one: int, other: int) -> tuple[float, float]:
        """Return the same for one pair by a fit without its matches, in a time that grows with the square of the number
        of bots.

        The steps of Newton's method are found by conjugate gradients (R. Dembo, T. Steihaug, *Truncated-Newton
        Algorithms for Large-Scale Unconstrained Optimization*, 1983). A few of these are enough, since the covariance
        of all matches, less those of the pair by the formula of Sherman and Morrison, is nearly the one looked for.
        """
        apart = np.zeros(len(self.strengths))
        apart[one], apart[other] = 1.0, -1.0
        spread = self._covariance @ apart
        chance = sigmoid(self.strengths[one] - self.strengths[other])
        weight = self._met[one, other] * chance * (1 - chance)
        weight /= max(1 - weight * (apart @ spread), _LEAST_SHARE)

        def nearly_solved(right: Floats) -> Floats:
            near: Floats = self._covariance @ right + spread * (weight * (spread @ right))
            return near

        def solved(information: _Information, right: Floats) -> Floats:
            return _conjugate_gradients(information.times, nearly_solved, right)

        likelihood = self._likelihood.without(one, other, self._scores[one, other], self._scores[other, one])
        found = _maximum(likelihood, self.strengths, solved)
        variance = apart @ solved(likelihood.information(found), apart)
        return float(found[one] - found[other]), float(variance)


def sigmoid(values: Floats) -> Floats:
    """Return the chance of a win at these differences of strengths."""
    result: Floats = 0.5 * (1.0 + np.tanh(0.5 * values))
    return result


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """Of strengths: the pairs that met, each once, and what each bot scored."""

    one: Ints
    other: Ints
    met: Floats
    scored: Floats
    """By bot, in all matches."""

    def without(self, one: int, other: int, score: float, other_score: float) -> _Likelihood:
        """Return the likelihood without the matches of two bots, in which they scored so much."""
        ours = (self.one == min(one, other)) & (self.other == max(one, other))
        scored = self.scored.copy()
        scored[one] -= score
        scored[other] -= other_score
        return replace(self, met=np.where(ours, 0.0, self.met), scored=scored)

    def gradient(self, strengths: Floats) -> Floats:
        expected = self.met * sigmoid(strengths[self.one] - strengths[self.other])
        bots = len(strengths)
        expected_scores = np.bincount(self.one, expected, bots) + np.bincount(self.other, self.met - expected, bots)
        return self.scored - expected_scores + 0.5 - sigmoid(strengths)

    def information(self, strengths: Floats) -> _Information:
        """Return Fisher's, the prior's included."""
        chances, alone = sigmoid(strengths[self.one] - strengths[self.other]), sigmoid(strengths)
        return _Information(self.one, self.other, self.met * chances * (1 - chances), alone * (1 - alone))


@dataclass(frozen=True, slots=True)
class _Information:
    """A symmetric matrix, by bots: what is known of each pair's difference, and of each bot alone."""

    one: Ints
    other: Ints
    pairs: Floats
    alone: Floats

    def times(self, vector: Floats) -> Floats:
        flow = self.pairs * (vector[self.one] - vector[self.other])
        bots = len(vector)
        product: Floats = self.alone * vector + np.bincount(self.one, flow, bots) - np.bincount(self.other, flow, bots)
        return product

    def solved(self, right: Floats) -> Floats:
        """Return the vector that `times` turns into this one."""
        return np.linalg.solve(self._dense(), right).astype(np.float64, copy=False)

    def inverse(self) -> Floats:
        return np.linalg.inv(self._dense()).astype(np.float64, copy=False)

    def _dense(self) -> Floats:
        matrix = np.zeros((len(self.alone), len(self.alone)))
        matrix[self.one, self.other] = matrix[self.other, self.one] = -self.pairs
        np.fill_diagonal(matrix, self.alone - matrix.sum(axis=1))
        return matrix


def _maximum(likelihood: _Likelihood, start: Floats, solve: Callable[[_Information, Floats], Floats]) -> Floats:
    """Return the strengths of greatest likelihood, by Newton's method."""
    found = start.copy()
    for _ in range(_STEPS):
        step = solve(likelihood.information(found), likelihood.gradient(found))
        longest = np.abs(step).max(initial=0.0)
        if longest > _LONGEST_STEP:
            step *= _LONGEST_STEP / longest
        found += step
        if longest < _CLOSE:
            break
    return found


def _conjugate_gradients(
    times: Callable[[Floats], Floats], nearly_solved: Callable[[Floats], Floats], right: Floats
) -> Floats:
    """Return the vector that `times` turns into `right` (M. Hestenes, E. Stiefel, *Methods of Conjugate Gradients for
    Solving Linear Systems*, 1952); what nearly finds it is the preconditioner."""
    found, residual = np.zeros(len(right)), right
    direction = near = nearly_solved(residual)
    size = first = residual @ near
    for _ in range(_STEPS):
        if size <= _SOLVED**2 * first:
            break

        product = times(direction)
        length = size / (direction @ product)
        found += length * direction
        residual = residual - length * product
        near = nearly_solved(residual)
        size, before = residual @ near, size
        direction = near + size / before * direction
    return found
