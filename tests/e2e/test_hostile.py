"""Bots that mean no good, frame by frame, against a real server: each is answered or put out, and nobody else is the
worse for it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc
import pytest
from tests.support.e2e import ServerProcess, Site, until
from tests.support.raw_bot import RawBot

from agon.codec.frames import (
    Choose,
    Decide,
    Down,
    Hello,
    HelloGame,
    Join,
    Note,
    Offer,
    Over,
    Pong,
    Ready,
    Refused,
    RefusedCode,
    Rejected,
    RejectedCode,
    Resign,
    Slots,
    Start,
    Welcome,
)
from agon.codec.up import FRAME_BYTES, MESSAGE_FRAMES, encode_up
from agon_engine.core.policy import Termination

EPHYRAN = (HelloGame("ephyran"),)
QUICK = ("time.connect=2", "time.ready=2", "time.move=5", "time.bank=0", "limits.unsent_bytes=131072")


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server with one ladder, of two seats."""
    with Site() as site:
        made = site.launch_server(*(item for setting in QUICK for item in ("--set", setting)))
        site.run(made.close_ladders("ephyran-2"))
        yield made


async def registered(server: ServerProcess) -> str:
    """Register a bot of a new name; return its token."""
    return await server.register(f"bot-{secrets.token_hex(4)}")


@asynccontextmanager
async def pair(server: ServerProcess) -> AsyncIterator[tuple[tuple[RawBot, Down], tuple[RawBot, Down]]]:
    """Two new bots in a match that has begun: first the one that is asked, each with its Offer."""
    async with AsyncExitStack() as stack:
        bots = [
            await stack.enter_async_context(RawBot(server.address, await registered(server), slots=1)) for _ in range(2)
        ]
        offers = [(await bot.start_match())[0] for bot in bots]
        assert offers[0].match == offers[1].match
        await until(lambda: any(bot.all(Decide) for bot in bots))
        asked, other = (0, 1) if bots[0].all(Decide) else (1, 0)
        yield (bots[asked], offers[asked]), (bots[other], offers[other])


async def play_out(*seats: tuple[RawBot, Down]) -> list[Over]:
    """Play a match to its end; return each seat's Over."""
    for bot, _ in seats:
        await bot.play()
    return [(await bot.next(Over, match=offer.match))[1] for bot, offer in seats]


# -- before the match ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "code", "status"),
    [
        (b"\xff\xfe\xfd this is no protobuf", RefusedCode.HELLO_FIRST, grpc.StatusCode.INVALID_ARGUMENT),
        (b"", RefusedCode.HELLO_FIRST, grpc.StatusCode.INVALID_ARGUMENT),
        (encode_up(Pong(1)), RefusedCode.HELLO_FIRST, grpc.StatusCode.INVALID_ARGUMENT),
        (encode_up(Join("t"), "m", 0), RefusedCode.HELLO_FIRST, grpc.StatusCode.INVALID_ARGUMENT),
        (encode_up(Hello("agon_wrong", EPHYRAN)), RefusedCode.TOKEN, grpc.StatusCode.UNAUTHENTICATED),
        (encode_up(Hello("", EPHYRAN)), RefusedCode.TOKEN, grpc.StatusCode.UNAUTHENTICATED),
    ],
)
async def test_who_does_not_say_a_good_hello_is_refused(
    server: ServerProcess, first: bytes, code: RefusedCode, status: grpc.StatusCode
) -> None:
    bot = RawBot(server.address, "")
    await bot.connect()
    await bot.write(first)

    assert await bot.ended() is status
    assert [frame.code for _, frame in bot.all(Refused)] == [code]
    await bot.close()


@pytest.mark.parametrize(
    ("hello", "code", "says"),
    [
        ({"protocol_min": 0, "protocol_max": 0}, RefusedCode.PROTOCOL, "protocol 1"),
        ({"protocol_min": 2, "protocol_max": 9}, RefusedCode.PROTOCOL, "protocol 1"),
        ({"games": (HelloGame("chess"),)}, RefusedCode.GAME, "ephyran version"),
        ({"games": (HelloGame("ephyran", 99),)}, RefusedCode.GAME, "ephyran version"),
        ({"games": (HelloGame("ephyran", 0, (7,)),)}, RefusedCode.GAME, "2 to 4 seats"),
        ({"instance": "x" * 65}, RefusedCode.HELLO_FIRST, ""),
        ({"bot_version": "1\x1b[2J"}, RefusedCode.HELLO_FIRST, ""),
    ],
)
async def test_a_hello_that_does_not_fit_is_refused_with_what_is_needed(
    server: ServerProcess, hello: dict[str, Any], code: RefusedCode, says: str
) -> None:
    """L6."""
    async with RawBot(server.address, await registered(server), **hello) as bot:
        await bot.ended()
        [(_, refused)] = bot.all(Refused)

        assert refused.code == code
        assert says in refused.needed


async def test_a_second_hello_is_rejected_and_changes_nothing(server: ServerProcess) -> None:
    async with RawBot(server.address, await registered(server)) as bot:
        await bot.next(Welcome)
        await bot.say(Hello("agon_another", EPHYRAN))
        _, rejected = await bot.next(Rejected)

        assert (rejected.code, rejected.frame) == (RejectedCode.OUT_OF_ORDER, "hello")
        assert bot.status is None


async def test_a_message_over_128_kib_is_ended_by_grpc(server: ServerProcess) -> None:
    async with RawBot(server.address, await registered(server)) as bot:
        await bot.next(Welcome)
        await bot.write(encode_up(Note("x" * 4_000)) * 40)

        assert await bot.ended() is grpc.StatusCode.RESOURCE_EXHAUSTED


# -- in a match ----------------------------------------------------------------------------------------------


async def test_nobody_can_take_another_s_seat_or_answer_for_it(server: ServerProcess) -> None:
    """With the right ticket and the wrong token, with the right token and another seat's ticket, or with none."""
    async with pair(server) as (victim, thief):
        (asked, its), (bot, own) = victim, thief
        async with RawBot(server.address, await registered(server), slots=0) as stranger:
            tickets = {frame.seat: offer.ticket for frame, offer in (*asked.all(Offer), *bot.all(Offer))}
            await stranger.answer(its, Join(tickets[its.seat]))
            await bot.answer(its, Join(tickets[its.seat]))
            await bot.answer(its, Join(tickets[own.seat]))
            await bot.answer(own, Join(tickets[its.seat]))
            await bot.answer(own, Join(""))
            await bot.answer(own._replace(seat=4_000_000_000), Join(tickets[own.seat]))
            await bot.answer(own._replace(match="m" * 10_000), Join(tickets[own.seat]))
            await bot.until(lambda: len(bot.all(Rejected)) == 6)
            await stranger.next(Rejected)

            assert {frame.code for _, frame in bot.all(Rejected)} == {RejectedCode.NO_TICKET}
            assert not stranger.all(Start)

            for sender in (bot, stranger):
                for body in (Choose(1, 0), Ready(), Note("mine now"), Resign()):
                    await sender.answer(its, body)
                while (await sender.next(Rejected))[1].code is RejectedCode.NO_TICKET:
                    pass
                others = [(await sender.next(Rejected))[1].code for _ in range(3)]

                assert others == [RejectedCode.NO_MATCH] * 3

        overs = await play_out(victim, thief)

        assert [set(over.seats) for over in overs] == [{Termination.SCORE}] * 2


async def test_what_cannot_be_used_is_rejected_and_costs_the_open_decision_nothing(server: ServerProcess) -> None:
    async with pair(server) as ((asked, its), other):
        _, decide = await asked.next(Decide)
        await asked.write(b"\xff" * 100)
        await asked.write(b"\x0a\x00" * (MESSAGE_FRAMES + 1))
        await asked.answer(its, Note("x" * 5_000))
        await asked.write(encode_up(Join("x" * FRAME_BYTES), its.match, its.seat))
        await asked.answer(its, Choose(decide.decision + 5, 0))
        await asked.answer(its._replace(seat=1 - its.seat), Choose(decide.decision, 0))
        await asked.until(lambda: len(asked.all(Rejected)) == 6)

        assert [frame.code for _, frame in asked.all(Rejected)] == [
            RejectedCode.UNKNOWN,
            RejectedCode.UNKNOWN,
            RejectedCode.TOO_LARGE,
            RejectedCode.TOO_LARGE,
            RejectedCode.STALE,
            RejectedCode.NO_MATCH,
        ]
        open_then = {(frame.open_decision, frame.attempts_left) for _, frame in asked.all(Rejected)[2:5]}
        assert open_then == {(decide.decision, 3)}

        await asked.answer(its, Choose(decide.decision, 0))
        overs = await play_out((asked, its), other)

        assert [set(over.seats) for over in overs] == [{Termination.SCORE}] * 2


async def test_illegal_answers_are_struck_and_the_match_ends_without_the_bot(server: ServerProcess) -> None:
    """J7: three attempts a decision, three strikes a match, then the other seat has won."""
    async with pair(server) as ((asked, its), (other, _)):
        await other.play()
        for _ in range(9):
            frame, decide = await asked.next(Decide)
            await asked.answer(frame, Choose(decide.decision, 1_000_000))
        _, over = await other.next(Over)
        await asked.next(Over)

        assert over.seats[its.seat] is Termination.ILLEGAL
        assert over.placements[its.seat] == 2
        assert len(asked.all(Rejected)) == 9
        assert [frame.attempts_left for _, frame in asked.all(Rejected)] == [2, 1, 0] * 3


async def test_a_bot_that_floods_is_put_out_and_stays_out_for_its_delay(server: ServerProcess) -> None:
    """L7, M10: its seat falls, the other one wins, and coming back at once is of no use."""
    async with pair(server) as ((asked, its), (other, _)):
        for _ in range(101):
            await asked.answer(its, Choose(77, 0))

        assert await asked.ended() is grpc.StatusCode.RESOURCE_EXHAUSTED
        refused = asked.all(Refused)[-1][1]
        assert (refused.code, refused.retry_delay_us) == (RefusedCode.FLOOD, 60_000_000)

        _, over = await other.next(Over)
        assert over.seats[its.seat] is Termination.PROTOCOL

        async with RawBot(server.address, asked.token) as again:
            assert await again.ended() is grpc.StatusCode.RESOURCE_EXHAUSTED
            [(_, refused)] = again.all(Refused)
            assert refused.code is RefusedCode.LIMIT
            assert 50_000_000 < refused.retry_delay_us <= 60_000_000


@pytest.mark.parametrize("kind", ["slots", "join", "note", "pong", "empty"])
async def test_a_flood_of_any_frame_does_not_reach_the_store_or_the_others(server: ServerProcess, kind: str) -> None:
    """A well-behaved pair plays on meanwhile, and is charged no second for it."""
    async with pair(server) as ((bad, its), _), pair(server) as good:
        [(_, offer)] = bad.all(Offer)
        pieces = {
            "slots": [encode_up(Slots(number % 7)) for number in range(1_000)],
            "join": [encode_up(Join(offer.ticket), its.match, its.seat)] * 500,
            "note": [encode_up(Note("x" * 4_000), its.match, its.seat)] * 30,
            "pong": [encode_up(Pong(1_000_000 + number)) for number in range(4_000)],
            "empty": [b"\x0a\x00"] * 60_000,
        }[kind]
        message = b"".join(pieces)
        for bot, _ in good:
            await bot.play()
        for _ in range(100):
            if bad.status is None:
                await bad.write(message)
        overs = await play_out(*good)

        assert [set(over.seats) for over in overs] == [{Termination.SCORE}] * 2
        assert max(decide.clock.last_charge_us for bot, _ in good for _, decide in bot.all(Decide)) < 1_000_000
    assert "store is away" not in server.log
