"""Whether the store can be used: asked again and again, so that the log and health tell it, whatever else needs it. And
work that is repeated for ever, also where the store is away for a while.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from agon_server.store.connection import Store
from agon_server.store.errors import StoreError, StoreUnavailableError
from agon_server.trace import places
from agon_server.waiting import Waiting

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
REMIND_SECONDS = 60.0
AWAY_SECONDS = 0.5
"""How long to wait before trying again when the store does not answer, or something else went wrong."""


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


async def forever(step: Callable[[], Awaitable[None]], what: str, log: logging.Logger) -> None:
    """Repeat a step. While the store is away it is tried again, which is said once; whatever else goes wrong is a bug
    of ours: it is told, and nothing else of the server stands still."""
    waiting = Waiting(log, what)
    while True:
        try:
            await step()
            waiting.over()
        except StoreUnavailableError as error:
            waiting.because(error)
            await asyncio.sleep(AWAY_SECONDS)
        except Exception as error:
            log.error("%s failed and begins anew:\n%s", what, places(error))
            await asyncio.sleep(AWAY_SECONDS)
