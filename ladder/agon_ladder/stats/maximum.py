"""The most likely strengths of bots, seats and ties under a weak prior, and what they are in resampled blocks.

The prior is a phantom of strength 0, against which every parameter has half a win and half a loss: one match's worth of
knowledge, which fades as matches come, keeps every number finite and ties together bots that never met. (The R
package PlackettLuce does the same for bots; here seats and ties have a phantom too.)

The maximum is found by Newton's method, which cannot miss it: the function is concave.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from agon_ladder.stats.arrays import Floats, Ints
from agon_ladder.stats.comparisons import Comparisons
from agon_ladder.stats.plackett_luce import PlackettLuce, Slopes

HALF: Final = 0.5
"""Of a win and of a loss, which the prior gives to every parameter."""
_CLOSE: Final = 1e-9
"""Newton's method ends when no parameter moves by more: a ten-thousandth of a thousandth of a point."""
_MOST_STEPS: Final = 100


class Weights(NamedTuple):
    """How often things count: once each in the fit, at random in a resample."""

    blocks: Floats
    """By kind of block."""
    wins: Floats
    """Over the prior's phantom, by parameter."""
    losses: Floats


class _Objective(NamedTuple):
    value: float
    gradient: Floats
    hessian: Floats
    """Negated: positive definite."""


class Problem:
    """Comparisons whose most likely parameters are sought."""

    def __init__(self, comparisons: Comparisons) -> None:
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

        The latter keeps the interval of a bot that has only won wide: its blocks have no variety to tell how wide.
        """
        blocks = int(self._counts.sum())
        drawn = rng.multinomial(blocks, self._counts / blocks)
        halves = rng.gamma(HALF, size=(2, self.model.size))
        return Weights(drawn.astype(float), halves[0], halves[1])

    def maximum(self) -> Floats:
        """Return the most likely parameters."""
        weights, parameters = self.once(), np.zeros(self.model.size)
        at = self._objective(self.model.slopes(parameters), weights, parameters)
        for _ in range(_MOST_STEPS):
            step = np.linalg.solve(at.hessian, at.gradient)
            if np.abs(step).max() < _CLOSE:
                break
            while True:
                tried = parameters + step
                then = self._objective(self.model.slopes(tried), weights, tried)
                # Rounding can make the last steps look like losses.
                if then.value >= at.value - 1e-12 * abs(at.value):
                    break
                step /= 2.0
            parameters, at = tried, then
        return parameters

    def step(self, slopes: Slopes, weights: Weights, parameters: Floats) -> Floats:
        """Return where one step of Newton's method from these parameters leads, under other weights."""
        at = self._objective(slopes, weights, parameters)
        return parameters + np.linalg.solve(at.hessian, at.gradient)

    def _objective(self, slopes: Slopes, weights: Weights, parameters: Floats) -> _Objective:
        size, blocks = self.model.size, weights.blocks
        gradient = _summed(self.model.known, slopes.gradients * blocks[:, None], size)
        cells = _summed(self._cells, slopes.hessians * blocks[:, None, None], size * size)
        hessian = cells.reshape(size, size)
        winning = 1.0 / (1.0 + np.exp(-parameters))
        matches = weights.wins + weights.losses
        gradient += weights.wins - matches * winning
        hessian[np.diag_indices(size)] += matches * winning * (1.0 - winning)
        prior = weights.wins @ parameters - matches @ np.logaddexp(0.0, parameters)
        return _Objective(float(slopes.values @ blocks + prior), gradient, hessian)


def _summed(where: Ints, what: Floats, size: int) -> Floats:
    """Return the sums of all that goes to each place."""
    summed = np.bincount(where.reshape(-1), what.reshape(-1), minlength=size)
    return summed.astype(np.float64, copy=False)  # its type says whole numbers, whatever is summed
