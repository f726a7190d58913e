"""A bot process that goes so far in a match and then stands still, for a test that kills it there:
`python stepping_bot.py ADDRESS STEP`, its token in AGON_TOKEN. It says on stdout when it is where it was told to go."""

from __future__ import annotations

import asyncio
import os
import sys

from tests.support.raw_bot import RawBot

from agon.codec.frames import Choose, Decide, Join, Offer, Ready, Start, Welcome

STEPS = ("connected", "welcome", "offered", "joined", "ready", "asked", "answered")


async def go(address: str, step: str) -> None:
    """Go as far as the step, then answer nothing but pings."""
    bot = RawBot(address, os.environ["AGON_TOKEN"], slots=1)
    await bot.connect()
    reached = STEPS.index(step)
    if reached >= STEPS.index("welcome"):
        await bot.say(bot.hello)
        await bot.next(Welcome)
    if reached >= STEPS.index("offered"):
        frame, offer = await bot.next(Offer)
    if reached >= STEPS.index("joined"):
        await bot.answer(frame, Join(offer.ticket))
        await bot.next(Start)
    if reached >= STEPS.index("ready"):
        await bot.answer(frame, Ready())
    if reached >= STEPS.index("asked"):
        asked, decide = await bot.next(Decide)
    if reached >= STEPS.index("answered"):
        await bot.answer(asked, Choose(decide.decision, 0))
    sys.stdout.write(f"at {step}\n")
    sys.stdout.flush()
    await bot.ended()


if __name__ == "__main__":
    asyncio.run(go(sys.argv[1], sys.argv[2]))
