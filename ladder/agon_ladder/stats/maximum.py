"""The most likely strengths of bots, seats and ties under a weak prior, and what they are in resampled blocks.

The prior is a phantom of strength 0, against which every parameter has half a win and half a loss: one match's worth of
knowledge, which fades as matches come, keeps every number finite and ties together bots that never met. (The R
package PlackettLuce does the same for bots; here seats and ties have a phantom too.)

The maximum is found by Newton's method, which cannot miss it: the function is concave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from agon_ladder.stats.arrays import Bools, Floats, Ints
from agon_ladder.stats.comparisons import Comparisons
from agon_ladder.stats.plackett_luce import PlackettLuce, Slopes

HALF: Final = 0.5
"""Of a win and of a loss, which the prior gives to every parameter."""
LEAST: Final = 1e-3
"""Of a win and of a loss, which a draw leaves of the prior, so that no strength is without bounds."""
LOOSE: Final = 0.5
"""A bot is little known where the standard deviation of its strength above the mean is more than this: 87 points."""
_CLOSE: Final = 1e-9
"""Newton's method ends when no parameter moves by more: a ten-thousandth of a thousandth of a point."""
_NEAR: Final = 0.01
"""The same for resamples: some points, of which the last step's own error is a hundredth."""
_LONGEST_STEP: Final = 2.0
"""Where a strength is so great that nothing depends on it any more, a step could lead anywhere."""
_MOST_STEPS: Final = 100


class Weights(NamedTuple):
    """How often things count: once each in the fit, at random in a resample."""

    blocks: Floats
    """By kind of block."""
    wins: Floats
    """Over the prior's phantom, by parameter."""
    losses: Floats


class Objective(NamedTuple):
    """A function at some parameters, or a part of it: parts add up."""

    value: float
    gradient: Floats
    hessian: Floats
    """Negated, so that the whole is positive definite."""

    def plus(self, other: Objective) -> Objective:
        return Objective(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)


class Problem:
    """Comparisons whose most likely parameters are sought."""

    def __init__(self, comparisons: Comparisons) -> None:
        self.comparisons = comparisons
        self.model = PlackettLuce(comparisons)
        self._counts: Ints = comparisons.counts
        size = self.model.size
        known = self.model.known
        self._cells = (known[:, :, None] * size + known[:, None, :]).reshape(-1)

    def once(self) -> Weights:
        """Return the weights of the fit itself."""
        halves = np.full(self.model.size, HALF)
        return Weights(self._counts.astype(float), halves, halves)

    def resampled(self, rng: np.random.Generator) -> Weights:
        """Draw as many blocks as there are with replacement (B. Efron, *Bootstrap Methods: Another Look at the
        Jackknife*, 1979), and how much the prior's halves count from a gamma distribution of that mean.

        The latter keeps the interval of a bot that has only won wide: its blocks have no variety to tell how wide. Both
        halves are drawn once, and a coin says for each parameter which of them is the win: of two bots that met nobody
        else one is pulled up as the other is pulled down, where draws of their own would seldom move both.
        """
        blocks = int(self._counts.sum())
        drawn = rng.multinomial(blocks, self._counts / blocks)
        one, other = np.maximum(rng.gamma(HALF, size=2), LEAST)
        wins = np.where(rng.random(self.model.size) < 0.5, one, other)
        return Weights(drawn.astype(float), wins, one + other - wins)

    def maximum(self) -> Floats:
        """Return the most likely parameters."""
        weights = self.once()

        def objective(parameters: Floats) -> Objective:
            return self.likelihood(self.model.slopes(parameters), weights.blocks).plus(prior(weights, parameters))

        return climbed(objective, np.zeros(self.model.size), _CLOSE)

    def likelihood(self, slopes: Slopes, blocks: Floats) -> Objective:
        """Return the likelihood of so many blocks of each kind, without the prior."""
        size = self.model.size
        cells = _summed(self._cells, slopes.hessians * blocks[:, None, None], size * size)
        gradient = _summed(self.model.known, slopes.gradients * blocks[:, None], size)
        return Objective(float(slopes.values @ blocks), gradient, cells.reshape(size, size))


class Nearby:
    """A problem as it is near its maximum, under weights that are not those of the fit.

    Blocks of bots that are all well known are taken to second order there, which is a step of Newton's method and needs
    no slopes anew. That would mislead where little is known, as of a bot that has only won: how far its strength may be
    is not symmetric. So blocks with such bots, and the prior, are taken as they are.
    """

    def __init__(self, problem: Problem, parameters: Floats) -> None:
        """`parameters` are the maximum."""
        weights, slopes = problem.once(), problem.model.slopes(parameters)
        at = problem.likelihood(slopes, weights.blocks).plus(prior(weights, parameters))
        bots = problem.model.bots
        spread = np.linalg.inv(at.hessian)[bots, bots]
        # Of what a strength is above the mean: how strong all are together is the prior's alone.
        is_loose = np.diag(spread) - 2 * spread.mean(axis=1) + spread.mean() > LOOSE**2
        self._parameters = parameters
        self._loose: Bools = np.any(is_loose[problem.comparisons.line_ups], axis=1)
        self._known = Slopes(*(array[~self._loose] for array in slopes))
        self._of_known = Problem(problem.comparisons.only(~self._loose)) if not self._loose.all() else None
        self._of_loose = Problem(problem.comparisons.only(self._loose)) if self._loose.any() else None

    def maximum(self, weights: Weights) -> Floats:
        """Return the most likely parameters under these weights."""
        start = self._parameters
        size = len(start)
        known = Objective(0.0, np.zeros(size), np.zeros((size, size)))
        if self._of_known is not None:
            known = self._of_known.likelihood(self._known, weights.blocks[~self._loose])
        loose = weights.blocks[self._loose]

        def objective(parameters: Floats) -> Objective:
            moved = parameters - start
            change = known.hessian @ moved
            value = known.value + (known.gradient - change / 2) @ moved
            found = Objective(float(value), known.gradient - change, known.hessian).plus(prior(weights, parameters))
            if self._of_loose is None:
                return found
            return found.plus(self._of_loose.likelihood(self._of_loose.model.slopes(parameters), loose))

        return climbed(objective, start, _NEAR)


def prior(weights: Weights, parameters: Floats) -> Objective:
    """Return what the phantom adds."""
    winning = 0.5 * (1.0 + np.tanh(0.5 * parameters))
    matches = weights.wins + weights.losses
    value = weights.wins @ parameters - matches @ np.logaddexp(0.0, parameters)
    return Objective(float(value), weights.wins - matches * winning, np.diag(matches * winning * (1.0 - winning)))


def climbed(objective: Callable[[Floats], Objective], start: Floats, close: float) -> Floats:
    """Return where a concave function is greatest: by Newton's steps, none longer than `_LONGEST_STEP` and halved where
    one leads down, until no parameter moves by more than `close`."""
    parameters, at = start, objective(start)
    for _ in range(_MOST_STEPS):
        step = np.linalg.solve(at.hessian, at.gradient)
        longest = np.abs(step).max()
        if longest < close:
            break
        step *= min(1.0, _LONGEST_STEP / longest)
        while True:
            tried = parameters + step
            then = objective(tried)
            # Rounding can make the last steps look like losses.
            if then.value >= at.value - 1e-12 * abs(at.value):
                break
            step /= 2.0
        parameters, at = tried, then
    return parameters


def _summed(where: Ints, what: Floats, size: int) -> Floats:
    """Return the sums of all that goes to each place."""
    summed = np.bincount(where.reshape(-1), what.reshape(-1), minlength=size)
    return summed.astype(np.float64, copy=False)  # its type says whole numbers, whatever is summed
