"""The table as people read it."""

from __future__ import annotations

import pytest
from tests.support.ladders import LADDER, history, result

from agon_engine.core import Chance
from agon_ladder.fold import BotState, LadderState
from agon_ladder.standings import PROVISIONAL_BLOCKS, interval_of, standings
from agon_ladder.stats.interval import WIDEST


def test_rows_are_ranked_by_rating_and_equal_ratings_share_a_rank() -> None:
    state = LadderState(LADDER, 2)
    for bot, rating in (("d", 1400_000), ("b", 1500_000), ("a", 1500_000), ("c", 1600_000)):
        state.bots[bot] = BotState((rating,), games=1)

    assert [(row.rank, row.bot) for row in standings(state)] == [(1, "c"), (2, "a"), (2, "b"), (4, "d")]


def test_a_row_says_what_the_state_knows() -> None:
    state = LadderState(LADDER, 2)
    state.apply(result("a", "b", at=1, block="k", place=0))
    state.apply(result("b", "a", at=2, placements=(1, 1), block="k", place=1))

    first, second = standings(state)

    assert (first.rank, first.bot, first.games, first.blocks, first.score, first.faults) == (1, "a", 2, 1, 0.75, 0)
    assert (second.rank, second.bot, second.score) == (2, "b", 0.25)
    assert first.plus_minus == second.plus_minus == WIDEST
    assert first.provisional
    assert second.provisional


def test_a_bot_is_provisional_until_it_has_enough_complete_blocks() -> None:
    state = LadderState(LADDER, 2)
    for bot, blocks in (("new", PROVISIONAL_BLOCKS - 1), ("old", PROVISIONAL_BLOCKS)):
        state.bots[bot] = BotState((1500_000,), games=2 * blocks, blocks={2: blocks})

    assert {row.bot: row.provisional for row in standings(state)} == {"new": True, "old": False}


@pytest.mark.parametrize("seats", [2, 4])
def test_the_table_of_a_history_is_in_order_and_the_same_each_time(seats: int) -> None:
    state = LadderState(LADDER, seats)
    for one in history(Chance(bytes(16)), seats=seats, bots=5, blocks=240):
        state.apply(one)

    rows = standings(state)

    assert [row.rating for row in rows] == sorted((row.rating for row in rows), reverse=True)
    assert [row.bot for row in sorted(rows, key=lambda row: -row.score)] == [f"bot-{number}" for number in range(5)]
    assert rows == standings(LadderState.from_json(state.to_json()))
    assert all(0 < row.plus_minus < 100_000 for row in rows)
    assert (interval_of(state, "bot-0").low or 0) > 0 > (interval_of(state, "bot-4").high or 0)
    assert sum(row.score * row.games for row in rows) == pytest.approx(state.results * seats / 2)


def test_an_empty_ladder_has_an_empty_table() -> None:
    assert standings(LadderState(LADDER, 4)) == []
