"""Knockout: the bracket by seeds, byes, ties decided by more blocks and then by seed, and tables of several seats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from tests.support.schedules import CHANCE, by_number, names, play, play_rounds, with_luck

from agon_engine.core import Chance
from agon_ladder.pairing.schedules.knockout import Knockout, stages
from agon_ladder.pairing.schedules.schedule import PlannedBlock


def pairs(blocks: Sequence[PlannedBlock]) -> list[list[str]]:
    return [sorted(block.line_up, key=by_number, reverse=True) for block in blocks]


def test_the_bracket_of_eight_has_the_seeds_where_brackets_have_them() -> None:
    """The two best can meet in the final alone, and the winner of 1–8 meets that of 4–5."""
    planned, played = play_rounds(Knockout(names(8), 2, CHANCE))

    assert pairs(planned[0]) == [["b0", "b7"], ["b1", "b6"], ["b2", "b5"], ["b3", "b4"]]
    assert pairs(planned[1]) == [["b0", "b3"], ["b1", "b2"]]
    assert pairs(planned[2]) == [["b0", "b1"]]
    table = Knockout(names(8), 2, CHANCE).table(played)
    assert [row.rank for row in table] == [1, 2, 3, 3, 5, 5, 5, 5]


def test_a_winner_goes_on_in_the_place_of_the_better_seed() -> None:
    """When 8 beats 1, it meets the winner of 4–5, as if it were 1."""
    upset = {"b7": 1}
    planned, _ = play_rounds(Knockout(names(8), 2, CHANCE), lambda bot: upset.get(bot, by_number(bot)))

    assert pairs(planned[1]) == [["b3", "b7"], ["b1", "b2"]]
    assert pairs(planned[2]) == [["b1", "b7"]]


def test_byes_are_in_the_first_stage_and_the_best_seeds() -> None:
    planned, _ = play_rounds(Knockout(names(11), 2, CHANCE))

    assert pairs(planned[0]) == [["b5", "b10"], ["b6", "b9"], ["b7", "b8"]]
    assert pairs(planned[1]) == [["b0", "b7"], ["b1", "b6"], ["b2", "b5"], ["b3", "b4"]]


@pytest.mark.parametrize("extra", [0, 1, 3])
def test_a_tie_is_played_on_so_often_and_then_the_better_seed_goes_on(extra: int) -> None:
    planned, played = play_rounds(Knockout(names(2), 2, CHANCE, extra_blocks=extra), {"b0": 0, "b1": 0}.__getitem__)

    assert 1 + extra == len(planned)
    assert {("b0", 1), ("b1", 2)} == {
        (row.bot, row.rank) for row in Knockout(names(2), 2, CHANCE, extra_blocks=extra).table(played)
    }


def test_only_what_is_tied_is_played_on() -> None:
    """The first round ties between b1 and b2 alone, and b2 wins the further block."""
    schedule = Knockout(names(4), 2, CHANCE)
    first = [play(block, lambda bot: {"b0": 3, "b3": 1}.get(bot, 2)) for block in schedule.round(0, ())]

    further = schedule.round(1, [first])
    second = [play(block, lambda bot: {"b2": 1}.get(bot, 0)) for block in further]

    assert pairs(further) == [["b1", "b2"]]
    assert pairs(schedule.round(2, [first, second])) == [["b0", "b2"]]


def test_each_table_of_a_stage_plays_so_many_blocks() -> None:
    schedule = Knockout(names(4), 2, CHANCE, blocks=3)

    blocks = schedule.round(0, ())

    assert pairs(blocks) == [["b0", "b3"], ["b1", "b2"]] * 3
    assert list(range(6)) == [block.number for block in blocks]


def test_of_tables_of_four_the_first_two_go_on() -> None:
    planned, played = play_rounds(Knockout(names(16), 4, CHANCE, advance=2))

    # The snake: 1, 8, 9, 16 and so on, so that all tables are as strong.
    assert pairs(planned[0])[0] == ["b0", "b7", "b8", "b15"]
    assert [sorted(line_up) for line_up in pairs(planned[1])] == [["b0", "b3", "b4", "b7"], ["b1", "b2", "b5", "b6"]]
    assert [sorted(line_up) for line_up in pairs(planned[2])] == [["b0", "b1", "b2", "b3"]]
    table = Knockout(names(16), 4, CHANCE, advance=2).table(played)
    assert [row.bot for row in table[:4]] == ["b0", "b1", "b2", "b3"]
    assert [row.rank for row in table[:8]] == [1, 2, 3, 4, 5, 5, 7, 7]


def test_the_best_of_those_that_fell_fill_a_stage_that_lacks_bots() -> None:
    """Of four at tables of three one has a bye, one wins; the better of the other two is the third of the final."""
    planned, _ = play_rounds(Knockout(names(4), 3, CHANCE))

    assert pairs(planned[0]) == [["b1", "b2", "b3"]]
    assert pairs(planned[1]) == [["b0", "b1", "b2"]]


@given(st.integers(2, 5), st.data())
def test_stages_lead_from_any_field_to_one_full_table(seats: int, data: st.DataObject) -> None:
    bots, advance = data.draw(st.integers(seats, 400)), data.draw(st.integers(1, seats // 2))

    found = stages(bots, seats, advance)

    assert (bots, seats) == (found[0].bots, found[-1].bots)
    for stage, after in pairwise(found):
        assert stage.bots == stage.byes + stage.tables * seats
        assert seats <= after.bots < stage.bots
        assert after.bots == stage.next
        # Enough bots: those with a bye, those that won, and those that came next at their tables.
        assert stage.byes + stage.tables * advance <= after.bots <= stage.byes + stage.tables * (seats - 1)
    if seats == 2:
        assert not any(stage.byes for stage in found[1:])
        assert bots - 1 == sum(stage.tables for stage in found)


@given(st.integers(2, 5), st.integers(0, 20), st.integers(0, 2), st.binary(min_size=16, max_size=16))
def test_a_knockout_ends_with_one_winner_within_its_plan(seats: int, over: int, extra: int, seed: bytes) -> None:
    schedule = Knockout(names(seats + over), seats, CHANCE, extra_blocks=extra)

    planned, played = play_rounds(schedule, with_luck(Chance(seed), 90))

    assert len(planned) <= schedule.rounds
    assert sum(map(len, planned)) <= schedule.planned_blocks
    assert sum(row.rank == 1 for row in schedule.table(played)) == 1


def test_byes_are_counted_with_any_seats_and_rounds_are_called_by_their_stage() -> None:
    """Twelve bots at tables of four, of which two go on: the four best seeds have a bye in the first stage."""
    schedule = Knockout(names(12), 4, CHANCE, advance=2)
    planned, played = play_rounds(schedule)

    assert [schedule.round_name(number, played) for number in range(len(planned))] == [
        f"stage {stage} of 3" for stage in (1, 2, 3)
    ]
    seated = {bot for block in planned[0] for bot in block.line_up}
    assert schedule.byes(0, ()) == tuple(bot for bot in names(12) if bot not in seated)
    assert {row.bot for row in schedule.table(played) if row.byes} == set(schedule.byes(0, played))
    assert schedule.byes(1, played) == ()


def test_further_blocks_for_ties_are_called_so_and_give_no_byes() -> None:
    schedule = Knockout(names(3), 2, CHANCE)
    _, played = play_rounds(schedule, dict.fromkeys(names(3), 0).__getitem__)

    assert [schedule.round_name(number, played) for number in range(len(played))] == [
        *("stage 1 of 2", "stage 1 of 2, further blocks 1", "stage 1 of 2, further blocks 2"),
        *("stage 2 of 2", "stage 2 of 2, further blocks 1", "stage 2 of 2, further blocks 2"),
    ]
    assert {row.bot: row.byes for row in schedule.table(played)} == {"b0": 1, "b1": 0, "b2": 0}
