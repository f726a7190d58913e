"""Servers that are killed, stand still or hand over in the middle of matches: these go on from the last accepted
choice, at another server or at the same one when it is back; none is lost, none counts twice, and nothing is asked
again of which a bot has seen a consequence."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest
from tests.support.by_hand import begin, lines, play_to, rejoined, untimed
from tests.support.e2e import Site, until
from tests.support.own_store import OwnStore, sharing, two_servers
from tests.support.players import ended_well, held, playing
from tests.support.proxy import Proxy
from tests.support.raw_bot import RawBot

from agon.codec.frames import Choose, Decide, Over
from agon_engine.registry import game_names

PATIENT = ("time.move=600", "time.connect=600", "time.ready=600", "ping=1")
"""A match that is held waits; only what a test does ends it."""
NAMES = ("ajax", "briseis", "calchas", "dolon")


@pytest.mark.parametrize("game", game_names())
async def test_another_server_goes_on_with_the_matches_of_a_killed_one(site: Site, game: str) -> None:
    """R5, X2: under the next epoch; the bots find the other server by themselves."""
    store = await OwnStore.started(site)
    one, two = await two_servers(site, store, *PATIENT, "lease=1", game=game)
    async with playing(one, *NAMES, at=(one.address, two.address), slots=3, game=game) as company:
        owned = await held(two, company)
        gone, left = (one, two) if one.server in owned.values() else (two, one)
        gone.kill()
        records = await ended_well(left, company, store)

    lost = {match for match, owner in owned.items() if owner == gone.server}
    assert {match: (records[match].epoch, records[match].servers) for match in owned} == {
        match: (2, (gone.server, left.server)) if match in lost else (1, (left.server,)) for match in owned
    }
    assert company.asked_again() == set()
    assert (await left.samples()).sum("agon_redeliveries_total") == len(lost)
    assert left.log.count("goes on after") == len(lost)


async def test_a_killed_server_goes_on_with_its_matches_once_it_is_back(site: Site) -> None:
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
    assert {records[match].servers for match in owned} == {(first.server,)}
    assert company.asked_again() == set()


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGTERM, signal.SIGTERM]])
async def test_a_server_that_ends_hands_its_matches_over(site: Site, signals: Sequence[signal.Signals]) -> None:
    """R5: after its drain, or a second signal; another server goes on with them before any lease has run out."""
    store = await OwnStore.started(site)
    one, two = await two_servers(site, store, *PATIENT, "lease=3600", f"drain={1 if len(signals) == 1 else 600}")
    async with playing(one, *NAMES, at=(one.address, two.address), slots=3) as company:
        owned = await held(two, company)
        ends, left = (one, two) if one.server in owned.values() else (two, one)
        for number in signals:
            ends.signal(number)
            await until(lambda: "draining" in ends.log, what="it drains")

        assert await ends.wait() == 0

        records = await ended_well(left, company, store)

    handed = {match for match, owner in owned.items() if owner == ends.server}
    assert {match: records[match].epoch for match in owned} == {match: 2 if match in handed else 1 for match in owned}
    assert company.asked_again() == set()


async def test_a_bot_without_memory_is_asked_the_same_again(site: Site) -> None:
    """R2, R3: the open Decide is the one before, number by number; what was answered is known."""
    store = await OwnStore.started(site)
    one = await sharing(site, store, "one", *PATIENT, "lease=1")
    await one.close_ladders("ephyran-2")
    tokens = [await one.register(name) for name in NAMES[:2]]
    async with AsyncExitStack() as stack:
        before = [await stack.enter_async_context(RawBot(one.address, token, slots=1)) for token in tokens]
        match = await begin(before)
        asked = await play_to(before, match, 6)
        two = await sharing(site, store, "two", *PATIENT, "lease=1")
        one.kill()
        after = [await stack.enter_async_context(RawBot(two.address, token, slots=1)) for token in tokens]
        again = [await rejoined(bot, match, asked) for bot in after]

        assert [untimed(body) for body in again if body is not None] == [untimed(asked)]

        for bot in after:
            await bot.play(here_only=True)
        overs = [await bot.next(Over, match=match) for bot in after]

    assert {frame.epoch for frame, _ in overs} == {2}


async def test_a_server_that_stood_still_does_and_says_nothing_of_a_match_that_another_has_taken(site: Site) -> None:
    """R6: woken, it takes answers for a moment, but stores none, tells its bots nothing and ends nothing."""
    store = await OwnStore.started(site)
    one = await sharing(site, store, "one", *PATIENT, "lease=1")
    await one.close_ladders("ephyran-2")
    tokens = [await one.register(name) for name in NAMES]
    async with AsyncExitStack() as stack:
        before = [await stack.enter_async_context(RawBot(one.address, token, slots=1)) for token in tokens[:2]]
        match = await begin(before)
        asked = await play_to(before, match, 6)
        two = await sharing(site, store, "two", *PATIENT, "lease=1")
        one.signal(signal.SIGSTOP)
        after = [await stack.enter_async_context(RawBot(two.address, token, slots=1)) for token in tokens[:2]]
        [again] = [body for body in [await rejoined(bot, match, asked) for bot in after] if body is not None]
        journal = await lines(store, match)
        heard = [len(bot.heard) for bot in before]
        for bot in before:
            await bot.say(Choose(asked.decision, 0), match=match, seat=0)
            await bot.say(Choose(asked.decision, 0), match=match, seat=1)
        one.signal(signal.SIGCONT)
        await until(lambda: f"match {match} is no longer run here: another delivery has begun" in one.log)
        told = [frame for bot, number in zip(before, heard, strict=True) for frame in bot.heard[number:]]

        assert untimed(again) == untimed(asked)
        assert [frame for frame in told if isinstance(frame.body, Decide | Over) and frame.match == match] == []
        assert await lines(store, match) == journal

        for bot in after:
            await bot.play(here_only=True)
        overs = [await bot.next(Over, match=match) for bot in after]

    assert {frame.epoch for frame, _ in overs} == {2}
    [record] = [record for record in await two.records() if record.match == match]
    assert (record.epoch, record.servers) == (2, ("one", "two"))
    assert await two.findings() == []

    two.kill()
    async with AsyncExitStack() as stack:
        # All four, since the store takes those of the killed server for connected yet.
        company = [await stack.enter_async_context(RawBot(one.address, token)) for token in tokens]
        for bot in company:
            await bot.play(here_only=True)
        await company[2].next(Over)  # the woken server is of use again
