"""Audits: nothing is found where all is well, and each kind of damage is found and named (X2, X4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.support.ladders import LADDER, history, result

from agon_engine.core import Chance, Deals
from agon_ladder.audit import check_blocks, check_rows, compare_tables
from agon_ladder.fold import LadderState, RatingRow
from agon_ladder.results import MatchResult, Position


@pytest.fixture
def results() -> list[MatchResult]:
    return history(Chance(bytes(16)), seats=3, bots=5, blocks=6)


def fold_all(results: list[MatchResult]) -> tuple[LadderState, list[RatingRow]]:
    state = LadderState(LADDER, 3)
    return state, [row for one in results for row in state.apply(one).rows]


def test_a_sound_ladder_has_no_findings(results: list[MatchResult]) -> None:
    state, rows = fold_all(results)

    assert compare_tables(state, fold_all(results)[0]) == []
    assert check_rows(state, results, rows) == []
    assert check_blocks(results) == []


@pytest.mark.parametrize(
    ("damage", "subject"),
    [
        (lambda state: setattr(state.bots["bot-1"], "rating", (1,)), "bot-1"),
        (lambda state: setattr(state.bots["bot-2"], "faults", 99), "bot-2"),
        (lambda state: state.bots.pop("bot-3"), "bot-3"),
        (lambda state: setattr(state, "position", Position(1, 0)), LADDER),
        (lambda state: setattr(state, "results", 1), LADDER),
    ],
)
def test_a_table_that_differs_from_its_rebuild_is_found(
    results: list[MatchResult], damage: Callable[[LadderState], object], subject: str
) -> None:
    state, rebuilt = fold_all(results)[0], fold_all(results)[0]
    damage(state)

    (finding,) = compare_tables(state, rebuilt)

    assert (finding.check, finding.subject) == ("table", subject)
    assert "a rebuild gives" in finding.text


def test_an_unfinished_block_that_differs_is_found(results: list[MatchResult]) -> None:
    partly = results[:4]
    state, rebuilt = fold_all(partly)[0], fold_all(partly)[0]
    block = next(iter(state.partial))
    state.partial[block].places = 0

    assert [finding.subject for finding in compare_tables(state, rebuilt)] == [block]


def first_rated(rows: list[RatingRow]) -> list[RatingRow]:
    return [row for row in rows if row.match == rows[0].match]


@pytest.mark.parametrize(
    "damage",
    [
        lambda rows: rows[1:],
        lambda rows: [rows[0], *rows],
        lambda rows: rows[3:],
        lambda rows: [rows[0]._replace(bot="stranger"), *rows[1:]],
        lambda rows: [rows[0]._replace(seat=2), *rows[1:]],
        lambda rows: [*rows, *(row._replace(position=Position(10**6, 0), match="extra") for row in first_rated(rows))],
        lambda rows: [*(row._replace(position=Position(0, 1), match="early") for row in first_rated(rows)), *rows],
    ],
)
def test_rows_that_are_not_one_a_seat_of_a_rated_match_are_found(
    results: list[MatchResult], damage: Callable[[list[RatingRow]], list[RatingRow]]
) -> None:
    """X2: exactly one rating row a seat."""
    state, rows = fold_all(results)

    found = check_rows(state, results, damage(rows))

    assert found
    assert {finding.check for finding in found} == {"rows"}


def test_a_row_of_an_unrated_match_is_found(results: list[MatchResult]) -> None:
    state, rows = fold_all(results)
    unrated = next(one for one in results if not one.rated)
    extra = RatingRow(unrated.position, unrated.match, 0, unrated.bots[0], 1, (1500_000,), (1500_000,))

    found = check_rows(state, results, sorted([*rows, extra]))

    assert unrated.match in {finding.subject for finding in found}


def test_a_row_that_does_not_go_on_from_the_last_one_is_found(results: list[MatchResult]) -> None:
    state, rows = fold_all(results)
    wrong = rows[4]._replace(before=(1,))

    found = check_rows(state, results, [*rows[:4], wrong, *rows[5:]])

    assert [finding.subject for finding in found] == [wrong.match]
    assert f"{wrong.bot} starts from (1,)" in found[0].text


def test_a_table_that_does_not_end_where_its_rows_end_is_found(results: list[MatchResult]) -> None:
    state, rows = fold_all(results)
    state.bots["bot-0"].rating = (1,)

    assert [finding.subject for finding in check_rows(state, results, rows)] == ["bot-0"]


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (result("b", "a", at=1, block="k", place=1), "not after its predecessor"),
        (result("c", "a", at=2, block="k", place=1), "other bots or rotation"),
        (result("a", "b", at=2, block="k", place=1), "other bots or rotation"),
        (result("a", "b", at=2, block="k", place=0), "rated more than once"),
        (replace(result("b", "a", at=2, block="k", place=1), commitment="deal-1"), "has the deal of match match-1"),
    ],
)
def test_a_block_that_is_not_one_is_found(second: MatchResult, text: str) -> None:
    found = check_blocks([result("a", "b", at=1, block="k", place=0), second])

    assert [finding for finding in found if text in finding.text]


def test_matches_of_one_block_may_share_a_deal_and_no_others() -> None:
    """H5: one deal a block where deals are shared."""
    first = replace(result("a", "b", at=1, block="k", place=0), deals=Deals.SHARED, commitment="deal")
    second = replace(result("b", "a", at=2, block="k", place=1), deals=Deals.SHARED, commitment="deal")
    other = replace(result("a", "b", at=3, block="m", place=0), deals=Deals.SHARED, commitment="deal")

    assert check_blocks([first, second]) == []
    assert [finding.subject for finding in check_blocks([first, second, other])] == ["match-3"]
