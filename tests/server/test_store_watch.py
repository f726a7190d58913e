"""Whether the store can be used is told once when it changes, and now and then while it is away."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from tests.support.valkey import until

from agon_server import store_watch
from agon_server.store.connection import Store, Value
from agon_server.store.errors import StoreUnavailableError
from agon_server.store_watch import forever, watch_store


class Fickle(Store):
    """A store that is there or not, as a test says."""

    here = True
    asked = 0

    async def command(self, *_: Value) -> Any:
        self.asked += 1
        if not self.here:
            raise StoreUnavailableError("it is gone")


async def test_a_store_that_goes_and_comes_back_is_told_of_once_each_time(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    store = Fickle("unix:///nowhere/valkey.sock")
    changes: list[bool] = []

    async def changed(*, here: bool) -> None:
        changes.append(here)

    async def asked_often() -> bool:
        return store.asked > 3

    async def is_away() -> bool:
        return "has been away for" in caplog.text

    async def is_back() -> bool:
        return changes == [False, True]

    watching = asyncio.create_task(watch_store(store, changed, every=0.001, remind=0.05))
    await until(asked_often)
    assert changes == []

    store.here = False
    await until(is_away)
    store.here = True
    await until(is_back)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    await store.aclose()

    assert caplog.messages[0] == "the store is away, and what needs it waits: it is gone"
    assert caplog.messages[-1].startswith("the store is back after ")
    assert {message.partition(" for ")[0] for message in caplog.messages[1:-1]} == {"the store has been away"}


async def test_work_is_repeated_whatever_becomes_of_it(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(store_watch, "AWAY_SECONDS", 0.0)
    gone = StoreUnavailableError("it is gone")
    ends: list[BaseException | None] = [None, gone, gone, None, RuntimeError("secret"), gone, asyncio.CancelledError()]

    async def step() -> None:
        if (end := ends.pop(0)) is not None:
            raise end

    with pytest.raises(asyncio.CancelledError):
        await forever(step, "claiming", logging.getLogger("test"))

    assert ends == []
    told = [message.partition("\n")[0] for message in caplog.messages]
    assert told == [
        "claiming has to wait: it is gone",
        "claiming goes on",
        "claiming failed and begins anew:",
        "claiming has to wait: it is gone",
    ]
    assert "secret" not in caplog.text
