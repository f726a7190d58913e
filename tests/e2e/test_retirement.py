"""A version is retired while it plays, on two servers with one store: it ends its match, is sent away and let in
nowhere; the next version plays on. A bot that is retired is marked in its table."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import grpc
from tests.support.e2e import ServerProcess, Site
from tests.support.own_store import OwnStore, sharing
from tests.support.raw_bot import RawBot

from agon.codec import admin
from agon.codec.frames import Notice, NoticeKind, Offer, Refused, RefusedCode, Welcome
from agon_engine.core.policy import Termination

REASON = "crashes on big maps"
LADDER = "ephyran-2"


async def retire(server: ServerProcess, version: str | None) -> None:
    await server.call(admin.RETIRE_BOT, admin.RetireBotRequest("hector", version, "priam", REASON))


async def is_sent_away(bot: RawBot) -> str:
    """Wait until a stream is ended as that of a retired bot; return why."""
    assert await bot.ended() is grpc.StatusCode.PERMISSION_DENIED
    ((_, told),) = bot.all(Refused)
    assert told.code is RefusedCode.RETIRED
    return told.message


async def test_a_retired_version_ends_its_match_and_goes_and_the_next_one_plays_on(site: Site) -> None:
    """Issue 6, demand 6."""
    store = await OwnStore.started(site)
    one = await sharing(site, store, "one")
    await one.close_ladders(LADDER)
    hector, ajax = [await one.register(name) for name in ("hector", "ajax")]
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        old = await enter(RawBot(one.address, hector, slots=1, bot_version="1.3"))
        other = await enter(RawBot(one.address, ajax, slots=1))
        (running, _), _ = await old.start_match(), await other.start_match()
        two = await sharing(site, store, "two")
        idle = await enter(RawBot(two.address, hector, slots=1, bot_version="1.3", instance="idle"))
        await idle.next(Welcome)

        await retire(two, "1.3")
        for bot in (old, idle):
            _, notice = await bot.next(Notice)
            while notice.kind is not NoticeKind.RETIRED:
                _, notice = await bot.next(Notice)
            assert REASON in notice.message
        why = await is_sent_away(idle)
        for server in (one, two):
            newcomer = await enter(RawBot(server.address, hector, slots=1, bot_version="1.3", instance="idle"))
            assert await is_sent_away(newcomer) == why == f"version '1.3' of the bot is retired: {REASON}"
        await old.close()
        old = await enter(RawBot(one.address, hector, slots=1, bot_version="1.3"))  # for what it has begun
        again, _ = await old.start_match()
        over, _ = await asyncio.gather(old.play_on(again.match), other.play_on(running.match))
        assert await is_sent_away(old) == why

        new = await enter(RawBot(two.address, hector, slots=1, bot_version="2"))
        following, _ = await new.next(Offer)
        await retire(one, None)
        (table,) = [table for table in await two.standings() if table.results]

    assert again.match == running.match != following.match
    assert over is not None
    assert set(over.seats) == {Termination.SCORE}
    assert len(old.all(Offer)) == 1
    (record,) = await one.records()
    assert sorted((row.bot, row.bot_version) for row in record.seats) == [("ajax", ""), ("hector", "1.3")]
    assert {row.bot: row.retired for row in table.rows} == {"ajax": False, "hector": True}
