"""Memory of idle bot connections: what a server's process grows by when a thousand bots have said Hello and wait."""

from __future__ import annotations

import asyncio

from tests.bench.load import CheapBot, Tally, server_with_room
from tests.bench.report import Row

from agon_server.accounts import Accounts
from agon_server.store.connection import Store

CONNECTIONS = 1_000
MIB = 1 << 20


async def _measure(connections: int) -> list[Row]:
    server = server_with_room()
    store = Store(server.store_url)
    accounts = Accounts(store)
    playing: list[asyncio.Task[None]] = []
    try:
        tokens = [await accounts.register(f"idle{number}") for number in range(connections)]
        before = await server.ask("memory")
        bots = [CheapBot(server.address, token, slots=1, changed=True, tally=Tally()) for token in tokens]
        playing = [asyncio.create_task(bot.play()) for bot in bots]
        await asyncio.gather(*(bot.welcome.wait() for bot in bots))
        grown = (await server.ask("memory") - before) / MIB
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await store.aclose()
        server.stop()
    return [
        Row(
            f"{connections} idle bot connections",
            grown * CONNECTIONS / connections,
            "MiB more",
            "<= 80",
            "own TCP connection each",
        ),
        Row("each", grown * 1024 / connections, "KiB"),
    ]


def measure(*, quick: bool = False) -> list[Row]:
    """Measure with a real server and a TCP connection for each bot."""
    return asyncio.run(_measure(100 if quick else CONNECTIONS))
