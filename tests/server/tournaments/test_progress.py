"""How far a tournament has come follows from its results alone, whatever the order in which they came (R11-R15)."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from tests.support.tournaments import FIELDS, drawn, schedule_of

from agon_engine.core import Chance
from agon_ladder.errors import ResultError
from agon_ladder.pairing.schedules.round_robin import RoundRobin
from agon_server.tournaments.places import Place, read_block_id
from agon_server.tournaments.progress import Due, Progress

Played = list[tuple[Due, tuple[int, ...]]]


def played_through(progress: Progress, order: random.Random | None = None) -> Played:
    """Play what is due until the tournament is over; return the results in the order in which they came."""
    results: Played = []
    while due := list(progress.due()):
        if order is not None:
            order.shuffle(due)
        for match in due:
            results.append((match, drawn(match)))
            assert progress.take(match.place, match.bots, drawn(match))
    return results


def told(progress: Progress) -> tuple[object, ...]:
    """Return all that a progress says."""
    rounds = [list(round_) for round_ in progress.played()]
    return rounds, list(progress.matches()), progress.done, progress.remaining, progress.round, progress.is_over


@pytest.mark.parametrize(("kind", "seats", "bots"), FIELDS)
def test_a_tournament_that_was_cut_anywhere_goes_on_to_the_same_end(kind: str, seats: int, bots: int) -> None:
    """R11, R14: the same schedule and the same table, also where matches end in another order after each cut."""
    schedule = schedule_of(kind, seats, bots)
    whole = Progress(schedule, seats)
    results = played_through(whole)
    assert whole.is_over
    assert whole.schedule.table(whole.played())[0].rank == 1

    for cut in range(0, len(results) + 1, max(1, len(results) // 5)):
        again = Progress(schedule, seats)
        for match, placements in results[:cut]:
            again.take(match.place, match.bots, placements)
        assert again.done == cut
        if not schedule.is_adaptive:
            assert again.remaining == len(results) - cut  # R13
        rest = played_through(again, random.Random(cut))

        assert {match.place for match, _ in rest} == {match.place for match, _ in results[cut:]}
        assert told(again) == told(whole)
        assert schedule.table(again.played()) == schedule.table(whole.played())


@pytest.mark.parametrize(("kind", "seats", "bots"), FIELDS)
def test_an_incomplete_block_is_finished_and_counts_for_nothing_before(kind: str, seats: int, bots: int) -> None:
    """R15."""
    progress = Progress(schedule_of(kind, seats, bots), seats)
    first, *others = (due for due in progress.due() if due.place.block == 0 and due.place.round == 0)
    for due in others:
        progress.take(due.place, due.bots, drawn(due))

    assert not progress.played()[0]
    assert len(list(progress.matches())) == seats - 1
    assert next(progress.due()) == first

    progress.take(first.place, first.bots, drawn(first))
    assert [block.id for block in progress.played()[0]] == ["1.1"]


def test_rounds_that_follow_from_results_wait_for_them_and_others_do_not() -> None:
    swiss, all_play_all = (Progress(schedule_of(kind, 2, 4), 2) for kind in ("swiss", "round robin"))

    assert {due.place.round for due in swiss.due()} == {0}
    assert {due.place.round for due in all_play_all.due()} == {0, 1}


def test_what_ends_while_the_rest_is_asked_for_is_left_out() -> None:
    progress = Progress(schedule_of("round robin", 2, 4), 2)
    due = progress.due()
    first = next(due)
    progress.take(first.place, first.bots, (1, 2))
    other = next(item for item in progress.due() if item.place.block == 3)
    progress.take(other.place, other.bots, (1, 2))

    assert other not in list(due)
    assert progress.done == 2


def test_a_match_that_never_counts_ends_its_block_and_no_more() -> None:
    """A block that cannot be played to its end is given up after so many times; all else is played."""
    progress = Progress(schedule_of("swiss", 2, 4), 2)
    bad = next(progress.due())

    assert [progress.missed(bad.place) for _ in range(3)] == [True, True, False]
    assert progress.given_up == ["1.1"]
    assert progress.lost == 2
    results = played_through(progress)
    assert progress.is_over
    assert (progress.planned, progress.done, progress.lost, progress.remaining) == (8, 6, 2, 0)
    assert "1.1" not in {match.place.block_id for match, _ in results}


def test_the_attempt_tells_how_often_a_match_did_not_count() -> None:
    progress = Progress(schedule_of("swiss", 2, 4), 2)
    bad = next(progress.due())
    progress.missed(bad.place)

    assert next(progress.due()) == bad._replace(attempt=1)


def test_a_result_that_the_schedule_does_not_have_is_refused_and_changes_nothing() -> None:
    progress = Progress(schedule_of("swiss", 2, 4), 2)
    due = next(progress.due())
    progress.take(due.place, due.bots, (1, 2))
    before = told(progress)

    for place, bots, placements, why in (
        (Place(0, 2, 0), due.bots, (1, 2), "match 1 of block 1.3 is not in the schedule"),
        (Place(0, 0, 2), due.bots, (1, 2), "match 3 of block 1.1 is not in the schedule"),
        (Place(1, 0, 0), due.bots, (1, 2), "a round before it is not over"),
        (Place(-1, 0, 0), due.bots, (1, 2), "not in the schedule"),
        (Place(0, 0, 1), due.bots, (1, 2), "by its schedule, not"),
        (Place(0, 0, 0), due.bots, (2, 1), "two results"),
        (Place(0, 1, 0), next(item for item in progress.due() if item.place.block == 1).bots, (2, 2), "no ranking"),
    ):
        with pytest.raises(ResultError, match=why):
            progress.take(place, bots, placements)
    assert not progress.take(due.place, due.bots, (1, 2))
    assert told(progress) == before


@pytest.mark.parametrize("text", ["", "1", "1.0", "0.1", "01.1", "1.1.1", "1.x", "-1.1", "1. 1", "block-1"])
def test_only_what_a_block_is_called_is_read_as_one(text: str) -> None:
    assert read_block_id("12.345", 1) == Place(11, 344, 1)
    with pytest.raises(ResultError, match=r"ROUND\.NUMBER"):
        read_block_id(text, 0)


def test_a_million_planned_matches_are_not_made_before_they_are_played() -> None:
    """L1: what is planned is made one by one."""
    tracemalloc.start()
    try:
        progress = Progress(RoundRobin(tuple(f"bot-{number}" for number in range(1001)), 2, Chance(bytes(16))), 2)
        due = progress.due()
        places = {next(due).place for _ in range(100)}
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert progress.planned == progress.remaining == 1_001_000
    assert len(places) == 100
    assert most < 8_000_000


def test_a_round_for_each_block_takes_bytes_for_each_and_no_object() -> None:
    """Demand 5, L1: a million matches, however they are spread over rounds, cost megabytes while they are played. The
    bench plays a million; here are 2,000."""
    schedule = RoundRobin(("one", "two"), 2, Chance(bytes(16)), cycles=1_000)
    played_through(Progress(RoundRobin(("one", "two"), 2, Chance(bytes(16))), 2))  # what is made once
    tracemalloc.start()
    try:
        progress = Progress(schedule, 2)
        for due in progress.due():
            progress.take(due.place, due.bots, (1, 2))
        table = schedule.table(progress.played())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert progress.is_over
    assert [row.matches for row in table] == [2_000, 2_000]
    assert most < 100_000


class Counting(RoundRobin):
    """Counts the line-ups that are made."""

    made = 0

    def _line_up(self, cycle: int, number: int) -> tuple[str, ...]:
        self.made += 1
        return super()._line_up(cycle, number)


def test_what_is_over_is_passed_without_a_look_at_it() -> None:
    """Who goes on with a tournament does not go through all that was played."""
    schedule = Counting(tuple(f"bot-{number}" for number in range(20)), 2, Chance(bytes(16)))
    progress = Progress(schedule, 2)
    *others, last = progress.due_blocks()
    for place in others:
        for number in range(2):
            key = place._replace(place=number)
            progress.take(key, progress.bots(key), (1, 2))
    schedule.made = 0

    assert list(progress.due_blocks()) == [last]
    assert schedule.made == 0
