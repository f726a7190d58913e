"""Signs of life: a lobby is listed again at once after an absence of the store, and none takes the place from a stream
that is here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.valkey import until

from agon.codec.frames import Hello
from agon_server.lobby import lobby as module
from agon_server.lobby.hello import Terms
from agon_server.lobby.lobby import Lobby
from agon_server.metrics import Metrics
from agon_server.presence import Presence, Present
from agon_server.queue.queue import Queue
from agon_server.referee.stream import Ending
from agon_server.retirements import Retirements
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.state import Back


class Deaf(Presence):
    """Hears of no other lobby, so that nothing but the store's return leads to a sign of life."""

    async def lobby_changes(self) -> AsyncGenerator[None, None]:
        await asyncio.Event().wait()
        yield


class Watched(Deaf):
    """Lets nobody in before it may, and tells when the lobby has given its signs of life."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.may = asyncio.Event()
        self.may.set()
        self.waits = asyncio.Event()
        self.signs = asyncio.Event()

    async def put(self, present: Present) -> None:
        self.waits.set()
        await self.may.wait()
        await super().put(present)

    async def list_lobby(self, address: str) -> tuple[str, ...]:
        listed = await super().list_lobby(address)
        self.signs.set()
        return listed


class Stream:
    """What a lobby needs of a stream of hector's."""

    def __init__(self) -> None:
        self.bot = SimpleNamespace(name="hector")
        self.hello = Hello(token="t", games=(), slots=2)
        self.slots = 0

    def send(self, piece: bytes) -> None:
        """What is said to it does not matter here."""

    def end(self, ending: Ending) -> None:
        """Nor does that it ends."""


@asynccontextmanager
async def opened(presence: Watched, store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Lobby]:
    """Open a lobby that gives signs of life where it is told that the store is back."""
    monkeypatch.setattr(module, "TOUCH_SECONDS", 3_600.0)
    tickets = cast("Any", None)
    queue = Queue(store, server="one")
    lobby = Lobby("one.1", "one", "here:7420", presence, Retirements(store), queue, tickets, Metrics())
    await lobby.start()
    try:
        yield lobby
    finally:
        await lobby.stop()


async def signs_of_life(lobby: Lobby, presence: Watched) -> None:
    presence.signs.clear()
    await lobby.store_back(Back.SAME)
    await presence.signs.wait()


def held_by(process: str) -> Present:
    return Present(bot="hector", instance="", token="other", process=process, slots=1, games=())


async def test_a_stream_that_is_being_entered_keeps_its_place(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """X9: also where what it had at a server that was killed still stands there: it was never offered a match."""
    presence, stream = Watched(store), cast("Any", Stream())
    await presence.put(held_by("two.1"))
    async with opened(presence, store, monkeypatch) as lobby:
        presence.may.clear()
        presence.waits.clear()
        entering = asyncio.create_task(lobby.enter(stream, Terms((), (), 2), 1))
        await presence.waits.wait()
        await signs_of_life(lobby, presence)
        presence.may.set()
        await entering

        assert lobby.set_slots(stream, 1)


@pytest.mark.parametrize(("process", "keeps"), [("one.0", True), ("two.1", False)])
async def test_a_stream_gives_its_place_to_a_newer_one_and_not_to_what_a_killed_store_has_again(
    process: str, keeps: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier process of the same server had entered is no newer stream."""
    presence, stream = Watched(store), cast("Any", Stream())
    async with opened(presence, store, monkeypatch) as lobby:
        await lobby.enter(stream, Terms((), (), 2), 1)
        await presence.put(held_by(process))
        await signs_of_life(lobby, presence)
        found = await presence.get("hector", "")

        assert found is not None
        assert (found.process == "one.1", lobby.set_slots(stream, 1)) == (keeps, keeps)


@pytest.mark.parametrize("how", [Back.SAME, Back.RESTARTED])
async def test_a_lobby_is_present_again_as_soon_as_the_store_is_back(
    how: Back, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X9."""
    monkeypatch.setattr(module, "TOUCH_SECONDS", 3_600.0)
    tickets = cast("Any", None)
    queue = Queue(store, server="one")
    lobby = Lobby("one.1", "one", "here:7420", Deaf(store), Retirements(store), queue, tickets, Metrics())
    await lobby.start()
    await store.command("DEL", keys.LOBBIES)

    async def is_listed() -> bool:
        return await store.command("ZSCORE", keys.LOBBIES, "here:7420") is not None

    await lobby.store_back(how)
    await until(is_listed)
    await lobby.stop()
