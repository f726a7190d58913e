"""Strengths by pairwise scores: the maximum, and what leaving one pair out does to it."""

from __future__ import annotations

import numpy as np
import pytest

from agon_ladder.stats import pairwise
from agon_ladder.stats.arrays import Floats
from agon_ladder.stats.pairwise import PairwiseFit, sigmoid


def played(seed: int, bots: int, most: int) -> tuple[Floats, Floats]:
    """Draw how often each met each, up to so often, and what came of it; the first bot always loses to the second."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(0.0, 0.9, bots)
    met = np.triu(rng.integers(0, most + 1, (bots, bots)), 1)
    won = rng.binomial(met, sigmoid(strengths[:, None] - strengths[None, :]))
    won[0, 1], met[0, 1] = 0, most
    return (met + met.T).astype(float), (won + np.tril((met - won).T)).astype(float)


@pytest.mark.parametrize(("bots", "most"), [(2, 30), (3, 500), (12, 3), (40, 60)])
def test_a_fit_is_where_the_likelihood_has_no_slope(bots: int, most: int) -> None:
    """What each bot scored, and half a point against the phantom, is what its strength lets expect."""
    met, scores = played(1, bots, most)

    found = PairwiseFit(met, scores).strengths

    expected = met * sigmoid(found[:, None] - found[None, :])
    assert scores.sum(axis=1) + 0.5 == pytest.approx(expected.sum(axis=1) + sigmoid(found), abs=1e-6)


def test_a_strength_without_losses_is_finite() -> None:
    found = PairwiseFit(np.array([[0, 500.0], [500, 0]]), np.array([[0, 500.0], [0, 0]])).strengths

    assert np.isfinite(found).all()
    assert 3 < found[0] - found[1] < 15


@pytest.mark.parametrize(("bots", "most"), [(2, 30), (3, 500), (12, 3), (40, 60), (40, 1)])
def test_without_a_pair_is_the_fit_of_all_other_matches(bots: int, most: int) -> None:
    """Beside the whole fit of tables that lack them, and the variance by the inverse of its information: also where
    hardly anybody else has met the two, and where one lost all to the other."""
    met, scores = played(2, bots, most)
    fitted = PairwiseFit(met, scores)

    for one, other in [(0, 1), (1, 0), *[(bots - 1, at) for at in range(min(5, bots - 1))]]:
        others_met, others_scores = met.copy(), scores.copy()
        for table in (others_met, others_scores):
            table[one, other] = table[other, one] = 0.0
        whole = PairwiseFit(others_met, others_scores)
        chances, alone = sigmoid(whole.strengths[:, None] - whole.strengths[None, :]), sigmoid(whole.strengths)
        weights = others_met * chances * (1 - chances)
        covariance = np.linalg.inv(np.diag(weights.sum(axis=1) + alone * (1 - alone)) - weights)

        difference, variance = fitted.without(one, other)

        assert difference == pytest.approx(whole.strengths[one] - whole.strengths[other], abs=1e-6)
        assert variance == pytest.approx(
            covariance[one, one] + covariance[other, other] - 2 * covariance[one, other], rel=1e-6
        )


def test_one_step_is_nearly_there_where_the_pair_is_one_of_many() -> None:
    met, scores = played(3, 40, 30)
    fitted = PairwiseFit(met, scores)
    pairs = np.array([[2, 3, 7], [5, 9, 30]])

    differences, variances = fitted.nearly_without(*pairs)

    exact = np.array([fitted.without(int(one), int(other)) for one, other in pairs.T])
    assert differences == pytest.approx(exact[:, 0], abs=0.01)
    assert variances == pytest.approx(exact[:, 1], rel=0.03)


def test_a_pair_is_left_out_without_solving_for_all_bots_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time grows with the square of the number of bots: a few products with the matrix, and no other one is made."""
    met, scores = played(4, 60, 40)
    fitted = PairwiseFit(met, scores)
    products = 0
    times = pairwise._Information.times

    def counted(information: pairwise._Information, vector: Floats) -> Floats:
        nonlocal products
        products += 1
        return times(information, vector)

    monkeypatch.setattr(pairwise._Information, "times", counted)
    monkeypatch.delattr(pairwise._Information, "_dense")

    fitted.without(0, 1)

    assert 0 < products < 40
