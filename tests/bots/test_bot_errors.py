"""What a bot's own mistakes lead to on a server: told to its author, never silent, never the end of other matches."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.support.bots import Recorder, running
from tests.support.fake_server import FakeMatch, FakeServer

from agon.codec.frames import Choose, Join, Note, Ready, Resign
from agon_bots import OnError
from agon_bots.sdk.seat import cut_note


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with FakeServer() as server:
        yield server


def answering(value: Any) -> type[Recorder]:
    """Return a bot whose `choose` returns the value, or raises it."""

    class Answering(Recorder):
        def choose(self, turn: Any) -> Any:
            if isinstance(value, BaseException):
                raise type(value)(*value.args)
            return value(turn) if callable(value) else value

    return Answering.fresh()


async def started(server: FakeServer, match: FakeMatch) -> Any:
    stream = await server.stream()
    stream.send(server.welcome(), match.offer())
    await stream.next(Join)
    stream.send(match.start(), match.decide())
    await stream.next(Ready)
    return stream


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("fly to Olympus", "choose returned an action that is not listed: 'fly to Olympus'"),
        (1_000, "choose returned an index outside 0 to"),
        (-1, "choose returned an index outside 0 to"),
        (None, "choose returned neither a listed action nor its index: None"),
        (True, "choose returned an index outside 0 to"),
        (0.0, "choose returned neither a listed action nor its index: 0.0"),
        (ZeroDivisionError("no gods left"), "choose raised ZeroDivisionError: no gods left (test_bot_errors.py, line "),
        (SystemExit(3), "choose raised SystemExit: 3 (test_bot_errors.py, line "),
    ],
)
async def test_what_is_no_answer_gives_that_match_up_and_says_why(
    server: FakeServer, caplog: pytest.LogCaptureFixture, value: Any, told: str
) -> None:
    match = FakeMatch()
    async with running(answering(value), server.address):
        stream = await started(server, match)
        note = (await stream.next(Note))[1].text
        await stream.next(Resign)
        stream.send(match.decide(full=True))
        await stream.settle()

        assert not stream.waiting
    assert note.startswith(told)
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert told in errors[0]
    assert errors[0].endswith("the match is given up")
    caplog.clear()


async def test_with_on_error_random_the_seat_plays_on(server: FakeServer, caplog: pytest.LogCaptureFixture) -> None:
    match = FakeMatch()
    async with running(answering(ValueError("oops")), server.address, on_error=OnError.RANDOM):
        stream = await started(server, match)
        for _ in range(3):
            await stream.next(Note)
            match.choose((await stream.next(Choose))[1])
            stream.send(match.decide())

    tracebacks = [record for record in caplog.records if "Traceback" in record.getMessage()]
    assert len(tracebacks) == 1
    assert "sdk" not in tracebacks[0].getMessage()
    caplog.clear()


@pytest.mark.parametrize("method", ["__init__", "start"])
async def test_an_error_before_the_first_turn_gives_the_match_up_too(
    server: FakeServer, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("the book of openings is gone")

    match = FakeMatch()
    async with running(Recorder.fresh(**{method: fail}), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), match.offer())
        await stream.next(Join)
        stream.send(match.start())
        await stream.next(Ready)
        assert "the book of openings is gone" in (await stream.next(Note))[1].text
        await stream.next(Resign)
    caplog.clear()


async def test_an_error_at_the_end_of_a_match_is_told_and_changes_nothing(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("late")

    match, other = FakeMatch(), FakeMatch("m-2")
    async with running(Recorder.fresh(over=fail), server.address) as client:
        stream = await started(server, match)
        await stream.next(Choose)
        stream.send(match.over(), other.offer())
        await stream.next(Join)
        assert client.finished == 1

    assert "over raised RuntimeError: late" in caplog.text
    caplog.clear()


async def test_a_bot_resigns_and_writes_notes_by_its_own_methods(server: FakeServer) -> None:
    class Modest(Recorder):
        def choose(self, turn: Any) -> Any:
            self.note(f"{len(turn.actions)} actions, none good")
            return self.resign()

    match = FakeMatch()
    async with running(Modest.fresh(), server.address):
        stream = await started(server, match)
        assert (await stream.next(Note))[1].text.endswith("actions, none good")
        await stream.next(Resign)
        await stream.settle()

        assert not stream.waiting


@pytest.mark.parametrize("text", ["short", "é" * 3_000, "a\ud800b"])
def test_a_note_fits_the_contract_and_says_what_was_cut(text: str) -> None:
    note = cut_note(text)

    assert len(note.encode()) <= 4_096
    assert note == text or "6000 bytes" in note or note == "a?b"
