"""One Play stream: batches, pings, limits; how streams end is beside this."""

from __future__ import annotations

import pytest
from tests.support.streams import Client, StreamBench, has_begun, notice, settle

from agon.codec.client import decode_down
from agon.codec.frames import (
    Choose,
    Decide,
    Hello,
    HelloGame,
    Join,
    Note,
    Ping,
    Pong,
    Ready,
    Refused,
    RefusedCode,
    Rejected,
    RejectedCode,
    Up,
)
from agon.codec.up import MESSAGE_BYTES
from agon_engine.core import Termination
from agon_server.referee.stream import StreamLimits

# -- writing -------------------------------------------------------------------------------------------------


async def test_all_that_is_ready_goes_in_one_message(client: Client) -> None:
    pieces = [notice(length) for length in (10, 20, 30)]
    for piece in pieces:
        client.stream.send(piece)
    await settle()

    assert client.messages == [b"".join(pieces)]
    assert len(decode_down(client.messages[0])) == 3


async def test_a_message_is_not_waited_for_to_fill(client: Client) -> None:
    for length in (10, 20):
        client.stream.send(notice(length))
        await settle()

    assert len(client.messages) == 2


async def test_what_gets_ready_while_a_message_is_written_goes_together_after_it(client: Client) -> None:
    client.wire.block()
    client.stream.send(notice(1))
    await settle()
    for length in (2, 3, 4):
        client.stream.send(notice(length))
        await settle()
    client.wire.unblock()
    await settle()

    assert [len(decode_down(message)) for message in client.messages] == [1, 3]


async def test_messages_are_cut_at_their_limit_between_frames_and_in_order(bench: StreamBench) -> None:
    bench.limits = StreamLimits()
    client = bench.connect()
    await settle()
    client.wire.forget()
    pieces = [notice(length) for length in (30_000, 60_000, 60_000, 10, 90_000, 200_000, 5)]
    for piece in pieces:
        client.stream.send(piece)
    await settle()

    assert b"".join(client.messages) == b"".join(pieces)
    assert [len(decode_down(message)) for message in client.messages] == [2, 2, 1, 1, 1]
    assert all(len(message) <= MESSAGE_BYTES for message in client.messages if len(decode_down(message)) > 1)


async def test_the_overhead_runs_from_the_answer_read_to_the_frame_written(bench: StreamBench) -> None:
    clients = await has_begun(bench)
    seat = next(seat for seat, client in enumerate(clients) if client.wire.of(Decide))
    await bench.advance(1)
    clients[seat].put(Choose(1, 0), match=bench.entry.match, seat=seat)
    for client in clients:
        client.wire.block()
    await settle()
    bench.clock.time += 3_000
    for client in clients:
        client.wire.unblock()
    await settle()

    assert bench.overheads == [0.003]


# -- pings ---------------------------------------------------------------------------------------------------


async def test_a_ping_comes_at_once_and_every_interval(bench: StreamBench) -> None:
    client = bench.connect()
    for _ in range(5):
        await settle()
        last = client.wire.last(Ping)
        await client.say(Pong(last.id))
        await bench.advance(10)

    assert [ping.id for ping in client.wire.of(Ping)] == [1, 2, 3, 4, 5, 6]


async def test_the_pong_measures_the_round_trip(bench: StreamBench) -> None:
    client = bench.connect()
    await settle()
    bench.clock.time += 1_234
    await client.say(Pong(1))

    assert client.stream.latency == 1_234

    bench.clock.time += 1_000_000
    await client.say(Pong(1), Pong(99))

    assert client.stream.latency == 1_234


@pytest.mark.parametrize("answered", [0, 1, 3])
async def test_a_stream_without_a_pong_for_two_intervals_ends(bench: StreamBench, answered: int) -> None:
    """R3: a link that is half open is found, whatever else comes in."""
    client = bench.connect()
    await settle()
    for _ in range(answered):
        await bench.advance(0.5)
        await client.say(Pong(client.wire.last(Ping).id))
        await bench.advance(9.5)
    silence = 20 - (9.5 if answered else 0)
    await bench.advance(silence - 0.01, steps=7)
    await client.say(Note("alive"), Pong(77))

    assert client.stream.is_open

    await bench.advance(0.02)
    ending = await client.serving

    assert ending.code is RefusedCode.SILENT
    assert client.wire.last(Refused).code is RefusedCode.SILENT


async def test_a_host_that_stood_still_does_not_call_its_bots_silent(bench: StreamBench) -> None:
    """They could not be heard, and some had nothing to answer."""
    client = bench.connect()
    await settle()
    await client.say(Pong(1))
    await bench.advance(300, host=299)

    assert client.stream.is_open

    await client.say(Pong(client.wire.last(Ping).id))
    await bench.advance(19.9)

    assert client.stream.is_open

    await bench.advance(0.2)

    assert not client.stream.is_open


async def test_pings_go_on_while_no_choice_can_be_stored(bench: StreamBench) -> None:
    """All of that time is the host's; a bot that heard nothing would take the line for dead."""
    client = bench.connect()
    for _ in range(6):
        await settle()
        await client.say(Pong(client.wire.last(Ping).id))
        await bench.advance(10, host=10)

    assert len(client.wire.of(Ping)) == 7


async def test_nothing_is_kept_for_pings_that_are_skipped(bench: StreamBench) -> None:
    client = bench.connect()
    await settle()
    for _ in range(50):
        await bench.advance(10)
        await client.say(Pong(client.wire.last(Ping).id))
        await bench.advance(9)
    await client.say(Pong(client.wire.last(Ping).id))

    assert client.stream._pulse.waiting == 0


# -- limits --------------------------------------------------------------------------------------------------


async def test_more_frames_than_the_rate_are_rejected_with_a_delay(bench: StreamBench, client: Client) -> None:
    """L7, M10."""
    await client.say(*[Pong(0)] * 20)

    assert client.wire.of(Rejected) == []

    await client.say(Note("n"), Pong(0), match="m", seat=3)
    first, second = client.wire.of(Rejected)

    assert (first.code, first.frame, first.retry_delay_us) == (RejectedCode.RATE, "note", 100_001)
    assert (second.code, second.frame) == (RejectedCode.RATE, "pong")

    client.wire.forget()
    bench.clock.time += 100_001
    await client.say(Pong(0))

    assert client.wire.of(Rejected) == []

    await bench.advance(1)
    await client.say(*[Pong(0)] * 11)

    assert len(client.wire.of(Rejected)) == 1


async def test_what_the_rate_refuses_has_changed_nothing(bench: StreamBench) -> None:
    """The decision is as open as before, and the answer says so."""
    clients = await has_begun(bench)
    seat = next(seat for seat, client in enumerate(clients) if client.wire.of(Decide))
    client = clients[seat]
    await client.say(*[Pong(0)] * 18)
    client.wire.forget()
    await client.say(Choose(1, 0), match=bench.entry.match, seat=seat)
    frame = client.wire.frames[0]
    rejected = client.wire.last(Rejected)

    assert (rejected.code, rejected.frame, rejected.decision) == (RejectedCode.RATE, "choose", 1)
    assert (rejected.open_decision, rejected.attempts_left) == (1, 3)
    assert (frame.match, frame.seat, frame.epoch) == (bench.entry.match, seat, 1)

    await bench.advance(0.2)
    await client.say(Choose(1, 0), match=bench.entry.match, seat=seat)

    assert len(bench.match.table.moves) == 1


async def test_too_many_refused_frames_in_a_minute_end_the_stream(bench: StreamBench, client: Client) -> None:
    for _ in range(20):
        await client.say(Ready(), match="none")
        await bench.advance(0.2)

    assert client.stream.is_open

    await client.say(Ready(), match="none")
    ending = await client.serving

    assert ending.code is RefusedCode.FLOOD
    assert client.wire.last(Refused).code is RefusedCode.FLOOD
    assert client.wire.last(Refused).retry_delay_us == 60_000_000
    assert bench.rejected == [RejectedCode.NO_MATCH] * 21


async def test_as_many_refused_frames_over_more_than_a_minute_do_not(bench: StreamBench) -> None:
    client = bench.connect()
    await settle()
    for _ in range(60):
        await client.say(Ready(), Pong(client.wire.last(Ping).id), match="none")
        await bench.advance(3.1)

    assert client.stream.is_open


async def test_frames_that_crossed_the_over_are_no_offence(bench: StreamBench, client: Client) -> None:
    bench.owner.over.add("ended")
    for _ in range(60):
        await client.say(Ready(), match="ended")
        await bench.advance(0.2)

    assert client.stream.is_open
    assert client.wire.last(Rejected).code is RejectedCode.NO_MATCH


async def test_a_flood_puts_the_bot_out_of_all_its_matches(bench: StreamBench) -> None:
    clients = await has_begun(bench)
    clients[1].put(*[Join("wrong")] * 21, match="none")
    ending = await clients[1].serving
    await settle()

    assert ending.code is RefusedCode.FLOOD
    assert bench.match.table.conduct.fallen == {1: Termination.PROTOCOL}
    assert clients[0].stream.is_open


async def test_messages_that_are_none_count_as_refused_frames(client: Client) -> None:
    for _ in range(21):
        client.wire.arrive(b"\xff\xff")
    ending = await client.serving

    assert ending.code is RefusedCode.FLOOD


async def test_frames_that_came_with_hello_are_served_first(bench: StreamBench) -> None:
    match, ticket = bench.entry.match, Join("ticket 0")
    client = bench.connect(waiting=[Up(match, 0, ticket, "join"), Up(match, 0, Ready(), "ready")])
    client.put(Hello("t", (HelloGame("ephyran"),)))
    await settle()

    assert client.wire.kinds == ["Ping", "Start", "Rejected"]
