"""What streams leave behind: memory and tasks of a server's process before and after many of them were opened and
dropped, each on a connection of its own, at another moment of its beginning and in another way."""

from __future__ import annotations

import asyncio
import time

from tests.bench.load import server_with_room
from tests.bench.report import Row, progress
from tests.support.raw_bot import RawBot

from agon.codec.frames import Refused, Welcome
from agon_server.accounts import Accounts
from agon_server.store.connection import Store

STREAMS = 20_000
AT_ONCE = 50
WARM_UP = 10_000
"""Streams before the measuring: by then caches are full, and allocators have what they need at a time. What they keep
for later is given back before memory is read."""
MEGABYTE = 1_000_000
LOOKS, LOOK_SECONDS = 600, 0.1
"""How often to look whether all streams have ended."""


async def _drop(address: str, token: str, number: int) -> None:
    """Open a stream and be gone: without a word, after Hello, after Welcome, refused, or with all read."""
    way = number % 5
    bot = RawBot(address, "agon_wrong" if way == 3 else token, instance=f"i{number % AT_ONCE}", reads=way != 4)
    await bot.connect()
    if way:
        await bot.say(bot.hello)
    if way == 2:
        await bot.next(Welcome)
    elif way == 3:
        await bot.next(Refused)
    await bot.close()


async def _drop_many(address: str, token: str, count: int) -> None:
    for first in range(0, count, AT_ONCE):
        await asyncio.gather(*(_drop(address, token, first + number) for number in range(min(AT_ONCE, count - first))))


async def _measure(streams: int, warm_up: int) -> list[Row]:
    server = server_with_room()
    store = Store(server.store_url)
    try:
        token = await Accounts(store).register("restless")
        tasks = await server.ask("tasks")

        async def settled() -> int:
            """Return the server's memory once it is idle again."""
            for _ in range(LOOKS):
                if await server.ask("tasks") <= tasks:
                    break
                await asyncio.sleep(LOOK_SECONDS)
            memory: int = await server.ask("memory in use")
            return memory

        cold = await settled()
        progress(f"warming up with {warm_up:,} streams")
        await _drop_many(server.address, token, warm_up)
        before = await settled()
        progress(f"opening and dropping {streams:,} streams")
        began = time.perf_counter()
        await _drop_many(server.address, token, streams)
        took = time.perf_counter() - began
        after = await settled()
        left = await server.ask("tasks") - tasks
    finally:
        await store.aclose()
        server.stop()
    note = f"after a warm-up of {warm_up:,}, which took {(before - cold) / MEGABYTE:.1f} MB"
    return [
        Row(f"memory after {streams:,} streams", (after - before) / MEGABYTE, "MB more", "<= 5", note),
        Row("tasks left", left, "tasks", "<= 0"),
        Row("streams opened and dropped", streams / took, "streams/s"),
    ]


def measure(*, quick: bool = False) -> list[Row]:
    """Measure with a real server in a process of its own."""
    return asyncio.run(_measure(1_000, 1_000) if quick else _measure(STREAMS, WARM_UP))
