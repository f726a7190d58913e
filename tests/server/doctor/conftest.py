"""A healthy installation on a real store, in which each test plants one fault, and the doctor's answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.server.services.conftest import arena
from tests.support.ladder_store import Ladders, first_wins, opened
from tests.support.valkey import store, until, valkey_url

from agon.codec.admin import DiagnoseRequest, Symptom
from agon_server.archive.archive import Archive
from agon_server.config import ServerConfig
from agon_server.held_name import HeldName
from agon_server.operations.doctor import diagnose
from agon_server.operations.installation import Installation
from agon_server.queue.desk import Desk
from agon_server.store import keys
from agon_server.store.connection import Store

__all__ = ["arena", "store", "valkey_url"]

LOBBY = "lobby-1"
"""Where `present` says that bots are connected."""
Look = Callable[[], Awaitable[list[Symptom]]]


@pytest.fixture
def archive(arena: Ladders, tmp_path: Path) -> Iterator[Archive]:
    tmp_path.chmod(0o700)
    made = Archive(tmp_path / "records", arena.store, arena.results)
    yield made
    made.close()


@pytest.fixture
def installation(arena: Ladders, archive: Archive, tmp_path: Path) -> Iterator[Installation]:
    """As a server has it that runs on `tmp_path`."""
    made = Installation(
        config=ServerConfig(data=tmp_path),
        store=arena.store,
        accounts=arena.accounts,
        presence=arena.presence,
        queue=arena.queue,
        desk=Desk(arena.store),
        results=arena.results,
        archive=archive,
    )
    yield made
    made.background.shutdown()


@pytest_asyncio.fixture
async def healthy(store: Store, arena: Ladders, archive: Archive) -> AsyncIterator[Ladders]:
    """One server, which leads a ladder; bots that its lobby has; a match that it runs, and one that has ended."""
    await HeldName(store, arena.server, folder="x", address="127.0.0.1:1").take()
    await opened(arena, 2)
    lobby = asyncio.create_task(_hear(arena))
    await until(lambda: _is_heard(store))
    await arena.join("a", "b", "c", slots=3)
    await arena.play_rounds(1, first_wins)
    await archive.drain()
    await arena.pairing.round()
    assert await arena.claim() is not None
    yield arena
    lobby.cancel()
    await asyncio.gather(lobby, return_exceptions=True)


async def _hear(arena: Ladders) -> None:
    async for _ in arena.presence.offers(LOBBY):
        pass


async def _is_heard(store: Store) -> bool:
    return bool((await store.command("PUBSUB", "NUMSUB", keys.OFFERS + LOBBY))[1])


@pytest.fixture
def look(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Ask the doctor, who does not wait long for the second look."""
    monkeypatch.setattr(diagnose, "PAUSE_SECONDS", 0.01)

    async def asked() -> list[Symptom]:
        return list((await diagnose.diagnose(installation, DiagnoseRequest())).symptoms)

    return asked
