"""Seats that do not come, do not get ready, go and come back: the limits, whose fault it is, and the longest life."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.referee import TOGETHER, Bench, DirectJournal, FakeStream

from agon.codec.frames import Decide, Notice, Start
from agon_engine.core import FaultPolicy, OnFault, Termination, TimeControl
from agon_engine.core.replay import verify
from agon_engine.registry import get_game
from agon_server.referee.entries import Entry
from agon_server.referee.journal import Follower
from agon_server.referee.match import Phase

S = 1_000_000
TIME = TimeControl(connect=30 * S, ready=10 * S, move=2 * S, bank=0, grace=0)
SLOW = TimeControl(connect=30 * S, ready=10 * S, move=600 * S, bank=0, grace=0)
"""Longer for a decision than anything else takes."""
PATIENT = FaultPolicy(OnFault.SUBSTITUTE, strikes=100)
T = Termination


def ended(bench: Bench) -> tuple[T, tuple[T, ...]]:
    assert bench.is_over
    record = bench.record()
    verify(record, get_game("ephyran"))
    return record.result.termination, record.result.seats


def is_playing(bench: Bench) -> bool:
    return bench.match.phase is Phase.PLAYING


# -- before the first decision -------------------------------------------------------------------------------


def test_a_seat_that_does_not_join_in_its_limit_is_a_no_show() -> None:
    """C7, C6: nothing is rated, and the seats that came are told."""
    bench = Bench(3, time=TIME)
    for seat in (0, 2):
        bench.join(seat)
        bench.match.ready(seat)
    bench.clock.advance(29.999)

    assert not bench.is_over

    bench.clock.advance(0.001)

    assert ended(bench) == (T.NO_SHOW, (T.CANCELLED, T.NO_SHOW, T.CANCELLED))
    assert bench.over(0).termination is T.NO_SHOW
    assert bench.over(2).rated is False
    assert bench.record().counts is False
    assert bench.clock.pending == 0


def test_who_joins_after_a_time_in_which_nothing_could_be_stored_has_its_whole_limits() -> None:
    """X9: the clock stood still, also for all limits together."""
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.ready(0)
    bench.clock.advance(20)
    bench.clock.advance(300, host=300)
    bench.clock.advance(5)
    bench.join(1)
    bench.clock.advance(9.9)

    assert not bench.is_over

    bench.match.ready(1)

    assert is_playing(bench)


def test_all_that_did_not_come_are_no_shows() -> None:
    bench = Bench(4, time=TIME)
    bench.join(2)
    bench.match.ready(2)
    bench.clock.advance(30)
    faults = bench.metrics.for_game("ephyran").faults

    assert ended(bench) == (T.NO_SHOW, (T.NO_SHOW, T.NO_SHOW, T.CANCELLED, T.NO_SHOW))
    assert faults[T.NO_SHOW]._value.get() == 3


def test_the_hosts_time_is_given_back_to_those_who_are_waited_for() -> None:
    """T8: whoever was not late without it is no no-show."""
    bench = Bench(2, time=TIME)
    bench.clock.advance(26)
    bench.join(1)
    bench.clock.advance(11.9, host=8)

    assert not bench.is_over

    bench.clock.advance(0.1)

    assert ended(bench) == (T.NO_SHOW, (T.NO_SHOW, T.CANCELLED))


@pytest.mark.parametrize(("joins", "gets_ready", "limit"), [(False, False, 5), (True, False, 7), (True, True, 9)])
def test_the_limits_to_connect_to_get_ready_and_to_move_are_separate(joins: bool, gets_ready: bool, limit: int) -> None:
    """T19."""
    time = TimeControl(connect=5 * S, ready=7 * S, move=9 * S, bank=0, grace=0)
    bench = Bench(2, time=time, policy=FaultPolicy(OnFault.FORFEIT, strikes=1))
    bench.join(1)
    bench.match.ready(1)
    if joins:
        bench.join(0)
    if gets_ready:
        bench.match.ready(0)
    bench.clock.advance(limit - 0.001)

    assert not bench.is_over

    bench.clock.advance(0.001)

    assert ended(bench)[0] is (T.TIMEOUT if gets_ready else T.NO_SHOW)


def test_a_seat_that_joins_and_never_gets_ready_is_a_no_show() -> None:
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.ready(0)
    bench.clock.advance(20)
    bench.join(1)
    bench.clock.advance(10)

    assert ended(bench) == (T.NO_SHOW, (T.CANCELLED, T.NO_SHOW))


@pytest.mark.parametrize("anew", [True, False])
def test_joining_again_and_again_does_not_hold_a_match_up(anew: bool) -> None:
    """C19: it is gathered within both limits, or not at all."""
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.ready(0)
    bench.clock.advance(29)
    for _ in range(20):
        if bench.is_over:
            break
        bench.join(1, stream=FakeStream("bot1") if anew else None)
        bench.clock.advance(1)

    assert ended(bench) == (T.NO_SHOW, (T.CANCELLED, T.NO_SHOW))
    assert bench.clock.now() - 1_000 * S == TIME.connect + TIME.ready


def test_coming_and_going_does_not_hold_a_match_up() -> None:
    """C19."""
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.ready(0)
    for _ in range(20):
        if bench.is_over:
            break
        bench.join(1)
        bench.clock.advance(1)
        bench.lose(1)
        bench.clock.advance(2)

    assert ended(bench) == (T.NO_SHOW, (T.CANCELLED, T.NO_SHOW))


def test_a_stream_that_takes_a_seat_over_has_to_say_that_it_is_ready() -> None:
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.ready(0)
    bench.come_back(0)
    bench.join(1)
    bench.match.ready(1)

    assert not is_playing(bench)

    bench.match.ready(0)

    assert is_playing(bench)


def test_joining_again_on_the_same_stream_leaves_it_ready() -> None:
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.ready(0)
    bench.join(0)
    bench.join(1)
    bench.match.ready(1)

    assert is_playing(bench)
    assert len(bench.streams[0].of(Start)) == 2


def test_a_seat_that_was_ready_and_lost_its_stream_can_come_back() -> None:
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.ready(0)
    bench.lose(0)
    bench.join(1)
    bench.match.ready(1)

    assert not is_playing(bench)

    bench.come_back(0)
    bench.match.ready(0)

    assert is_playing(bench)


def test_all_lost_together_before_the_first_decision_are_no_no_shows() -> None:
    """C9."""
    bench = Bench(2, time=TIME)
    for seat in range(2):
        bench.join(seat)
        bench.lose(seat)
    bench.clock.advance(40)

    assert ended(bench) == (T.INFRASTRUCTURE, (T.INFRASTRUCTURE, T.INFRASTRUCTURE))


@pytest.mark.parametrize("act", ["resign", "flooded"])
def test_who_resigns_or_floods_before_the_first_decision_ends_it_unrated(act: str) -> None:
    """C7."""
    bench = Bench(3, time=TIME)
    bench.join(1)
    getattr(bench.match, act)(1)
    getattr(bench.match, act)(1)
    why = T.RESIGNED if act == "resign" else T.PROTOCOL

    assert ended(bench) == (T.NO_SHOW, (T.CANCELLED, why, T.CANCELLED))
    assert bench.metrics.for_game("ephyran").faults[why]._value.get() == 1
    assert bench.over(1).seats[1] is why


# -- gone ----------------------------------------------------------------------------------------------------


def begun(seats: int = 3, time: TimeControl = SLOW, policy: FaultPolicy = PATIENT) -> Bench:
    return Bench(seats, time=time, policy=policy).begin()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_seat_that_is_gone_longer_than_the_connect_limit_falls(seats: int) -> None:
    """C6, T18: it is last, whatever its points; of seats that lose their stream at once only the dead one falls."""
    bench = begun(seats, policy=FaultPolicy(OnFault.FORFEIT))
    bench.lose(1)
    bench.clock.advance(29.999)

    assert not bench.is_over

    bench.clock.advance(0.001)
    expected = tuple(T.DISCONNECT if seat == 1 else T.SCORE for seat in range(seats))

    assert ended(bench) == (T.DISCONNECT, expected)
    assert bench.over(0).placements == tuple(seats if seat == 1 else 1 for seat in range(seats))
    assert bench.over(0).rated


def test_a_seat_that_comes_back_in_time_plays_on() -> None:
    bench = begun()
    bench.lose(1)
    bench.clock.advance(29)
    bench.come_back(1)
    bench.clock.advance(60)

    assert not bench.match.table.conduct.fallen


def test_each_loss_has_its_own_limit() -> None:
    bench = begun()
    for _ in range(3):
        bench.lose(1)
        bench.clock.advance(20)
        bench.come_back(1)

    assert not bench.match.table.conduct.fallen


@pytest.mark.parametrize(("apart", "together"), [(0, True), (TOGETHER / S, True), (2 * TOGETHER / S + 1, False)])
@pytest.mark.parametrize("seats", [2, 3])
def test_seats_lost_together_are_no_bots_fault(apart: float, together: bool, seats: int) -> None:
    """C9: lost within one ping interval it is the infrastructure's, else a disconnect of each."""
    bench = begun(seats)
    for seat in range(seats):
        bench.lose(seat)
        bench.clock.advance(apart / (seats - 1))
    bench.clock.advance(60)
    if together:
        assert ended(bench) == (T.INFRASTRUCTURE, (T.INFRASTRUCTURE,) * seats)
        assert bench.record().counts is False
    else:
        assert ended(bench) == (T.DISCONNECT, (T.DISCONNECT,) * seats)


def test_one_that_came_back_shows_that_it_was_not_the_infrastructure() -> None:
    bench = begun(2, policy=FaultPolicy(OnFault.FORFEIT))
    bench.lose(0)
    bench.lose(1)
    bench.clock.advance(10)
    bench.come_back(1)
    bench.clock.advance(20)

    assert ended(bench) == (T.DISCONNECT, (T.DISCONNECT, T.SCORE))


def test_a_timeout_while_all_are_gone_together_is_the_infrastructures_too() -> None:
    """C9: no strike, no fall."""
    bench = begun(2, time=TIME, policy=FaultPolicy(OnFault.FORFEIT, strikes=1))
    bench.lose(0)
    bench.lose(1)
    bench.clock.advance(2)

    assert ended(bench) == (T.INFRASTRUCTURE, (T.INFRASTRUCTURE, T.INFRASTRUCTURE))
    assert not bench.match.table.faults
    assert bench.metrics.for_game("ephyran").strikes[T.TIMEOUT]._value.get() == 0


def test_seats_that_are_out_do_not_count_among_those_lost_together() -> None:
    """Neither do they hide that all others are gone, nor does the last one that is in."""
    bench = begun(3)
    bench.match.resign(2)
    bench.lose(0)
    bench.lose(1)
    bench.clock.advance(60)

    assert ended(bench) == (T.INFRASTRUCTURE, (T.INFRASTRUCTURE, T.INFRASTRUCTURE, T.RESIGNED))

    bench = begun(3)
    bench.match.resign(1)
    bench.match.resign(2)
    bench.lose(0)
    bench.clock.advance(60)

    assert ended(bench) == (T.DISCONNECT, (T.DISCONNECT, T.RESIGNED, T.RESIGNED))


def test_a_seat_that_is_out_is_not_waited_for() -> None:
    """Its limit would pass before that of the others, who may still come back."""
    bench = begun(3)
    bench.match.resign(2)
    bench.lose(2)
    bench.clock.advance(25)
    bench.lose(0)
    bench.lose(1)
    bench.clock.advance(29)

    assert not bench.is_over

    bench.come_back(0)
    bench.come_back(1)
    bench.clock.advance(60)

    assert not bench.is_over
    assert bench.streams[0].of(Notice) == []


def test_the_limit_of_a_seat_that_falls_meanwhile_is_forgotten() -> None:
    bench = begun(3, time=TIME, policy=FaultPolicy(OnFault.SUBSTITUTE, strikes=1))
    dead = bench.to_act
    bench.lose(dead)
    bench.clock.advance(2)

    assert bench.match.table.conduct.fallen == {dead: T.TIMEOUT}

    while not bench.is_over:
        bench.clock.advance(1)
        bench.choose()

    assert ended(bench)[1][dead] is T.TIMEOUT


# -- the longest life ----------------------------------------------------------------------------------------


class LossyJournal(DirectJournal):
    """Loses one entry, and with it its consequence."""

    def accept(self, match: Follower, entry: Entry, line: str) -> None:
        if entry.number != 4:
            super().accept(match, entry, line)


def test_a_match_whose_consequence_got_lost_ends_at_its_longest_life(caplog: pytest.LogCaptureFixture) -> None:
    """C19: unrated, since that can only be a fault of ours."""
    bench = Bench(2, time=TIME, policy=PATIENT, journal=LossyJournal()).begin()
    for _ in range(4):
        bench.choose()
    life = TIME.longest_life(2, get_game("ephyran").spec.max_decisions)
    bench.clock.advance(life / S - 1, host=5)

    assert not bench.is_over

    bench.clock.advance(1)

    assert not bench.is_over

    bench.clock.advance(5)

    assert ended(bench) == (T.INFRASTRUCTURE, (T.INFRASTRUCTURE, T.INFRASTRUCTURE))
    assert bench.clock.pending == 0
    assert "outlived" in caplog.text


STEP = st.tuples(st.sampled_from(["wait", "choose", "bad", "lose", "back", "ready", "resign"]), st.integers(0, 3))


@settings(max_examples=40, deadline=None)
@given(st.lists(STEP, max_size=60), st.integers(2, 4), st.sampled_from(list(OnFault)))
def test_no_match_outlives_its_longest_life(steps: list[tuple[str, int]], seats: int, on_fault: OnFault) -> None:
    """C19: whatever its seats do, it ends by then, its record is true, and it leaves no timer behind."""
    time = TimeControl(connect=5 * S, ready=3 * S, move=S, bank=10 * S, grace=S // 4)
    bench = Bench(seats, time=time, policy=FaultPolicy(on_fault))
    life = time.longest_life(seats, get_game("ephyran").spec.max_decisions)
    began = bench.clock.now()
    for what, seat in steps:
        if bench.is_over:
            break
        seat %= seats
        joined = bool(bench.streams[seat].matches)
        if what == "wait":
            bench.clock.advance(0.9)
        elif what == "lose":
            bench.lose(seat)
        elif what == "back":
            bench.come_back(seat)
        elif joined and what == "ready":
            bench.match.ready(seat)
        elif joined and what == "resign":
            bench.match.resign(seat)
        elif what in ("choose", "bad") and is_playing(bench):
            asked = bench.to_act
            if bench.streams[asked].matches and bench.streams[asked].of(Decide):
                bench.choose(asked, 999 if what == "bad" else 0)
    left = (life - (bench.clock.now() - began)) / S
    bench.clock.advance(left)

    assert left > 0
    assert bench.is_over
    assert bench.clock.pending == 0
    ended(bench)
