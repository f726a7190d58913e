"""A real embedded Valkey for tests: one server a test process, an emptied store a test, always ended. Fixtures are
imported by the conftest of a folder that wants them; what acts on a store stands beside them."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from tests.support.memory import temporary_folder
from tests.support.patience import PATIENCE

from agon_engine.core.policy import FaultPolicy
from agon_server.presence import BotGame, Presence, Present
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.ids import new_id
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.embedded import EmbeddedServer
from agon_server.store.folder import DataFolder

GAME = "ephyran"
GAMES = {(GAME, 1)}


@contextmanager
def short_folder() -> Iterator[Path]:
    """Make a folder for a store."""
    with temporary_folder("agon-test-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """The URL of a server that lives as long as the test process.

    With `AGON_TEST_STORE=URL` it is that server instead (which the tests empty): to try another kind or version.
    """
    if other := os.environ.get("AGON_TEST_STORE"):
        yield other
        return

    with short_folder() as folder, DataFolder.open(folder) as data:
        server = EmbeddedServer(data)
        asyncio.run(server.start())
        try:
            yield server.url
        finally:
            asyncio.run(server.stop())


@pytest_asyncio.fixture
async def store(valkey_url: str) -> AsyncIterator[Store]:
    """A connection to an empty store."""
    opened = Store(valkey_url)
    await opened.command("FLUSHALL")
    await opened.check()
    try:
        yield opened
    finally:
        await opened.aclose()


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = PATIENCE) -> None:
    """Wait for a condition, by asking again and again. Raise TimeoutError when it does not come true."""
    async with asyncio.timeout(seconds):
        while True:
            if await condition():
                return
            await asyncio.sleep(0.001)


def present(bot: str, *, slots: int = 4, instance: str = "", token: str = "") -> Present:
    """Return a connected bot process that plays Ephyran."""
    return Present(
        bot=bot,
        instance=instance,
        token=token or secrets.token_hex(4),
        process="lobby-1",
        slots=slots,
        games=(BotGame(GAME, 1),),
        bot_version="1.0",
    )


async def connect(store: Store, *bots: str, slots: int = 4) -> None:
    """Connect one process of each bot."""
    presence = Presence(store)
    for bot in bots:
        await presence.put(present(bot, slots=slots))


def entry(*bots: str, **changes: object) -> MatchEntry:
    """Return a match of these bots."""
    base = MatchEntry(
        match=new_id(),
        game=GAME,
        version=1,
        seats=tuple(SeatEntry(bot, bot) for bot in bots),
        seed=secrets.token_hex(16),
        ladder="ephyran-2",
        rated=True,
        policy=FaultPolicy.default(len(bots)),
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # the caller names fields of an entry


async def reserved(store: Store) -> dict[str, int]:
    """Return the reserved slots by place."""
    flat = await store.command("HGETALL", keys.RESERVED)
    return {place.decode(): int(count) for place, count in zip(flat[::2], flat[1::2], strict=True)}
