"""Rulings in the fold: seasons begin anew by a formula in integers, purged matches never counted, and what is folded in
pieces is what is folded at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.support.ladders import LADDER, history, result

from agon_engine.core import Chance
from agon_ladder.audit import Audit, compare_rulings, compare_seasons
from agon_ladder.errors import OrderError, ResultError
from agon_ladder.fold import FIRST, BotState, FinalTable, LadderState
from agon_ladder.results import MatchResult, Position
from agon_ladder.rulings import (
    KINDS,
    Loss,
    Purge,
    Ruling,
    Season,
    Undo,
    accepted,
    facts_of,
    is_lost,
    kind_of,
    purged_by,
    read_ruling,
    standing,
)
from agon_ladder.standings import standings

RULED = {"id": "r", "ladder": LADDER, "actor": "ann", "why": "the summer is over"}


def season(at: int, label: str = "autumn", keep: int = 50) -> Season:
    return Season(position=Position(at, 0), label=label, keep=keep, **RULED)


def purge(at: int, id_: str = "r", **facts: Any) -> Purge:
    told: dict[str, Any] = {**RULED, "id": id_, **facts}
    return Purge(position=Position(at, 0), **told)


def undo(at: int, of: str = "r") -> Undo:
    return Undo(position=Position(at, 0), **{**RULED, "id": "u"}, purge=of)


def loss(at: int, after: int, until: int) -> Loss:
    return Loss(position=Position(at, 0), **RULED, after=Position(after, 0), until=Position(until, 0), results=3)


def folded(
    entries: Sequence[MatchResult | Season], purges: Sequence[Purge] = (), seats: int = 3
) -> tuple[LadderState, list[FinalTable]]:
    state, finals = LadderState(LADDER, seats), []
    for entry in sorted(entries, key=lambda entry: entry.position):
        if isinstance(entry, Season):
            finals.append(state.begin_season(entry))
        else:
            state.apply(entry, purged=purged_by(purges, entry) is not None)
    return state, finals


def later(results: Sequence[MatchResult], by: int) -> list[MatchResult]:
    return [each._replace(position=Position(each.position.time + by, 0)) for each in results]


@pytest.fixture
def results() -> list[MatchResult]:
    return history(Chance(bytes(16)), seats=3, bots=6, blocks=20)


# -- seasons ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rating", "keep", "moved"),
    [
        (1_500_001, 50, 1_500_000),
        (1_499_999, 50, 1_500_000),
        (1_712_345, 50, 1_606_172),
        (1_287_655, 50, 1_393_828),
        (1_712_345, 0, 1_500_000),
        (1_712_345, 100, 1_712_345),
        (1_287_655, 33, 1_429_927),
    ],
)
def test_a_rating_keeps_a_part_of_its_distance_from_the_initial_one(rating: int, keep: int, moved: int) -> None:
    """Rounded toward the initial rating, so that equally far above and below stay equally far."""
    bot = BotState((rating,), games=7, half_points=9, faults=1, resigned=2, blocks={3: 2})

    bot.begin_season((1_500_000,), keep)

    assert bot == BotState((moved,))


def test_every_number_of_a_rating_moves_toward_its_own_initial_value() -> None:
    """Weng-Lin: the mean comes nearer to the middle, and the deviation grows again."""
    bot = BotState((30_000, 2_000))

    bot.begin_season((25_000, 8_333), 60)

    assert bot.rating == (28_000, 4_534)


def test_a_season_ends_with_its_table_and_the_next_one_counts_from_nothing(results: list[MatchResult]) -> None:
    middle = results[len(results) // 2].position.time
    first, rest = results[:middle], later(results[middle:], 1)
    state, (final,) = folded([*first, season(middle + 1), *rest])
    before, _ = folded(first)

    assert final.table.bots == before.bots
    assert (final.begun, final.results) == (FIRST, before.results)
    assert (state.season.label, state.season.results) == ("autumn", before.results)
    assert sum(bot.games for bot in state.bots.values()) == 3 * state.season_results > 0
    assert [row.bot for row in standings(final.table)] == [row.bot for row in standings(before)]


def test_nobody_stands_in_a_season_before_a_match(results: list[MatchResult]) -> None:
    state, _ = folded([*results, season(10_000)])

    assert standings(state) == []
    assert state.season_results == 0
    assert {bot.games for bot in state.bots.values()} == {0}


def test_a_block_under_way_at_the_cut_is_complete_in_neither_season() -> None:
    """Its matches count for ratings where their results stand; its last place ends it without a trace."""
    facts: dict[str, Any] = {"block": "b"}
    entries: list[MatchResult | Season] = [
        result("a", "b", at=1, **facts),
        season(2),
        result("b", "a", at=3, place=1, **facts),
        result("a", "b", at=4, block="c"),
        result("b", "a", at=5, block="c", place=1),
    ]
    state, (final,) = folded(entries, seats=2)

    assert (final.table.bots["a"].games, final.table.bots["a"].blocks) == (1, {})
    assert state.bots["a"].games == 3
    assert sum(state.bots["a"].blocks.values()) == 1
    assert state.partial == {}


def test_a_season_of_another_ladder_or_from_the_past_changes_nothing(results: list[MatchResult]) -> None:
    state, _ = folded(results)
    before = state.canonical()

    with pytest.raises(OrderError):
        state.begin_season(season(1))
    with pytest.raises(ResultError):
        state.begin_season(replace(season(99_999), ladder="other"))
    with pytest.raises(OrderError):
        state.pass_over(Position(1, 0))
    assert before == state.canonical()


def test_a_state_is_read_as_it_was_written_and_one_of_before_seasons_is_of_the_first(
    results: list[MatchResult],
) -> None:
    middle = results[len(results) // 2].position.time
    entries: list[MatchResult | Season] = [
        *results[:middle],
        season(middle + 1),
        *later(results[middle : middle + 2], 1),
    ]
    state, _ = folded(entries)
    assert any(block.broken for block in state.partial.values())
    old = state.to_json()
    del old["season"]

    assert state.copy() == state
    assert LadderState.from_json(old).season == FIRST


# -- purges ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "covers"),
    [
        ({"bot": "a"}, True),
        ({"bot": "c"}, False),
        ({"server": "two"}, True),
        ({"server": "three"}, False),
        ({"match": "match-5"}, True),
        ({"match": "match-6"}, False),
        ({"bot": "a", "server": "three"}, False),
        ({"bot": "a", "since": 5}, True),
        ({"bot": "a", "since": 6}, False),
        ({"bot": "a", "until": 6}, True),
        ({"bot": "a", "until": 5}, False),
    ],
)
def test_a_purge_covers_what_it_names_and_nothing_after_it(facts: dict[str, Any], covers: bool) -> None:
    match = result("a", "b", at=5)._replace(servers=("one", "two"))

    assert purge(9, **facts).covers(match) is covers
    assert not purge(5, **facts).covers(match)
    assert not purge(9, **facts).covers(match._replace(ladder="other"))


def test_a_purged_match_has_never_been(results: list[MatchResult]) -> None:
    """All that a bot played is gone: the table is that of the other matches, and their blocks are as they were."""
    cheat = "bot-2"
    purges = (purge(99_999, bot=cheat),)

    state, _ = folded(results, purges)

    right, _ = folded([each for each in results if cheat not in each.bots])
    assert cheat not in state.bots
    assert (state.bots, state.results, state.partial.keys()) == (right.bots, right.results, right.partial.keys())


def test_a_block_of_which_a_match_is_purged_is_never_complete() -> None:
    matches = [result("a", "b", at=1, block="x"), result("b", "a", at=2, block="x", place=1)]
    for gone in matches:
        state, _ = folded(matches, (purge(9, match=gone.match),), seats=2)

        assert (state.bots["a"].games, state.bots["a"].blocks) == (1, {})


def test_a_purge_that_was_undone_has_never_been() -> None:
    first, second = purge(1, "p1", bot="a"), purge(2, "p2", bot="b")

    assert standing([first, second]) == (first, second)
    assert standing([first, second, undo(3, "p1")]) == (second,)
    assert standing([first, undo(3, "p1"), undo(4, "nonsense")]) == ()


def test_an_audit_folds_rulings_where_they_stand(results: list[MatchResult]) -> None:
    middle = results[len(results) // 2].position.time
    cut, gone = season(middle + 1), purge(99_999, bot="bot-1")
    entries: list[MatchResult | Ruling] = [*results[:middle], cut, *later(results[middle:], 1), gone]
    live, finals = folded([each for each in entries if not isinstance(each, Purge | Undo | Loss)], (gone,))
    live.pass_over(gone.position)
    audit = Audit(LadderState(LADDER, 3), (gone,))
    for entry in entries:
        if isinstance(entry, MatchResult):
            audit.result(entry, None)
        else:
            audit.ruling(entry)

    assert audit.finish(live, finals, (cut, gone)) == []
    assert audit.counts.purged == sum("bot-1" in each.bots and each.rated for each in results) > 0
    assert [finding.text for finding in audit.finish(live, (), (cut, gone))] == [
        "the table of season first is not kept"
    ]
    wrong = finals[0]._replace(table=live)
    assert len(list(compare_seasons(LADDER, [wrong], finals))) == 1
    assert len(list(compare_seasons(LADDER, [finals[0]._replace(results=1)], finals))) == 1


def test_an_audit_tells_rulings_that_nobody_made_and_those_that_are_gone() -> None:
    made, forged, gone = purge(1, "p1", bot="a"), purge(2, "p2", bot="b"), undo(3, "p1")
    changed = purge(1, "p1", bot="c")

    assert list(compare_rulings([made], [made])) == []
    assert [(each.check, each.subject) for each in compare_rulings([made, forged], [made, gone])] == [
        ("rulings", "p2"),
        ("rulings", gone.id),
    ]
    assert [each.subject for each in compare_rulings([made], [changed])] == ["p1"]


def test_what_was_accepted_as_lost_is_gone_between_its_bounds() -> None:
    first, second = loss(9, 2, 7), loss(10, 3, 8)

    assert accepted([purge(1, "p"), first, second]) == (first,)  # of one id the first one stands
    assert [at for at in range(10) if is_lost((first,), Position(at, 0))] == [3, 4, 5, 6, 7]


def test_of_several_rulings_with_one_id_the_first_one_stands() -> None:
    first, again = purge(1, "p1", bot="a"), purge(4, "p1", bot="b")

    assert standing([first, again]) == (first,)
    assert standing([first, undo(3, "p1"), again]) == ()


def test_a_season_that_is_running_does_not_begin_again() -> None:
    state = LadderState(LADDER, 3)
    state.begin_season(season(1))

    with pytest.raises(ResultError, match="has begun already"):
        state.begin_season(season(2))
    with pytest.raises(ResultError, match="has begun already"):
        state.begin_season(season(3, "first"))
    assert state.position == Position(1, 0)


# -- as they are written ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruling", [season(3), purge(4, bot="a", since=7), undo(5, "p"), loss(9, 2, 7)])
def test_a_ruling_is_read_as_it_was_written(ruling: Ruling) -> None:
    assert read_ruling(kind_of(ruling), ruling.position, RULED | {"id": ruling.id}, facts_of(ruling)) == ruling
    assert KINDS[kind_of(ruling)] is type(ruling)


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("played", {}),
        ("season", None),
        ("season", {"label": "x"}),
        ("season", {"label": "", "keep": 1}),
        ("season", {"label": "x", "keep": 101}),
        ("season", {"label": "x", "keep": True}),
        ("purge", {"bot": "", "server": "", "match": "", "since": 0, "until": 0}),
        ("purge", {"bot": "a", "server": "", "match": "", "since": "0", "until": 0}),
        ("undo", {"purge": 7}),
        ("loss", {"after": "0-0", "until": 7, "results": 0}),
        ("loss", {"after": "0-0", "until": "7", "results": 0}),
        ("loss", {"after": "7-0", "until": "7-0", "results": 0}),
        ("loss", {"after": "0-0", "until": "7-0", "results": -1}),
        ("loss", {"after": "0-0", "until": "9-0", "results": 0}),
    ],
)
def test_what_is_no_ruling_is_refused(kind: str, facts: object) -> None:
    with pytest.raises(ResultError):
        read_ruling(kind, Position(9, 0), RULED, facts)
