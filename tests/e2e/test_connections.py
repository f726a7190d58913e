"""Connections on which nobody says anything, or nobody reads: a server takes so many and no more, and what it holds for
each ends."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from tests.support.e2e import until
from tests.support.inside import files, serving, tasks, times
from tests.support.raw_bot import RawBot

from agon.address import Address
from agon.codec.frames import Decide, Join, Pong, Refused, RefusedCode, Welcome
from agon_server import listening, surroundings
from agon_server.config import Limits

ROOM = 8
CROWD = 30


@contextmanager
def crowd(address: Address, count: int) -> Iterator[list[socket.socket]]:
    """Open connections and say nothing on them."""
    with ExitStack() as stack:
        made = [stack.enter_context(socket.create_connection((address.host, address.port))) for _ in range(count)]
        for one in made:
            one.setblocking(False)
        yield made


def is_closed(line: socket.socket) -> bool:
    """Tell whether the other side has ended a connection."""
    try:
        while line.recv(4_096):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        pass
    return True


async def test_connections_that_say_nothing_take_no_more_files_than_there_are_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(surroundings, "UNWELCOME_CONNECTIONS", ROOM - 1)
    async with serving(limits=Limits(streams=1)) as server:
        token = await server.accounts.register("early")
        async with RawBot(str(server.address), token) as bot:
            await bot.next(Welcome)
            before = files()
            with crowd(server.address, CROWD) as lines:
                await until(lambda: sum(map(is_closed, lines)) >= CROWD - ROOM + 1, what="the rest is sent away")

                assert files() - before - CROWD <= ROOM - 1
                await bot.say(Pong(0))
                assert bot.status is None
            await until(lambda: files() <= before, what="all are closed")


async def test_connections_that_say_nothing_make_room_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    options = dict(listening.GRPC_OPTIONS) | {"grpc.server_handshake_timeout_ms": 200}
    monkeypatch.setattr(listening, "GRPC_OPTIONS", tuple(options.items()))
    monkeypatch.setattr(surroundings, "UNWELCOME_CONNECTIONS", ROOM - 1)
    async with serving(limits=Limits(streams=1)) as server:
        token = await server.accounts.register("late")
        with crowd(server.address, ROOM) as lines:
            await until(lambda: all(map(is_closed, lines)), what="they had to go")
            async with RawBot(str(server.address), token) as bot:
                await bot.next(Welcome)


async def test_streams_of_a_bot_that_never_reads_keep_their_places_and_no_more_are_taken() -> None:
    """Their end waits behind what is unread for as long as the connection is there; so they must be bounded."""
    limits = Limits(streams_per_bot=3, unsent_bytes=64 * 1024)
    async with serving("ephyran-2", time=times(connect=60), limits=limits) as server:
        address = str(server.address)
        tokens = [await server.accounts.register(name) for name in ("deaf", "other")]
        async with RawBot(address, tokens[0], instance="ear", slots=1) as ear, RawBot(address, tokens[1]) as other:
            await other.play()
            frame, offer = await ear.start_match()
            await ear.next(Decide)
            before = tasks()

            def found() -> float | None:
                return server.metrics.registry.get_sample_value("agon_refused_streams_total", {"code": "not_reading"})

            deaf = [RawBot(address, tokens[0], reads=False, slots=0) for _ in range(2)]
            for bot in deaf:
                await bot.connect()
                await bot.say(bot.hello)
                for _ in range(380):  # each is answered by a Start and a full Decide
                    await bot.answer(frame, Join(offer.ticket))
                await until(lambda: found() == deaf.index(bot) + 1, what="it is found")  # noqa: B023  # now, and not later
            async with RawBot(address, tokens[0], slots=0) as more:
                await more.ended()

                assert [refused.code for _, refused in more.all(Refused)] == [RefusedCode.LIMIT]
            for bot in deaf:
                await bot.close()
            await until(lambda: tasks() <= before, what="nothing of them is left")
            async with RawBot(address, tokens[0], slots=0) as more:
                await more.next(Welcome)
