"""Streams that are dropped, half open or not read, by the hundred: what they had is taken back at the limits, the seats
that they took are free, nothing of them is left in the process, and the other matches on it do not feel it."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack

from tests.support.e2e import CALL_SECONDS, until
from tests.support.inside import alive, files, serving, tasks, times
from tests.support.proxy import Proxy
from tests.support.raw_bot import RawBot

from agon.codec.frames import Decide, Down, Join, Offer, Over, Rejected, Start, Welcome
from agon_engine.core import By
from agon_engine.core.policy import Termination
from agon_server.app import Server
from agon_server.operations.finding import find_record
from agon_server.presence import Present
from agon_server.referee.attendance import Attendance
from agon_server.referee.clock import Deadline
from agon_server.referee.match import Match
from agon_server.referee.seat import SeatPlay
from agon_server.referee.stream import BotStream

STREAMS = 300
AT_ONCE = 50
KINDS = (BotStream, Present, Match, SeatPlay, Attendance, Deadline)
PATIENT = times(connect=600, ready=600, move=600, bank=30)


def held(server: Server) -> Counter[str]:
    """Return what the process holds for its streams and matches, by what it is."""
    lobby = server.lobby
    books = (lobby._streams, lobby._presents, lobby._entered, lobby._by_bot, lobby._storing, lobby._tasks)
    return Counter(
        {
            "in the lobby": sum(len(book) for book in books),
            "matches": server.referee.running,
            "files": files(),
            **{kind.__name__: alive(kind) for kind in KINDS},
            **{f"task {name}": count for name, count in tasks().items()},
        }
    )


async def is_online(server: Server, *bots: str) -> bool:
    """Tell whether these bots are present and no others."""
    return [present.bot for present in await server.installation.presence.online()] == [*bots]


async def drop(address: str, token: str, number: int, frame: Down, offer: Offer) -> None:
    """Open a stream, take a bot's seat in its running match (the last Join has it), and be gone."""
    bot = RawBot(address, token, instance=f"i{number}", slots=number % 2, reads=number % 3 > 0)
    await bot.connect()
    await bot.say(bot.hello)
    if number % 5:
        await bot.answer(frame, Join(offer.ticket))
    if number % 3 == 1:
        await bot.next(Welcome)
    elif number % 3 == 2 and number % 5:
        await bot.next(Start)
    await bot.close()


async def test_streams_that_take_a_seat_and_are_gone_leave_nothing_and_no_other_match_feels_them() -> None:
    """The match whose seat they took goes on with the bot that it belongs to. Beside it another one is played: its
    clocks, its frames and its record are those of a match with nothing around it."""
    async with serving("ephyran-2", time=PATIENT) as server, AsyncExitStack() as stack:
        address = str(server.address)
        tokens = [await server.accounts.register(name) for name in ("castor", "pollux", "helen", "leda")]
        bots = [await stack.enter_async_context(RawBot(address, token, slots=1)) for token in tokens]
        began = [await bot.start_match() for bot in bots]
        await until(lambda: sum(len(bot.all(Decide)) for bot in bots) == 2, what="both matches have begun")
        await server.installation.catalogue.close("ephyran-2")
        mine, (frame, offer) = bots[0], began[0]
        [friend] = [
            bot for bot, (its, _) in zip(bots, began, strict=True) if its.match == frame.match and bot is not mine
        ]
        others = [bot for bot in bots if bot not in (mine, friend)]
        await asyncio.gather(*(server.store.command("PING") for _ in range(200)))  # its pool of connections is full
        await drop(address, tokens[0], 2, frame, offer)
        await until(lambda: len(server.lobby._streams) == len(bots), what="it is gone")
        before = held(server)

        for bot in others:
            await bot.play()
        for first in range(0, STREAMS, AT_ONCE):
            await asyncio.gather(*(drop(address, tokens[0], first + number, frame, offer) for number in range(AT_ONCE)))
        overs = [(await bot.next(Over))[1] for bot in others]
        await until(lambda: held(server) <= before, what="all is let go of", every=CALL_SECONDS)

        assert {row for over in overs for row in over.seats} == {Termination.SCORE}
        for bot in others:
            decides = [decide for _, decide in bot.all(Decide)]
            assert [decide.decision for decide in decides] == list(range(1, len(decides) + 1))
            assert {(one.clock.bank_us, one.clock.strikes, one.clock.last_late) for one in decides} == {
                (30_000_000, 0, False)
            }
            assert (len(bot.all(Start)), bot.all(Rejected)) == (1, [])
        assert [bot.instance for bot in await server.installation.presence.online()] == [""] * len(bots)

        await mine.answer(frame, Join(offer.ticket))
        for bot in (mine, friend):
            await bot.play()
        for bot in (mine, friend):
            _, over = await bot.next(Over, match=frame.match)
            assert set(over.seats) == {Termination.SCORE}
        record = await find_record(server.installation, frame.match)
        assert record is not None
        assert {move.by for move in record.moves} == {By.SEAT}


async def test_a_line_that_is_half_open_is_found_and_leaves_nothing_but_the_seat_s_limit() -> None:
    """R3: packets are lost without a word; the server's pings find it, and the bot may come back by another line."""
    async with serving("ephyran-2", time=PATIENT, ping=0.5) as server:
        address = str(server.address)
        tokens = [await server.accounts.register(name) for name in ("castor", "pollux")]
        async with RawBot(address, tokens[1], slots=1) as other, Proxy(address) as line:
            lost = RawBot(line.address, tokens[0], slots=1)
            await lost.connect()
            await lost.say(lost.hello)
            frame, _ = await lost.start_match()
            await other.start_match()
            await until(lambda: lost.all(Decide) or other.all(Decide), what="the match has begun")
            await server.installation.catalogue.close("ephyran-2")
            line.fall_silent()
            await until(lambda: len(server.lobby._streams) == 1, what="its stream has ended")
            await until(lambda: alive(BotStream) == 1, what="nothing of it is left", every=CALL_SECONDS)

            await until(lambda: is_online(server, "pollux"), what="its presence has ended")
            assert server.referee.running == 1

            async with RawBot(address, tokens[0], slots=1) as back:
                for bot in (back, other):
                    await bot.play()
                _, over = await other.next(Over, match=frame.match)
                assert set(over.seats) == {Termination.SCORE}
            await lost.close()
