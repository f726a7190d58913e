"""How Play streams end: on purpose, by themselves, by bugs; with what was to be said, and leaving nothing behind."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.support.streams import Client, StreamBench, has_begun, notice, seconds, settle

from agon.codec.client import decode_down
from agon.codec.frames import Join, Note, Over, Ping, Pong, Refused, RefusedCode, Resign
from agon_engine.core.timing import TimeControl
from agon_server.referee import stream as stream_module
from agon_server.referee.match import Phase
from agon_server.referee.stream import Ending

# -- a bot that does not read ---------------------------------------------------------------------------------


async def test_a_bot_that_does_not_read_loses_its_stream(client: Client) -> None:
    """Every queue is bounded; what it has not read is dropped, but for the reason."""
    client.wire.block()
    sent = 0
    while client.stream.is_open:
        client.stream.send(notice(1_000))
        sent += 1_000
        await settle()

        assert sent < 60_000

    client.wire.unblock()
    ending = await client.serving
    frames = [frame.body for message in client.messages for frame in decode_down(message)]

    assert ending.code is RefusedCode.NOT_READING
    assert len(frames) == 2
    assert isinstance(frames[-1], Refused)
    assert frames[-1].code is RefusedCode.NOT_READING


async def test_a_bot_that_never_reads_holds_its_stream_no_longer_than_the_flush(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "FLUSH_SECONDS", 0.05)
    client.wire.block()
    client.stream.send(notice(1))
    await settle()
    client.stream.send(notice(60_000))
    ending = await client.serving

    assert ending.code is RefusedCode.NOT_READING
    assert client.messages == []


# -- ends -----------------------------------------------------------------------------------------------------


async def test_the_end_from_the_bots_side_has_no_code(client: Client) -> None:
    assert await client.close() == Ending(None)
    assert client.messages == []


async def test_a_message_that_is_under_way_is_the_last_one_and_holds_nothing_but_the_call(bench: StreamBench) -> None:
    """gRPC cannot end a call meanwhile. What the stream held, its seats above all, is given up before that."""
    clients = await has_begun(bench)
    client = clients[0]
    client.wire.block()
    client.stream.send(notice(1))
    await settle()
    client.stream.send(notice(2))
    heard = len(client.messages)
    ending = await client.close()
    waiting = asyncio.create_task(client.stream.last_write())
    await settle()

    assert ending == Ending(None)
    assert bench.match.seats[0].stream is None
    assert not waiting.done()

    client.wire.unblock()

    assert await waiting
    assert len(client.messages) == heard + 1


async def test_of_a_message_that_fails_nobody_is_told_the_end(client: Client) -> None:
    client.wire.block()
    client.stream.send(notice(1))
    await settle()
    await client.close()
    client.wire.break_down(GoneError())

    assert not await client.stream.last_write()


@pytest.mark.parametrize("code", [RefusedCode.REPLACED, RefusedCode.DRAINING, RefusedCode.NOT_SERVING])
async def test_an_end_on_purpose_comes_after_all_that_was_to_be_said(client: Client, code: RefusedCode) -> None:
    """R1: an Over that is on its way is not lost because the server ends."""
    client.wire.block()
    client.stream.send(notice(1))
    await settle()
    client.stream.send(notice(2))
    client.stream.end(Ending(code, "why", "what", 5))
    client.stream.end(Ending(RefusedCode.FLOOD, "too late"))
    client.stream.send(notice(3))
    await settle()
    client.wire.unblock()
    ending = await client.serving

    assert ending == Ending(code, "why", "what", 5)
    assert client.wire.kinds == ["Notice", "Notice", "Refused"]
    assert client.wire.last(Refused) == Refused(code, "why", "what", 5)


async def test_an_over_and_the_end_of_the_server_in_one_turn_both_arrive(bench: StreamBench) -> None:
    clients = await has_begun(bench)
    await clients[0].say(Resign(), match=bench.entry.match, seat=0)
    bench.match.resign(1)
    for _ in range(100):
        if bench.match.phase is Phase.OVER:
            break
        await asyncio.sleep(0)
    for client in clients:
        client.stream.end(Ending(RefusedCode.DRAINING, "the server has ended"))
    await asyncio.gather(*(client.serving for client in clients))

    assert [client.wire.kinds[-2:] for client in clients] == [["Over", "Refused"], ["Over", "Refused"]]
    assert all(client.wire.of(Over) for client in clients)


class GoneError(Exception):
    """What gRPC raises when the other side has gone."""


GoneError.__module__ = "grpc._cython.cygrpc"


async def test_a_peer_that_vanishes_ends_the_stream_without_a_word(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.wire.break_down(GoneError())

    assert await client.serving == Ending(None)
    assert caplog.records == []


async def test_a_peer_that_vanishes_while_it_is_written_to_ends_the_stream(client: Client) -> None:
    client.wire.block()
    client.stream.send(notice(1))
    await settle()
    client.wire.break_down(GoneError())

    assert await client.serving == Ending(None)


async def test_an_end_on_purpose_of_a_peer_that_has_vanished_is_not_waited_for(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "FLUSH_SECONDS", 3_600)
    client.wire.block()
    client.stream.send(notice(1))
    await settle()
    client.stream.end(Ending(RefusedCode.REPLACED))
    client.wire.break_down(GoneError())

    assert (await client.serving).code is RefusedCode.REPLACED


async def test_a_bug_of_ours_ends_the_stream_is_logged_and_tells_no_secret(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    client.wire.break_down(ValueError("the hand is pegasus hydra"))
    ending = await client.serving

    assert ending.code is RefusedCode.NOT_SERVING
    assert "bot0" in caplog.text
    assert "ValueError" in caplog.text
    assert "stream.py" in caplog.text
    assert "pegasus" not in caplog.text


async def test_a_stream_that_is_cancelled_tells_its_matches_and_leaves_no_task(bench: StreamBench) -> None:
    clients = await has_begun(bench)
    before = len(asyncio.all_tasks())
    clients[0].serving.cancel()
    await asyncio.gather(clients[0].serving, return_exceptions=True)

    assert bench.match.missing == [0]
    assert len(asyncio.all_tasks()) == before - 3


async def test_a_stream_that_is_cancelled_before_its_first_turn_leaves_nothing(bench: StreamBench) -> None:
    client = bench.connect()
    await asyncio.sleep(0)
    client.serving.cancel()
    await asyncio.gather(client.serving, return_exceptions=True)

    assert not client.stream.is_open
    assert bench.clock.pending == 3  # the match's own, for its two seats and its life


async def test_a_stream_without_slots_ends_well_when_no_match_is_left_on_it() -> None:
    """No Offer comes there, so a bot whose match has gone to another referee would wait for ever."""
    patient = TimeControl(connect=seconds(600), ready=seconds(600))
    async with StreamBench(time=patient) as bench:
        client, with_slots = bench.connect(slots=0), bench.connect("bot1")
        await client.say(Join("ticket 0"), match=bench.entry.match)

        async def pass_time(pings: int) -> None:
            for _ in range(pings):
                await bench.advance(10, steps=10)
                for one in (client, with_slots):
                    await one.say(*[Pong(ping.id) for ping in one.wire.of(Ping)[-1:]])

        await pass_time(5)
        assert client.stream.is_open

        bench.match.abandon()
        await pass_time(1)
        assert client.stream.is_open
        await pass_time(2)

        assert await client.serving == Ending(None)
        assert not client.wire.of(Refused)
        assert with_slots.stream.is_open


async def test_after_the_end_nothing_more_is_read_or_sent(bench: StreamBench) -> None:
    clients = await has_begun(bench)
    client = clients[0]
    client.stream.end(Ending(RefusedCode.REPLACED))
    client.put(Note("too late"), match=bench.entry.match)
    await client.serving
    client.stream.send(notice(1))
    await settle()

    assert bench.host.notes == []
    assert client.wire.kinds[-1] == "Refused"
