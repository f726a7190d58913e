"""A server that is told to end: its bots hear of it, no new matches begin, the running ones end and are archived, then
it does; told twice, it ends at once and gives its matches back."""

from __future__ import annotations

import asyncio
import gzip
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import grpc
import pytest
from tests.support.e2e import ServerProcess, Site, until
from tests.support.own_store import OwnStore, sharing
from tests.support.raw_bot import RawBot

from agon.codec.frames import Decide, Notice, NoticeKind, Offer, Over, Refused, RefusedCode
from agon_engine.core.policy import Termination

PATIENT = ("time.move=600", "time.connect=600", "time.ready=600")
SIGNALS = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])


@asynccontextmanager
async def begun(server: ServerProcess) -> AsyncIterator[tuple[RawBot, RawBot]]:
    """Two bots in a match of the server, in which one is asked."""
    await server.close_ladders("ephyran-2")
    async with AsyncExitStack() as stack:
        tokens = [await server.register(name) for name in ("eris", "fama")]
        one, two = [await stack.enter_async_context(RawBot(server.address, token, slots=1)) for token in tokens]
        await asyncio.gather(one.start_match(), two.start_match())
        await until(lambda: one.all(Decide) or two.all(Decide), what="the match has begun")
        yield one, two


async def draining(bot: RawBot) -> Notice:
    """Return the Notice that the server ends."""
    while (notice := (await bot.next(Notice))[1]).kind is not NoticeKind.DRAINING:
        pass
    return notice


@SIGNALS
async def test_a_server_that_is_told_to_end_ends_its_matches_first(site: Site, number: signal.Signals) -> None:
    """C20."""
    settings = [item for setting in PATIENT for item in ("--set", setting)]
    server = await site.server(*settings)
    latecomer = await server.register("latecomer")
    async with begun(server) as bots:
        server.signal(number)
        for bot in bots:
            assert (await draining(bot)).lobbies == ()
        assert not await server.serving()
        async with RawBot(server.address, latecomer, slots=1) as late:
            assert await late.ended() is grpc.StatusCode.UNAVAILABLE
            [(_, refused)] = late.all(Refused)
            assert refused.code is RefusedCode.DRAINING
            assert refused.retry_delay_us > 0
        assert server.code is None

        for bot in bots:
            await bot.play()
        for bot in bots:
            await bot.ended()
            [(over, told)] = bot.all(Over)
            assert {frame.match for frame, _ in bot.all(Offer)} == {over.match}
            assert told.termination is Termination.SCORE
        assert await server.wait() == 0

    [records] = server.data.glob("records/*.jsonl.gz")
    with gzip.open(records, "rt") as lines:
        assert len(lines.readlines()) == 1
    again = await site.server(*settings)
    assert await again.rated() == len(await again.records()) == 1


@SIGNALS
async def test_a_second_signal_ends_a_server_at_once_and_its_matches_go_on_in_the_next_one(
    site: Site, number: signal.Signals
) -> None:
    """C20: it waits for no bot any more."""
    settings = [item for setting in (*PATIENT, "lease=3600") for item in ("--set", setting)]
    server = await site.server(*settings)
    async with begun(server) as bots:
        server.signal(number)
        for bot in bots:
            await draining(bot)
        server.signal(number)
        for bot in bots:
            assert await bot.ended() is grpc.StatusCode.UNAVAILABLE
            assert bot.all(Refused)[-1][1].code is RefusedCode.DRAINING
        assert await server.wait() == 0
        tokens = [bot.token for bot in bots]
        matches = {frame.match for frame, _ in bots[0].all(Offer)}

    again = await site.server(*settings)
    async with RawBot(again.address, tokens[0], slots=1) as one, RawBot(again.address, tokens[1], slots=1) as two:
        for bot in (one, two):
            await bot.play()
        await one.until(lambda: matches <= {frame.match for frame, _ in one.all(Over)})

        assert {frame.epoch for frame, _ in one.all(Over) if frame.match in matches} == {2}


async def test_bots_of_a_server_that_ends_are_told_where_else_to_go(site: Site) -> None:
    """The others' addresses come with the Notice, and one of them takes over what is left."""
    store = await OwnStore.started(site)
    one = await sharing(site, store, "one", *PATIENT)
    async with begun(one) as bots:
        two = await sharing(site, store, "two", *PATIENT)
        await bots[0].until(lambda: any(two.address in notice.lobbies for _, notice in bots[0].all(Notice)))
        one.signal(signal.SIGTERM)
        for bot in bots:
            assert (await draining(bot)).lobbies == (two.address,)
        async with RawBot(two.address, bots[0].token, slots=1) as moved:
            frame, offer = await moved.next(Offer)

            assert (offer.address, frame.epoch) == (one.address, 1)  # its matches run there to their end
        one.signal(signal.SIGTERM)
        assert await one.wait() == 0
    await until(lambda: "leading the ladders" in two.log, what="the other server leads the ladders")
