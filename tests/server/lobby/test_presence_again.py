"""A lobby after an absence of the store: it is listed again at once, not at its next sign of life."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from tests.support.valkey import until

from agon_server.lobby import lobby as module
from agon_server.lobby.lobby import Lobby
from agon_server.metrics import Metrics
from agon_server.presence import Presence
from agon_server.queue.queue import Queue
from agon_server.retirements import Retirements
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.state import Back


class Deaf(Presence):
    """Hears of no other lobby, so that nothing but the store's return leads to a sign of life."""

    async def lobby_changes(self) -> AsyncGenerator[None, None]:
        await asyncio.Event().wait()
        yield


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
