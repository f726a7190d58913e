"""Whether the store can be used: asked again and again, so that the log and health tell it, whatever else needs it."""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from agon_server.store.connection import Store
from agon_server.store.errors import StoreError

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
REMIND_SECONDS = 60.0


class OnChange(Protocol):
    """Who is told that the store is away now, or here again."""

    async def __call__(self, *, here: bool) -> None: ...


async def watch_store(
    store: Store,
    on_change: OnChange,
    *,
    every: float = CHECK_SECONDS,
    remind: float = REMIND_SECONDS,
) -> None:
    """Ask the store for ever; say when it is away, and when it is back."""
    loop = asyncio.get_running_loop()
    away_since: float | None = None
    told_at = 0.0
    while True:
        now = loop.time()
        try:
            await store.command("PING")
        except StoreError as error:
            if away_since is None:
                away_since = told_at = now
                log.warning("the store is away, and what needs it waits: %s", error)
                await on_change(here=False)
            elif now - told_at >= remind:
                told_at = now
                log.warning("the store has been away for %.0f s: %s", now - away_since, error)
        else:
            if away_since is not None:
                log.info("the store is back after %.0f s", now - away_since)
                away_since = None
                await on_change(here=True)
        await asyncio.sleep(every)
