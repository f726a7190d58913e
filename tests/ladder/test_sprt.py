"""The sequential test on block scores: its ratio beside values reckoned in other ways, and how often it errs (E11)."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, log, sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.block_scores import FOUR_SEATS, PAIRS, run_test, shares_of

from agon_ladder.errors import SprtError
from agon_ladder.stats.sprt import NELO, EloModel, Sprt, Verdict

NORMALIZED, LOGISTIC = EloModel.NORMALIZED, EloModel.LOGISTIC


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "model", "llr"),
    [
        ([365, 16618, 36229, 16974, 390], 0, 2, NORMALIZED, 2.25),
        ([127, 4883, 10712, 5150, 104], -1.75, 0.25, NORMALIZED, 3.01),
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, LOGISTIC, -3.07),
        ([871, 26175, 55983, 26678, 821], 0, 2, LOGISTIC, -4.98),
    ],
)
def test_pairs_have_the_ratio_that_chess_engine_testers_publish(
    counts: list[int], elo0: float, elo1: float, model: EloModel, llr: float
) -> None:
    """Counts and ratios of tests of Stockfish, to which fishtest and fastchess hold their own code."""
    assert Sprt(elo0=elo0, elo1=elo1, model=model).llr(counts, 2) == pytest.approx(llr, abs=0.006)


def best(likelihood: Callable[[float], float], low: float, high: float) -> float:
    """Return the greatest value of a function with one summit, by the golden section."""
    golden = (sqrt(5) - 1) / 2
    for _ in range(200):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (left, high) if likelihood(left) < likelihood(right) else (low, right)
    return likelihood((low + high) / 2)


def best_of_three(counts: list[int], elo: float, model: EloModel) -> float:
    """Return the greatest log-likelihood of losses, draws and wins under a hypothesis, by search over the share of
    draws alone: it and the hypothesis give the other two."""
    lost, drawn, won = counts

    def wins(draws: float) -> float:
        if model is LOGISTIC:
            return 1 / (1 + 10 ** (-elo / 400)) - draws / 2
        ratio = elo / NELO
        return (1 - draws) / 2 + ratio * sqrt((1 - draws) / (1 + ratio * ratio)) / 2

    def likelihood(draws: float) -> float:
        losses = 1 - draws - wins(draws)
        if min(losses, draws, wins(draws)) <= 0:
            return -abs(draws - 0.5) * 1e9
        return lost * log(losses) + drawn * log(draws) + won * log(wins(draws))

    return best(likelihood, 0.0, 1.0)


@pytest.mark.parametrize("model", EloModel)
@pytest.mark.parametrize("counts", [[30, 40, 50], [400, 7, 350], [3, 900, 2], [1, 1, 20]])
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (-100, 0), (10, 200)])
def test_single_matches_have_the_ratio_that_a_search_over_distributions_finds(
    counts: list[int], elo0: float, elo1: float, model: EloModel
) -> None:
    expected = best_of_three(counts, elo1, model) - best_of_three(counts, elo0, model)

    assert Sprt(elo0=elo0, elo1=elo1, model=model).llr(counts, 1) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_clean_wins_and_draws_alone_have_the_ratio_of_the_formula() -> None:
    """All blocks won: the mass lies at nothing and at everything, there `(1 + k) / 2` of it, `k = t / sqrt(1 + t²)`.
    All drawn: of the hypothesis `t` the share `1 / (1 + t²)` is draws."""
    t = 5 / NELO * sqrt(2)
    test = Sprt(elo0=0, elo1=5)

    assert test.llr([0, 0, 0, 0, 104], 2) == pytest.approx(104 * log(1 + t / sqrt(1 + t * t)), abs=0.01)
    assert test.llr([0, 0, 104, 0, 0], 2) == pytest.approx(-104 * log(1 + t * t), abs=0.01)


@settings(max_examples=150)
@given(
    seats=st.integers(2, 5),
    model=st.sampled_from(EloModel),
    elos=st.tuples(st.integers(-400, 400), st.integers(-400, 400)).filter(lambda two: two[0] < two[1]),
    data=st.data(),
)
def test_the_ratio_is_finite_and_turns_over_with_the_bots(
    seats: int, model: EloModel, elos: tuple[int, int], data: st.DataObject
) -> None:
    size = 2 * seats * (seats - 1) + 1
    one = st.sampled_from([0, 0, 0, 1, 2, 50, 100_000]) | st.integers(0, 40)
    counts = data.draw(st.lists(one, min_size=size, max_size=size))
    low, high = elos

    llr = Sprt(elo0=low, elo1=high, model=model).llr(counts, seats)
    turned = Sprt(elo0=-high, elo1=-low, model=model).llr(counts[::-1], seats)

    assert isfinite(llr)
    assert llr == pytest.approx(-turned, rel=1e-5, abs=1e-5)
    assert any(counts) or llr == 0


def test_a_first_step_that_leads_to_a_pole_is_not_taken() -> None:
    """Newton's first step for a mean of a half ends at -2, where the likelihood is not defined."""
    test = Sprt(elo0=0, elo1=40)

    assert test.llr([2, 11, 20, 1, 1], 2) == pytest.approx(closed_form([2, 11, 20, 1, 1], test), rel=0.1)


def test_a_size_that_leads_slowly_to_the_next_is_found() -> None:
    """Five blocks of four seats with three scores: each size is nearly what was guessed, long before it is right."""
    counts = [{8: 1, 11: 2, 14: 2}.get(score, 0) for score in range(25)]

    assert Sprt(elo0=0, elo1=40).llr(counts, 4) == pytest.approx(-0.33534, abs=1e-4)


@settings(max_examples=300)
@given(
    scores=st.lists(st.integers(0, 24), min_size=1, max_size=12),
    elo1=st.sampled_from([5, 40, 400]),
    spread=st.integers(1, 24),
)
def test_every_first_few_blocks_have_a_ratio(scores: list[int], elo1: int, spread: int) -> None:
    counts = [0] * 25
    for score in scores:
        counts[score * spread // 24] += 1

    assert isfinite(Sprt(elo0=0, elo1=elo1).llr(counts, 4))


def closed_form(counts: list[int], test: Sprt) -> float:
    """Return Van den Bergh's approximation of the ratio of pairs (*Comments on Normalized Elo*, section 4.2)."""
    pairs = sum(counts)
    mean = sum(at * count for at, count in enumerate(counts)) / 4 / pairs
    variance = sum((at / 4 - mean) ** 2 * count for at, count in enumerate(counts)) / pairs
    away = [(mean - 0.5) / sqrt(2 * variance) - elo / NELO for elo in (test.elo0, test.elo1)]
    return pairs * log((1 + away[0] ** 2) / (1 + away[1] ** 2))


@pytest.mark.parametrize("counts", [[20, 80, 150, 90, 30], [5, 40, 300, 60, 2], [60, 100, 90, 100, 50]])
def test_the_ratio_is_near_its_approximation(counts: list[int]) -> None:
    test = Sprt(elo0=-5, elo1=15)

    assert test.llr(counts, 2) == pytest.approx(closed_form(counts, test), abs=0.02)


def test_a_better_result_never_speaks_for_h0() -> None:
    test = Sprt(elo0=0, elo1=20)
    told = [test.llr([20, 20, 20, 20 + more, 20], 2) for more in range(0, 200, 10)]

    assert told == sorted(told)


def test_bounds_are_walds() -> None:
    test = Sprt(alpha=0.05, beta=0.1)

    assert test.lower == pytest.approx(log(0.1 / 0.95))
    assert test.upper == pytest.approx(log(0.9 / 0.05))
    assert [test.verdict(llr) for llr in (test.lower, 0.0, test.upper)] == [Verdict.H0, Verdict.OPEN, Verdict.H1]


@pytest.mark.parametrize(
    "given",
    [
        {"elo0": 5.0, "elo1": 5.0},
        {"elo0": 10.0, "elo1": 0.0},
        {"elo1": float("nan")},
        {"elo1": 401.0},
        {"alpha": 0.0},
        {"beta": 0.5},
        {"alpha": float("nan")},
    ],
)
def test_what_is_no_test_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(SprtError):
        Sprt(**given)


def errors(runs: int, base: tuple[float, ...], seats: int, test: Sprt, seed: int) -> tuple[float, float]:
    """Return how often a hypothesis was accepted where the other one is true: H1, H0."""
    random = Random(seed)
    wrong = []
    for elo, false in ((test.elo0, Verdict.H1), (test.elo1, Verdict.H0)):
        shares = shares_of(base, elo, seats)
        wrong.append(sum(run_test(test, shares, seats, random)[0] is false for _ in range(runs)) / runs)
    return wrong[0], wrong[1]


@pytest.mark.parametrize(("base", "seats"), [(PAIRS, 2), (FOUR_SEATS, 4)])
def test_errors_are_as_rare_as_alpha_and_beta_say(base: tuple[float, ...], seats: int) -> None:
    """In 200 simulations a true rate of 5 % gives more than 9.5 % once in 300; `make bench` runs thousands."""
    false_h1, false_h0 = errors(200, base, seats, Sprt(elo0=0, elo1=250), seats)

    assert false_h1 <= 0.095
    assert false_h0 <= 0.095


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("base", "seats"), [(PAIRS, 2), (FOUR_SEATS, 4)])
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.02, 0.1)])
def test_errors_stay_below_alpha_and_beta(base: tuple[float, ...], seats: int, alpha: float, beta: float) -> None:
    """In 2,000 simulations; a rate at the bound itself would exceed it by two standard errors once in 40."""
    test = Sprt(elo0=0, elo1=60, alpha=alpha, beta=beta)

    false_h1, false_h0 = errors(2_000, base, seats, test, seats)

    assert false_h1 <= alpha + 2 * sqrt(alpha * (1 - alpha) / 2_000)
    assert false_h0 <= beta + 2 * sqrt(beta * (1 - beta) / 2_000)
