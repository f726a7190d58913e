"""Streams and matches that have ended leave no task, no timer and no object behind, however they ended."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.referee import Bench, FakeStream, ManualClock
from tests.support.streams import Client, FakeWire, StreamBench, settle

from agon.codec import down
from agon.codec.frames import Choose, Join, Note, NoticeKind, Ready, RefusedCode
from agon_engine.core import FaultPolicy, OnFault, Termination
from agon_server.referee import stream as stream_module
from agon_server.referee.match import Match
from agon_server.referee.pulse import Pulse
from agon_server.referee.seat import SeatPlay
from agon_server.referee.stream import BotStream, Ending, StreamLimits

STREAMS = 2_000
AT_ONCE = 100

LIMITS = StreamLimits(unsent_bytes=20_000, frames_per_second=100, refused_per_minute=20)


class GoneError(Exception):
    """What gRPC raises when the other side has gone."""


GoneError.__module__ = "grpc._cython.cygrpc"


def close(client: Client) -> None:
    client.wire.arrive(None)


def vanish(client: Client) -> None:
    client.wire.break_down(GoneError())


def cancel(client: Client) -> None:
    client.serving.cancel()


def flood(client: Client) -> None:
    for _ in range(30):
        client.wire.arrive(b"\xff")


def stop_reading(client: Client) -> None:
    client.wire.block()
    for _ in range(30):
        client.stream.send(down.notice(kind=NoticeKind.WAIT, message="x" * 1_000))


def replace(client: Client) -> None:
    client.stream.end(Ending(RefusedCode.REPLACED, "a newer stream has taken over"))


WAYS: tuple[Callable[[Client], None], ...] = (close, vanish, cancel, flood, stop_reading, replace)


def alive(*kinds: type) -> list[Any]:
    """Return what is left of these kinds after everything that nobody holds is collected."""
    gc.collect()
    return [each for each in gc.get_objects() if type(each) in kinds]


async def test_thousands_of_streams_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """They join one match after the other's loss, play, say what does not fit, and end in all the ways there are."""
    monkeypatch.setattr(stream_module, "FLUSH_SECONDS", 0.0)
    assert alive(BotStream, FakeWire) == []
    async with StreamBench(limits=LIMITS, policy=FaultPolicy(OnFault.SUBSTITUTE, strikes=100)) as bench:
        match, entry = bench.match, bench.entry
        for batch in range(STREAMS // AT_ONCE):
            clients = [bench.connect(f"bot{number % 2}") for number in range(AT_ONCE)]
            for number, client in enumerate(clients):
                client.put(Join(f"ticket {number % 2}"), Ready(), Note("here"), match=entry.match, seat=number % 2)
                client.put(Choose(match.table.asked[number % 2], 0), match=entry.match, seat=number % 2)
                client.put(Choose(1, 0), match="another")
            await settle()

            if batch % 5 == 0:
                assert len(alive(BotStream)) == AT_ONCE

            for number, client in enumerate(clients[:-2]):
                WAYS[number % len(WAYS)](client)
            for client in clients[-2:]:  # these have the seats: one that floods would lose its seat for good
                WAYS[batch % 3](client)
            await asyncio.gather(*(client.serving for client in clients), return_exceptions=True)
            for client in clients:
                client.wire.unblock()
                await client.stream.last_write()
            bench.clients.clear()
            del client, clients
            await settle()

        assert len(match.table.moves) >= STREAMS // AT_ONCE - 1  # the first ones choose before they are asked
        assert not bench.host.ended
        assert asyncio.all_tasks() == {asyncio.current_task(), bench.storing}
        assert bench.clock.pending <= 4  # the match's own: its life, its decision, its two seats
        assert alive(BotStream, FakeWire) == []


@pytest.mark.parametrize("turns", range(6))
@pytest.mark.parametrize("way", [close, vanish, flood, replace])
async def test_a_stream_that_is_cancelled_while_it_ends_gives_its_seat_back(
    way: Callable[[Client], None], turns: int
) -> None:
    """gRPC cancels the handler when the bot is gone, which the reader may have noticed some turns of the loop ago."""
    async with StreamBench(limits=LIMITS, policy=FaultPolicy(OnFault.SUBSTITUTE)) as bench:
        client = await bench.join(0)
        way(client)
        for _ in range(turns):
            await asyncio.sleep(0)
        client.serving.cancel()
        await settle()

        assert bench.match.missing == [0, 1]
        assert client.stream.matches == {}


async def test_a_match_that_is_over_is_kept_by_none_of_its_streams() -> None:
    async with StreamBench(policy=FaultPolicy(OnFault.FORFEIT)) as bench:
        clients = [await bench.join(seat) for seat in range(2)]
        for seat, client in enumerate(clients):
            await client.say(Ready(), match=bench.entry.match, seat=seat)
        gone = weakref.ref(bench.match)
        bench.match.resign(0)
        await settle()
        record = bench.match.record(["server"], "2030-01-31T12:00:00Z")
        bench.match = bench.new_match(bench.entry)
        bench.host.ended.clear()
        gc.collect()

        assert record.result.termination is Termination.RESIGNED
        assert gone() is None
        assert all(client.stream.is_open for client in clients)


def test_a_stopped_pulse_leads_back_to_no_stream() -> None:
    """The garbage collector runs seldom."""
    clock = ManualClock()
    client = FakeStream("bot0")
    pulse = Pulse(clock, interval=1, unused=1, is_used=lambda: True, send=client.send, ended=lambda _: None)
    gone = weakref.ref(client)
    gc.disable()
    try:
        pulse.start()
        pulse.stop()
        del client

        assert gone() is None
        assert clock.pending == 0
    finally:
        gc.enable()


def test_matches_that_have_ended_leave_nothing_behind() -> None:
    """By whatever they ended; their clock goes on."""
    before = len(alive(Match, SeatPlay))
    ends: tuple[Callable[[Bench], None], ...] = (
        lambda bench: bench.match.resign(0),
        lambda bench: bench.match.cancel(Termination.CANCELLED),
        lambda bench: bench.match.abandon(),
        lambda bench: bench.clock.advance(100),
    )
    clocks = []
    for number in range(50):
        bench = Bench(2)
        if number % 3:
            bench.begin()
            bench.play(number % 7)
        ends[number % len(ends)](bench)
        clocks.append(bench.clock)
        del bench

    assert len(alive(Match, SeatPlay)) == before
    assert [clock.pending for clock in clocks] == [0] * 50


@pytest.mark.parametrize("end", ["resigned", "cancelled", "abandoned"])
def test_a_match_that_has_ended_is_freed_without_the_garbage_collector(end: str) -> None:
    """Else each of them, with all its moves, would wait for a long look of the collector, in which no loop turns."""
    bench = Bench(2).begin()
    bench.play(10)
    gone = weakref.ref(bench.match)
    gc.disable()
    try:
        if end == "resigned":
            bench.match.resign(0)
        elif end == "cancelled":
            bench.match.cancel(Termination.CANCELLED)
        else:
            bench.match.abandon()
        bench.host.ended.clear()
        del bench.match

        assert gone() is None
    finally:
        gc.enable()
