"""Swiss: tables of the least cost against brute force, no avoidable rematch, byes, and tie-breaks by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.schedules import CHANCE, by_number, names, play, play_rounds, with_luck

from agon_engine.core import Chance
from agon_ladder.pairing.schedules import tables
from agon_ladder.pairing.schedules.swiss import Swiss
from agon_ladder.pairing.schedules.tables import Costs, Pair, Table, seat_tables
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch


def partitions(bots: Sequence[int], seats: int) -> Iterator[list[Table]]:
    if not bots:
        yield []
        return

    for others in combinations(bots[1:], seats - 1):
        left = [bot for bot in bots[1:] if bot not in others]
        for rest in partitions(left, seats):
            yield [(bots[0], *others), *rest]


def cost(seated: Sequence[Table], points: Sequence[int], met: Mapping[Pair, int]) -> tuple[int, int]:
    """The first two parts of what `tables` says a table costs, written down independently."""
    pairs = [pair for table in seated for pair in combinations(sorted(table), 2)]
    return sum(met.get(pair, 0) ** 2 for pair in pairs), sum((points[a] - points[b]) ** 2 for a, b in pairs)


@st.composite
def fields(draw: st.DrawFn, most: int) -> tuple[int, list[int], dict[Pair, int]]:
    """Seats, points that never rise, and how often pairs have met."""
    seats = draw(st.integers(2, 4))
    bots = seats * draw(st.integers(1, most // seats))
    points = sorted(draw(st.lists(st.integers(0, 6), min_size=bots, max_size=bots)), reverse=True)
    met = draw(st.dictionaries(st.sampled_from(list(combinations(range(bots), 2))), st.integers(1, 3)))
    return seats, points, met


@settings(max_examples=40)
@given(fields(most=8))
def test_small_fields_are_seated_as_well_as_can_be(field: tuple[int, list[int], dict[Pair, int]]) -> None:
    seats, points, met = field

    seated = seat_tables(points, met, seats, CHANCE)

    assert list(range(len(points))) == sorted(bot for table in seated for bot in table)
    assert cost(seated, points, met) == min(cost(other, points, met) for other in partitions(range(len(points)), seats))


@settings(max_examples=40)
@given(fields(most=12))
def test_the_way_of_large_fields_avoids_as_many_rematches_as_can_be(
    field: tuple[int, list[int], dict[Pair, int]],
) -> None:
    """Shown where the best is known: by the exact way, which the test above checks."""
    seats, points, met = field
    costs = Costs(points, met, seats)

    near = tables._approximately(costs, len(points), seats, CHANCE.fork("starts"))
    best = tables._exactly(costs, len(points), seats)

    assert cost(best, points, met)[0] == cost(near, points, met)[0]
    assert costs.total(best) <= costs.total(near)


def test_the_upper_half_of_equal_points_meets_the_lower_one() -> None:
    """As in the Dutch system: in the first round 1 plays 9, 2 plays 10, and so on, by seeds."""
    for bots in (8, 16, 30):
        assert [(seed, seed + bots // 2) for seed in range(bots // 2)] == seat_tables([0] * bots, {}, 2, CHANCE)
    assert [(seed, seed + 5, seed + 10) for seed in range(5)] == seat_tables([0] * 15, {}, 3, CHANCE)


def rematches(planned: Sequence[Sequence[PlayedBlock]]) -> int:
    met = Counter(pair for blocks in planned for block in blocks for pair in combinations(sorted(block.line_up), 2))
    return sum(times - 1 for times in met.values())


@pytest.mark.parametrize(
    ("bots", "seats", "rounds"),
    [(8, 2, 7), (7, 2, 7), (16, 2, 11), (15, 2, 9), (40, 2, 12), (9, 3, 4), (31, 3, 6), (25, 4, 4), (50, 5, 4)],
)
@pytest.mark.parametrize("luck", [1, 60])
def test_nobody_meets_twice_where_that_can_be_avoided(bots: int, seats: int, rounds: int, luck: int) -> None:
    schedule = Swiss(names(bots), seats, CHANCE, rounds=rounds, places=seats)

    planned, played = play_rounds(schedule, with_luck(Chance(bytes(16)), luck))

    assert rounds == len(planned)
    assert rematches(played) == 0


@pytest.mark.parametrize(("bots", "seats"), [(7, 2), (10, 3), (11, 4), (14, 5)])
def test_byes_go_around_before_anybody_has_two_and_give_a_won_block(bots: int, seats: int) -> None:
    schedule = Swiss(names(bots), seats, CHANCE, rounds=4, places=seats)
    _, played = play_rounds(schedule)

    byes = [schedule.byes(number, played) for number in range(4)]
    table = {row.bot: row for row in schedule.table(played)}

    over = bots % seats
    had = Counter(bot for round_ in byes for bot in round_)
    assert all(over == len(set(round_)) for round_ in byes)
    assert max(had.values()) - min(had.get(bot, 0) for bot in schedule.bots) <= 1
    assert names(bots)[-over:] == sorted(byes[0], key=by_number, reverse=True)
    for bot, row in table.items():
        assert had.get(bot, 0) == row.byes
        assert row.byes + row.blocks == 4
    # All its points but those of byes are from matches that it won or tied.
    won = 2 * seats * (seats - 1)
    last = table[byes[0][-1]]
    assert last.half_points >= won
    assert table == {
        row.bot: row._replace(tie_breaks=table[row.bot].tie_breaks)
        for row in Swiss(names(bots), seats, CHANCE, rounds=4, places=seats).table([blocks[::-1] for blocks in played])
    }


def test_a_bye_gives_the_share_that_is_asked_for() -> None:
    played = [[play(block, by_number) for block in Swiss(names(3), 2, CHANCE, rounds=1, places=2).round(0, ())]]

    points = {
        bye: {row.bot: row.half_points for row in Swiss(names(3), 2, CHANCE, rounds=1, places=2, bye=bye).table(played)}
        for bye in (0.0, 0.5, 1.0)
    }

    assert {bye: told["b2"] for bye, told in points.items()} == {0.0: 0, 0.5: 2, 1.0: 4}
    assert {4} == {told["b0"] for told in points.values()}


def block(name: str, first: str, second: str, *placements: tuple[int, int]) -> PlayedBlock:
    seated = [(first, second), (second, first)]
    ranks = [placements[0], placements[1][::-1]]
    return PlayedBlock(name, tuple(map(PlayedMatch, seated, ranks)))


def test_buchholz_and_sonneborn_berger_by_hand() -> None:
    """Placements are of (first, second). Points: a 3, b 2½, d 1½, c 1. Buchholz of a: c and b, 1 + 2½; it took three
    quarters of the points from each, which is its Sonneborn–Berger."""
    schedule = Swiss(["a", "b", "c", "d"], 2, CHANCE, rounds=2, places=2)
    played = [
        [block("1", "a", "c", (1, 2), (1, 1)), block("2", "b", "d", (1, 2), (1, 2))],
        [block("3", "a", "b", (1, 1), (1, 2)), block("4", "c", "d", (1, 1), (2, 1))],
    ]

    table = schedule.table(played)

    assert [(row.bot, row.half_points) for row in table] == [("a", 6), ("b", 5), ("d", 3), ("c", 2)]
    told = {row.bot: row.tie_breaks for row in table}
    assert schedule.tie_breaks == ("Buchholz", "Sonneborn–Berger")
    assert told["a"] == (1.0 + 2.5, 0.75 * 1.0 + 0.75 * 2.5)
    assert told["b"] == (1.5 + 3.0, 1.0 * 1.5 + 0.25 * 3.0)
    assert told["c"] == (3.0 + 1.5, 0.25 * 3.0 + 0.25 * 1.5)


def test_equal_points_are_ranked_by_whom_they_were_made_against() -> None:
    schedule = Swiss(["c", "a", "b", "d"], 2, CHANCE, rounds=2, places=2)
    played = [
        [block("1", "a", "b", (1, 2), (1, 2)), block("2", "c", "d", (1, 2), (1, 2))],
        [block("3", "a", "c", (1, 1), (1, 1)), block("4", "b", "d", (1, 2), (1, 2))],
    ]

    table = schedule.table(played)

    assert [(row.bot, row.half_points, row.tie_breaks[0], row.rank) for row in table] == [
        ("a", 6, 5.0, 1),
        ("c", 6, 3.0, 2),
        ("b", 4, 3.0, 3),
        ("d", 0, 5.0, 4),
    ]


def test_bots_that_are_equal_in_all_share_a_place() -> None:
    schedule = Swiss(["a", "b", "c", "d"], 2, CHANCE, rounds=1, places=2)
    played = [[block("1", "a", "b", (1, 2), (1, 2)), block("2", "c", "d", (1, 2), (1, 2))]]

    table = schedule.table(played)

    assert [(row.bot, row.rank) for row in table] == [("a", 1), ("c", 1), ("b", 3), ("d", 3)]


def test_a_bye_counts_as_a_block_against_one_as_good_as_the_bot_itself() -> None:
    schedule = Swiss(["a", "b", "c"], 2, CHANCE, rounds=1, places=2)
    played = [[block("1", "a", "b", (1, 2), (1, 1))]]

    told = {row.bot: (row.half_points, row.tie_breaks) for row in schedule.table(played)}

    assert told == {"a": (3, (0.5, 0.375)), "b": (1, (1.5, 0.375)), "c": (4, (2.0, 2.0))}
