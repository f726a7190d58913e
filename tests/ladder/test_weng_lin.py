"""Weng-Lin by openskill: its numbers beside the paper's formulas in 50 digits, rounding, and life without it."""

from __future__ import annotations

import random
import subprocess
import sys
import tomllib
from decimal import Decimal, localcontext
from pathlib import Path

import pytest
from tests.support.ladders import history

from agon_engine.core import Chance, standard_placements
from agon_ladder.errors import MissingLibraryError, ResultError
from agon_ladder.fold import LadderState
from agon_ladder.ratings import POINT, Rating, get_system
from agon_ladder.ratings.weng_lin import BETA, INITIAL, KAPPA, OPENSKILL, SIGMA, TAU, WengLin
from agon_ladder.standings import standings

SYSTEM = WengLin()
Exact = tuple[Decimal, Decimal]


def exact(ratings: list[Rating], placements: tuple[int, ...]) -> list[Exact]:
    """Return what algorithm 1 of Weng and Lin gives, in thousandths of a point, not rounded: 50 digits, other code."""
    with localcontext() as context:
        context.prec = 50
        beta, kappa, tau = Decimal(BETA), Decimal(KAPPA), Decimal(TAU)
        means = [Decimal(mu - INITIAL) / POINT for mu, _ in ratings]
        variances = [(Decimal(sigma) / POINT) ** 2 + tau**2 for _, sigma in ratings]
        after = []
        for one, place in enumerate(placements):
            gain, shrink = Decimal(0), Decimal(0)
            for other, other_place in enumerate(placements):
                if one == other:
                    continue
                width = (variances[one] + variances[other] + 2 * beta**2).sqrt()
                wins = 1 / (1 + ((means[other] - means[one]) / width).exp())
                score = Decimal(1 if place < other_place else 0) if place != other_place else Decimal("0.5")
                gain += variances[one] / width * (score - wins)
                shrink += variances[one].sqrt() / width * variances[one] / width**2 * wins * (1 - wins)
            sigma = (variances[one] * max(1 - shrink, kappa)).sqrt()
            after.append((ratings[one][0] + gain * POINT, min(sigma * POINT, Decimal(SIGMA))))
        return after


def drawn(number: int) -> tuple[list[Rating], tuple[int, ...]]:
    """Draw a match of 2 to 8 seats between bots as ladders have them."""
    rng = random.Random(number)
    seats = rng.randint(2, 8)
    ratings: list[Rating] = [
        (rng.randint(500 * POINT, 2500 * POINT), rng.randint(25 * POINT, SIGMA)) for _ in range(seats)
    ]
    return ratings, standard_placements([rng.randint(0, seats) for _ in range(seats)])


def test_ratings_are_the_papers_rounded_to_thousandths() -> None:
    for number in range(400):
        ratings, placements = drawn(number)

        assert [tuple(round(part) for part in one) for one in exact(ratings, placements)] == SYSTEM.update(
            ratings, placements
        )


def test_doubles_are_so_close_that_machines_round_alike() -> None:
    """What the library returns is within 1e-9 of a thousandth of a point, so about one number in 10**9 can fall on the
    other side of a half on a machine whose exp, sqrt or fused multiplication differs in the last bit."""
    farthest = Decimal(0)
    for number in range(400):
        ratings, placements = drawn(number)
        order = sorted(range(len(ratings)), key=lambda seat: (placements[seat], ratings[seat]))
        teams = [
            [SYSTEM._model.rating(mu=(ratings[seat][0] - INITIAL) / POINT, sigma=ratings[seat][1] / POINT)]
            for seat in order
        ]
        rated = SYSTEM._model.rate(teams, ranks=[float(placements[seat]) for seat in order])
        due = exact(ratings, placements)
        for seat, [new] in zip(order, rated, strict=True):
            farthest = max(farthest, abs(Decimal(new.mu * POINT) + INITIAL - due[seat][0]))
            if due[seat][1] < SIGMA:
                farthest = max(farthest, abs(Decimal(new.sigma * POINT) - due[seat][1]))

    assert farthest < Decimal("1e-9")


def test_a_win_between_newcomers_moves_both_alike_and_tells_as_much_of_each() -> None:
    winner, loser = SYSTEM.update([SYSTEM.initial, SYSTEM.initial], (1, 2))

    assert winner[0] - INITIAL == INITIAL - loser[0] > 50 * POINT
    assert winner[1] == loser[1] < SIGMA


def test_between_well_known_bots_the_expected_score_is_elos() -> None:
    """Nobody gains where the favourite by 400 points wins ten times and loses once, since it does so on average."""
    known = 1 * POINT
    favourite: Rating = (INITIAL + 400 * POINT, known)
    other: Rating = (INITIAL, known)
    won = SYSTEM.update([favourite, other], (1, 2))[0][0] - favourite[0]
    lost = SYSTEM.update([favourite, other], (2, 1))[0][0] - favourite[0]

    assert abs(10 * won + lost) <= 10


def test_sigma_falls_with_matches_but_neither_to_nothing_nor_above_the_first() -> None:
    one = other = SYSTEM.initial
    for number in range(2000):
        one, other = SYSTEM.update([one, other], (1, 2) if number % 2 else (2, 1))
    hopeless: Rating = (0, SIGMA)
    strong: Rating = (3000 * POINT, SIGMA)
    for _ in range(2000):
        strong, hopeless = SYSTEM.update([strong, hopeless], (1, 2))

    assert 25 * POINT < one[1] < 50 * POINT
    assert hopeless[1] == SIGMA


@pytest.mark.parametrize("rating", [(1500_000,), (1500_000, 0), (1500_000, 1, 1), ()])
def test_a_rating_of_another_form_is_refused(rating: Rating) -> None:
    with pytest.raises(ValueError, match="mu and a positive sigma, not"):
        SYSTEM.update([SYSTEM.initial, rating], (1, 2))


def test_it_needs_two_seats_and_a_place_for_each() -> None:
    with pytest.raises(ValueError, match="two or more ratings"):
        SYSTEM.update([SYSTEM.initial], (1,))
    with pytest.raises(ValueError, match="as many placements"):
        SYSTEM.update([SYSTEM.initial] * 3, (1, 2))


def test_a_ladder_folds_with_it_and_its_table_has_sigma() -> None:
    """Live is a rebuild, bit for bit: stored in the middle and read again, or folded at once."""
    results = history(Chance(bytes(16)), seats=4, bots=6, blocks=60)
    live, rebuilt = (LadderState("toy", 4, "weng-lin") for _ in range(2))
    for result in results:
        live.apply(result)
        live = live.copy()
        rebuilt.apply(result)

    rows = standings(live)
    assert live.canonical() == rebuilt.canonical()
    assert [row.bot for row in sorted(rows, key=lambda row: -row.score)] == [row.bot for row in rows]
    assert all(row.sigma is not None and 0 < row.sigma < SIGMA for row in rows)


def test_a_table_without_sigma_is_one_of_elo() -> None:
    state = LadderState("toy", 2)
    state.apply(history(Chance(bytes(16)), seats=2, bots=2, blocks=1)[0])

    assert {row.sigma for row in standings(state)} <= {None}


# -- without the library ---------------------------------------------------------------------------------------


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as if openskill were not installed."""
    get_system.cache_clear()
    monkeypatch.setitem(sys.modules, "openskill", None)


def test_without_the_library_the_error_names_the_extra(without: None) -> None:
    with pytest.raises(MissingLibraryError, match=r"needs openskill 6.2.0, .*: pip install 'agon-arena\[rate\]'"):
        get_system("weng-lin")


def test_the_extra_installs_exactly_the_version_that_ratings_are_made_with() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["optional-dependencies"]["rate"] == [f"openskill=={OPENSKILL}"]


def test_another_version_of_the_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openskill.__version__", "6.1.0")

    with pytest.raises(MissingLibraryError, match=r"needs openskill 6.2.0, and installed is '6.1.0'"):
        WengLin()


def test_a_table_whose_system_cannot_be_had_is_not_taken_for_a_damaged_one(without: None) -> None:
    stored = {"ladder": "toy", "seats": 2, "system": "weng-lin", "position": "0-0", "results": 0}

    with pytest.raises(MissingLibraryError):
        LadderState.from_json({**stored, "bots": {}, "partial": {}})
    with pytest.raises(ResultError, match="rating systems are elo, weng-lin"):
        LadderState.from_json({**stored, "system": "glicko", "bots": {}, "partial": {}})


def test_the_library_is_loaded_only_where_it_is_used() -> None:
    code = "import sys, agon_ladder.ratings as r; r.get_system('elo'); print('openskill' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
