"""What a decision is charged and when it is too late: the design's formula, grace, the host's part, strikes."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.referee import Bench, make_entry

from agon.codec.frames import Clock, Decide, Rejected, RejectedCode
from agon_engine.core import By, Fault, FaultKind, FaultPolicy, Move, OnFault, Termination, TimeControl
from agon_engine.core.replay import verify
from agon_engine.registry import get_game
from agon_server.referee.match import Phase

PATIENT = FaultPolicy(OnFault.SUBSTITUTE, strikes=100)


def seconds(value: float) -> int:
    return round(value * 1_000_000)


def control(*, move: float = 0, bank: float = 0, increment: float = 0, grace: float = 0.25) -> TimeControl:
    return TimeControl(move=seconds(move), bank=seconds(bank), increment=seconds(increment), grace=seconds(grace))


PER_MOVE = control(move=1)
CLOCK_AND_INCREMENT = control(bank=10, increment=0.5)
MOVE_WITH_BANK = control(move=2, bank=30)
MODES = {"per move": PER_MOVE, "clock and increment": CLOCK_AND_INCREMENT, "move with bank": MOVE_WITH_BANK}


def begun(time: TimeControl, policy: FaultPolicy = PATIENT, seats: int = 2, **facts: Any) -> Bench:
    return Bench(seats, time=time, policy=policy, **facts).begin()


def clock_of(bench: Bench, seat: int) -> Clock:
    """Return the seat's clock as its next Decide shows it."""
    bench.play_until_asked(seat)
    shown = bench.streams[seat].last(Decide).clock
    assert isinstance(shown, Clock)
    return shown


# -- the formula ---------------------------------------------------------------------------------------------


class Charged(NamedTuple):
    took: float
    host: float
    charge: float
    bank: float
    """What is left of it afterwards."""


@pytest.mark.parametrize(
    ("time", "answers"),
    [
        (PER_MOVE, [Charged(0.4, 0, 0.4, 0), Charged(1, 0, 1, 0), Charged(0.9, 0.3, 0.6, 0)]),
        (
            CLOCK_AND_INCREMENT,
            [Charged(3, 0, 3, 7.5), Charged(0.25, 0, 0.25, 7.75), Charged(8, 1, 7, 1.25), Charged(1.25, 0, 1.25, 0.5)],
        ),
        (
            MOVE_WITH_BANK,
            [Charged(2.6, 0.1, 2.5, 29.5), Charged(2, 0, 2, 29.5), Charged(0, 0, 0, 29.5), Charged(31.5, 0, 31.5, 0)],
        ),
        (control(move=1, bank=2, increment=0.5), [Charged(1.75, 0, 1.75, 1.75), Charged(0.5, 0, 0.5, 2.25)]),
    ],
)
def test_an_answer_is_charged_by_the_formula(time: TimeControl, answers: list[Charged]) -> None:
    """T5, T7, T8, T10, T16: in all three time modes, shown in the next Decide and kept in the record."""
    bench = begun(time)
    seat = bench.to_act
    for took, host, charge, bank in answers:
        bench.play_until_asked(seat)
        bench.clock.advance(took, host=host)
        bench.choose(seat)
        kept = bench.match.table.moves[-1]
        shown = clock_of(bench, seat)

        assert (kept.charge_us, kept.elapsed_us, kept.host_us) == (seconds(charge), seconds(took), seconds(host))
        assert shown == Clock(
            allowed_us=time.move + seconds(bank),
            bank_us=seconds(bank),
            last_charge_us=seconds(charge),
            last_elapsed_us=seconds(took),
            last_host_us=seconds(host),
        )


@pytest.mark.parametrize("name", MODES)
def test_a_seat_forfeits_in_each_mode_at_its_limit_and_grace(name: str) -> None:
    """T5, T1: without any message from it."""
    time = MODES[name]
    bench = begun(time, FaultPolicy(OnFault.FORFEIT, strikes=1))
    seat, limit = bench.to_act, (time.move + time.bank + time.grace) / 1e6
    bench.clock.advance(limit - 0.001)

    assert not bench.is_over

    bench.clock.advance(0.001)

    assert bench.over(seat).seats[seat] is Termination.TIMEOUT
    assert bench.over(1 - seat).placements[seat] == 2
    assert bench.clock.pending == 0


# -- late, and too late --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODES)
def test_an_answer_within_the_grace_counts_and_is_marked_late(name: str) -> None:
    """T6, T10: recorded, not punished; the charge is what was allowed."""
    time = MODES[name]
    bench = begun(time)
    seat, allowed = bench.to_act, time.move + time.bank
    bench.clock.advance((allowed + time.grace - 1) / 1e6)
    bench.choose(seat)
    kept = bench.match.table.moves[0]
    shown = clock_of(bench, seat)

    assert (kept.by, kept.late, kept.charge_us) == (By.SEAT, True, allowed)
    assert (shown.last_late, shown.last_charge_us, shown.strikes) == (True, allowed, 0)
    assert not bench.match.table.faults


def test_an_answer_just_in_time_is_not_late() -> None:
    bench = begun(PER_MOVE)
    bench.clock.advance(1)
    bench.choose()

    assert not bench.match.table.moves[0].late


def test_a_decision_that_timed_out_is_shown_at_its_limit() -> None:
    """In the next Decide and in the record; the substitute that answers it costs nothing."""
    bench = begun(control(move=2, bank=1))
    seat = bench.to_act
    bench.clock.advance(3.25)
    fault, move = bench.match.table.faults[0], bench.match.table.moves[0]
    shown = clock_of(bench, seat)

    assert (fault.kind, fault.termination, fault.seat) == (FaultKind.STRIKE, Termination.TIMEOUT, seat)
    assert (fault.charge_us, fault.late) == (seconds(3), True)
    assert (move.by, move.charge_us, move.elapsed_us) == (By.SUBSTITUTE, 0, 0)
    assert (shown.last_charge_us, shown.last_late, shown.strikes) == (seconds(3), True, 1)
    assert (shown.bank_us, shown.allowed_us) == (0, seconds(2))


@pytest.mark.parametrize("over_by", [1, 400_000])
def test_a_late_answer_gets_its_typed_rejection_at_once(over_by: int) -> None:
    """T14: whether it is read before the deadline has fired or after it."""
    bench = begun(PER_MOVE)
    seat = bench.to_act
    decision = bench.streams[seat].last(Decide).decision
    bench.clock.time += seconds(1.25) + over_by
    bench.choose(seat)
    bench.clock.advance(0)
    bench.choose(seat, decision=decision)
    first, second = bench.streams[seat].of(Rejected)

    assert (first.code, first.frame, first.decision) == (RejectedCode.EXPIRED, "choose", decision)
    assert (second.code, second.frame, second.decision) == (RejectedCode.EXPIRED, "choose", decision)
    assert (first.open_decision, first.attempts_left) == (0, 0)
    assert [fault.termination for fault in bench.match.table.faults] == [Termination.TIMEOUT]
    assert bench.match.table.faults[0].elapsed_us == seconds(1.25) + over_by
    assert bench.match.table.faults[0].charge_us == seconds(1)


def test_an_answer_that_had_arrived_counts_though_the_timer_comes_first() -> None:
    """T17: the start/flag race."""
    bench = begun(PER_MOVE)
    seat = bench.to_act
    bench.clock.arriving.append(lambda: bench.choose(seat))
    bench.clock.advance(1.25)

    assert bench.match.table.moves[0].by is By.SEAT
    assert not bench.match.table.faults


def test_the_hosts_part_is_neither_charged_nor_lets_the_deadline_fire() -> None:
    """T8."""
    bench = begun(PER_MOVE)
    seat = bench.to_act
    bench.clock.advance(1.74, host=0.5)
    bench.clock.advance(0.2, host=0.2)
    bench.choose(seat)
    kept = bench.match.table.moves[0]

    assert (kept.by, kept.elapsed_us, kept.host_us) == (By.SEAT, seconds(1.94), seconds(0.7))
    assert (kept.charge_us, kept.late) == (seconds(1), True)
    assert not bench.match.table.faults


def test_a_deadline_that_the_host_has_moved_still_fires() -> None:
    bench = begun(PER_MOVE)
    bench.clock.advance(1.3, host=0.3)

    assert not bench.match.table.faults

    bench.clock.advance(0.25)

    assert bench.match.table.faults[0].host_us == seconds(0.3)
    assert bench.match.table.faults[0].charge_us == seconds(1)


def test_what_the_host_took_before_the_question_is_no_gift() -> None:
    bench = begun(PER_MOVE)
    bench.play(1)
    bench.clock.lag += seconds(5)
    seat = bench.to_act
    bench.play(1)
    bench.play_until_asked(seat)
    before = len(bench.match.table.moves)
    bench.clock.advance(0.5)
    bench.choose(seat)

    assert bench.match.table.moves[before].charge_us == seconds(0.5)


def test_what_happens_to_another_seat_neither_asks_again_nor_starts_the_clock_anew() -> None:
    bench = begun(PER_MOVE, seats=3)
    seat = bench.to_act
    others = [other for other in range(3) if other != seat]
    bench.clock.advance(0.5)
    bench.match.resign(others[0])
    bench.lose(others[1])
    bench.come_back(others[1])
    bench.clock.advance(0.3)
    bench.choose(seat)

    assert len({decide.decision for decide in bench.streams[seat].of(Decide)}) == len(bench.streams[seat].of(Decide))
    assert bench.match.table.moves[0].charge_us == seconds(0.8)


def test_attempts_share_one_deadline() -> None:
    """T11: three of them cannot take more than one limit."""
    bench = begun(PER_MOVE)
    seat = bench.to_act
    for _ in range(2):
        bench.clock.advance(0.5)
        bench.choose(seat, 999)
    bench.clock.advance(0.25)

    assert [fault.termination for fault in bench.match.table.faults] == [Termination.TIMEOUT]
    assert bench.match.table.faults[0].attempts == 2
    assert bench.match.table.faults[0].charge_us == seconds(1)


def test_spent_attempts_are_charged_what_they_took() -> None:
    bench = begun(MOVE_WITH_BANK)
    seat = bench.to_act
    for _ in range(3):
        bench.clock.advance(1)
        bench.choose(seat, 999)
    fault = bench.match.table.faults[0]

    assert (fault.termination, fault.charge_us, fault.attempts) == (Termination.ILLEGAL, seconds(3), 3)
    assert clock_of(bench, seat).bank_us == seconds(29)


def test_what_a_bot_says_it_thought_is_kept_and_changes_nothing() -> None:
    """T7: and it cannot have thought longer than it had."""
    bench = begun(PER_MOVE)
    bench.streams[bench.to_act].latency = 7_000
    bench.clock.advance(0.5)
    bench.choose(thought=300_000)
    bench.clock.advance(0.5)
    bench.choose(thought=2**64 - 1)
    first, second = bench.match.table.moves[:2]

    assert (first.thought_us, first.charge_us, first.latency_us) == (300_000, 500_000, 7_000)
    assert (second.thought_us, second.charge_us) == (500_000, 500_000)


def test_the_journal_is_told_what_is_charged_by() -> None:
    bench = begun(PER_MOVE, FaultPolicy(OnFault.SUBSTITUTE, attempts=1))
    bench.clock.advance(0.5, host=0.1)
    bench.choose()
    bench.clock.advance(1.2)
    bench.choose()
    bench.clock.advance(1.25)
    bench.clock.advance(0.3)
    bench.choose(index=999)

    table = bench.match.table
    charges = [move.charge_us for move in table.moves[:2]] + [fault.charge_us for fault in table.faults[:2]]

    assert [seconds(0.4), seconds(1), seconds(1), seconds(0.3)] == charges
    assert [entry.timing.elapsed - entry.timing.host for entry in bench.journal.entries[1:]] == [
        seconds(0.4),
        seconds(1.2),
        seconds(1.25),
        seconds(0.3),
    ]
    assert [entry.number for entry in bench.journal.entries] == [0, 1, 2, 3, 4]


# -- strikes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strikes", [1, 2, 3])
def test_a_dead_bot_costs_as_many_limits_as_it_has_strikes(strikes: int) -> None:
    """T20, T1: then the seat has fallen, and plays no part in the others' time."""
    bench = begun(PER_MOVE, FaultPolicy(OnFault.SUBSTITUTE, strikes=strikes), seats=3)
    dead = bench.to_act
    spent = 0
    while not bench.is_over:
        if bench.to_act == dead:
            bench.clock.advance(1.25)
            spent += 1
        else:
            bench.choose()
    record = bench.record()

    assert spent == strikes
    assert record.result.seats[dead] is Termination.TIMEOUT
    assert record.result.placements[dead] == 3
    assert [fault.kind for fault in record.faults] == [FaultKind.STRIKE] * strikes + [FaultKind.FALL]
    verify(record, get_game("ephyran"))


def test_strikes_add_up_whatever_was_played_between_them() -> None:
    bench = begun(PER_MOVE, FaultPolicy(OnFault.FORFEIT, strikes=2))
    seat = bench.to_act
    bench.clock.advance(1.25)
    bench.play_until_asked(seat)
    bench.choose(seat)
    bench.play_until_asked(seat)
    for _ in range(3):
        bench.choose(seat, 999)

    assert bench.over(seat).seats[seat] is Termination.ILLEGAL
    assert bench.metrics.for_game("ephyran").strikes[Termination.TIMEOUT]._value.get() == 1
    assert bench.metrics.for_game("ephyran").strikes[Termination.ILLEGAL]._value.get() == 1
    assert bench.metrics.for_game("ephyran").faults[Termination.ILLEGAL]._value.get() == 1


def test_a_seat_without_a_stream_is_asked_all_the_same_and_its_clock_runs() -> None:
    bench = begun(PER_MOVE)
    seat = 1 - bench.to_act
    bench.lose(seat)
    bench.play_until_asked(seat)
    bench.clock.advance(1.25)

    assert [fault.seat for fault in bench.match.table.faults] == [seat]


def test_each_decision_that_was_charged_is_observed_once() -> None:
    bench = begun(PER_MOVE)
    bench.play(3, seconds=0.5)
    bench.clock.advance(1.25)
    bench.choose(index=999)
    metrics = bench.metrics.registry
    labels = {"game": "ephyran"}

    assert metrics.get_sample_value("agon_decision_seconds_count", labels) == 4
    assert metrics.get_sample_value("agon_decision_seconds_sum", labels) == 2.5


# -- all of it together --------------------------------------------------------------------------------------

TIMING = st.tuples(st.integers(0, 3_000_000), st.integers(0, 1_000_000), st.sampled_from(["choose", "choose", "bad"]))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(MODES)), st.lists(TIMING, min_size=5, max_size=40), st.integers(2, 4))
def test_the_charges_of_a_match_are_within_its_wall_time_less_the_hosts(
    mode: str, timings: list[tuple[int, int, str]], seats: int
) -> None:
    """Over all seats together, with timeouts and unusable answers among them; a replay computes them all anew."""
    bench = begun(MODES[mode], seats=seats)
    began = bench.clock.now()
    for took, host, what in timings:
        if bench.is_over:
            break
        asked = bench.match.table.asked[:]
        bench.clock.advance(took / 1e6, host=min(host, took) / 1e6)
        if bench.match.table.asked == asked:
            bench.choose(index=999 if what == "bad" else 0)
    wall = bench.clock.now() - began
    table = bench.match.table
    rows: list[Move | Fault] = [*table.moves, *table.faults]

    assert sum(row.charge_us for row in rows) <= wall - sum(row.host_us for row in rows)
    assert all(row.charge_us <= max(0, row.elapsed_us - row.host_us) for row in rows)
    assert all(account.bank >= 0 for account in table.accounts)

    bench.match.cancel(Termination.CANCELLED)
    verify(bench.record(), get_game("ephyran"))


def test_a_jump_of_the_wall_clock_changes_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(*, jump: bool) -> list[list[bytes]]:
        bench = Bench(2, entry=entry).begin()
        for number in range(12):
            if jump:
                monkeypatch.setattr(time, "time", lambda now=number % 3 * 2e9: now)
                monkeypatch.setattr(time, "time_ns", lambda now=number % 3 * 10**18: now)
            bench.clock.advance(0.7 if number % 4 else 2.3)
            bench.choose()
        return [stream.pieces for stream in bench.streams]

    entry = make_entry(time=PER_MOVE, policy=PATIENT)

    assert play(jump=False) == play(jump=True)


def test_no_clock_of_a_decision_runs_before_all_are_ready() -> None:
    bench = Bench(2, time=PER_MOVE)
    bench.join(0)
    bench.match.ready(0)
    bench.clock.advance(5)
    bench.join(1)
    bench.clock.advance(5)

    assert bench.match.phase is Phase.GATHERING

    bench.match.ready(1)
    bench.clock.advance(0.5)
    bench.choose()

    assert bench.match.table.moves[0].charge_us == seconds(0.5)
    assert not bench.streams[0].of(Rejected)
