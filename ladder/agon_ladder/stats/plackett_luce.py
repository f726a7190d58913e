"""The Plackett–Luce model with ties: how likely a ranking is, and how that changes with strengths.

A match is a chain of choices: who shares first place, then who of the rest shares the next, and so on. With the
seats R left, the set C is chosen with a probability proportional to

    exp(tie[size of C] + mean of the strengths in C),   tie[1] = 0,

over all subsets of R of the sizes that were seen. This is the model of H. Turner, J. van Etten, D. Firth and I.
Kosmidis, *Modelling rankings in R: the PlackettLuce package* (Computational Statistics 35, 2020), with worths as
exp(strength). For two seats it is R. Davidson's (*On extending the Bradley-Terry model to accommodate ties*, JASA 65,
1970), and without ties plain Plackett–Luce and Bradley–Terry. A seat's strength is its bot's plus what its seat is
worth.

Each choice is a softmax that is linear in the parameters, so the logarithm of the likelihood is concave.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from agon_ladder.stats.arrays import Floats, Ints
from agon_ladder.stats.comparisons import Comparisons, Part


class Slopes(NamedTuple):
    """The logarithm of the likelihood of each kind of block, played once, and its derivatives by the parameters that
    the block knows: its bots as in its line-up, all seats, all ties."""

    values: Floats
    gradients: Floats
    hessians: Floats
    """Negated, so that they are positive semi-definite."""


class _Choices(NamedTuple):
    """All choices among a number of seats."""

    features: Floats
    """A row for each choice: the share of each seat in it, then 1 for its size among the ties."""
    products: Floats
    """A row for each choice: the outer product of its features, flattened."""
    chosen: Ints
    """By size: the row of the choice that is the first so many seats; -1 for a size that there is not."""


class PlackettLuce:
    """The likelihood of comparisons. Parameters are one vector: strengths of bots, worths of seats, ties by size."""

    def __init__(self, comparisons: Comparisons) -> None:
        seats, ties = comparisons.seats, len(comparisons.tied)
        self.bots = slice(0, len(comparisons.bots))
        self.seats = slice(self.bots.stop, self.bots.stop + seats)
        self.ties = slice(self.seats.stop, self.seats.stop + ties)
        self.size = self.ties.stop
        """How many parameters there are."""
        self.known = np.hstack(
            [comparisons.line_ups, np.tile(np.arange(self.seats.start, self.size), (len(comparisons.counts), 1))]
        )
        """By kind of block: the numbers of the parameters that it knows, in the order of `Slopes`."""
        self._comparisons = comparisons
        self._choices = {left: _choices(left, comparisons.tied) for left in range(2, seats + 1)}

    def slopes(self, parameters: Floats) -> Slopes:
        """Return values, gradients and Hessians at these parameters, by kind of block."""
        parts = [self._part(part, parameters) for part in self._comparisons.parts]
        return Slopes(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _part(self, part: Part, parameters: Floats) -> Slopes:
        ties = parameters[self.ties]
        strengths = parameters[self.bots][part.bots] + parameters[self.seats][part.seats]
        matches, seats = strengths.shape
        width = seats + len(ties)
        values, gradient = np.zeros(matches), np.zeros((matches, width))
        hessian = np.zeros((matches, width, width))
        for stage in part.stages:
            choices = self._choices[seats - stage.first]
            known = slice(stage.first, width)
            given = np.empty((len(stage.rows), width - stage.first))
            given[:, : seats - stage.first] = strengths[stage.rows, stage.first :]
            given[:, seats - stage.first :] = ties
            weights = given @ choices.features.T
            chosen = choices.chosen[stage.shared]
            most = weights.max(axis=1, keepdims=True)
            took = weights[np.arange(len(chosen)), chosen] - most[:, 0]
            np.exp(weights - most, out=weights)
            total = weights.sum(axis=1, keepdims=True)
            weights /= total
            expected = weights @ choices.features
            spread = (weights @ choices.products).reshape(len(chosen), *(given.shape[1:] * 2))
            spread -= expected[:, :, None] * expected[:, None, :]
            values[stage.rows] += took - np.log(total[:, 0])
            gradient[stage.rows, known] += choices.features[chosen] - expected
            hessian[stage.rows, known, known] += spread

        extra = np.tile(np.arange(seats, width), (matches, 1))
        order = np.hstack([part.by_bot, part.by_seat, extra])
        gradient = np.take_along_axis(gradient, order, axis=1)
        hessian = hessian[np.arange(matches)[:, None, None], order[:, :, None], order[:, None, :]]
        return Slopes(*(np.add.reduceat(array, part.starts, axis=0) for array in (values, gradient, hessian)))


def _choices(left: int, tied: tuple[int, ...]) -> _Choices:
    sets = [mask for mask in range(1, 1 << left) if mask.bit_count() == 1 or mask.bit_count() in tied]
    features = np.zeros((len(sets), left + len(tied)))
    for row, mask in enumerate(sets):
        size = mask.bit_count()
        for seat in range(left):
            features[row, seat] = (mask >> seat & 1) / size
        if size > 1:
            features[row, left + tied.index(size)] = 1.0
    firsts = [sets.index((1 << size) - 1) if size in (1, *tied) else -1 for size in range(left + 1)]
    products = features[:, :, None] * features[:, None, :]
    return _Choices(features, products.reshape(len(sets), -1), np.array(firsts))


def elo_slope(seats: int, ties: dict[int, float]) -> float:
    """Return how much steeper a pair's expected score is in the model's strengths without ties than with these, all
    seats being equal: 1 without ties, less with them.

    `ties` maps a number of seats that share a place to the model's weight of that, exp(tie). With two seats the slope
    is 1 less the chance that equals tie. It puts strengths on the Elo scale, where only the score counts: BayesElo
    scales its ratings so too. By recursion over the seats left, to first order in the difference of the two.

    >>> elo_slope(4, {}), elo_slope(2, {2: 2.0})
    (1.0, 0.5)
    """
    weights = {1: 1.0, **ties}
    slopes = [0.0, 0.0]
    for left in range(2, seats + 1):
        total = sum(weight * comb(left, size) for size, weight in weights.items())
        # One of the two seats is chosen and the other is not, or neither is and both are left for the next choice.
        apart = sum(weight * comb(left - 2, size - 1) / (2 * size) for size, weight in weights.items())
        later = sum(
            weight * comb(left - 2, size) * slopes[left - size] for size, weight in weights.items() if size <= left - 2
        )
        slopes.append((apart + later) / total)
    return 4.0 * slopes[seats]
