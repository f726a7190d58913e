"""What a bot's own mistakes lead to on a server: told to its author, never silent, never the end of other matches."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

import pytest
from tests.support.bots import Recorder, ended, running
from tests.support.fake_server import FakeMatch, FakeServer, Stream

from agon.codec import down
from agon.codec.frames import Choose, Join, Note, NoticeKind, Ready, Resign, Slots
from agon_bots import BrokenBotError, OnError, Turn
from agon_bots.sdk.text import cut_note
from agon_engine.core import Termination


class Untold(Exception):
    def __str__(self) -> str:
        return str(1 // 0)


class Unseen:
    def __repr__(self) -> str:
        return str(1 // 0)


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
        (Untold(), "choose raised Untold: <Untold, whose str raises ZeroDivisionError> (test_bot_errors.py, line "),
        (
            Unseen(),
            "choose returned neither a listed action nor its index: <Unseen, whose repr raises ZeroDivisionError>",
        ),
        pytest.param(10**5_000, "choose returned an index outside 0 to", id="a number too long to be written"),
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


# -- too many in a row -------------------------------------------------------------------------------------------------


async def lose(stream: Stream, match: FakeMatch, *, is_last: bool = False) -> None:
    """Bring a match from its Offer to the end by the bot's own error; after the last one it takes no more."""
    stream.send(match.offer())
    await stream.next(Join)
    stream.send(match.start(), match.decide())
    await stream.next(Ready)
    if is_last:
        assert (await stream.next(Slots))[1].slots == 0
    await stream.next(Note)
    await stream.next(Resign)
    stream.send(match.over())


async def test_a_bot_whose_code_fails_in_so_many_matches_in_a_row_takes_no_more_and_says_why_once(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="agon_bots")
    async with running(answering(ValueError("boom")), server.address, max_errors=3) as client:
        stream = await server.stream()
        stream.send(server.welcome())
        for number in range(3):
            await lose(stream, FakeMatch(f"m-{number}"), is_last=number == 2)
        with pytest.raises(BrokenBotError, match="failed in 3 matches in a row") as caught:
            await ended(client)

    assert caught.value.exit_code == 1
    assert "choose raised ValueError: boom (test_bot_errors.py, line " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caplog.text.count("Traceback") == 1
    assert client.finished == 3
    caplog.clear()


async def test_a_match_that_goes_well_begins_the_count_anew(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    def choose(turn: Any) -> Any:
        return 0 if turn.match.id == "good" else [][0]

    good = FakeMatch("good")
    async with running(answering(choose), server.address, max_errors=2) as client:
        stream = await server.stream()
        stream.send(server.welcome())
        await lose(stream, FakeMatch("m-1"))
        stream.send(good.offer())
        await stream.next(Join)
        stream.send(good.start(), good.decide())
        await stream.next(Ready)
        await stream.next(Choose)
        stream.send(good.over())
        await lose(stream, FakeMatch("m-2"))
        await stream.settle()
        assert not stream.waiting

        await lose(stream, FakeMatch("m-3"), is_last=True)
        with pytest.raises(BrokenBotError):
            await ended(client)
    caplog.clear()


async def test_running_matches_are_ended_before_it_ends_by_too_many_errors(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    def choose(turn: Any) -> Any:
        return 0 if turn.match.id == "good" else [][0]

    good = FakeMatch("good")
    async with running(answering(choose), server.address, max_errors=1) as client:
        stream = await server.stream()
        stream.send(server.welcome(), good.offer())
        await stream.next(Join)
        stream.send(good.start())
        await stream.next(Ready)
        await lose(stream, FakeMatch("m-1"), is_last=True)
        stream.send(good.decide())
        await stream.next(Choose)
        stream.send(good.over())
        with pytest.raises(BrokenBotError):
            await ended(client)

    assert client.finished == 2
    caplog.clear()


async def test_with_no_bound_it_goes_on(server: FakeServer, caplog: pytest.LogCaptureFixture) -> None:
    async with running(answering(ValueError("boom")), server.address, max_errors=0) as client:
        stream = await server.stream()
        stream.send(server.welcome())
        for number in range(20):
            await lose(stream, FakeMatch(f"m-{number}"))
        await stream.settle()

        assert (client.finished, stream.waiting) == (20, [])
    caplog.clear()


async def test_an_error_again_in_one_match_is_not_told_again(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="agon_bots")
    match = FakeMatch()
    async with running(answering(ValueError("oops")), server.address, on_error=OnError.RANDOM):
        stream = await started(server, match)
        for _ in range(5):
            await stream.next(Note)
            match.choose((await stream.next(Choose))[1])
            stream.send(match.decide())

    assert caplog.text.count("choose raised ValueError") == 1
    caplog.clear()


async def test_a_seat_that_gave_up_is_not_told_again_that_it_is_out(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    resigned = Termination.RESIGNED
    out = down.notice("m-1", 0, 1, kind=NoticeKind.SEAT_OUT, message="the seat is out: resigned", termination=resigned)
    async with running(answering(ValueError("oops")), server.address):
        stream = await started(server, FakeMatch())
        await stream.next(Note)
        await stream.next(Resign)
        stream.send(out)
        await stream.settle()

    assert "the seat is out" not in caplog.text
    caplog.clear()


async def test_a_bot_that_hangs_in_match_after_match_takes_no_more(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Hanging(Recorder):
        async def choose(self, _: Any) -> Any:
            await asyncio.Event().wait()

    async with running(Hanging.fresh(), server.address, max_errors=2) as client:
        stream = await server.stream()
        stream.send(server.welcome())
        for number in range(2):
            match = FakeMatch(f"m-{number}")
            stream.send(match.offer())
            await stream.next(Join)
            stream.send(match.start(), match.decide())
            await stream.next(Ready)
            timeout = Termination.TIMEOUT
            stream.send(
                down.notice(match.id, 0, 1, kind=NoticeKind.SEAT_OUT, message="strikes are spent", termination=timeout),
                match.over(),
            )
        await stream.next(Slots)
        with pytest.raises(BrokenBotError, match="a method has not returned"):
            await ended(client)
    caplog.clear()


# -- errors that are no Exception --------------------------------------------------------------------------------------


class Halt(BaseException):
    """As a framework may raise through everything that catches Exception."""


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("error", [Halt("stop"), asyncio.CancelledError(), KeyboardInterrupt()])
async def test_whatever_choose_raises_gives_that_match_up_and_no_other(
    server: FakeServer, caplog: pytest.LogCaptureFixture, error: BaseException, quick: bool
) -> None:
    """KeyboardInterrupt in the main thread apart, which is the person's own."""
    if quick and isinstance(error, KeyboardInterrupt):
        return

    class Raising(Recorder):
        def choose(self, _: Any) -> Any:
            raise type(error)(*error.args)

    async with running(Raising.fresh(quick=quick), server.address):
        stream = await started(server, FakeMatch())
        assert type(error).__name__ in (await stream.next(Note))[1].text
        await stream.next(Resign)
        stream.send(FakeMatch("m-2").offer())
        await stream.next(Join)
    caplog.clear()


async def test_an_async_bot_whose_own_wait_is_cancelled_gives_that_match_up(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Waiting(Recorder):
        async def choose(self, _: Any) -> Any:
            waiting = asyncio.get_running_loop().create_future()
            waiting.cancel()
            await waiting

    async with running(Waiting.fresh(), server.address):
        stream = await started(server, FakeMatch())
        assert "CancelledError" in (await stream.next(Note))[1].text
        await stream.next(Resign)
    caplog.clear()


async def test_an_async_bot_that_does_not_let_itself_be_cancelled_is_not_heard_any_more(server: FakeServer) -> None:
    release = asyncio.Event()

    class Stubborn(Recorder):
        async def choose(self, turn: Turn) -> int:
            if turn.decision == 1:
                with suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
                await release.wait()
            return len(turn.actions) - 1 if turn.decision == 2 else 0

    match = FakeMatch()
    async with running(Stubborn.fresh(), server.address):
        stream = await started(server, match)
        await stream.settle()
        match.table.strike(0, Termination.TIMEOUT)
        stream.send(match.decide())
        second = (await stream.next(Choose))[1]
        match.choose(second)
        release.set()
        stream.send(match.decide())

        assert second.decision == 2
        assert (await stream.next(Choose))[1].decision == 3


async def test_a_bot_that_takes_long_to_be_made_holds_nothing_up(server: FakeServer) -> None:
    loop = asyncio.get_running_loop()
    release = asyncio.Event()

    class Large(Recorder):
        quick = False

        def __init__(self) -> None:
            super().__init__()
            asyncio.run_coroutine_threadsafe(release.wait(), loop).result()

    bot = Large.fresh()
    async with running(bot, server.address):
        stream = await server.stream()
        stream.send(server.welcome(), FakeMatch().offer())
        await stream.next(Join)
        stream.send(FakeMatch().start())
        await stream.settle()
        assert not stream.waiting
        release.set()
        await stream.next(Ready)

    assert len(bot.started) == 1
