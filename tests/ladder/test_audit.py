"""Audits: nothing is found where all is well, and each kind of damage is found and named (X2, X4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.ladders import LADDER, history, result

from agon_engine.core import Chance, Deals
from agon_ladder import audit
from agon_ladder.audit import Audit, Finding, compare_tables
from agon_ladder.fold import LadderState, RatingRow
from agon_ladder.results import MatchResult, Position

RowsByMatch = dict[str, list[RatingRow]]


@pytest.fixture
def results() -> list[MatchResult]:
    return history(Chance(bytes(16)), seats=3, bots=5, blocks=6)


def fold_all(results: list[MatchResult]) -> tuple[LadderState, RowsByMatch]:
    state = LadderState(LADDER, 3)
    return state, {one.match: list(state.apply(one).rows) for one in results}


def audited(results: list[MatchResult], live: LadderState, rows: RowsByMatch) -> list[Finding]:
    check = Audit(LadderState(LADDER, live.seats))
    for one in results:
        check.result(one, rows.get(one.match, []))
    return check.finish(live)


def test_a_sound_ladder_has_no_findings(results: list[MatchResult]) -> None:
    assert audited(results, *fold_all(results)) == []


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
    """X4: bit for bit."""
    state, rows = fold_all(results)
    damage(state)

    (finding,) = audited(results, state, rows)

    assert (finding.check, finding.subject) == ("table", subject)
    assert "a rebuild gives" in finding.text


def test_an_unfinished_block_that_differs_is_found(results: list[MatchResult]) -> None:
    state, rebuilt = fold_all(results[:4])[0], fold_all(results[:4])[0]
    block = next(iter(state.partial))
    state.partial[block].places = 0

    assert [finding.subject for finding in compare_tables(state, rebuilt)] == [block]


@pytest.mark.parametrize(
    "damage",
    [
        lambda rows: rows[1:],
        lambda rows: [rows[0], *rows],
        lambda rows: rows[:0],
        lambda rows: [rows[1], rows[0], *rows[2:]],
        lambda rows: [rows[0]._replace(bot="stranger"), *rows[1:]],
        lambda rows: [rows[0]._replace(match="another"), *rows[1:]],
        lambda rows: [rows[0]._replace(before=(1,)), *rows[1:]],
        lambda rows: [*rows[:2], rows[2]._replace(after=(1,))],
    ],
)
def test_rows_that_are_not_exactly_one_a_seat_are_found(
    results: list[MatchResult], damage: Callable[[list[RatingRow]], list[RatingRow]]
) -> None:
    """X2: exactly one rating row a seat."""
    state, rows = fold_all(results)
    match = next(match for match, found in rows.items() if found)
    rows[match] = damage(rows[match])

    (finding,) = audited(results, state, rows)

    assert (finding.check, finding.subject) == ("rows", match)
    assert "3 are due" in finding.text


def test_rows_that_are_not_kept_any_more_are_not_missed(results: list[MatchResult]) -> None:
    state, _ = fold_all(results)
    check = Audit(LadderState(LADDER, 3))
    for one in results:
        check.result(one, None)

    assert check.finish(state) == []


def test_rows_of_an_unrated_match_or_of_none_are_found(results: list[MatchResult]) -> None:
    state, rows = fold_all(results)
    rated = next(found for found in rows.values() if found)
    unrated = next(one.match for one in results if not one.rated)
    rows[unrated] = rated

    (finding,) = audited(results, state, rows)
    assert (finding.subject, "0 are due" in finding.text) == (unrated, True)

    check = Audit(LadderState(LADDER, 3))
    check.stray(rated)
    assert [(one.check, one.subject) for one in check.findings] == [("rows", rated[0].match)]


def test_a_result_that_the_fold_refuses_is_no_finding_unless_it_has_rows(results: list[MatchResult]) -> None:
    """What is set aside live is set aside in a rebuild too."""
    state, rows = fold_all(results)
    foreign = result("x", "y", at=10**6)

    assert audited([*results, foreign], state, rows) == []
    rows[foreign.match] = rows[next(match for match, found in rows.items() if found)]
    assert [finding.subject for finding in audited([*results, foreign], state, rows)] == [foreign.match]


def blocks_found(*results: MatchResult) -> list[str]:
    state = LadderState(LADDER, 2)
    rows = {one.match: list(state.apply(one).rows) for one in results}
    found = audited(list(results), state, rows)
    assert {finding.check for finding in found} <= {"blocks"}
    return [finding.text for finding in found]


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (result("a", "b", at=2, block="k", place=1), "other bots or rotation"),
        (result("a", "b", at=2, block="k", place=0), "rated more than once"),
        (result("b", "a", at=2, block="k", place=1)._replace(commitment="deal-1"), "has the deal of match 'match-1'"),
    ],
)
def test_a_block_that_is_not_one_is_found(second: MatchResult, text: str) -> None:
    """M6, H5."""
    (found,) = blocks_found(result("a", "b", at=1, block="k", place=0), second)

    assert text in found


def test_matches_of_one_block_may_share_a_deal_and_no_others() -> None:
    """H5: one deal a block where deals are shared."""
    first = result("a", "b", at=1, block="k", place=0)._replace(deals=Deals.SHARED, commitment="deal")
    second = result("b", "a", at=2, block="k", place=1)._replace(deals=Deals.SHARED, commitment="deal")
    other = result("a", "b", at=3, block="m", place=0)._replace(deals=Deals.SHARED, commitment="deal")

    assert blocks_found(first, second) == []
    assert blocks_found(first, second, other) == ["has the deal of match 'match-1'"]


def test_a_pass_keeps_no_more_findings_than_help(results: list[MatchResult], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "MAX_FINDINGS", 5)
    state, _ = fold_all(results)

    assert len(audited(results, state, {})) == 5
