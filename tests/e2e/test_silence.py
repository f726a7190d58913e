"""Bots that say nothing, hear nothing or are gone without a word: each loses what is its own, at its limits and without
any help of it, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import signal
import time

import grpc
import pytest
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.inside import alive, files, serving, tasks, times
from tests.support.raw_bot import RawBot

from agon.codec.frames import Choose, Decide, Join, Offer, Over, Refused, RefusedCode, Start, Welcome
from agon_engine.core.policy import Termination
from agon_server.presence import Present
from agon_server.referee.match import Match
from agon_server.referee.seat import SeatPlay
from agon_server.referee.stream import BotStream
from agon_server.services import hall

IDLE = 300


async def test_a_bot_that_never_answers_loses_at_its_limit_and_its_slot_is_free_again() -> None:
    """T1, T20: three strikes of 0.3 s and the grace; the next Offer comes within a second of Over."""
    async with serving("ephyran-2", time=times(move=0.3, bank=0, grace=0.1)) as server:
        first, second = await server.accounts.register("mute"), await server.accounts.register("quick")
        async with RawBot(str(server.address), first) as mute, RawBot(str(server.address), second) as quick:
            await quick.play()
            began = time.monotonic()
            frame, _ = await mute.start_match()
            _, over = await mute.next(Over)
            lost = time.monotonic()
            await mute.next(Offer)

            assert over.seats[frame.seat] is Termination.TIMEOUT
            assert lost - began >= 3 * 0.4
            assert time.monotonic() - lost < 1.0
            assert [decide.clock.last_charge_us for _, decide in mute.all(Decide)] == [0, 300_000, 300_000]


async def test_a_bot_that_does_not_read_loses_its_stream_and_nobody_else_feels_it(site: Site) -> None:
    """It asks for much and takes nothing: the server keeps no more for it than the limit."""
    server = await site.server("--set", "limits.unsent_bytes=131072", "--set", "time.connect=1")
    await server.close_ladders("ephyran-2")
    tokens = [await server.register(name) for name in ("deaf", "other", "third", "fourth")]
    async with (
        RawBot(server.address, tokens[0], instance="ear", slots=1) as ear,
        RawBot(server.address, tokens[1]) as other,
    ):
        await other.play()
        frame, offer = await ear.start_match()
        await ear.next(Decide)
        async with RawBot(server.address, tokens[0], reads=False, slots=0) as deaf:
            for _ in range(380):  # each is answered by a Start and a full Decide
                await deaf.answer(frame, Join(offer.ticket))
            await until(lambda: _refused(server, "not_reading"), what="the stream of who does not read ends")
            deaf.read_after_all()

            assert await deaf.ended() is grpc.StatusCode.RESOURCE_EXHAUSTED
        async with RawBot(server.address, tokens[2]) as third, RawBot(server.address, tokens[3]) as fourth:
            await third.play()
            await fourth.play()
            _, over = await third.next(Over)

            assert set(over.seats) == {Termination.SCORE}


async def test_a_bot_that_neither_reads_nor_answers_pings_is_found_silent(site: Site) -> None:
    """R3: within two intervals, and its stream is told why, should it read after all."""
    server = await site.server("--set", "ping=0.3")
    token = await server.register("silent")
    async with RawBot(server.address, token, reads=False):
        began = time.monotonic()
        await until(lambda: _refused(server, "silent"))

        assert time.monotonic() - began < 5.0
    async with RawBot(server.address, token, pongs=False) as bot:
        await bot.ended()

        assert bot.all(Refused)[-1][1].code is RefusedCode.SILENT
        assert bot.pings >= 2


async def _refused(server: ServerProcess, code: str) -> float:
    return (await server.samples()).sum("agon_refused_streams_total", code=code)


async def test_a_bot_process_that_stands_still_loses_its_seat_and_comes_back_when_it_goes_on(site: Site) -> None:
    """R3, C19: half open, since nothing tells the server that the process is stopped."""
    server = await site.server("--set", "ping=1", "--set", "time.connect=3", "--set", "time.move=60")
    await server.close_ladders("ephyran-2")
    sleeper, other = await server.register("sleeper"), await server.register("other")
    process = site.bot("random", sleeper, server.address, slots=1)
    async with RawBot(server.address, other, slots=1) as bot:
        await bot.start_match()
        frame, decide = await bot.next(Decide)  # so the other seat is there too
        process.signal(signal.SIGSTOP)
        await bot.play()
        await bot.answer(frame, Choose(decide.decision, 0))
        _, over = await bot.next(Over, match=frame.match)

        assert over.seats[1 - frame.seat] is Termination.DISCONNECT

        process.signal(signal.SIGCONT)
        await bot.next(Offer)
        await bot.next(Decide)


async def test_who_opens_a_stream_and_says_nothing_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "HELLO_SECONDS", 0.1)
    async with serving() as server:
        bot = RawBot(str(server.address), "")
        await bot.connect()
        await bot.ended()
        await bot.close()

        assert [refused.code for _, refused in bot.all(Refused)] == [RefusedCode.HELLO_FIRST]


async def test_streams_that_are_dropped_without_a_word_leave_nothing_behind() -> None:
    """Hundreds of them, each at another moment of its beginning, one bot and many instances; then all is as before."""
    async with serving("ephyran-2", time=times(connect=1)) as server:
        token = await server.accounts.register("restless")
        address = str(server.address)

        async def drop(number: int, after: float) -> None:
            its = "agon_wrong" if number % 5 == 1 else token
            bot = RawBot(address, its, instance=f"i{number}", reads=number % 3 > 0)
            await bot.connect()
            if number % 5 > 0:
                await bot.say(bot.hello)
            await asyncio.sleep(after)  # no synchronisation: it spreads the moments at which they break
            await bot.close()

        await drop(1, 0.5)
        await asyncio.gather(*(server.store.command("PING") for _ in range(200)))  # its pool of connections is full
        kinds = (BotStream, Present, Match, SeatPlay)
        before = tasks(), files(), alive(*kinds)
        for batch in range(IDLE // 50):
            await asyncio.gather(*(drop(number, 0.002 * (batch * 50 + number)) for number in range(50)))
        await until(lambda: tasks() <= before[0], what="all tasks have ended")
        await until(lambda: files() <= before[1], what="all files are closed")
        await until(lambda: alive(*kinds) <= before[2], what="all objects are let go of", every=CALL_SECONDS)

        assert await server.installation.presence.online() == []
        samples = {
            sample.name: sample.value for family in server.metrics.registry.collect() for sample in family.samples
        }
        assert (samples["agon_streams"], samples["agon_connected_bots"]) == (0, 0)

        async with RawBot(address, token) as bot:
            await bot.next(Welcome)


async def test_a_match_whose_seats_come_and_go_ends_and_leaves_nothing_behind() -> None:
    async with serving("ephyran-2", time=times(connect=0.5, ready=0.5, move=0.2, bank=0)) as server:
        tokens = [await server.accounts.register(name) for name in ("a", "b")]
        for joins in range(3):
            async with RawBot(str(server.address), tokens[0]) as one, RawBot(str(server.address), tokens[1]) as two:
                for bot in (one, two)[:joins]:
                    frame, offer = await bot.next(Offer)
                    await bot.answer(frame, Join(offer.ticket))
                    await bot.next(Start)
        await until(lambda: server.referee.running == 0, what="no match runs any more")
        await until(lambda: alive(Match, SeatPlay, BotStream) == 0, what="all is let go of", every=CALL_SECONDS)
