"""The bots of a chaos run, each a process of its own: `python -m tests.chaos.bots KIND ADDRESSES FILE`, its token in
AGON_TOKEN. House bots play through the SDK as they are; a raw one speaks the contract frame by frame. All think a
while, so that matches last, and write what they see to the file.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import sys
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.chaos.witness import Witness
from tests.support.raw_bot import RawBot

from agon.address import Address
from agon.codec.frames import Choose, Decide, Down, Join, Offer, Ready, Start, UpBody
from agon_bots import Bot, Settings, Turn
from agon_bots.house.greedy import GreedyBot
from agon_bots.house.random import RandomBot
from agon_bots.sdk.link import Link
from agon_bots.sdk.running import play_on_servers, start_log

HOUSE: dict[str, type[Any]] = {"random": RandomBot, "greedy": GreedyBot}
KINDS = (*HOUSE, "raw")
BACK_SECONDS = 0.2
"""How soon a raw bot tries again."""


def thoughtful(base: type[Any], seconds: float) -> type[Bot]:
    """Return a house bot that thinks for about so long, and holds nobody up meanwhile."""

    class Thoughtful(base):  # type: ignore[misc]  # which of them is known at run time alone
        async def choose(self, turn: Turn) -> Any:
            await asyncio.sleep(random.uniform(0, 2 * seconds))
            return super().choose(turn)

    return Thoughtful


def watch_sdk(witness: Witness) -> None:
    """Let every link of the SDK tell what passes through it, before the client acts on it."""
    take, say = Link._take, Link.say

    def watched_take(link: Link, frames: list[Down]) -> None:
        for frame in frames:
            witness.heard(str(link.address), frame)
        take(link, frames)

    def watched_say(link: Link, body: UpBody, match: str = "", seat: int = 0) -> None:
        witness.said(str(link.address), body, match, seat)
        say(link, body, match, seat)

    vars_of: Any = Link
    vars_of._take, vars_of.say = watched_take, watched_say


class Raw:
    """A bot without memory: it joins what it is offered, wherever that runs, and answers what it is asked."""

    def __init__(self, addresses: list[str], token: str, slots: int, seconds: float, witness: Witness) -> None:
        self._addresses = addresses
        self._token = token
        self._slots = slots
        self._seconds = seconds
        self._witness = witness
        self._there: dict[str, RawBot] = {}
        """Open streams to referees that are elsewhere, by address."""
        self._joins: dict[str, list[tuple[Down, Join]]] = {}
        """What is said there once the stream is open."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Play for ever, at one lobby after the other."""
        for address in itertools.cycle(self._addresses):
            async with RawBot(address, self._token, slots=self._slots) as lobby:
                await self._listen(lobby)
            await asyncio.sleep(BACK_SECONDS)

    async def _listen(self, bot: RawBot) -> None:
        """Answer what comes until the stream ends."""
        while bot.status is None or bot.heard:
            with suppress(TimeoutError):
                await bot.until(lambda: bot.heard or bot.status is not None)
            heard = bot.heard[:]
            bot.heard.clear()
            for frame in heard:
                self._witness.heard(bot.address, frame)
                await self._answer(bot, frame)

    async def _answer(self, bot: RawBot, frame: Down) -> None:
        body = frame.body
        if isinstance(body, Offer):
            if body.address in ("", bot.address):
                await bot.answer(frame, Join(body.ticket))
            elif (there := self._there.get(body.address)) is not None:
                await there.answer(frame, Join(body.ticket))
            elif (joins := self._joins.get(body.address)) is not None:
                joins.append((frame, Join(body.ticket)))
            else:
                self._joins[body.address] = [(frame, Join(body.ticket))]
                self._spawn(self._go(body.address))
        elif isinstance(body, Start):
            await bot.answer(frame, Ready())
        elif isinstance(body, Decide):
            self._spawn(self._choose(bot, frame, body))

    async def _go(self, address: str) -> None:
        """Take what is offered at another address, for as long as the stream there is open."""
        try:
            async with RawBot(address, self._token, slots=0) as there:
                self._there[address] = there
                for frame, join in self._joins.pop(address):
                    await there.answer(frame, join)
                await self._listen(there)
        finally:
            self._there.pop(address, None)
            self._joins.pop(address, None)

    async def _choose(self, bot: RawBot, frame: Down, decide: Decide) -> None:
        await asyncio.sleep(random.uniform(0, 2 * self._seconds))
        answer = Choose(decide.decision, len(decide.actions) - 1)
        self._witness.said(bot.address, answer, frame.match, frame.seat)
        await bot.answer(frame, answer)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def main() -> int:
    """Play until a signal."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("addresses")
    parser.add_argument("file", type=Path)
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--think", type=float, default=0.01)
    options = parser.parse_args()
    witness = Witness(options.file)
    addresses, token = options.addresses.split(","), os.environ["AGON_TOKEN"]
    if options.kind == "raw":
        asyncio.run(Raw(addresses, token, options.slots, options.think, witness).run())
        return 0

    start_log("info")
    watch_sdk(witness)
    servers = tuple(map(Address.parse, addresses))
    settings = Settings(servers=servers, token=token, slots=options.slots, silence=0)
    play_on_servers(thoughtful(HOUSE[options.kind], options.think), settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
