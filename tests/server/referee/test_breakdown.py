"""Bugs of ours, planted: whatever escapes from rules or codec ends that match as infrastructure, unrated and told to
everybody; no other match, no stream and no hidden fact goes with it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.referee import Bench, TurnJournal

from agon.codec.down import SeatEncoder
from agon.codec.frames import Decide, Over
from agon_engine.core import FaultPolicy, OnFault, State, Termination, TimeControl
from agon_engine.core.replay import verify
from agon_engine.ephyran.state import EphyranState
from agon_engine.registry import get_game
from agon_server.trace import places

T = Termination
TIME = TimeControl(move=1_000_000, bank=0, grace=0)
POLICY = FaultPolicy(OnFault.SUBSTITUTE)
SECRET = "the top of the deck is pegasus"


class HiddenFactError(Exception):
    """A bug's own words may name what is hidden."""


Break = Callable[[str], None]


@pytest.fixture
def bench() -> Bench:
    bench = Bench(3, time=TIME, policy=POLICY, journal=TurnJournal()).begin()
    for _ in range(5):
        bench.choose()
        turn(bench)
    return bench


@pytest.fixture
def break_rules(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Break:
    """Let a method of the rules fail in this match, and in no other."""
    state = bench.match.table.state

    def plant(name: str) -> None:
        whole = getattr(EphyranState, name)

        def broken(self: State[Any], *arguments: Any) -> Any:
            if self is state:
                raise HiddenFactError(SECRET)
            return whole(self, *arguments)

        monkeypatch.setattr(EphyranState, name, broken)

    return plant


def turn(bench: Bench) -> None:
    assert isinstance(bench.journal, TurnJournal)
    bench.journal.end_of_turn()


def check_ended(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """It is over, unrated, told to everybody, told to the log without its secret, and leaves no timer."""
    record = bench.record()

    assert record.result.termination is T.INFRASTRUCTURE
    assert not record.counts
    assert [len(stream.of(Over)) for stream in bench.streams] == [1, 1, 1]
    assert bench.clock.pending == 0
    assert bench.entry.match in caplog.text
    assert "HiddenFactError" in caplog.text
    assert "pegasus" not in caplog.text
    assert {entry.levelno for entry in caplog.records} == {logging.ERROR}


def test_a_choice_that_breaks_the_rules_code_ends_the_match(
    bench: Bench, break_rules: Break, caplog: pytest.LogCaptureFixture
) -> None:
    break_rules("apply")
    bench.choose()
    turn(bench)

    check_ended(bench, caplog)
    assert len(bench.record().moves) == 6
    assert bench.record().digest == ""


def test_a_strike_whose_substitute_breaks_the_rules_code_ends_the_match(
    bench: Bench, break_rules: Break, caplog: pytest.LogCaptureFixture
) -> None:
    break_rules("apply")
    bench.clock.advance(1)
    turn(bench)

    check_ended(bench, caplog)


def test_a_view_that_cannot_be_built_ends_the_match(
    bench: Bench, break_rules: Break, caplog: pytest.LogCaptureFixture
) -> None:
    break_rules("view")
    bench.choose()
    turn(bench)

    check_ended(bench, caplog)
    verify(bench.record(), get_game("ephyran"))


@pytest.mark.parametrize("again", ["join", "illegal"])
def test_also_where_it_is_sent_again(
    bench: Bench, break_rules: Break, caplog: pytest.LogCaptureFixture, again: str
) -> None:
    seat = bench.to_act
    break_rules("view")
    if again == "join":
        bench.come_back(seat)
    else:
        bench.choose(seat, 999)

    check_ended(bench, caplog)


def test_also_before_the_first_decision(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(3)

    def broken(*_: Any) -> None:
        raise HiddenFactError(SECRET)

    monkeypatch.setattr(EphyranState, "view", broken)
    bench.begin()

    check_ended(bench, caplog)


def test_also_where_nothing_can_be_ranked(bench: Bench, break_rules: Break, caplog: pytest.LogCaptureFixture) -> None:
    break_rules("view")
    break_rules("standing")
    bench.choose()
    turn(bench)

    check_ended(bench, caplog)
    assert bench.record().result.scores == (0, 0, 0)


def test_a_frame_that_cannot_be_encoded_ends_the_match(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> bytes:
        raise HiddenFactError(SECRET)

    monkeypatch.setattr(SeatEncoder, "decide", broken)
    bench.choose()
    turn(bench)

    check_ended(bench, caplog)


def test_the_other_matches_of_the_turn_go_on(
    bench: Bench, break_rules: Break, caplog: pytest.LogCaptureFixture
) -> None:
    other = Bench(2, time=TIME, policy=POLICY, journal=bench.journal).begin()
    asked = [len(stream.of(Decide)) for stream in other.streams]
    break_rules("apply")
    bench.choose()
    other.choose()
    turn(bench)

    check_ended(bench, caplog)
    assert sum(len(stream.of(Decide)) for stream in other.streams) == sum(asked) + 1
    assert not other.is_over


def test_an_error_is_told_by_the_places_of_it_and_of_its_causes() -> None:
    def fail() -> None:
        raise HiddenFactError(SECRET)

    def wrap() -> None:
        try:
            fail()
        except HiddenFactError as error:
            raise ValueError(f"it was {error}") from error

    with pytest.raises(ValueError, match="pegasus") as raised:
        wrap()
    text = places(raised.value)

    assert [line for line in text.splitlines() if not line.startswith(" ")] == ["ValueError", "HiddenFactError"]
    assert text.count("test_breakdown.py") == 4
    assert text.splitlines()[-1].endswith(" fail")
    assert "pegasus" not in text
