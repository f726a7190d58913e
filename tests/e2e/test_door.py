"""The door for bots of a real server: who is refused is told why, with the fitting gRPC status and, where coming back
helps, when to. (A flood is in `test_hostile`, who does not read in `test_silence`, draining in `test_drain`.)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import grpc
import grpc.aio
import pytest
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, sharing
from tests.support.raw_bot import OPTIONS, RawBot

from agon.codec import admin, rpc
from agon.codec.frames import HelloGame, Refused, RefusedCode, Welcome

pytestmark = pytest.mark.xdist_group("door")  # one server serves all

SILENT = 2_000
LIMITS = ("limits.streams=3", "limits.streams_per_bot=2", "ping=1")


class Ending(NamedTuple):
    """How a stream was ended on purpose."""

    code: int
    status: grpc.StatusCode
    retry: bool
    """It was told when to come back."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server with little room."""
    with Site() as site:
        yield site.launch_server(*(item for setting in LIMITS for item in ("--set", setting)))


async def refused(address: str, token: str, **hello: Any) -> Ending:
    """Say Hello and be refused; return how."""
    async with RawBot(address, token, **hello) as bot:
        return await ending(bot)


async def ending(bot: RawBot) -> Ending:
    """Wait until a stream is ended on purpose; return how."""
    status = await bot.ended()
    _, told = bot.all(Refused)[-1]
    assert told.message
    return Ending(told.code, status, told.retry_delay_us > 0)


async def welcome(bot: RawBot) -> None:
    await bot.next(Welcome)


@pytest.mark.parametrize(
    ("hello", "expected"),
    [
        (
            {"protocol_min": 7, "protocol_max": 9},
            Ending(RefusedCode.PROTOCOL, grpc.StatusCode.FAILED_PRECONDITION, False),
        ),
        ({"games": (HelloGame("chess"),)}, Ending(RefusedCode.GAME, grpc.StatusCode.FAILED_PRECONDITION, False)),
        ({"token": "agon_wrong"}, Ending(RefusedCode.TOKEN, grpc.StatusCode.UNAUTHENTICATED, False)),
        ({"instance": "\n"}, Ending(RefusedCode.HELLO_FIRST, grpc.StatusCode.INVALID_ARGUMENT, False)),
    ],
    ids=lambda value: RefusedCode(value.code).name if isinstance(value, Ending) else "",
)
async def test_a_hello_that_does_not_fit_is_refused_for_good(
    server: ServerProcess, hello: dict[str, Any], expected: Ending
) -> None:
    token = await server.register(f"bot-{RefusedCode(expected.code).name.lower().replace('_', '-')}")

    assert await refused(server.address, **{"token": token, **hello}) == expected


async def test_a_suspended_bot_is_refused_until_it_is_resumed(server: ServerProcess) -> None:
    token = await server.register("suspect")
    await server.call(admin.SUSPEND_BOT, admin.SuspendBotRequest("suspect", "plays for two owners"))

    expected = Ending(RefusedCode.SUSPENDED, grpc.StatusCode.PERMISSION_DENIED, False)
    assert await refused(server.address, token) == expected

    await server.call(admin.RESUME_BOT, admin.ResumeBotRequest("suspect"))
    async with RawBot(server.address, token) as bot:
        await welcome(bot)


async def test_a_newer_stream_of_the_same_instance_replaces_the_older_one(server: ServerProcess) -> None:
    token = await server.register("twice")
    async with RawBot(server.address, token) as older:
        await welcome(older)
        async with RawBot(server.address, token) as newer:
            await welcome(newer)

            assert await ending(older) == Ending(RefusedCode.REPLACED, grpc.StatusCode.ABORTED, False)
            assert newer.status is None


async def test_a_bot_has_so_many_streams_and_no_more(server: ServerProcess) -> None:
    """A stream that takes the place of another one is none more."""
    token = await server.register("many")
    limit = Ending(RefusedCode.LIMIT, grpc.StatusCode.RESOURCE_EXHAUSTED, True)
    async with RawBot(server.address, token, instance="1") as one:
        await welcome(one)
        async with RawBot(server.address, token, instance="2") as two:
            await welcome(two)

            assert await refused(server.address, token, instance="3") == limit

            async with RawBot(server.address, token, instance="2") as again:
                await welcome(again)
        await until(lambda: _open(server, 1), what="the others are gone", every=CALL_SECONDS)
        async with RawBot(server.address, token, instance="3") as three:
            await welcome(three)


async def test_a_server_has_so_many_streams_and_no_more(server: ServerProcess) -> None:
    await until(lambda: _open(server, 0), what="the others are gone", every=CALL_SECONDS)
    tokens = [await server.register(f"crowd-{number}") for number in range(4)]
    limit = Ending(RefusedCode.LIMIT, grpc.StatusCode.RESOURCE_EXHAUSTED, True)
    async with RawBot(server.address, tokens[0]) as one, RawBot(server.address, tokens[1]) as two:
        for bot in (one, two):
            await welcome(bot)
        async with RawBot(server.address, tokens[2]) as three:
            await welcome(three)

            assert await refused(server.address, tokens[3]) == limit

            async with RawBot(server.address, tokens[1]) as again:  # it replaces its older one, and needs no more room
                await welcome(again)
        await until(lambda: _open(server, 1), what="a place is free", every=CALL_SECONDS)
        async with RawBot(server.address, tokens[3]) as four:
            await welcome(four)


async def _open(server: ServerProcess, count: int) -> bool:
    return (await server.samples()).sum("agon_streams") == count


async def test_who_answers_no_ping_is_refused_as_silent(server: ServerProcess) -> None:
    async with RawBot(server.address, await server.register("mute"), pongs=False) as bot:
        assert await ending(bot) == Ending(RefusedCode.SILENT, grpc.StatusCode.DEADLINE_EXCEEDED, False)


async def test_streams_without_hello_do_not_shut_bots_out(site: Site) -> None:
    """They have places of their own, and make room: bots come in at once, though thousands of them stay."""
    server = await site.server("--set", "limits.streams=10")
    tokens = [await server.register(f"bot-{number}") for number in range(3)]
    async with grpc.aio.insecure_channel(server.address, options=OPTIONS) as channel:
        silent: list[Any] = [channel.stream_stream(rpc.PLAY)() for _ in range(SILENT)]
        await until(lambda: _streams(server, 900), what="they are there", every=CALL_SECONDS)
        for token in tokens:
            async with RawBot(server.address, token) as bot:
                await welcome(bot)

        assert (await server.samples()).sum("agon_refused_streams_total", code="limit") > 0
        for call in silent:
            call.cancel()
    await until(lambda: _open(server, 0), what="nothing of them is left", every=CALL_SECONDS)


async def _streams(server: ServerProcess, least: int) -> bool:
    return (await server.samples()).sum("agon_streams") >= least


async def test_a_server_without_its_store_refuses_bots_for_now(site: Site) -> None:
    store = await OwnStore.started(site)
    server = await sharing(site, store, "one")
    token = await server.register("early")
    store.kill()

    expected = Ending(RefusedCode.NOT_SERVING, grpc.StatusCode.UNAVAILABLE, True)
    assert await refused(server.address, token) == expected

    await store.start()
    await until(server.serving, what="the server serves again", every=CALL_SECONDS)
    async with RawBot(server.address, token) as bot:
        await welcome(bot)
