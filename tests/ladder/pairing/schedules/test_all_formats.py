"""What holds for every format, with 2 to 5 seats: a proof of fairness, determinism, laziness (M6, H5, R11, R14, L1)."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from hashlib import blake2b
from itertools import chain

import pytest
from tests.support.schedules import CHANCE, FORMATS, by_number, names, play, play_rounds, with_luck

from agon_engine.core import Chance, Deals
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.schedules.deals import deal_seed, planned_matches, tournament_chance
from agon_ladder.pairing.schedules.gauntlet import Gauntlet
from agon_ladder.pairing.schedules.knockout import Knockout
from agon_ladder.pairing.schedules.round_robin import RoundRobin
from agon_ladder.pairing.schedules.schedule import Schedule
from agon_ladder.pairing.schedules.swiss import Swiss
from agon_ladder.pairing.verify import Verifier
from agon_ladder.stats.blocks import PlayedBlock

MODES = [(Deals.FRESH, Rotations.CYCLIC), (Deals.SHARED, Rotations.CYCLIC), (Deals.FRESH, Rotations.ALL)]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("over", [2, 3, 5], ids="{} more bots than seats".format)
def test_every_format_is_fair(form: str, seats: int, over: int) -> None:
    """M6, H5: equal seats in each block and overall, deals as they must be, and the balance that was promised."""
    schedule = FORMATS[form](seats + over, seats)
    for deals, rotations in MODES:
        if rotations is Rotations.ALL and seats > 3:
            continue
        rounds, _ = play_rounds(schedule, with_luck(Chance(bytes(16)), 40), rotations)
        verifier = Verifier(schedule.bots, seats, rotations, schedule.promise)

        for planned in planned_matches((block for blocks in rounds for block in blocks), rotations, deals, CHANCE):
            verifier.add(planned)

        assert verifier.finish() == []
        assert 0 < verifier.blocks <= schedule.planned_blocks
        assert len(rounds) <= schedule.rounds
        if not schedule.is_adaptive:
            assert verifier.blocks == schedule.planned_blocks


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_same_results_give_the_same_schedule_in_whatever_order_matches_ended(form: str, seats: int) -> None:
    """R11, R14: a schedule keeps nothing, so one that is made anew after a restart goes on as the first would have."""
    planned, played = play_rounds(FORMATS[form](seats + 4, seats), with_luck(Chance(bytes(16)), 60))
    shuffled = [blocks[::-1] for blocks in played]

    again = FORMATS[form](seats + 4, seats)

    assert [list(blocks) for blocks in planned] == [
        list(again.round(number, shuffled[:number])) for number in range(len(planned))
    ]
    assert list(again.round(len(planned), shuffled)) == []
    assert again.table(shuffled) == FORMATS[form](seats + 4, seats).table(played)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_block_that_could_not_be_played_stops_nothing(form: str, seats: int) -> None:
    """The first block of each round is missing: nobody scores for it, and the tournament goes on."""
    schedule = FORMATS[form](seats + 4, seats)
    played: list[list[PlayedBlock]] = []
    while blocks := schedule.round(len(played), played):
        played.append([play(block, by_number) for block in blocks[1:]])

    table = schedule.table(played)

    assert len(played) <= schedule.rounds
    assert sorted(schedule.bots) == sorted(row.bot for row in table)
    assert table[0].rank == 1


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_without_luck_the_strongest_is_first_in_the_table(form: str, seats: int) -> None:
    schedule = FORMATS[form](seats + 4, seats)
    _, played = play_rounds(schedule)

    table = schedule.table(played)

    assert (table[0].bot, table[0].rank) == ("b0", 1)
    assert sum(row.matches for row in table) == sum(
        len(block.matches) * len(block.line_up) for blocks in played for block in blocks
    )


def test_rounds_under_way_count_in_the_table() -> None:
    schedule = RoundRobin(names(4), 2, CHANCE)
    _, played = play_rounds(schedule)

    assert schedule.table(played) == schedule.table([], played[0])
    assert sum(row.blocks for row in schedule.table([], played[0][:2])) == 4


@pytest.mark.parametrize("deals", list(Deals))
def test_deals_are_distinct_over_all_rounds_blocks_places_and_attempts(deals: Deals) -> None:
    """H5: one a match and attempt, or one a block."""
    asked = [(*where, attempt) for where in [(0, 0), (0, 1), (1, 0), (11, 1), (1, 11)] for attempt in range(2)]

    drawn = {
        (round_, block): {deal_seed(CHANCE, round_, block, place, attempt, deals) for place in range(3)}
        for round_, block, attempt in asked
    }
    seeds = [
        deal_seed(CHANCE, round_, block, place, attempt, deals)
        for round_, block, attempt in asked
        for place in range(3)
    ]

    assert len(set(seeds)) == (len(drawn) if deals is Deals.SHARED else len(asked) * 3)
    assert {32} == set(map(len, seeds))


def test_another_seed_gives_other_pairings_and_other_deals() -> None:
    one, other = tournament_chance("spring"), tournament_chance("autumn")
    schedules = [list(RoundRobin(names(9), 3, chance).round(0, ())) for chance in (one, other)]

    assert schedules[0] != schedules[1]
    assert deal_seed(one, 0, 0, 0, 0, Deals.FRESH) != deal_seed(other, 0, 0, 0, 0, Deals.FRESH)
    assert schedules[0] == list(RoundRobin(names(9), 3, tournament_chance("spring")).round(0, ()))


@pytest.mark.parametrize(
    "make",
    [
        lambda: RoundRobin(names(1000), 2, CHANCE),
        lambda: RoundRobin(names(132), 3, CHANCE),
        lambda: RoundRobin(names(10_000), 4, CHANCE, blocks_per_bot=100),
        lambda: Gauntlet(names(1420), 3, CHANCE, challengers=["b0"]),
    ],
    ids=["pairs", "groups", "a part", "gauntlet"],
)
def test_a_million_planned_matches_take_no_memory_of_their_own(make: Callable[[], Schedule]) -> None:
    """L1: blocks are made when they are asked for, wherever they stand."""
    tracemalloc.start()
    try:
        schedule = make()
        blocks = schedule.round(0, ())
        some = [blocks[index] for index in range(0, len(blocks), len(blocks) // 100)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(blocks) * len(some[0].line_up) > 900_000
    assert peak < 2_000_000
    assert blocks[len(blocks) - 1] == blocks[-1] == blocks[-2:][1]
    with pytest.raises(IndexError):
        blocks[len(blocks)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RoundRobin(["a", "b"], 3, CHANCE), "needs as many bots or more, each once, not 2"),
        (lambda: RoundRobin(["a", "a", "b"], 2, CHANCE), "each once"),
        (lambda: RoundRobin(names(4), 2, CHANCE, cycles=0), "cycles is a number from 1, not 0"),
        (
            lambda: RoundRobin(names(9), 3, CHANCE, blocks_per_bot=28),
            "of which a bot has 28: it is 1 to 27 here, not 28",
        ),
        (lambda: RoundRobin(names(3), 3, CHANCE, blocks_per_bot=1), "it is impossible here, not 1"),
        (lambda: RoundRobin(names(9), 3, CHANCE, blocks_per_bot=3, cycles=2), "cycles is 1, not 2"),
        (lambda: Gauntlet(names(4), 2, CHANCE, challengers=["x"]), "challengers are one or more of the bots"),
        (lambda: Gauntlet(names(4), 2, CHANCE, challengers=[]), "challengers are one or more of the bots"),
        (lambda: Gauntlet(names(4), 3, CHANCE, challengers=names(3)), "needs 2 or more bots that are none, not 1"),
        (lambda: Swiss(names(4), 2, CHANCE, rounds=0, places=2), "rounds is a number from 1, not 0"),
        (lambda: Swiss(names(4), 2, CHANCE, rounds=1, places=2, bye=1.5), "bye is a share from 0 to 1, not 1.5"),
        (lambda: Knockout(names(4), 4, CHANCE, advance=3), "advance is 1 to 2 at tables of 4, not 3"),
        (lambda: Knockout(names(4), 2, CHANCE, blocks=0), "blocks is a number from 1"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(make: Callable[[], Schedule], message: str) -> None:
    with pytest.raises(ScheduleError, match=re.escape(message)):
        make()


GOLDEN = {
    "round robin": "35e84c42e4334dfd",
    "part of a round robin": "dff17497953ee35d",
    "gauntlet": "05dd8847fb01ee7a",
    "gauntlet of two": "9acec03f87852ce4",
    "Swiss": "6f68e658d67ab3d1",
    "knockout": "e4fd239077624c60",
}


@pytest.mark.parametrize("form", FORMATS)
def test_schedules_and_deals_are_the_same_on_every_machine_and_in_later_versions(form: str) -> None:
    """R11, H7: else a tournament that was begun with an older version could not be resumed."""
    told = blake2b(digest_size=8)
    for seats in (2, 3, 4, 5):
        rounds, _ = play_rounds(FORMATS[form](seats + 3, seats), with_luck(Chance(bytes(16)), 60))
        for planned in planned_matches(chain.from_iterable(rounds), Rotations.CYCLIC, Deals.FRESH, CHANCE):
            told.update(repr([(match.bots, match.deal) for match in planned]).encode())

    assert GOLDEN[form] == told.hexdigest()
