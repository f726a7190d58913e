"""What the failure of a seat means for its match: every policy, every way to fail, every seat count; and what everybody
is told of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b

import pytest
from tests.support.referee import Bench, make_entry

from agon.codec.client import decode_down
from agon.codec.frames import Decide, Notice, NoticeKind, Over, RejectedCode, Start
from agon_engine.core import Deals, FaultPolicy, Maker, OnFault, Termination, TimeControl
from agon_engine.core.record import commitment
from agon_engine.core.replay import verify
from agon_engine.registry import get_game

S = 1_000_000
T = Termination


def time_out(bench: Bench, seat: int) -> None:
    bench.play_until_asked(seat)
    bench.clock.advance(1)


def answer_illegally(bench: Bench, seat: int) -> None:
    bench.play_until_asked(seat)
    for _ in range(3):
        bench.choose(seat, 999)


def resign(bench: Bench, seat: int) -> None:
    bench.match.resign(seat)


def go_away(bench: Bench, seat: int) -> None:
    bench.lose(seat)
    while not bench.is_over and not bench.match.table.conduct.is_out(seat):
        if bench.to_act != seat:
            bench.choose()
        bench.clock.advance(0.5)


def flood(bench: Bench, seat: int) -> None:
    bench.streams[seat].is_open = False
    bench.match.flooded(seat)
    bench.lose(seat)


FAILURES: dict[Termination, Callable[[Bench, int], None]] = {
    T.TIMEOUT: time_out,
    T.ILLEGAL: answer_illegally,
    T.RESIGNED: resign,
    T.DISCONNECT: go_away,
    T.PROTOCOL: flood,
}


@cache
def fail(why: Termination, on_fault: OnFault, seats: int) -> tuple[Bench, int]:
    """Play a little, let a seat fail, and play on where the match goes on."""
    # Gone is to mean gone, and not that the clock has run out meanwhile.
    connect = 20 * S if why is not T.DISCONNECT else S // 2
    time = TimeControl(connect=connect, move=S, bank=0, grace=0)
    bench = Bench(seats, time=time, policy=FaultPolicy(on_fault, strikes=1)).begin()
    bench.play(5, seconds=0.3)
    failing = seats - 1
    FAILURES[why](bench, failing)
    if not bench.is_over:
        bench.play_out()
    return bench, failing


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("why", FAILURES)
@pytest.mark.parametrize("on_fault", list(OnFault))
def test_a_failure_means_for_the_match_what_its_policy_says(why: T, on_fault: OnFault, seats: int) -> None:
    """C2, J3, J5, T18, X11."""
    bench, failing = fail(why, on_fault, seats)
    record = bench.record()
    result = record.result
    mode = on_fault
    if why is T.RESIGNED and on_fault is OnFault.VOID:
        mode = FaultPolicy.default(seats).on_fault  # a resignation never voids
    others = [seat for seat in range(seats) if seat != failing]

    assert result.seats == tuple(why if seat == failing else T.SCORE for seat in range(seats))
    if mode is OnFault.SUBSTITUTE:
        assert result.termination is T.SCORE
        assert result.placements[failing] == seats
        assert sorted(result.placements[seat] for seat in others)[0] == 1
        assert record.counts
    elif mode is OnFault.FORFEIT:
        assert result.termination is why
        assert result.placements == tuple(seats if seat == failing else 1 for seat in range(seats))
        assert record.counts
    else:
        assert result.termination is T.CANCELLED
        assert result.placements == (1,) * seats
        assert not record.counts
    assert record.policy.on_fault is on_fault

    verify(record, get_game("ephyran"))
    assert bench.clock.pending == 0
    assert bench.metrics.for_game("ephyran").faults[why]._value.get() == 1


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("why", FAILURES)
@pytest.mark.parametrize("on_fault", list(OnFault))
def test_every_seat_gets_its_over_with_the_same_result(why: T, on_fault: OnFault, seats: int) -> None:
    """R1: the one that failed too, when it is there or when it comes back; once each."""
    bench, failing = fail(why, on_fault, seats)
    result = bench.record().result
    gone = why in (T.DISCONNECT, T.PROTOCOL)
    for seat in range(seats):
        sent = bench.streams[seat].of(Over)
        kept = decode_down(bench.host.overs[seat])[0]
        over = kept.body

        assert len(sent) == (0 if seat == failing and gone else 1)
        assert isinstance(over, Over)
        assert (kept.match, kept.seat, kept.epoch) == (bench.entry.match, seat, 1)
        assert (over.termination, over.placements, over.scores, over.seats) == (
            result.termination,
            result.placements,
            result.scores,
            result.seats,
        )
        assert over.rated == bench.record().counts
        assert over.sequence == bench.match.table.sequence(seat)


@pytest.mark.parametrize("why", FAILURES)
def test_a_fall_is_told_to_the_seat_by_a_notice_and_to_the_others_by_an_event(why: T) -> None:
    bench, failing = fail(why, OnFault.SUBSTITUTE, 3)
    notices = [notice for stream in bench.streams for notice in stream.of(Notice)]

    assert notices == bench.streams[failing].of(Notice)
    if why in (T.DISCONNECT, T.PROTOCOL):
        assert not notices
    else:
        assert [(notice.kind, notice.termination) for notice in notices] == [(NoticeKind.SEAT_OUT, why)]
    for other in (0, 1):
        told = [event for frame in bench.streams[other].of(Decide) for event in frame.events]
        told += bench.over(other).events

        assert [event for event in told if event.code.startswith("fall")] == [(f"fall 2 {why}", 2, Maker.REFEREE)]


@pytest.mark.parametrize("why", [T.RESIGNED, T.TIMEOUT, T.ILLEGAL])
def test_a_seat_that_is_out_is_asked_no_more_and_its_answers_are_rejected(why: T) -> None:
    time = TimeControl(move=S, bank=0, grace=0)
    bench = Bench(3, time=time, policy=FaultPolicy(OnFault.SUBSTITUTE, strikes=1)).begin()
    seat = bench.to_act
    FAILURES[why](bench, seat)
    asked = len(bench.streams[seat].of(Decide))
    bench.play(6)
    for decision in (0, 1, 2, 99, bench.match.table.asked[seat]):
        bench.choose(seat, decision=decision)

        assert bench.rejected(seat).code is RejectedCode.SEAT_OUT
        assert bench.rejected(seat).open_decision == 0

    assert len(bench.streams[seat].of(Decide)) == asked

    bench.play_out()

    assert bench.over(seat).seats[seat] is why


def test_of_several_that_fall_the_first_is_placed_lowest() -> None:
    """T18."""
    bench = Bench(4, policy=FaultPolicy(OnFault.SUBSTITUTE)).begin()
    bench.play(3)
    for seat in (2, 0, 3):
        bench.match.resign(seat)
        bench.play(2)
    bench.play_out()

    assert bench.over(1).placements == (3, 1, 4, 2)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_when_the_last_seat_falls_the_match_ends(seats: int) -> None:
    bench = Bench(seats, policy=FaultPolicy(OnFault.SUBSTITUTE)).begin()
    bench.play(3)
    for seat in range(seats):
        assert not bench.is_over

        bench.match.resign(seat)
    result = bench.record().result

    assert result.termination is T.RESIGNED
    assert result.placements == tuple(range(seats, 0, -1))
    assert all(stream.of(Over) for stream in bench.streams)
    verify(bench.record(), get_game("ephyran"))


@pytest.mark.parametrize("why", [T.CANCELLED, T.INFRASTRUCTURE])
@pytest.mark.parametrize("moves", [0, 7])
def test_a_match_that_is_cancelled_is_not_rated_and_everybody_is_told(why: T, moves: int) -> None:
    bench = Bench(3).begin()
    bench.play(moves)
    bench.match.cancel(why)
    bench.match.cancel(why)
    record = bench.record()

    assert (record.result.termination, record.result.seats) == (why, (why,) * 3)
    assert not record.counts
    assert all(stream.last(Over).termination is why for stream in bench.streams)
    verify(record, get_game("ephyran"))


# -- seed and names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_seed_at_the_end_is_the_one_that_the_start_committed_to(seats: int) -> None:
    """H1: before the end nobody has seen it, and anyone can check it with a hash function alone."""
    bench = Bench(seats, options={"tie_break": "zones"}).begin()
    bench.play_out()
    record = bench.record()
    for stream in bench.streams:
        start, over = stream.last(Start), stream.last(Over)
        options = dict(get_game("ephyran").spec.parse_option(f"{key}={text}") for key, text in start.options.items())
        lines = ["agon deal 1", f"game {start.game}", f"version {start.version}"]
        lines += [f"option {key}={start.options[key]}" for key in sorted(start.options)]
        lines.append(f"seed {over.seed}")
        by_hand = blake2b("".join(f"{line}\n" for line in lines).encode(), digest_size=32).hexdigest()

        assert start.seed_commitment == record.commitment == by_hand
        assert by_hand == commitment(start.game, start.version, options, bytes.fromhex(over.seed))
        assert over.seed == bench.entry.seed
        for piece in stream.pieces[:-1]:
            assert bench.entry.seed.encode() not in piece
            assert bytes.fromhex(bench.entry.seed) not in piece


def test_a_seat_is_told_its_own_name_and_made_up_ones_for_the_others() -> None:
    """M9."""
    bench = Bench(3).begin()
    starts = [stream.last(Start) for stream in bench.streams]

    for seat, start in enumerate(starts):
        assert start.aliases[seat] == f"bot{seat}"
        assert len(set(start.aliases)) == 3
        assert not {f"bot{other}" for other in range(3) if other != seat} & set(start.aliases)
    assert starts[0].aliases[2] == starts[1].aliases[2]

    bench.play_out()
    names = {entry.bot for entry in bench.entry.seats} | {entry.owner for entry in bench.entry.seats}
    for seat, stream in enumerate(bench.streams):
        for other in names - {f"bot{seat}"}:
            assert other.encode() not in b"".join(stream.pieces)


def test_the_start_states_the_limits_the_policy_and_what_is_played_for() -> None:
    time, policy = TimeControl(move=S, increment=5, grace=7), FaultPolicy(OnFault.VOID, attempts=2, strikes=9)
    entry = make_entry(time=time, policy=policy, rated=False, deals=Deals.FRESH)
    start = Bench(entry=entry).begin().streams[0].last(Start)

    assert (start.time, start.policy, start.deals, start.rated) == (time, policy, Deals.FRESH, False)
    assert (start.game, start.version) == ("ephyran", get_game("ephyran").spec.version)
    assert set(start.options) == {option.name for option in get_game("ephyran").spec.options}
