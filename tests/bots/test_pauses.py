"""What a client does while its server can do nothing, asks it to slow down, or has its match no more."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.bots import Recorder, running
from tests.support.e2e import until
from tests.support.fake_server import FakeMatch, FakeServer, offered_elsewhere

from agon.codec import down
from agon.codec.frames import Choose, Join, NoticeKind, Ready, RefusedCode, RejectedCode, Slots
from agon_bots.sdk import client as client_module


def notice(kind: NoticeKind, message: str) -> bytes:
    return down.notice(kind=kind, message=message)


async def test_a_pause_is_said_once_and_no_time_counts_while_it_lasts(
    server: FakeServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that was offered before it is not forgotten, however long its server waits."""
    caplog.set_level("INFO", "agon_bots")
    monkeypatch.setattr(client_module, "START_SECONDS", 0.01)
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        paused = [notice(NoticeKind.PAUSED, "the store is away")] * 3
        stream.send(server.welcome(), *paused, match.offer())
        await stream.next(Join)
        await stream.settle()
        [seat] = client.seats.values()
        before = seat.waits_since
        await until(lambda: seat.waits_since > before, what="the client looks after its seats")

        assert client.seats

        stream.send(*[notice(NoticeKind.RESUMED, "the store is back")] * 2, match.start(), match.decide())
        await stream.next(Ready)
        await stream.next(Choose)

    told = [record.getMessage() for record in caplog.records if "the store is" in record.getMessage()]
    assert told == [
        f"{server.address}: paused: the store is away",
        f"{server.address}: resumed: the store is back",
    ]


async def test_a_pause_of_two_servers_is_said_once_and_ends_with_the_last(
    server: FakeServer, other: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    """They share a store."""
    caplog.set_level("INFO", "agon_bots")
    async with running(Recorder.fresh(), server.address):
        first, second = await offered_elsewhere(server, other, FakeMatch())
        for stream in (first, second):
            stream.send(notice(NoticeKind.PAUSED, "the store is away"))
            await stream.settle()
        for stream in (first, second):
            stream.send(notice(NoticeKind.RESUMED, "the store is back"))
            await stream.settle()

    told = [record.getMessage() for record in caplog.records if "the store is" in record.getMessage()]
    assert [line.rpartition(": ")[2] for line in told] == ["the store is away", "the store is back"]


async def test_a_server_that_refuses_is_not_silent(server: FakeServer) -> None:
    """C5: a bot waits for one whose store is away as long as it is told so."""
    refusals = 6
    async with running(Recorder.fresh(), server.address, silence=1.5):
        for _ in range(refusals):
            (await server.stream()).refuse(RefusedCode.NOT_SERVING, "the store is away", retry_delay=0.5)
        await server.stream()


async def test_a_server_that_asks_to_slow_down_is_told_nothing_more_for_so_long(server: FakeServer) -> None:
    """L7: whatever the match; what is said then comes in one message."""
    loop = asyncio.get_running_loop()
    matches = [FakeMatch(f"m-{number}") for number in range(3)]
    async with running(Recorder.fresh(), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), *(match.offer() for match in matches))
        for _ in matches:
            await stream.next(Join)
        slower = down.rejected(
            "m-0", 0, 0, code=RejectedCode.RATE, message="slower", frame="join", retry_delay_us=400_000
        )
        asked = loop.time()
        stream.send(slower, *(match.start() for match in matches[1:]))
        await stream.until(lambda: stream.waiting)

        assert loop.time() - asked >= 0.39
        await stream.until(lambda: len(stream.waiting) == 3)
        assert sorted((frame.match, frame.kind) for frame in stream.waiting) == [
            ("m-0", "join"),
            ("m-1", "ready"),
            ("m-2", "ready"),
        ]


async def test_slots_that_came_too_fast_are_said_again(server: FakeServer) -> None:
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(), FakeMatch().offer())
        await stream.next(Join)
        client.drain()
        await stream.next(Slots)
        stream.send(down.rejected("", 0, 0, code=RejectedCode.RATE, message="slower", frame="slots", retry_delay_us=1))

        assert (await stream.next(Slots))[1].slots == 0


async def test_a_match_that_has_moved_is_not_answered_where_it_was(server: FakeServer, other: FakeServer) -> None:
    """R4: its old referee is there and does not know it any more, which must not end it at the new one."""
    go = asyncio.Event()

    class Slow(Recorder):
        async def choose(self, turn):  # type: ignore[no-untyped-def]  # as authors write it
            await go.wait()
            return turn.actions[0]

    match = FakeMatch()
    moved = FakeMatch(epoch=2)
    moved.table = match.table
    async with FakeServer() as third, running(Slow.fresh(), server.address):
        first, second = await offered_elsewhere(server, other, match)
        second.send(match.decide())
        await second.settle()
        first.send(moved.offer(third.address))
        await first.settle()
        go.set()
        new = await third.stream()
        await second.over()
        assert not second.waiting

        new.send(third.welcome())
        await new.next(Join)
        new.send(moved.start(), moved.decide())
        await new.next(Ready)
        match.choose((await new.next(Choose))[1])


async def test_a_match_that_its_server_has_let_go_is_asked_for_and_keeps_its_bot(
    server: FakeServer, other: FakeServer
) -> None:
    """R4: a referee that was overtaken says nothing until the bot answers; that answer then goes to the other."""
    bot = Recorder.fresh()
    match = FakeMatch()
    moved = FakeMatch(epoch=2)
    moved.table = match.table
    async with running(bot, server.address):
        stream = await server.stream()
        stream.send(server.welcome(), match.offer())
        await stream.next(Join)
        stream.send(match.start(), match.decide())
        await stream.next(Ready)
        answer = (await stream.next(Choose))[1]
        no_match = RejectedCode.NO_MATCH
        stream.send(down.rejected("m-1", 0, 0, code=no_match, message="no match that was joined", frame="choose"))
        await stream.next(Join)
        stream.send(moved.offer(other.address))
        new = await other.stream()
        new.send(other.welcome())
        await new.next(Join)
        new.send(moved.start(), moved.decide(full=True))
        await new.next(Ready)

        assert (await new.next(Choose))[1] == answer
    assert (len(bot.made), len(bot.turns)) == (1, 1)
