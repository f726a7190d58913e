"""Servers that are killed, or stand still, in the middle of matches: these are played again from their start, by
another server or by the same one when it is back; none is lost, and none counts twice."""

from __future__ import annotations

import asyncio
import re
import signal
from contextlib import AsyncExitStack

from tests.support.e2e import Site, until
from tests.support.own_store import OwnStore, sharing, two_servers
from tests.support.players import ended_well, held, playing
from tests.support.proxy import Proxy
from tests.support.raw_bot import RawBot

from agon.codec.frames import Decide, Over

PATIENT = ("time.move=600", "time.connect=600", "time.ready=600", "ping=1")
"""A match that is held waits; only what a test does ends it."""
NAMES = ("ajax", "briseis", "calchas", "dolon")


async def test_the_matches_of_a_killed_server_are_played_again_by_another(site: Site) -> None:
    """R5, X2: under the next epoch; the bots find the other server by themselves."""
    store = await OwnStore.started(site)
    one, two = await two_servers(site, store, *PATIENT, "lease=1")
    async with playing(one, *NAMES, at=(one.address, two.address), slots=3) as company:
        owned = await held(two, company, one.server, two.server)
        one.kill()
        records = await ended_well(two, company, store)

    lost = {match for match, owner in owned.items() if owner == one.server}
    assert {record.match for record in records.values() if record.epoch == 2} == lost
    assert {records[match].epoch for match in owned.keys() - lost} == {1}
    assert {record.servers for record in records.values()} == {(two.server,)}
    assert (await two.samples()).sum("agon_redeliveries_total") == len(lost)


async def test_a_killed_server_plays_its_matches_again_once_it_is_back(site: Site) -> None:
    """R5: under its own name, kept in its data folder, and at once: no lease has to run out."""
    settings = [item for setting in (*PATIENT, "lease=3600") for item in ("--set", setting)]
    first = await site.server(*settings)
    await first.close_ladders("ephyran-2")
    async with Proxy(first.address) as door, playing(first, *NAMES[:2], at=(door.address,)) as company:
        owned = await held(first, company, first.server)
        first.kill()
        second = await site.server(*settings)
        door.target = second.address
        records = await ended_well(second, company)

    assert second.server == first.server
    assert {match: records[match].epoch for match in owned} == dict.fromkeys(owned, 2)


async def test_a_server_that_stood_still_ends_no_match_that_another_has_taken(site: Site) -> None:
    """R6: woken, it may play on for a moment what is no longer its own, but its result is not taken."""
    store = await OwnStore.started(site)
    one = await sharing(site, store, "one", *PATIENT, "lease=1")
    await one.close_ladders("ephyran-2")
    tokens = [await one.register(name) for name in NAMES]
    async with AsyncExitStack() as stack:
        before = [await stack.enter_async_context(RawBot(one.address, token, slots=1)) for token in tokens[:2]]
        match = (await asyncio.gather(*(bot.start_match() for bot in before)))[0][0].match
        await until(lambda: any(bot.all(Decide) for bot in before), what="the match has begun")
        two = await sharing(site, store, "two", *PATIENT, "lease=1")
        one.signal(signal.SIGSTOP)
        after = [await stack.enter_async_context(RawBot(two.address, token, slots=1)) for token in tokens[:2]]
        for bot in after:
            await bot.play(here_only=True)
        overs = [await bot.next(Over, match=match) for bot in after]
        for bot in before:
            await bot.play()
        one.signal(signal.SIGCONT)
        told = f"match {match} is another referee's now|the result of match {match} was not taken"
        await until(lambda: re.search(told, one.log), what="the woken server lets go of it")

    assert {frame.epoch for frame, _ in overs} == {2}
    [record] = [record for record in await two.records() if record.match == match]
    assert (record.epoch, record.servers) == (2, ("two",))
    assert await two.findings() == []

    two.kill()
    async with RawBot(one.address, tokens[2]) as third, RawBot(one.address, tokens[3]) as fourth:
        for bot in (third, fourth):
            await bot.play(here_only=True)
        await third.next(Over)  # the woken server is of use again
