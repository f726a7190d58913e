"""Weng-Lin by openskill: how it moves ratings, and life without the library. Its numbers: `test_weng_lin_numbers`."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.support.ladders import history

from agon_engine.core import Chance
from agon_ladder.errors import MissingLibraryError, ResultError
from agon_ladder.fold import LadderState
from agon_ladder.ratings import POINT, Rating, get_system
from agon_ladder.ratings.weng_lin import INITIAL, OPENSKILL, SIGMA, WengLin
from agon_ladder.standings import standings

SYSTEM = WengLin()


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
