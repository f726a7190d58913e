"""Streams that come back to a running match: full view, open question, the clock that ran on, the events since the
sequence that Join names, and which stream has the seat."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.support.referee import Bench, FakeStream

from agon.codec.client import decode_down
from agon.codec.ephyran import CODEC
from agon.codec.frames import Accepted, Decide, Over, Start, ToldEvent
from agon.codec.views import ViewDecoder
from agon_engine.core import FaultPolicy, OnFault, Termination, TimeControl
from agon_engine.ephyran.notation import NOTATION
from agon_engine.ephyran.view import View

S = 1_000_000
TIME = TimeControl(move=2 * S, bank=30 * S)
PATIENT = FaultPolicy(OnFault.SUBSTITUTE, strikes=100)


def begun(seats: int = 2, *, changed: bool = False) -> Bench:
    return Bench(seats, time=TIME, policy=PATIENT, changed=changed).begin()


def told_in(stream: FakeStream) -> list[ToldEvent]:
    return [event for frame in stream.frames for event in getattr(frame.body, "events", ())]


def all_told(bench: Bench, seat: int) -> list[ToldEvent]:
    return [ToldEvent(*told) for told in bench.match.table.events_after(seat, 0)]


@pytest.mark.parametrize("changed", [False, True])
def test_a_stream_that_comes_back_gets_the_open_question_with_a_full_view(changed: bool) -> None:
    bench = begun()
    bench.play(9)
    seat = bench.to_act
    before = bench.streams[seat].last(Decide)
    bench.lose(seat)
    bench.clock.advance(1.5)
    stream = bench.come_back(seat, sequence=before.sequence, changed=changed)
    decide = stream.last(Decide)

    assert stream.kinds == ["Start", "Decide"]
    assert (decide.decision, decide.sequence, decide.actions, decide.prompt) == (
        before.decision,
        before.sequence,
        before.actions,
        before.prompt,
    )
    assert decide.full
    assert decide.view == before.view


def test_its_clock_has_run_on() -> None:
    bench = begun()
    seat = bench.to_act
    bench.clock.advance(1)
    bench.lose(seat)
    bench.clock.advance(2)
    bench.come_back(seat)
    bench.clock.advance(1)
    bench.choose(seat)
    bench.play_until_asked(seat)

    assert bench.streams[seat].last(Decide).clock.last_charge_us == 4 * S
    assert bench.streams[seat].last(Decide).clock.bank_us == 28 * S


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("back", [0, 1, 5, 10**6, 2**63])
def test_the_next_decide_tells_the_events_since_the_sequence_that_join_named(back: int, asked: bool) -> None:
    """R7: whether the seat is asked when it joins or only later; all of them where no event has that number."""
    bench = begun()
    bench.play(12)
    seat = bench.to_act if asked else 1 - bench.to_act
    known = bench.streams[seat].last(Decide).sequence
    sequence = known - back if back < 100 else back
    bench.lose(seat)
    stream = bench.come_back(seat, sequence=sequence)
    if not asked:
        assert stream.kinds == ["Start"]

        bench.play_until_asked(seat)
    decide = stream.last(Decide)
    expected = all_told(bench, seat)

    assert decide.sequence == len(expected)
    assert list(decide.events) == (expected[sequence:] if back < 100 else expected)


def test_no_event_is_told_twice_or_never_to_a_bot_that_names_what_it_has() -> None:
    """R7: over a whole match with a cut every few decisions."""
    bench = begun(3)
    heard: list[ToldEvent] = []

    def read(stream: FakeStream) -> None:
        for decide in stream.of(Decide):
            heard.extend(decide.events)

            assert decide.sequence == len(heard)
        stream.forget()

    seat = 1
    while not bench.is_over:
        read(bench.streams[seat])
        if len(bench.match.table.moves) % 7 == 3:
            bench.lose(seat)
            bench.come_back(seat, sequence=len(heard))
        acting = bench.to_act
        bench.choose(acting, decision=bench.match.table.asked[acting])
    heard += bench.over(seat).events

    assert heard == all_told(bench, seat)


def test_what_a_lost_stream_was_sent_and_never_read_comes_again() -> None:
    bench = begun()
    seat = bench.to_act
    before = bench.streams[seat].last(Decide)
    bench.choose(seat)
    bench.play_until_asked(seat)
    unread = bench.streams[seat].last(Decide)
    bench.lose(seat)
    again = bench.come_back(seat, sequence=before.sequence).last(Decide)

    assert unread.events
    assert again == unread


def test_the_over_of_a_seat_without_a_stream_tells_everything() -> None:
    """What it has handled is not known then."""
    bench = begun(3)
    bench.play(10)
    bench.lose(2)
    bench.match.cancel(Termination.CANCELLED)
    over = decode_down(bench.host.overs[2])[0].body

    assert isinstance(over, Over)
    assert list(over.events) == all_told(bench, 2)
    assert over.sequence == len(over.events)


# -- whose the seat is ---------------------------------------------------------------------------------------


def test_the_last_join_has_the_seat() -> None:
    bench = begun()
    seat = bench.to_act
    old = bench.streams[seat]
    new = bench.come_back(seat)
    old.forget()
    bench.choose(seat)
    bench.play_until_asked(seat)

    assert not old.pieces
    assert not old.matches
    assert len(new.of(Decide)) == 2


def test_the_loss_of_a_stream_that_has_no_seat_any_more_changes_nothing() -> None:
    bench = begun()
    seat = bench.to_act
    old = bench.streams[seat]
    new = bench.come_back(seat)
    bench.match.stream_lost(seat, old)  # type: ignore[arg-type]  # what a match uses of a stream
    bench.clock.advance(31)

    assert not bench.match.table.conduct.fallen
    assert bench.match.missing == []
    assert new.matches


def test_joining_again_on_the_same_stream_is_no_loss() -> None:
    bench = begun()
    seat = bench.to_act
    bench.join(seat)

    assert list(bench.streams[seat].matches) == [(bench.entry.match, seat)]
    assert len(bench.streams[seat].of(Start)) == 2
    assert [decide.decision for decide in bench.streams[seat].of(Decide)] == [1, 1]


def test_answers_of_before_the_cut_still_stand() -> None:
    """R4, R5: whoever says again what it said gets Accepted."""
    bench = begun()
    seat = bench.to_act
    bench.choose(seat)
    stream = bench.come_back(seat)
    bench.choose(seat, decision=1)

    assert stream.last(Accepted) == Accepted(1, 0)
    assert len(bench.match.table.moves) == 1


def test_the_record_names_the_version_that_had_the_seat_last() -> None:
    bench = begun()
    bench.join(1, stream=FakeStream("bot1", version="2.0"))
    bench.match.cancel(Termination.CANCELLED)

    assert [row.bot_version for row in bench.record().seats] == ["1", "2.0"]


# -- changed parts -------------------------------------------------------------------------------------------


def test_changed_parts_make_the_same_views_as_full_ones() -> None:
    """Also after a cut and after a rejected answer, where the next one is full."""
    full, changed = begun(), begun(changed=True)
    decoders = [[ViewDecoder[View](CODEC, NOTATION) for _ in range(2)] for _ in range(2)]
    sizes = [0, 0]
    while not full.is_over:
        moves, seat = len(full.match.table.moves), full.to_act
        if moves % 11 == 5:
            for bench in (full, changed):
                bench.choose(seat, 999)
        if moves % 13 == 6:
            changed.lose(seat)
            changed.come_back(seat, changed=True)
            decoders[1][seat] = ViewDecoder(CODEC, NOTATION)
        ones, others = full.streams[seat].last(Decide), changed.streams[seat].last(Decide)

        assert decoders[0][seat].view(ones) == decoders[1][seat].view(others)
        assert others.full == (moves % 11 == 5 or moves % 13 == 6 or others.decision == 1)

        sizes[0] += len(ones.view.data)
        sizes[1] += len(others.view.data)
        full.choose(seat)
        changed.choose(seat)

    assert sizes[1] < sizes[0] * 0.8


def test_the_sequence_never_falls_and_decision_ids_have_no_gaps() -> None:
    """Whatever is played, by substitutes too: both follow from the match alone."""
    bench = begun(3)
    number = 0
    while not bench.is_over:
        number += 1
        if number % 9 == 4:
            bench.clock.advance(33)
        else:
            bench.choose(index=999 if number % 7 == 5 else 0)
    for seat, stream in enumerate(bench.streams):
        decides = stream.of(Decide)
        again = [later.decision - one.decision for one, later in pairwise(decides)]
        sequences = [decide.sequence for decide in decides]

        assert set(again) <= {0, 1}
        assert decides[0].decision == 1
        assert decides[-1].decision == bench.match.table.asked[seat]
        assert sequences == sorted(sequences)
        assert told_in(stream) == all_told(bench, seat)
