"""Matches that a test plays frame by frame, between two bots on their own streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.support.e2e import until
from tests.support.own_store import OwnStore
from tests.support.raw_bot import RawBot

from agon.codec.frames import Choose, Decide, Down, Join, Offer, Start
from agon_server.store import keys
from agon_server.store.connection import Store


async def begin(bots: Sequence[RawBot]) -> str:
    """Let the bots begin the match that they are offered; return its id."""
    found = [await bot.start_match() for bot in bots]
    return found[0][0].match


async def play_to(bots: Sequence[RawBot], match: str, decisions: int) -> Decide:
    """Answer until so many decisions are answered; return the one that is open then."""
    answered = {
        (frame.seat, number) for bot in bots for frame, body in bot.all(Decide) for number in range(1, body.decision)
    }
    while True:
        frame, body = await next_decide(bots, match, answered)
        if len(answered) == decisions:
            return body
        answered.add((frame.seat, body.decision))
        bot = next(bot for bot in bots if frame in bot.heard)
        await bot.answer(frame, Choose(body.decision, 0))


async def next_decide(bots: Sequence[RawBot], match: str, answered: set[tuple[int, int]]) -> tuple[Down, Decide]:
    def look() -> tuple[Down, Decide] | None:
        for bot in bots:
            for frame, body in bot.all(Decide):
                if frame.match == match and (frame.seat, body.decision) not in answered:
                    return frame, body
        return None

    found: tuple[Down, Decide] = await until(look, what="a decision is asked")
    return found


def untimed(body: Decide) -> Decide:
    """Return a Decide without what is measured anew by each server."""
    return replace(body, clock=body.clock._replace(latency_us=0))


async def rejoined(bot: RawBot, match: str, asked: Decide) -> Decide | None:
    """Join the match anew, as it is offered there, from the sequence before a Decide on; return what is open for the
    seat."""
    while True:
        frame, offer = await bot.next(Offer, match=match)
        if not offer.address:
            break
    await bot.answer(frame, Join(offer.ticket, asked.sequence - len(asked.events)))
    await bot.next(Start, match=match)
    await bot.answer(frame, Choose(999, 0))  # a frame of which the answer comes behind all that Join brings
    await bot.until(lambda: any(type(each.body).__name__ == "Rejected" for each in bot.heard))
    return next((body for each, body in bot.all(Decide) if each.match == match), None)


async def lines(store: OwnStore, match: str) -> list[bytes]:
    """Return a match's journal."""
    opened = Store(store.url)
    try:
        found = await opened.command("LRANGE", keys.JOURNAL + match, 0, -1)
    finally:
        await opened.aclose()
    return list(found)
