"""From the facts of matches to the rows of a report: what is counted, what is fitted, and what is only noted."""

from __future__ import annotations

from random import Random

import pytest
from tests.support.matches import misbehave, new_table, play_out, record_of
from tests.support.report_facts import match, seat, tournament

from agon_engine.core import Chance
from agon_engine.core.policy import Termination
from agon_engine.core.record import By, FaultKind
from agon_ladder.report.charges import Charges, rounded_up
from agon_ladder.report.facts import MatchFacts, facts_of
from agon_ladder.report.gathering import MOMENTS, Gathering
from agon_ladder.report.values import Report


def report_of(*matches: MatchFacts, live: dict[str, int] | None = None, ranks: dict[str, int] | None = None) -> Report:
    gathering = Gathering()
    for facts in matches:
        gathering.add(facts)
    return gathering.report("title", [("game", "toy")], live=live, ranks=ranks)


def pair_block(name: str, first: str, second: str, *, number: int = 0) -> list[MatchFacts]:
    """A block of two matches that the first one wins."""
    return [
        match(seat(first, 1), seat(second, 2), block=name, number=number),
        match(seat(second, 2), seat(first, 1), block=name, number=number + 1),
    ]


def test_scores_places_and_points_are_counted_by_bot() -> None:
    report = report_of(match(seat("a", 1), seat("b", 2), seat("c", 2)), match(seat("a", 3), seat("b", 1), seat("c", 2)))

    told = {row.bot: (row.score, row.matches, row.places, row.points) for row in report.standings}
    assert told == {
        "a": (0.5, 2, (1, 0, 1), 8.0),
        "b": ((1 + 4) / 8, 2, (1, 1, 0), 8.5),
        "c": ((1 + 2) / 8, 2, (0, 2, 0), 8.0),
    }


def test_pairs_have_the_points_of_both_and_give_them_all_away() -> None:
    report = report_of(match(seat("a", 1), seat("b", 2), seat("c", 2)), match(seat("c", 1), seat("a", 2)))

    told = {(pair.bot, pair.opponent): (pair.points, pair.comparisons) for pair in report.pairs}
    assert told[("a", "c")] == (1.0, 2)
    assert told[("b", "c")] == (0.5, 1)
    for (bot, opponent), (points, comparisons) in told.items():
        assert told[(opponent, bot)] == (comparisons - points, comparisons)


def test_a_bot_that_sits_twice_is_not_compared_with_itself() -> None:
    report = report_of(match(seat("a", 1), seat("b", 2), seat("a", 3)))

    assert {(pair.bot, pair.opponent) for pair in report.pairs} == {("a", "b"), ("b", "a")}
    assert [(row.bot, row.score, row.matches) for row in report.standings] == [("a", 0.5, 2), ("b", 0.5, 1)]


def test_a_match_that_does_not_count_shows_its_faults_and_times_and_no_more() -> None:
    gone = seat("a", 1, termination=Termination.NO_SHOW, charged_us=(7,))
    report = report_of(*pair_block("1", "b", "a"), match(gone, seat("b", 1), counts=False))

    (fault, *_) = report.faults
    assert (fault.bot, fault.seats, fault.ended) == ("a", 3, {"no_show": 1})
    assert (report.matches, report.counted, report.blocks) == (3, 2, 1)
    assert [row.matches for row in report.standings] == [2, 2]
    assert "1 match does not count for scores, ratings and strengths." in report.notes


def test_only_complete_blocks_make_strengths() -> None:
    report = report_of(*pair_block("1", "a", "b")[:1])

    assert [row.strength for row in report.standings] == [None, None]
    assert report.blocks == 0
    assert any("There are no strengths" in note for note in report.notes)


def test_a_block_of_all_permutations_is_complete_with_its_last_match() -> None:
    seats = [seat("a", 1), seat("b", 2), seat("c", 3)]
    matches = [match(*seats, block="1", number=number, block_size=6) for number in range(6)]

    assert [report_of(*matches[:count]).blocks for count in (3, 5, 6)] == [0, 0, 1]


def versions(told: dict[str, str], matches: list[MatchFacts]) -> list[MatchFacts]:
    """The matches, played by versions of the bots."""
    return [one._replace(seats=tuple(seat._replace(version=told[seat.bot]) for seat in one.seats)) for one in matches]


def test_a_strength_is_of_the_version_that_played_last() -> None:
    matches: list[MatchFacts] = []
    for number in range(10):
        matches += versions({"a": "1", "b": "1"}, pair_block(f"old {number}", "a", "b"))
    for number in range(10):
        matches += versions({"a": "2", "b": "1"}, pair_block(f"new {number}", "b", "a"))
    report = report_of(*matches)

    strength = {row.bot: row.strength for row in report.standings}
    version = {row.bot: row.version for row in report.standings}
    assert version == {"a": "2", "b": "1"}
    assert strength["a"] is not None
    assert strength["b"] is not None
    assert strength["a"] < strength["b"] - 100_000


def test_a_block_in_which_a_version_changed_is_left_out_and_said_so() -> None:
    first, second = pair_block("1", "a", "b")
    report = report_of(first, *versions({"a": "2", "b": ""}, [second]), *pair_block("2", "a", "b"))

    assert report.blocks == 2
    assert "In 1 block a bot changed its version; it is left out of the strengths." in report.notes


def test_bots_that_never_met_are_said_not_to_compare() -> None:
    report = report_of(*pair_block("1", "a", "b"), *pair_block("2", "c", "d"))

    assert any("2 groups that never met" in note for note in report.notes)
    order = [row.bot for row in report.standings]
    for row, below in zip(report.standings, order[1:], strict=False):
        assert (row.superiority is None) == ({row.bot, below} not in ({"a", "b"}, {"c", "d"}))


def test_a_bot_that_only_won_is_named() -> None:
    report = report_of(*pair_block("1", "a", "b"))

    assert any(note.startswith("Only won: a. ") for note in report.notes)
    assert any(note.startswith("Only lost: b. ") for note in report.notes)


@pytest.mark.parametrize("seats", [2, 4])
def test_standings_find_the_order_of_known_strengths(seats: int) -> None:
    report = report_of(*(one for one in tournament(["a", "b", "c", "d"], seats, 40 if seats == 2 else 150)))
    rows = sorted(report.standings, key=lambda row: -(row.strength or 0))

    assert [row.bot for row in rows] == ["a", "b", "c", "d"]
    for row in rows:
        assert row.strength is not None
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.strength <= row.high
    assert abs(sum(row.strength or 0 for row in rows)) < 10
    assert [row.score for row in report.seats] == pytest.approx([0.5] * seats, abs=0.1)


def test_ranks_that_are_given_are_those_of_the_table_whatever_was_scored() -> None:
    matches = [*pair_block("one", "a", "b"), *pair_block("two", "b", "c", number=2)]

    report = report_of(*matches, live={"a": 3, "b": 2, "c": 1}, ranks={"b": 1, "a": 2, "c": 2})

    assert [(row.rank, row.bot, row.rating) for row in report.standings] == [(1, "b", 2), (2, "a", 3), (2, "c", 1)]


def test_with_live_ratings_the_table_is_in_their_order_and_shares_ranks() -> None:
    matches = [match(seat("a", 1, rating=5), seat("b", 2, rating=9)), match(seat("c", 1, rating=9))]
    report = report_of(*matches, live={"a": 7, "b": 9, "c": 9})

    assert [(row.rank, row.bot, row.rating) for row in report.standings] == [(1, "b", 9), (1, "c", 9), (3, "a", 7)]


def test_without_live_ratings_strengths_rank_whatever_the_ratings_are() -> None:
    first, second = pair_block("1", "a", "b")
    rated = second._replace(seats=(seat("b", 2, rating=9), seat("a", 1, rating=5)))
    report = report_of(first, rated, match(seat("c", 1), seat("d", 2)))

    assert [(row.rank, row.bot) for row in report.standings] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_a_long_history_is_thinned_out_and_keeps_its_ends() -> None:
    gathering = Gathering()
    for number in range(10_001):
        gathering.add(match(seat("a", 1, rating=number), number=number))
    moments = gathering.report("", ()).history

    assert MOMENTS <= len(moments) <= 2 * MOMENTS + 1
    assert (moments[0].rating, moments[-1].rating) == (0, 10_000)
    assert [moment.number for moment in moments] == sorted(moment.number for moment in moments)


def test_times_are_mean_quantile_and_longest_of_what_was_charged() -> None:
    charges = tuple(range(1_000, 101_000, 1_000))
    report = report_of(match(seat("a", 1, charged_us=charges, late=2), seat("b", 2, charged_us=())))

    used, unused = report.times
    assert (used.decisions, used.mean_us, used.p95_us, used.max_us, used.late) == (100, 50_500, 95_000, 100_000, 2)
    assert (unused.decisions, unused.mean_us, unused.p95_us, unused.max_us) == (0, None, None, None)
    assert report.decisions == 100


def test_a_quantile_is_at_most_one_per_cent_too_long() -> None:
    random = Random(1)
    values = [int(random.lognormvariate(9, 2)) for _ in range(5_000)]
    charges = Charges()
    charges.add(values)

    exact = sorted(values)[int(0.95 * 5_000) - 1]
    told = charges.quantile_us(0.95)
    assert told is not None
    assert exact <= told <= 1.01 * exact
    assert all(value <= rounded_up(value) <= 1.01 * value + 1 for value in values)


def test_the_facts_of_a_record_are_what_its_moves_and_faults_say() -> None:
    table = new_table(3, seed=bytes(16))
    choices = Chance(bytes(16)).fork("choices")
    play_out(table, choices, misbehave(choices))
    record = record_of(table, match="one")

    facts = facts_of(record, counts=True, ratings=[1, 2, 3], errors=[0, 0, 4])

    strikes = [fault for fault in record.faults if fault.kind is FaultKind.STRIKE]
    assert strikes
    for at, told in enumerate(facts.seats):
        moves = [move for move in record.moves if move.seat == at]
        own = [fault for fault in strikes if fault.seat == at]
        answered = [move.charge_us for move in moves if move.by is By.SEAT]
        assert sorted(told.charged_us) == sorted(answered + [fault.charge_us for fault in own])
        assert told.substitutes == len(moves) - len(answered)
        assert told.strikes == tuple(fault.termination for fault in own)
        assert (told.placement, told.score) == (record.result.placements[at], record.result.scores[at])
        assert told.termination is record.result.seats[at]
    assert [told.rating for told in facts.seats] == [1, 2, 3]
    assert facts.seats[2].errors == 4
    assert (facts.match, facts.ended, facts.counts) == ("one", record.ended, True)


def test_a_report_of_nothing_has_no_rows() -> None:
    report = report_of()

    assert (report.matches, report.standings, report.seats, report.history) == (0, (), (), ())
