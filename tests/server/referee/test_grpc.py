"""A Play stream on real gRPC, where a message is handed over some turns of the loop after it has arrived."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterator

import grpc
import grpc.aio
import pytest
from tests.support.streams import Owner, notice

from agon.codec.frames import Hello, HelloGame, Note, Pong, RefusedCode, Up
from agon.codec.up import encode_up
from agon_server.accounts import Bot
from agon_server.referee import clock as clock_module
from agon_server.referee.clock import Deadline, LoopClock
from agon_server.referee.stream import BotStream, Ending, StreamLimits

METHOD = "/agon.test/Play"
HELD = 300_000
"""Bytes that flow control holds back from a bot that does not read."""


class Server:
    """Serves streams as the Play service does, and keeps how each of them ended."""

    def __init__(self) -> None:
        self.clock = LoopClock()
        self.streams: list[BotStream] = []
        self.endings: asyncio.Queue[Ending] = asyncio.Queue()
        self.first = b""
        """What a stream begins with."""
        self.served = asyncio.Event()
        """A stream is over and its handler done."""
        self.server = grpc.aio.server()
        method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self.play)
        self.server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("agon.test", {"Play": method}),))
        self.port = self.server.add_insecure_port("127.0.0.1:0")

    async def play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        context.add_done_callback(lambda _: self.served.set())  # type: ignore[arg-type]  # the stub wants its own class
        stream = BotStream(
            context,
            self.clock,
            StreamLimits(),
            Owner(),
            Bot("bot0", "bot0", 0),
            Hello("t", (HelloGame("ephyran"),)),
            lambda _: None,
            lambda _: None,
        )
        self.streams.append(stream)
        if self.first:
            stream.send(self.first)
        ending = Ending(None)
        try:
            ending = await stream.run([])
        finally:
            self.endings.put_nowait(ending)
        if not await stream.last_write():
            raise asyncio.CancelledError
        if ending.code is not None:
            await context.abort(grpc.StatusCode.ABORTED, ending.message)


class StrictClock(LoopClock):
    """Gives no time back, so that a deadline fires as early as it can."""

    def host(self, _at: int) -> int:
        return 0


class Bot0:
    """A bot in a thread of its own, so that it can speak while the server's loop is held up."""

    def __init__(self, port: int) -> None:
        self.says: queue.Queue[bytes | None] = queue.Queue()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = self.channel.stream_stream(METHOD)
        self.call = play(iter(self.says.get, None))
        self.heard: list[bytes] = []
        self.welcome = threading.Event()
        self.status: grpc.StatusCode | None = None
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        try:
            for message in self.call:
                self.heard.append(message)
                self.welcome.set()
        except grpc.RpcError:
            self.status = self.call.code()

    def leave(self) -> None:
        self.says.put(None)
        self.channel.close()
        self.thread.join()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    server.clock.start()
    await server.server.start()
    yield server
    await server.server.stop(0)
    server.clock.stop()


@pytest.fixture
def bot(server: Server) -> Iterator[Bot0]:
    bot = Bot0(server.port)
    yield bot
    bot.leave()


async def greeted(bot: Bot0) -> None:
    """Wait until the first Ping has come: the stream is served."""
    assert await asyncio.to_thread(bot.welcome.wait, 30)


async def test_all_that_had_arrived_is_read_before_a_deadline_fires(
    server: Server, bot: Bot0, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T17: twelve messages come while the loop is held up past the deadline."""
    monkeypatch.setattr(clock_module, "SETTLE", 200_000)  # for machines that have other things to do
    await greeted(bot)
    order: list[str] = []
    fired = asyncio.Event()
    receive = server.streams[0]._receive

    def note(frame: Up, read_at: int) -> None:
        order.append("read")
        receive(frame, read_at)

    def fire() -> None:
        order.append("deadline")
        fired.set()

    monkeypatch.setattr(server.streams[0], "_receive", note)
    deadline = Deadline(StrictClock(), fire)
    for _ in range(12):
        bot.says.put(encode_up(Pong(0)))
    deadline.set(server.clock.now() + 50_000)
    while not bot.says.empty():
        time.sleep(0.01)  # noqa: ASYNC251  # the loop is held up, here and below
    time.sleep(0.2)  # noqa: ASYNC251  # the loop is to be held up
    await fired.wait()

    assert order == ["read"] * 12 + ["deadline"]


async def test_a_bot_that_leaves_ends_its_stream_and_all_tasks_of_it(server: Server, bot: Bot0) -> None:
    await greeted(bot)
    bot.says.put(encode_up(Note("x"), "m", 1))
    bot.says.put(None)
    ending = await server.endings.get()

    assert ending == Ending(None)
    assert not server.streams[0].is_open


async def test_a_bot_that_cancels_ends_its_stream(server: Server, bot: Bot0) -> None:
    await greeted(bot)
    bot.call.cancel()

    assert await server.endings.get() == Ending(None)
    assert not server.streams[0].is_open


async def test_an_end_on_purpose_reaches_the_bot_as_refused_and_as_a_status(server: Server, bot: Bot0) -> None:
    await greeted(bot)
    server.streams[0].end(Ending(RefusedCode.REPLACED, "a newer stream has taken over"))
    await server.endings.get()
    await asyncio.to_thread(bot.thread.join)

    assert b"a newer stream has taken over" in bot.heard[-1]
    assert bot.status is grpc.StatusCode.ABORTED


@pytest.fixture
async def slow(server: Server) -> AsyncIterator[grpc.aio.StreamStreamCall[bytes, bytes]]:
    """A bot that has ended its half of the stream and not read yet what is too long to be under way at once."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}", options=[("grpc.http2.bdp_probe", 0)]) as channel:
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
        call = play()
        server.first = notice(HELD)
        await call.write(encode_up(Pong(0)))
        await call.done_writing()

        assert await server.endings.get() == Ending(None)

        yield call


async def test_the_status_of_a_stream_follows_on_the_message_that_is_under_way(
    server: Server, slow: grpc.aio.StreamStreamCall[bytes, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    """gRPC fails where a call is to end while its first message is under way, and the bot would never see the end."""
    heard = [message async for message in slow]

    assert heard[0] == server.first
    assert await slow.code() is grpc.StatusCode.OK
    assert caplog.records == []


async def test_a_bot_that_goes_while_a_message_to_it_is_under_way_leaves_no_error_behind(
    server: Server, slow: grpc.aio.StreamStreamCall[bytes, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    slow.cancel()
    await server.served.wait()

    assert caplog.records == []
