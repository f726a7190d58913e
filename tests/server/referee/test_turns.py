"""What is accepted in one turn of the loop has its consequences together, after it is stored; what comes between the
two cannot confuse a match."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.referee import Bench, DirectJournal, TurnJournal

from agon.codec.frames import Accepted, Decide, Over, Rejected, RejectedCode
from agon_engine.core import FaultPolicy, OnFault, Termination, TimeControl
from agon_engine.core.replay import verify
from agon_engine.registry import get_game
from agon_server.referee.entries import Kind

S = 1_000_000
T = Termination
TIME = TimeControl(move=S, bank=0, grace=0)
GOES_ON = FaultPolicy(OnFault.SUBSTITUTE, strikes=100)
ENDS = FaultPolicy(OnFault.FORFEIT)


class Turns:
    """A match whose turns the test ends."""

    def __init__(self, seats: int = 3, policy: FaultPolicy = GOES_ON) -> None:
        self.journal = TurnJournal()
        self.bench = Bench(seats, time=TIME, policy=policy, journal=self.journal).begin()
        self.match = self.bench.match

    def play(self, decisions: int) -> None:
        for _ in range(decisions):
            self.bench.choose()
            self.journal.end_of_turn()

    def play_to_two_in_a_row(self) -> int:
        """Play to a decision whose seat is asked again after the first choice; return the seat."""
        for moves in count():
            twin = Bench(len(self.bench.streams), entry=self.bench.entry).begin()
            twin.play(moves)
            seat = twin.to_act
            twin.play(1)
            if twin.to_act == seat:
                self.play(moves)
                return seat
        raise AssertionError


def test_entries_are_numbered_without_gaps() -> None:
    turns = Turns(3)
    turns.play(2)
    turns.bench.clock.advance(1)
    turns.journal.end_of_turn()
    turns.match.resign(2)
    turns.bench.choose(turns.bench.to_act)
    turns.journal.end_of_turn()
    turns.match.cancel(T.CANCELLED)
    turns.journal.end_of_turn()

    assert [entry.number for entry in turns.journal.entries] == list(range(7))
    assert [(entry.kind, entry.why) for entry in turns.journal.entries][3:] == [
        (Kind.STRIKE, T.TIMEOUT),
        (Kind.FALL, T.RESIGNED),
        (Kind.CHOICE, None),
        (Kind.END, T.CANCELLED),
    ]


# -- between acceptance and consequence ----------------------------------------------------------------------


def test_who_chooses_and_resigns_in_one_turn_is_out_and_has_nothing_open() -> None:
    """It is asked again between the two; its answer to that must never be taken for the next seat's."""
    turns = Turns(3)
    seat = turns.play_to_two_in_a_row()
    turns.bench.choose(seat)
    turns.match.resign(seat)
    turns.journal.end_of_turn()
    table = turns.match.table

    assert table.conduct.fallen == {seat: T.RESIGNED}
    assert turns.match.question(seat) == (0, 0)
    assert turns.bench.to_act != seat

    for decision in range(1, table.asked[seat] + 2):
        turns.bench.choose(seat, decision=decision)

        assert turns.bench.rejected(seat).code is RejectedCode.SEAT_OUT

    moves = len(table.moves)
    turns.play(1)

    assert len(table.moves) > moves


def test_a_seat_that_has_resigned_is_out_before_the_consequence_too() -> None:
    turns = Turns(3)
    seat = turns.bench.to_act
    turns.match.resign(seat)
    turns.match.resign(seat)
    turns.bench.choose(seat)
    turns.match.flooded(seat)

    assert turns.bench.rejected(seat).code is RejectedCode.SEAT_OUT
    assert turns.bench.rejected(seat).open_decision == 0

    turns.journal.end_of_turn()

    assert [(entry.kind, entry.why) for entry in turns.journal.entries][1:] == [(Kind.FALL, T.RESIGNED)]
    assert turns.match.table.conduct.fallen == {seat: T.RESIGNED}


def test_a_seat_whose_fall_is_not_stored_yet_is_asked_nothing() -> None:
    """Else an answer to that would stand behind the fall in the journal, and break the match down."""
    turns = Turns(3)
    seat = turns.play_to_two_in_a_row()
    frames = len(turns.bench.streams[seat].of(Decide))
    asked = turns.match.table.asked[seat]
    turns.bench.choose(seat)
    turns.match.resign(seat)
    turns.journal.store_first(1)
    for decision in (asked, asked + 1):
        turns.bench.choose(seat, decision=decision)

        assert turns.bench.rejected(seat).code is RejectedCode.SEAT_OUT

    turns.journal.end_of_turn()

    assert len(turns.bench.streams[seat].of(Decide)) == frames
    assert turns.match.table.conduct.fallen == {seat: T.RESIGNED}
    assert not turns.bench.is_over


def test_how_a_decision_was_answered_is_told_once_that_is_stored() -> None:
    """Of several frames about it the newest is answered: what waits is bounded."""
    turns = Turns(3)
    seat = turns.bench.to_act
    asked = turns.match.table.asked[seat]
    frames = len(turns.bench.streams[seat].pieces)
    turns.bench.choose(seat)
    for index in (0, 1, 0):
        turns.bench.choose(seat, index, decision=asked)

    assert len(turns.bench.streams[seat].pieces) == frames

    turns.journal.end_of_turn()
    accepted = turns.bench.streams[seat].of(Accepted)

    assert [(each.decision, each.index) for each in accepted] == [(asked, 0)]
    assert turns.bench.streams[seat].of(Rejected) == []


def test_that_a_decision_has_expired_is_told_once_its_strike_is_stored() -> None:
    turns = Turns(3)
    seat = turns.bench.to_act
    turns.bench.clock.advance(1.5)
    frames = len(turns.bench.streams[seat].pieces)
    turns.bench.choose(seat)

    assert len(turns.bench.streams[seat].pieces) == frames

    turns.journal.end_of_turn()

    assert turns.bench.rejected(seat).code is RejectedCode.EXPIRED


def test_a_frame_that_waits_for_the_store_is_forgotten_with_its_stream() -> None:
    turns = Turns(3)
    seat = turns.bench.to_act
    asked = turns.match.table.asked[seat]
    turns.bench.choose(seat)
    turns.bench.choose(seat, decision=asked)
    turns.bench.lose(seat)
    back = turns.bench.come_back(seat)
    turns.journal.end_of_turn()

    assert back.of(Accepted) == []


def test_a_natural_end_comes_before_a_fall_of_the_same_turn() -> None:
    """J4."""
    whole = Bench(2, time=TIME, policy=ENDS).begin()
    whole.play_out()
    turns = Turns(2, ENDS)
    turns.play(len(whole.match.table.moves) - 1)
    last = turns.bench.to_act
    turns.bench.choose()
    turns.match.resign(1 - last)
    turns.journal.end_of_turn()
    record = turns.bench.record()

    assert record.result.termination is T.SCORE
    assert record.result.seats == (T.SCORE, T.SCORE)
    assert record.faults == ()


def test_a_choice_after_a_fall_that_ends_the_match_has_no_consequence() -> None:
    turns = Turns(2, ENDS)
    turns.play(3)
    seat = turns.bench.to_act
    turns.match.resign(1 - seat)
    turns.bench.choose(seat)
    turns.journal.end_of_turn()
    record = turns.bench.record()

    assert record.result.termination is T.RESIGNED
    assert len(record.moves) == 3
    assert [len(stream.of(Over)) for stream in turns.bench.streams] == [1, 1]
    verify(record, get_game("ephyran"))


def test_a_strike_and_a_fall_of_the_same_turn_are_both_judged() -> None:
    turns = Turns(3)
    seat = turns.bench.to_act
    turns.bench.clock.advance(1)
    turns.match.resign(seat)
    turns.journal.end_of_turn()

    assert turns.match.table.conduct.fallen == {seat: T.RESIGNED}
    assert turns.match.table.conduct.strikes[seat] == 1


def test_an_abandoned_match_says_and_stores_nothing_more() -> None:
    """Another referee has it now; what was accepted and is not stored has no consequence."""
    turns = Turns(2)
    turns.play(3)
    frames = [len(stream.pieces) for stream in turns.bench.streams]
    turns.bench.choose()
    turns.match.abandon()
    turns.journal.end_of_turn()
    turns.bench.clock.advance(100_000)
    turns.match.cancel(T.CANCELLED)
    turns.journal.end_of_turn()

    assert [len(stream.pieces) for stream in turns.bench.streams] == frames
    assert all(not stream.matches for stream in turns.bench.streams)
    assert len(turns.match.table.moves) == 3
    assert not turns.bench.is_over
    assert turns.bench.clock.pending == 0


def test_ends_of_the_same_turn_are_one_end() -> None:
    turns = Turns(2)
    turns.match.cancel(T.CANCELLED)
    turns.match.cancel(T.INFRASTRUCTURE)
    turns.journal.end_of_turn()

    assert turns.bench.record().result.termination is T.CANCELLED
    assert [entry.kind for entry in turns.journal.entries] == [Kind.BEGIN, Kind.END]
    assert [len(stream.of(Over)) for stream in turns.bench.streams] == [1, 1]


WHAT = st.sampled_from(
    ["choose", "choose", "choose", "bad", "again", "stale", "late", "resign", "flood", "lose", "back"]
)
STORED = st.sampled_from([0, 0, 1, 1, 2, 100])
"""How many of the entries that wait are stored after the step."""
STEP = st.tuples(WHAT, st.integers(0, 3), STORED)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEP, max_size=80), st.integers(2, 4), st.sampled_from(list(OnFault)), st.booleans())
def test_no_order_of_frames_within_turns_confuses_a_match(
    steps: list[tuple[str, int, int]], seats: int, on_fault: OnFault, direct: bool
) -> None:
    """One question is open at a time and it is the table's; each is answered once; the record is true."""
    journal = DirectJournal() if direct else TurnJournal()
    bench = Bench(seats, time=TIME, policy=FaultPolicy(on_fault, attempts=2), journal=journal).begin()
    for what, seat, stored in steps:
        if bench.is_over:
            break
        act(bench, what, seat % seats)
        if stored and isinstance(journal, TurnJournal):
            journal.store_first(stored)
            if not journal.waits:
                check_questions(bench)
    bench.match.cancel(T.CANCELLED)
    if isinstance(journal, TurnJournal):
        journal.end_of_turn()

    assert bench.is_over
    assert bench.clock.pending == 0
    verify(bench.record(), get_game("ephyran"))
    for stream in bench.streams:
        assert all(rejected.code is not RejectedCode.NO_MATCH for rejected in stream.of(Rejected))


def act(bench: Bench, what: str, seat: int) -> None:
    joined = bool(bench.streams[seat].matches)
    if what == "lose":
        bench.lose(seat)
    elif what == "back":
        bench.come_back(seat)
    elif what == "late":
        bench.clock.advance(0.4)
    elif joined and what == "resign":
        bench.match.resign(seat)
    elif joined and what == "flood":
        bench.match.flooded(seat)
    elif joined:
        asked = bench.match.table.asked[seat]
        decision = {"again": max(1, asked - 1), "stale": asked + 1}.get(what, asked)
        bench.choose(seat, 999 if what == "bad" else 0, decision=decision)


def check_questions(bench: Bench) -> None:
    if bench.is_over:
        return
    decision = bench.match.table.decision
    assert decision is not None
    for seat in range(len(bench.streams)):
        number, left = bench.match.question(seat)
        if seat == decision.seat:
            assert (number, left > 0) == (bench.match.table.asked[seat], True)
        else:
            assert (number, left) == (0, 0)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_each_decision_is_put_on_a_stream_once(seats: int) -> None:
    turns = Turns(seats)
    while not turns.bench.is_over:
        turns.play(1)
    for seat, stream in enumerate(turns.bench.streams):
        ids = [decide.decision for decide in stream.of(Decide)]

        assert ids == list(range(1, turns.match.table.asked[seat] + 1))
