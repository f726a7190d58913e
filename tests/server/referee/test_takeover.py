"""A match whose server is gone goes on from its journal: the same position, numbers, answers and accounts, every seat
with the time that it has; and a journal that cannot be followed is refused with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.server.referee.test_turns import STEP, act
from tests.support.referee import Bench, DirectJournal, TurnJournal, make_entry

from agon.codec.frames import Accepted, Decide, Notice, RejectedCode, Start
from agon_engine.core import FaultPolicy, OnFault, Termination, TimeControl
from agon_engine.core.replay import verify
from agon_engine.registry import game_names, get_game
from agon_server.referee.entries import JournalError
from agon_server.referee.match import Phase
from agon_server.referee.takeover import take_over

S = 1_000_000
T = Termination
TIME = TimeControl(move=S, bank=10 * S, grace=0, connect=30 * S)
GOES_ON = FaultPolicy(OnFault.SUBSTITUTE, strikes=100)
ENDS = FaultPolicy(OnFault.FORFEIT)


def run(work: Any) -> Any:
    """Run what never waits for anything but a turn of the loop."""
    try:
        while True:
            work.send(None)
    except StopIteration as done:
        return done.value


def taken_over(bench: Bench, lines: list[bytes] | None = None) -> Bench:
    """Return the same match as another server has it after the first one is gone."""
    bench.match.abandon()
    other = Bench(entry=bench.entry)
    opening = run(take_over(other.match, bench.journal.lines if lines is None else lines))
    other.match.resume(opening)
    return other


def facts(bench: Bench) -> dict[str, Any]:
    """Return all that decides how a match goes on, and what its seats have been told."""
    table = bench.match.table
    seats = range(len(bench.streams))
    answers = [bench.match.seats[seat].answers for seat in seats if not table.conduct.is_out(seat)]
    return {
        "state": table.state.digest(),
        "decision": table.decision and (table.decision.seat, table.decision.prompt, table.decision.actions),
        "asked": table.asked,
        "accounts": table.accounts,
        "strikes": table.conduct.strikes,
        "fallen": list(table.conduct.fallen.items()),
        "moves": table.moves,
        "faults": table.faults,
        "result": table.result,
        "events": [[table._logs.events_after(seat, 0) for seat in seats]],
        "answers": answers if table.result is None else [],
        "started": bench.match.started,
        "lines": [line.encode() for line in bench.match.lines],
    }


def played(decisions: int, seats: int = 2, **changes: Any) -> Bench:
    bench = Bench(seats, time=TIME, policy=changes.pop("policy", GOES_ON), **changes).begin()
    bench.play(decisions, seconds=0.2)
    return bench


# -- the same match ------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(
    st.lists(STEP, max_size=80),
    st.sampled_from(game_names()),
    st.integers(2, 4),
    st.sampled_from(list(OnFault)),
    st.booleans(),
)
def test_whatever_has_happened_the_match_stands_as_it_stood(
    steps: list[tuple[str, int, bool]], game: str, seats: int, on_fault: OnFault, direct: bool
) -> None:
    """At any moment, also where entries are stored whose consequences nobody has seen yet."""
    journal = DirectJournal() if direct else TurnJournal()
    policy = FaultPolicy(on_fault, attempts=2)
    entry = make_entry(seats, time=TimeControl(move=S, bank=0, grace=0), policy=policy, game=game)
    bench = Bench(entry=entry, journal=journal).begin()
    for what, seat, turn_ends in steps:
        if bench.is_over:
            break
        act(bench, what, seat % seats)
        if turn_ends:
            journal.end_of_turn()
    lines = list(journal.lines)
    journal.end_of_turn()
    before = facts(bench)
    other = taken_over(bench, lines)

    assert facts(other) == before
    assert other.is_over == bench.is_over
    if bench.is_over:
        assert other.record().result == bench.record().result
    else:
        assert other.match.phase is Phase.PLAYING


@pytest.mark.parametrize("game", game_names())
def test_the_record_of_a_match_that_changed_hands_is_that_of_one_that_did_not(game: str) -> None:
    whole = Bench(entry=make_entry(time=TIME, policy=GOES_ON, game=game)).begin()
    entry = whole.entry
    whole.play_out(seconds=0.2)
    parts = Bench(2, entry=entry).begin()
    for _ in range(5):
        parts.play(6, seconds=0.2)
        parts = taken_over(parts, [line.encode() for line in parts.match.lines])
        for seat in range(2):
            parts.join(seat)
    parts.play_out(seconds=0.2)

    assert parts.record() == whole.record()
    verify(parts.record(), get_game(game))


def test_nothing_is_told_or_counted_again_by_a_replay() -> None:
    bench = Bench(3, time=TIME, policy=FaultPolicy(OnFault.SUBSTITUTE, attempts=1)).begin()
    bench.play(3)
    bench.choose(index=999)
    bench.match.resign(bench.to_act)
    other = taken_over(bench)
    samples = {
        sample.name: sample.value
        for family in other.metrics.registry.collect()
        for sample in family.samples
        if sample.name in ("agon_decision_seconds_count", "agon_strikes_total", "agon_faults_total") and sample.value
    }

    assert samples == {}
    assert other.host.ended == []
    assert other.journal.entries == []


# -- going on ------------------------------------------------------------------------------------------------


def test_a_seat_that_joins_gets_start_and_its_open_decide_under_the_old_numbers() -> None:
    bench = played(7)
    seat = bench.to_act
    asked = bench.streams[seat].last(Decide)
    other = taken_over(bench)
    stream = other.join(seat)
    decide = stream.last(Decide)

    assert stream.kinds == ["Start", "Decide"]
    assert (decide.sequence, decide.decision, decide.actions, decide.view) == (
        asked.sequence,
        asked.decision,
        asked.actions,
        asked.view,
    )
    assert (decide.clock.bank_us, decide.clock.allowed_us) == (asked.clock.bank_us, asked.clock.allowed_us)
    assert stream.last(Start) == bench.streams[seat].last(Start)


def test_a_seat_is_told_the_events_since_the_sequence_that_it_names() -> None:
    bench = played(9)
    seat = bench.to_act
    sequence = bench.streams[seat].of(Decide)[-2].sequence
    other = taken_over(bench)
    told = other.join(seat, sequence=sequence).last(Decide).events

    assert told == bench.streams[seat].last(Decide).events


def test_answers_are_known_as_before() -> None:
    """A repeat of the stored index is accepted, any other one conflicts, and a substitute stands."""
    bench = Bench(2, time=TIME, policy=FaultPolicy(OnFault.SUBSTITUTE, attempts=1, strikes=9)).begin()
    bench.choose(index=1)
    bench.choose(index=1)
    bench.choose(index=999)
    other = taken_over(bench)
    for seat in range(2):
        other.join(seat)
    answers = [other.match.seats[seat].answers for seat in range(2)]
    for seat, known in enumerate(answers):
        for number, stored in enumerate(known, 1):
            other.choose(seat, max(stored, 0), decision=number)
            if stored < 0:
                assert other.rejected(seat).code is RejectedCode.EXPIRED
            else:
                assert other.streams[seat].last(Accepted).index == stored
                other.choose(seat, stored + 1, decision=number)
                assert other.rejected(seat).code is RejectedCode.CONFLICT

    assert {-1, 1} == set(answers[0] + answers[1])


def test_a_seat_that_has_fallen_is_told_so() -> None:
    bench = played(4, 3)
    fallen = bench.to_act
    bench.match.resign(fallen)
    other = taken_over(bench)

    assert other.join(fallen).last(Notice).termination is T.RESIGNED
    assert other.match.missing == [seat for seat in range(3) if seat != fallen]


def test_a_match_that_had_ended_ends_at_once_and_as_it_had() -> None:
    bench = played(0)
    bench.play_out(seconds=0.1)
    other = taken_over(bench)

    assert other.is_over
    assert other.record() == bench.record()
    assert other.clock.pending == 0
    assert [stream.kinds for stream in other.streams] == [[], []]


def test_a_match_that_ended_before_it_began_ends_so() -> None:
    bench = Bench(2, time=TIME)
    bench.join(0)
    bench.match.resign(0)
    other = taken_over(bench)

    assert other.record().result.termination is T.NO_SHOW
    assert other.record().result.seats == (T.RESIGNED, T.CANCELLED)


def test_attempts_that_led_to_nothing_are_given_again() -> None:
    """Nothing has followed from them; those of decisions that were answered stay in the record."""
    bench = Bench(2, time=TIME, policy=FaultPolicy(OnFault.FORFEIT, attempts=3)).begin()
    bench.choose(index=999)
    bench.choose()
    seat = bench.to_act
    bench.choose(index=999)
    bench.choose(index=999)
    other = taken_over(bench)
    for each in range(2):
        other.join(each)

    assert other.match.question(seat)[1] == 3
    assert other.match.table.moves[0].attempts == 2


# -- clocks --------------------------------------------------------------------------------------------------


def test_the_clock_of_the_open_decision_starts_when_its_seat_joins_with_all_that_it_had() -> None:
    bench = played(6)
    seat = bench.to_act
    bench.clock.advance(8)  # most of it is gone, and given back
    bank = bench.match.table.accounts[seat].bank
    other = taken_over(bench)
    other.join(1 - seat)
    other.clock.advance(29)

    assert other.match.question(seat)[0] == bench.match.table.asked[seat]

    other.join(seat)
    other.clock.advance((S + bank) / S - 0.1)
    other.choose(seat)

    assert other.match.table.faults == []
    assert other.match.table.moves[-1].elapsed_us == S + bank - S // 10


def test_the_clock_of_a_later_decision_too_waits_for_a_seat_that_has_not_come_back() -> None:
    bench = played(6)
    first = bench.to_act
    other = taken_over(bench)
    other.join(first)
    while other.to_act == first:
        other.choose()
    other.clock.advance(29)
    second = other.join(1 - first)
    other.clock.advance(1)
    other.choose(1 - first)

    assert second.kinds[:2] == ["Start", "Decide"]
    assert other.match.table.moves[-1].elapsed_us == S
    assert other.match.table.faults == []


def test_a_deadline_fires_after_a_takeover_as_ever() -> None:
    bench = played(6)
    other = taken_over(bench)
    seat = other.to_act
    for each in range(2):
        other.join(each)
    allowed = other.match.table.accounts[seat].allowed
    other.clock.advance(allowed / S + 1)

    assert other.match.table.faults[0].termination is T.TIMEOUT


def test_a_join_again_does_not_give_the_time_again() -> None:
    bench = played(6)
    other = taken_over(bench)
    seat = other.to_act
    other.join(seat)
    other.join(1 - seat)
    other.clock.advance(1)
    other.come_back(seat)
    other.clock.advance(1)
    other.choose(seat)

    assert other.match.table.moves[-1].elapsed_us == 2 * S


def test_a_seat_that_does_not_come_back_falls_at_the_connect_limit() -> None:
    bench = played(6, policy=ENDS)
    other = taken_over(bench)
    there = other.to_act
    other.join(there)
    other.clock.advance(5)
    other.choose(there)
    other.clock.advance(26)

    assert other.record().result.seats[1 - there] is T.DISCONNECT
    assert other.over(there).termination is T.DISCONNECT


def test_where_nobody_comes_back_it_is_no_bots_fault() -> None:
    other = taken_over(played(6, policy=ENDS))
    other.clock.advance(31)

    assert other.record().result.termination is T.INFRASTRUCTURE


# -- broken journals -----------------------------------------------------------------------------------------


def cut(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-1], lines[-1][:-9]]


def gap(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], *lines[5:]]


def headless(lines: list[bytes]) -> list[bytes]:
    return lines[1:]


def twice(lines: list[bytes]) -> list[bytes]:
    return [*lines, lines[-1]]


def renumbered(lines: list[bytes]) -> list[bytes]:
    """The last entry, which cannot stand twice, once more under the next number."""
    return [*lines, lines[-1].replace(b"[6", b"[7", 1)]


def of_another_match(lines: list[bytes]) -> list[bytes]:
    other = Bench(2, time=TIME).begin()
    other.play(8)
    return [*lines, other.journal.lines[7]]


def changed(place: int, value: object, entry: int = 3) -> Callable[[list[bytes]], list[bytes]]:
    def change(lines: list[bytes]) -> list[bytes]:
        values = json.loads(lines[entry])
        values[place] = value
        return [*lines[:entry], json.dumps(values, separators=(",", ":")).encode(), *lines[entry + 1 :]]

    return change


def unlisted(lines: list[bytes]) -> list[bytes]:
    """An action that the game has, and the open decision has not."""
    bench = Bench(2, time=TIME).begin()
    bench.play(2, seconds=0.2)
    decision = bench.match.table.decision
    assert decision is not None
    codes = get_game("ephyran").notation.codes
    other = next(action for action in range(len(codes)) if action not in decision.actions)
    return changed(4, codes[other])(lines)


def put_in(line: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [*lines, line]


BROKEN: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "cut": (cut, "entry 6 is no line of JSON, or was cut"),
    "gap": (gap, "entry 4 has another number: '5'"),
    "headless": (headless, "entry 0 has another number: '1'"),
    "twice": (twice, "entry 7 has another number: '6'"),
    "an answer twice": (renumbered, "entry 7 cannot follow those before it"),
    "another match's": (of_another_match, "entry 7 is of another match"),
    "another format": (changed(3, 2, 0), "the journal is of another format than 1: '2'"),
    "another rules version": (changed(4, 9, 0), "the journal is of rules version 9, not 1"),
    "another kind": (changed(2, "guess"), "entry 3 is not written as entries are"),
    "begun twice": (
        put_in(b'[7,"TAG","begin",1,1,"2030-01-31T12:00:00Z",["",""]]'),
        "entry 7 is not written as entries are",
    ),
    "begun in the middle": (
        put_in(b'[0,"TAG","begin",1,1,"2030-01-31T12:00:00Z",["",""]]'),
        "entry 7 has another number",
    ),
    "no such seat": (changed(3, 2), "entry 3 is about a seat that the match has not: '2'"),
    "not the seat asked": (lambda lines: changed(3, 1 - json.loads(lines[3])[3])(lines), "entry 3 cannot follow"),
    "no such action": (changed(4, "castle"), "entry 3 is not written as entries are"),
    "an action that is not listed": (unlisted, "entry 3 cannot follow those before it"),
    "too many attempts": (changed(5, 99), "entry 3 cannot follow those before it"),
    "no time": (changed(6, None), "entry 3 is not written as entries are"),
    "time as text": (changed(6, "1"), "entry 3 is not written as entries are"),
    "time as a fraction": (changed(6, 1.5), "entry 3 is not written as entries are"),
    "no JSON": (put_in(b"OK"), "entry 7 is no line of JSON"),
    "no text": (put_in(b"\xff\xfe"), "entry 7 is no line of JSON"),
    "nested": (put_in(b"[" * 100_000), "entry 7 is no line of JSON"),
    "empty": (put_in(b""), "entry 7 is no line of JSON"),
    "an object": (put_in(b"{}"), "entry 7 is not written as entries are"),
    "too long": (put_in(b'[7,"TAG","fall",0,"resigned"' + b" " * 99_999 + b"]"), "entry 7 is no line of JSON"),
    "spaces": (put_in(b'[7, "TAG", "fall", 0, "resigned"]'), "entry 7 is not written as entries are"),
    "a fall by score": (put_in(b'[7,"TAG","fall",0,"score"]'), "entry 7 cannot follow those before it"),
    "an end by score": (put_in(b'[7,"TAG","end","score",null]'), "entry 7 cannot follow those before it"),
    "an end for three": (put_in(b'[7,"TAG","end","cancelled",["score"]]'), "entry 7 is not written as entries are"),
    "a strike for nothing": (put_in(b'[7,"TAG","strike",0,"resigned",0,0,0,0,0]'), "entry 7 cannot follow"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_journal_that_cannot_be_followed_is_refused_with_its_place(what: str) -> None:
    change, reason = BROKEN[what]
    bench = played(6)
    tag = bench.entry.match[-4:].encode()
    lines = [line.replace(b"TAG", tag) for line in change(bench.journal.lines)]
    other = Bench(entry=bench.entry)

    with pytest.raises(JournalError) as error:
        run(take_over(other.match, lines))

    assert reason in str(error.value)
    assert len(str(error.value)) < 120


def test_what_comes_after_the_end_is_refused() -> None:
    bench = played(0)
    bench.play_out()
    lines = bench.journal.lines
    more = lines[-1].replace(f"[{len(lines) - 1}".encode(), f"[{len(lines)}".encode(), 1)

    with pytest.raises(JournalError, match=f"entry {len(lines)} comes after the end of the match"):
        run(take_over(Bench(entry=bench.entry).match, [*lines, more]))


def test_a_refused_journal_is_of_another_entry_too() -> None:
    """The same bots and rules, another deal: what was chosen there is not listed here."""
    bench = played(20)
    other = Bench(entry=make_entry(match=bench.entry.match, seed="ff" * 16))

    with pytest.raises(JournalError, match="cannot follow those before it"):
        run(take_over(other.match, bench.journal.lines))
