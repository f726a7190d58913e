"""Fitted strengths: two bots beside closed forms, several beside maxima found otherwise.

References, none of them made with the code under test: closed forms for two bots; published estimates; Zermelo's
iteration; the likelihood written out by sets, as the paper has it, and searched by steps along each axis (`climb`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tests.bench.bench_calibration import Setting, simulate
from tests.support.strengths import LOSS, TIE, WIN, chance_of, line_ups, name_of, pair, played

from agon_engine.core import standard_placements
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch
from agon_ladder.stats.comparisons import compare
from agon_ladder.stats.maximum import Problem
from agon_ladder.stats.plackett_luce import PlackettLuce, elo_slope
from agon_ladder.stats.strength import ELO, Fit, fit


def climb(value: Callable[[list[float]], float], size: int) -> list[float]:
    """Return where a concave function is greatest: steps along one axis at a time, halved when none helps."""
    at, best, step = [0.0] * size, value([0.0] * size), 1.0
    while step > 1e-7:
        helped = False
        for axis in range(size):
            for move in (step, -step):
                tried = [*at[:axis], at[axis] + move, *at[axis + 1 :]]
                if (there := value(tried)) > best:
                    at, best, helped = tried, there, True
        if not helped:
            step /= 2
    return at


def log_likelihood(
    blocks: Sequence[PlayedBlock], bots: Sequence[str], seats: int, tied: Sequence[int]
) -> Callable[[list[float]], float]:
    """Return the logarithm of likelihood and prior as a function of strengths, worths of seats and ties, by sets."""

    def value(at: list[float]) -> float:
        strengths = dict(zip(bots, at, strict=False))
        worths = at[len(bots) : len(bots) + seats]
        ties = {size: math.exp(tie) for size, tie in zip(tied, at[len(bots) + seats :], strict=True)}
        total = sum(one / 2 - math.log(1 + math.exp(one)) for one in at)
        for block in blocks:
            for match in block.matches:
                known = [strengths[bot] + worth for bot, worth in zip(match.bots, worths, strict=True)]
                total += math.log(chance_of(known, ties, match.placements))
        return total

    return value


# -- two bots ---------------------------------------------------------------------------------------------------


def difference(fitted: Fit, one: str = "a", other: str = "b") -> float:
    return (fitted.strengths[one] - fitted.strengths[other]) / 1000


@pytest.mark.parametrize(("wins", "losses"), [(3000, 1000), (1000, 1000), (10_000, 1000)])
def test_two_bots_without_ties_or_seats_are_apart_by_the_odds_of_their_wins(wins: int, losses: int) -> None:
    """400 log10(wins / losses), Elo's own formula; the prior's one match of thousands moves it by less than a tenth."""
    blocks = pair(WIN, WIN, times=wins) + pair(LOSS, LOSS, times=losses)

    assert difference(fit(blocks, resamples=0)) == pytest.approx(400 * math.log10(wins / losses), abs=0.3)


def test_the_prior_is_half_a_win_and_half_a_loss_against_a_phantom_for_each_bot() -> None:
    """Two wins to none in one block. By symmetry a = -b = x, seats are worth nothing, and the slope at x is zero:
    2 / (1 + exp(2 x)) * 2 from the matches for both together, 1 / 2 - 1 / (1 + exp(-x)) from each phantom."""
    low, high = 0.0, 10.0
    for _ in range(100):
        x = (low + high) / 2
        slope = 2 / (1 + math.exp(2 * x)) + 0.5 - 1 / (1 + math.exp(-x))
        low, high = (x, high) if slope > 0 else (low, x)

    fitted = fit(pair(WIN, WIN), resamples=0)

    assert fitted.strengths == {"a": round(low * ELO), "b": -round(low * ELO)}
    assert fitted.seat_advantage == (0, 0)


def test_ties_of_two_bots_are_davidsons() -> None:
    """Davidson's maximum for two bots: odds of wins to losses, nu = ties / sqrt(wins * losses). On the Elo scale the
    difference is less by the chance that equals tie, nu / (2 + nu), so that it predicts scores as Elo does."""
    wins, losses, ties = 8000, 5000, 6000
    blocks = pair(WIN, WIN, times=wins) + pair(LOSS, LOSS, times=losses) + pair(TIE, TIE, times=ties)
    nu = ties / math.sqrt(wins * losses)
    score = (wins + ties / 2) / (wins + losses + ties)

    fitted = fit(blocks, resamples=0)

    assert fitted.tie_weights[2] == pytest.approx(nu, rel=1e-3)
    assert difference(fitted) == pytest.approx(400 * math.log10(wins / losses) * 2 / (2 + nu), abs=0.1)
    assert difference(fitted) == pytest.approx(400 * math.log10(score / (1 - score)), rel=0.02)


def test_what_a_seat_is_worth_is_told_apart_from_strength() -> None:
    """Four kinds of matches, saturated: log odds in either seat are strength plus and minus the seat's worth."""
    first, second = (8000, 2000), (5000, 5000)
    blocks = pair(WIN, WIN, times=5000) + pair(WIN, LOSS, times=3000) + pair(LOSS, LOSS, times=2000)
    odds = [math.log10(wins / losses) for wins, losses in (first, second)]

    fitted = fit(blocks, resamples=0)

    assert difference(fitted) == pytest.approx(400 * sum(odds) / 2, abs=0.2)
    assert (fitted.seat_advantage[0] - fitted.seat_advantage[1]) / 1000 == pytest.approx(
        400 * (odds[0] - odds[1]) / 2, abs=0.2
    )


def test_several_bots_are_where_zermelos_iteration_puts_them() -> None:
    """E. Zermelo's fixed point of 1929 (wins / sum of matches over joint worths), phantom included, with seats of no
    worth since each block ends alike in both; the table is arbitrary, with a cycle in it."""
    table = {("a", "b"): (7, 3), ("b", "c"): (6, 2), ("c", "a"): (5, 4), ("c", "d"): (9, 1), ("a", "d"): (3, 2)}
    blocks = [
        block
        for bots, (wins, losses) in table.items()
        for block in pair(WIN, WIN, bots, wins) + pair(LOSS, LOSS, bots, losses)
    ]
    worth = dict.fromkeys("abcd", 1.0)
    for _ in range(5000):
        won, shared = dict.fromkeys("abcd", 0.5), {bot: 1 / (worth[bot] + 1) for bot in "abcd"}
        for (one, other), (wins, losses) in table.items():
            won[one] += 2 * wins
            won[other] += 2 * losses
            for bot in (one, other):
                shared[bot] += 2 * (wins + losses) / (worth[one] + worth[other])
        worth = {bot: won[bot] / shared[bot] for bot in "abcd"}
    mean = sum(math.log(one) for one in worth.values()) / 4

    fitted = fit(blocks, resamples=0)

    assert fitted.seat_advantage == (0, 0)
    assert {bot: (math.log(one) - mean) * ELO for bot, one in worth.items()} == pytest.approx(fitted.strengths, abs=1)


def test_baseball_of_1987_has_the_published_estimates() -> None:
    """The seven teams of A. Agresti, *Categorical Data Analysis* (2002), section 10.6, who prints the maximum of
    Bradley and Terry's model to two digits; forty times the table, so that the prior does not show."""
    teams = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
    won = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
    blocks = [
        block
        for one, row in zip(teams, won, strict=True)
        for other, wins in zip(teams, row, strict=True)
        for block in pair(WIN, WIN, (one, other), 40 * wins)
    ]

    fitted = fit(blocks, resamples=0)

    above = {team: (fitted.strengths[team] - fitted.strengths["Baltimore"]) / ELO for team in teams}
    printed = dict(zip(teams, (1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0), strict=True))
    assert above == pytest.approx(printed, abs=0.006)


# -- several seats -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_small_table_with_ties_is_at_the_maximum_that_a_search_finds(seats: int) -> None:
    rng = np.random.default_rng(seats)
    blocks = played(
        rng, [0.8, 0.0, -0.3, -0.5], line_ups(rng, 4, seats, 3)[:6], [0.4, *[0.0] * (seats - 1)], {2: 0.6, 3: 0.4}
    )
    comparisons = compare(blocks)
    value = log_likelihood(blocks, comparisons.bots, seats, comparisons.tied)
    found = climb(value, len(comparisons.bots) + seats + len(comparisons.tied))

    assert comparisons.tied
    assert Problem(comparisons).maximum().tolist() == pytest.approx(found, abs=1e-4)


@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_gradient_and_hessian_are_those_of_the_likelihood_by_sets(seats: int) -> None:
    rng = np.random.default_rng(seats)
    [line_up] = line_ups(rng, seats, seats, 1)
    blocks = [
        PlayedBlock(
            "block",
            tuple(
                PlayedMatch(
                    tuple(name_of(bot) for bot in line_up), standard_placements(rng.integers(0, 4, size=seats).tolist())
                )
                for _ in range(2)
            ),
        )
    ]
    comparisons = compare(blocks)
    model = PlackettLuce(comparisons)
    at = rng.normal(size=model.size)
    value = log_likelihood(blocks, comparisons.bots, seats, comparisons.tied)
    prior = sum(one / 2 - math.log(1 + math.exp(one)) for one in at)
    slopes = model.slopes(at)
    [known] = model.known
    near = np.zeros(model.size)
    step = rng.normal(size=model.size)
    step /= np.linalg.norm(step)
    h = 1e-5
    before, after = (model.slopes(at + side * h * step) for side in (-1, 1))
    near[known] = slopes.gradients[0]

    assert float(slopes.values[0]) == pytest.approx(value(at.tolist()) - prior)
    assert near @ step == pytest.approx((after.values[0] - before.values[0]) / (2 * h), abs=1e-6)
    assert slopes.hessians[0] @ step[known] == pytest.approx(
        -(after.gradients[0] - before.gradients[0]) / (2 * h), abs=1e-5
    )


@pytest.mark.parametrize(
    ("seats", "ties"),
    [(2, {}), (2, {2: 0.7}), (3, {2: 0.4}), (3, {3: 2.0}), (4, {2: 0.5, 3: 0.2, 4: 0.1}), (5, {2: 1.0})],
)
def test_the_elo_slope_is_how_the_expected_score_of_a_pair_rises(seats: int, ties: dict[int, float]) -> None:
    """By adding up all rankings, at a small difference; Elo's own curve rises by a quarter."""
    h = 1e-5
    strengths = [h / 2, -h / 2, *[0.0] * (seats - 2)]
    rankings = {standard_placements(keys) for keys in np.ndindex(*[seats] * seats)}
    score = sum(
        chance_of(strengths, ties, ranking) * (1.0 if ranking[0] < ranking[1] else 0.5)
        for ranking in rankings
        if ranking[0] <= ranking[1]
    )

    assert elo_slope(seats, ties) == pytest.approx(4 * (score - 0.5) / h, abs=1e-4)


def test_strengths_of_many_matches_come_near_the_truth_with_seats_and_ties() -> None:
    rng = np.random.default_rng(1)
    truth, worths, ties = [0.9, 0.5, 0.2, -0.1, -0.4, -1.1], [0.3, 0.0, -0.3], {2: 0.3}
    scale = elo_slope(3, ties) * ELO

    fitted = fit(played(rng, truth, line_ups(rng, 6, 3, 400), worths, ties), resamples=0)

    assert [name_of(bot) for bot in range(6)] == list(fitted.strengths)
    assert list(fitted.strengths.values()) == pytest.approx([one * scale for one in truth], abs=25_000)
    assert list(fitted.seat_advantage) == pytest.approx([one * scale for one in worths], abs=25_000)
    assert fitted.tie_weights == pytest.approx(ties, rel=0.2)


@pytest.mark.parametrize(("seats", "simulations"), [(2, 60), (4, 40)])
def test_the_interval_covers_the_truth_about_19_times_in_20(seats: int, simulations: int) -> None:
    """E11, E12. A small part of the section `calibration` of the benchmarks, with bounds as wide as chance is then."""
    setting = Setting(seats, blocks=20, bots=8)
    found = [simulate(setting, number) for number in range(simulations)]

    assert 0.91 <= sum(one.covered for one in found) / (8 * simulations) <= 0.99
