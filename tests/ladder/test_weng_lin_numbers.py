"""Weng-Lin's numbers (E7): those of the paper, rounded, and the same on every machine, however its doubles end."""

from __future__ import annotations

import importlib.util
import math
import random
from decimal import ROUND_UP, Decimal, localcontext
from fractions import Fraction
from math import isqrt
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from agon_engine.core import standard_placements
from agon_ladder.ratings import POINT, Rating, weng_lin
from agon_ladder.ratings.weng_lin import BETA, DOUBT, FARTHEST, INITIAL, KAPPA, SIGMA, TAU, WengLin
from agon_ladder.ratings.weng_lin_digits import rated

Match = tuple[list[Rating], tuple[int, ...]]

SYSTEM = WengLin()
ONE = 10**80
"""A one in the whole numbers of `by_the_paper`."""


def drawn(number: int) -> Match:
    """Draw a match of 2 to 8 seats, every other one between bots as ladders have them, else of extremes."""
    rng = random.Random(number)
    seats = rng.randint(2, 8)
    if number % 2:
        ratings = [(rng.randint(500 * POINT, 2500 * POINT), rng.randint(25 * POINT, SIGMA)) for _ in range(seats)]
    else:
        wide = rng.choice([0, 1, 5 * POINT, FARTHEST])
        ratings = [(INITIAL + rng.randint(-wide, wide), rng.choice([1, POINT, SIGMA, 10**12])) for _ in range(seats)]
    return list(ratings), standard_placements([rng.randint(0, seats) for _ in range(seats)])


NEAR_A_HALF: list[Match] = [
    ([(INITIAL + apart, one), (INITIAL, other)], (1, 2))
    for apart, one, other in (
        (624_212, 210_846, 55_301),
        (-161_914, 130_251, 115_006),
        (-203_504, 204_015, 37_739),
        (-31_585, 137_211, 202_103),
    )
]
"""Found among some thousand million: mu or sigma of the winner lies 2e-11, 3e-10, 5e-10 and 7e-10 thousandths above a
half. At the first one x86-64 itself has the half, which would be rounded down."""


def by_the_paper(ratings: list[Rating], placements: tuple[int, ...]) -> list[Rating]:
    """Return what algorithm 1 of Weng and Lin gives, rounded to thousandths: in whole numbers, 80 digits behind the
    point, other code."""
    means = [min(max(mu - INITIAL, -FARTHEST), FARTHEST) * ONE for mu, _ in ratings]
    squares = [min(sigma, SIGMA) ** 2 * ONE + int(Fraction(TAU) ** 2 * POINT**2 * ONE) for _, sigma in ratings]
    both_lucks = int(2 * Fraction(BETA) ** 2 * POINT**2 * ONE)
    after: list[Rating] = []
    for one, place in enumerate(placements):
        gain, left = 0, ONE
        for other, other_place in enumerate(placements):
            if one != other:
                width = isqrt((squares[one] + squares[other] + both_lucks) * ONE)
                wins = ONE * ONE // (ONE + exponential((means[other] - means[one]) * ONE // width))
                score = ONE if place < other_place else 0 if place > other_place else ONE // 2
                gain += squares[one] * (score - wins) // width
                left -= (
                    squares[one]
                    * isqrt(squares[one] * ONE)
                    // width
                    * ONE
                    // width
                    * wins
                    // width
                    * (ONE - wins)
                    // ONE
                )
        sigma = isqrt(squares[one] * max(left, int(Fraction(KAPPA) * ONE)))
        after.append((ratings[one][0] + nearest(gain), min(max(nearest(sigma), 1), SIGMA)))
    return after


def exponential(power: int) -> int:
    """By its series, near 0, and 30 squares."""
    small = power >> 30
    term, total, at = ONE, ONE, 0
    while term not in (0, -1):
        at += 1
        term = term * small // (at * ONE)
        total += term
    for _ in range(30):
        total = total * total // ONE
    return total


def nearest(number: int) -> int:
    return (number + ONE // 2) // ONE


def other_machine(seed: int, units: int = 64) -> WengLin:
    """Return the system on a machine whose exp and sqrt err by up to so many units in the last place, at random."""
    rng = random.Random(seed)

    def erring(value: float) -> float:
        return value + rng.randint(-units, units) * math.ulp(value)

    compiled = importlib.util.find_spec("openskill.models.weng_lin.bradley_terry_full")
    assert compiled is not None
    assert compiled.origin is not None
    source = Path(compiled.origin).parent / "bradley_terry_full.py"
    spec = importlib.util.spec_from_file_location("bradley_terry_full_of_another_machine", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["math"] = SimpleNamespace(
        exp=lambda x: erring(math.exp(x)), sqrt=lambda x: erring(math.sqrt(x)), log1p=math.log1p
    )
    system = WengLin()
    system._model = module.BradleyTerryFull(mu=0.0, sigma=SIGMA / POINT, beta=BETA, kappa=KAPPA, tau=TAU)
    return system


@pytest.mark.parametrize("number", range(4))
def test_ratings_are_the_papers_rounded_to_thousandths(number: int) -> None:
    for each in range(number, 400, 4):
        ratings, placements = drawn(each)

        assert by_the_paper(ratings, placements) == SYSTEM.update(ratings, placements)


def test_machines_that_differ_in_the_last_bits_have_the_same_ratings() -> None:
    for seed in range(4):
        machine = other_machine(seed)
        for match in (*map(drawn, range(60)), *NEAR_A_HALF):
            assert SYSTEM.update(*match) == machine.update(*match)


def test_next_to_a_half_the_digits_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doubles alone are rounded to either side there, by one machine or another."""
    machines = [SYSTEM, *map(other_machine, range(10))]
    due = [by_the_paper(*match) for match in NEAR_A_HALF]

    assert [due] * len(machines) == [[machine.update(*match) for match in NEAR_A_HALF] for machine in machines]
    monkeypatch.setattr(weng_lin, "DOUBT", 0.0)
    for match, ratings in zip(NEAR_A_HALF, due, strict=True):
        assert any(machine.update(*match) != ratings for machine in machines)


def test_digits_alone_give_the_ratings_that_doubles_give_where_they_are_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [drawn(number) for number in range(400)]
    usual = [SYSTEM.update(*match) for match in matches]

    monkeypatch.setattr(weng_lin, "DOUBT", math.inf)

    assert usual == [SYSTEM.update(*match) for match in matches]


def test_what_a_double_is_off_by_is_far_below_the_doubt_on_any_machine() -> None:
    """A thousand times and more, with exp and sqrt that err by 64 units in the last place, a hundred times."""
    for machine, times in ((SYSTEM, 1000), (other_machine(1), 100)):
        farthest = Decimal(0)
        for number in range(200):
            ratings, placements = drawn(number)
            near = [weng_lin._near(rating) for rating in ratings]
            doubles, digits = (
                machine._by_doubles(near, placements),
                rated(near, placements, beta=BETA, kappa=KAPPA, tau=TAU),
            )
            for of_double, of_digits in zip(doubles, digits, strict=True):
                off = max(abs(Decimal(one) - other) for one, other in zip(of_double, of_digits, strict=True))
                farthest = max(farthest, off / len(ratings))

        assert 0 < farthest * times < Decimal(DOUBT)


def test_hardly_any_match_needs_the_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 1,600 with four seats: 8 numbers, each in doubt by 4e-5 on either side of a half."""
    digits = Mock(wraps=rated)
    monkeypatch.setattr(weng_lin, "rated", digits)
    rng = random.Random(1)
    for _ in range(5_000):
        ratings = [(rng.randint(1000 * POINT, 2000 * POINT), rng.randint(25 * POINT, SIGMA)) for _ in range(4)]
        SYSTEM.update(ratings, (1, 2, 3, 4))

    assert 0 < digits.call_count < 15


def test_the_digits_do_not_depend_on_how_the_program_computes_with_decimals() -> None:
    ratings, placements = NEAR_A_HALF[0]
    due = SYSTEM.update(ratings, placements)
    with localcontext() as context:
        context.prec, context.rounding, context.Emax = 3, ROUND_UP, 5

        assert due == SYSTEM.update(ratings, placements)


def test_beta_makes_the_curve_elos() -> None:
    assert pytest.approx(400 / math.log(10) / math.sqrt(2), rel=1e-15) == BETA
