"""Whether the store can be used, as the whole server sees it: here, or away and why; and as what it came back.

Who finds that out is `store_watch`; who has to know listens. While it is away every call fails at once with the reason,
so that nothing piles up, and nothing reaches a store that was started again before what it has lost is written again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from enum import Enum
from typing import Protocol

from agon_server.store.errors import Away, StoreUnavailableError
from agon_server.trace import places

log = logging.getLogger(__name__)

NOTICED_SECONDS = 2.0
"""So long an absence may have lasted before it was noticed."""


class Back(Enum):
    """As what a store is back, the mildest first."""

    SAME = "same"
    """The same run of its process: it has what it had."""
    RESTARTED = "restarted"
    """Another run of its process: what it had not yet written to its disk is lost, with `everysec` about a second."""
    EMPTIED = "emptied"
    """Everything is lost: the mark of the installation is gone. The server has to begin anew."""


class StoreListener(Protocol):
    """Who has to know when nothing can be stored."""

    def store_away(self) -> None:
        """Nothing can be stored from now on. Said once, until `store_back`."""

    async def store_back(self, how: Back) -> None:
        """The store answers again. All other calls still fail until every listener has returned, in their order; a
        listener's own go by `Store.early`.

        Raise StoreUnavailableError where it is away again: then this is called again later, `how` being the same or
        worse. After EMPTIED nothing may be stored any more, and no call is let through.
        """


_SEVERITY = list(Back)


class StoreState:
    """Here, until somebody says otherwise."""

    def __init__(self) -> None:
        self.away: StoreUnavailableError | None = None
        """Why it cannot be used, in words that say what to do; None while it is here."""
        self._here = asyncio.Event()
        self._here.set()
        self._gone = asyncio.Event()
        self._doubt = asyncio.Event()
        self._listeners: list[StoreListener] = []
        self._owed = Back.SAME
        """What the listeners have not been told in full yet."""
        self._since = 0.0
        self._absences: deque[tuple[float, float]] = deque(maxlen=100)
        """When the last absences ended, and how long they were, by the loop's clock."""

    @property
    def is_here(self) -> bool:
        return self.away is None

    @property
    def reason(self) -> str:
        """Why it is away; empty while it is here."""
        return str(self.away) if self.away is not None else ""

    def listen(self, listener: StoreListener) -> None:
        """Tell a listener of every change from now on, after those that listen already."""
        self._listeners.append(listener)

    def ensure_here(self) -> None:
        """Raise StoreUnavailableError while it is away."""
        if self.away is not None:
            raise StoreUnavailableError(str(self.away), self.away.why)

    async def wait_here(self) -> None:
        """Return as soon as it is here."""
        await self._here.wait()

    async def wait_away(self) -> None:
        """Return as soon as it is away."""
        await self._gone.wait()

    def absent(self, within: float) -> float:
        """Return how long it was away in all, in seconds, counting what ended within so many seconds.

        For so long nobody could renew anything: who judges by the store's clock what has run out grants that.
        """
        after = asyncio.get_running_loop().time() - within
        return sum(length for ended, length in self._absences if ended > after)

    # -- for who watches it --------------------------------------------------------------------------------------

    def doubt(self) -> None:
        """A call has failed: let the watch ask at once whether the store is away."""
        self._doubt.set()

    async def wait_doubt(self, seconds: float) -> None:
        """Return when a call has failed, at the latest after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._doubt.wait()
        except TimeoutError:
            pass
        self._doubt.clear()

    def leave(self, why: StoreUnavailableError) -> None:
        """It is away, or still away and for another reason."""
        was_here, self.away = self.is_here, why
        if not was_here:
            return

        self._since = asyncio.get_running_loop().time() - NOTICED_SECONDS
        self._here.clear()
        self._gone.set()
        for listener in self._listeners:
            try:
                listener.store_away()
            except Exception as error:
                log.error("the absence of the store was not understood:\n%s", places(error))

    async def come_back(self, how: Back) -> None:
        """It answers again: tell the listeners, then let all calls through, unless it was emptied.

        Raise StoreUnavailableError where it is away again before all is done.
        """
        self._owed = how = max(how, self._owed, key=_SEVERITY.index)
        if how is Back.EMPTIED:
            self.leave(StoreUnavailableError("the store was emptied; this server begins anew", Away.EMPTIED))
        for listener in self._listeners:
            try:
                await listener.store_back(how)
            except StoreUnavailableError:
                raise
            except Exception as error:
                log.error("the return of the store was not understood:\n%s", places(error))
        if how is not Back.EMPTIED:
            self._owed = Back.SAME
            self.away = None
            now = asyncio.get_running_loop().time()
            self._absences.append((now, now - self._since))
            self._gone.clear()
            self._here.set()
