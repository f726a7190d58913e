"""Bots whose process is killed, stands still or is away while a match runs: it goes on from where it is, with what the
bot's next process is told, and whoever was away at the end learns of it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.support.e2e import Process, ServerProcess, Site, until
from tests.support.own_store import OwnStore, two_servers
from tests.support.raw_bot import RawBot

from agon.codec.frames import (
    Choose,
    Decide,
    Down,
    Join,
    Offer,
    Over,
    Ready,
    Rejected,
    RejectedCode,
    Resign,
    Start,
    Welcome,
)
from agon_engine.core.policy import Termination

RAW = Path(__file__).resolve().parents[2] / "bots" / "starters" / "raw" / "bot.py"
SETTINGS = ("time.connect=600", "time.ready=600", "time.move=600", "ping=0.5")
"""Nobody falls for being slow here; only what a test does happens."""


async def started(site: Site) -> ServerProcess:
    """Start a server with one ladder, of two seats."""
    server = await site.server(*(item for setting in SETTINGS for item in ("--set", setting)))
    await server.close_ladders("ephyran-2")
    return server


def sdk(site: Site, server: ServerProcess, token: str) -> Process:
    return site.bot("random", token, server.address, slots=1)


def raw(site: Site, server: ServerProcess, token: str) -> Process:
    return site.python("raw", [str(RAW)], AGON_SERVER=server.address, AGON_TOKEN=token)


@pytest.mark.parametrize("start", [sdk, raw])
async def test_a_bot_that_is_killed_in_mid_match_is_offered_it_again_and_goes_on_from_a_full_view(
    site: Site, start: Callable[[Site, ServerProcess, str], Process]
) -> None:
    """R1: its memory is gone; again and again, in one match, which then ends as the rules say."""
    server = await started(site)
    mortal, other = await server.register("mortal"), await server.register("other")
    process = start(site, server, mortal)
    async with RawBot(server.address, other, slots=1) as bot:
        frame, _ = await bot.start_match()
        asked, decide = await bot.next(Decide, match=frame.match)
        for _ in range(3):
            process.kill()
            await bot.answer(asked, Choose(decide.decision, 0))
            process = start(site, server, mortal)
            asked, decide = await bot.next(Decide, match=frame.match)  # so the other seat has gone on
        await server.close_ladders()
        await bot.answer(asked, Choose(decide.decision, 0))
        over = await bot.play_on(frame.match)
        assert over is not None
        [record] = [record for record in await server.records() if record.match == frame.match]

    assert record.epoch == 1
    assert set(over.seats) == set(record.result.seats) == {Termination.SCORE}
    assert record.hash() == over.record_hash
    assert await server.reserved() == {}


async def test_the_process_that_comes_back_gets_its_matches_events_and_open_question(site: Site) -> None:
    """R1, R7: frame by frame; what it says twice counts once."""
    server = await started(site)
    tokens = [await server.register(name) for name in ("mortal", "other")]
    async with RawBot(server.address, tokens[1], slots=1) as other:
        await other.play()
        async with RawBot(server.address, tokens[0], slots=1) as first:
            frame, offer = await first.start_match()
            assert await first.play_on(frame.match, 2) is None
            _, before = await first.next(Decide, match=frame.match)
        async with RawBot(server.address, tokens[0], slots=1) as second:
            again, offered = await second.next(Offer)
            await second.answer(again, Join(offered.ticket))
            await second.next(Start, match=frame.match)
            _, decide = await second.next(Decide)

            assert (again.match, again.seat, offered.ticket) == (frame.match, frame.seat, offer.ticket)
            assert (decide.decision, decide.actions, decide.sequence) == (
                before.decision,
                before.actions,
                before.sequence,
            )
            assert decide.full
            assert len(decide.events) == decide.sequence
            for _ in range(2):
                await second.answer(again, Choose(decide.decision, 0))
            await second.play()
            await second.next(Over, match=frame.match)
            assert not second.all(Rejected)


async def test_a_bot_that_was_away_at_the_end_gets_its_over_when_it_joins(site: Site) -> None:
    """From memory, and after a restart of the server from the record that is kept."""
    server = await started(site)
    tokens = [await server.register(name) for name in ("away", "other")]
    async with RawBot(server.address, tokens[1], slots=1) as other:
        async with RawBot(server.address, tokens[0], slots=1) as away:
            frame, offer = await away.start_match()
            await other.start_match()
            await until(lambda: away.all(Decide) or other.all(Decide), what="the match has begun")
        await server.close_ladders()
        await other.say(Resign(), match=frame.match, seat=1 - frame.seat)
        _, told = await other.next(Over, match=frame.match)
    async with RawBot(server.address, tokens[0], slots=0) as back:
        await back.answer(frame, Join(offer.ticket))
        _, over = await back.next(Over)
        assert (over.record_hash, over.placements, over.seed) == (told.record_hash, told.placements, told.seed)

    server.signal(signal.SIGTERM)
    assert await server.wait() == 0
    server = await site.server(*(item for setting in SETTINGS for item in ("--set", setting)))
    async with RawBot(server.address, tokens[0], slots=0) as back:
        await back.answer(frame, Join(offer.ticket))
        _, over = await back.next(Over)
        assert (over.record_hash, over.placements, over.seed) == (told.record_hash, told.placements, told.seed)

        await back.answer(frame._replace(match="01aaaaaaaaaaaaaaaaaa"), Join(offer.ticket))
        _, rejected = await back.next(Rejected)
        assert rejected.code is RejectedCode.NO_TICKET


async def test_a_bot_that_stood_still_over_the_end_of_its_match_is_told_when_it_goes_on(site: Site) -> None:
    """The SDK asks for the match that it knows, and gets its Over."""
    server = await started(site)
    sleeper, other = await server.register("sleeper"), await server.register("other")
    process = sdk(site, server, sleeper)
    async with RawBot(server.address, other, slots=1) as bot:
        frame, _ = await bot.start_match()
        await bot.next(Decide, match=frame.match)
        process.signal(signal.SIGSTOP)
        await until(lambda: streams(server, 1), what="its stream has ended")
        await server.close_ladders()
        await bot.answer(frame, Resign())
        await bot.next(Over, match=frame.match)
    process.signal(signal.SIGCONT)
    await until(lambda: f"{frame.match}: over" in process.log, what="it is told")

    assert await server.reserved() == {}


async def streams(server: ServerProcess, count: int) -> bool:
    return (await server.samples()).sum("agon_streams") == count


async def test_the_example_without_the_sdk_comes_back_to_its_lobby_when_its_match_s_server_is_killed(
    site: Site,
) -> None:
    """R1: it had followed the Offer there; at its lobby it is offered the match again, which goes on."""
    store = await OwnStore.started(site)
    one, two = await two_servers(site, store, *SETTINGS, "lease=1")
    tokens = [await one.register(name) for name in ("raw", "other")]
    raw(site, one, tokens[0])
    seen: set[str] = set()
    async with RawBot(one.address, tokens[1], slots=1) as other, AsyncExitStack() as stack:

        async def taken() -> tuple[Down, RawBot]:
            """Take the next Offer that is new, where it says, up to Ready."""
            while (found := await other.next(Offer))[0].match in seen:
                pass
            frame, offer = found
            there = other
            if offer.address:
                there = await stack.enter_async_context(RawBot(offer.address, tokens[1], slots=0))
                await there.next(Welcome)
            await there.answer(frame, Join(offer.ticket))
            await there.next(Start, match=frame.match)
            await there.answer(frame, Ready())
            seen.add(frame.match)
            return frame, there

        frame, there = await taken()
        while there is other:  # which server takes a match is chance
            await there.play_on(frame.match)
            frame, there = await taken()
        await there.next(Decide, match=frame.match)
        two.kill()
        while (found := await other.next(Offer, match=frame.match))[1].address or found[0].epoch == 1:
            pass
        await other.answer(frame, Join(found[1].ticket))
        await one.close_ladders()
        over = await other.play_on(frame.match)
        [record] = [record for record in await one.records() if record.match == frame.match]

    assert over is not None
    assert set(over.seats) == {Termination.SCORE}
    assert (record.epoch, record.servers) == (2, ("two", "one"))
