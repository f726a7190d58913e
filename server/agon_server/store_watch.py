"""Whether the store can be used: asked again and again, so that the log and health tell it, whatever else needs it. And
work that is repeated for ever, also where the store is away for a while.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from agon_server.store.checks import check_keeping, parse_info, weakness
from agon_server.store.client import ANSWER_SECONDS, CLIENT_ERRORS, answered, close_client, make_client, translated
from agon_server.store.connection import Store, new_mark
from agon_server.store.errors import Away, StoreError, StoreRefusedError, StoreUnavailableError
from agon_server.store.lua import script_text
from agon_server.store.state import Back
from agon_server.waiting import Failing, Waiting

log = logging.getLogger(__name__)

CHECK_SECONDS = 0.25
"""How often the store is asked: for so long, and `SLOW_SECONDS`, an absence may go unnoticed by clocks."""
SLOW_SECONDS = 0.05
"""What lasts longer is not the bots' time any more: no choice can be stored meanwhile."""
SILENT_SECONDS = 1.0
"""After this time without an answer the store counts as away."""
LOOK_SECONDS = 10.0
"""How often is looked whether it still keeps what it takes."""
REMIND_SECONDS = 60.0
AWAY_TIMES = 2
"""As many times longer lie between two questions while it is away."""
CHANGES = 5
"""How often within `REMIND_SECONDS` is said that the store went or came; more are said together."""
AWAY_SECONDS = 0.5
"""How long to wait before trying again when the store does not answer, or something else went wrong."""


class Stalls(Protocol):
    """The clock that stands still while nothing can be stored."""

    def stall_in(self, seconds: float) -> None:
        """Stand still from then on, unless it does already or `go_on` comes before."""

    def go_on(self) -> None: ...


class StoreWatch:
    """Watches one store, by a connection of its own, and keeps its state. `run` does, until it is cancelled."""

    def __init__(
        self,
        store: Store,
        clock: Stalls,
        *,
        allow_volatile: bool = False,
        every: float = CHECK_SECONDS,
        remind: float = REMIND_SECONDS,
        show_safe: Callable[[bool], None] = lambda _: None,
    ) -> None:
        """`show_safe` is told now and then whether the store keeps what it takes, also where it need not."""
        self._store = store
        self._state = store.state
        self._clock = clock
        self._allow_volatile = allow_volatile
        self._every = every
        self._told = Told(remind)
        self._show_safe = show_safe
        # From here on no call reaches another run of the server unnoticed.
        store.expected_run = store.run
        self._client = make_client(store.url, meet=self._meet)
        self._script = self._client.register_script(script_text("mark"))
        self._run = ""
        """The run of the server to which the connection leads."""
        self._look_at = 0.0
        self._evicted = 0
        self._is_weak = False

    async def run(self) -> None:
        """Ask the store for ever. Return when it was emptied: there is nothing left to watch."""
        try:
            while not await self._ask():
                await self._state.wait_doubt(self._every if self._state.is_here else self._every * AWAY_TIMES)
        finally:
            await close_client(self._client)

    async def _ask(self) -> bool:
        """Ask once, and keep the state true. Return whether the store was emptied."""
        self._clock.stall_in(SLOW_SECONDS)
        asked = asyncio.create_task(self._mark())
        try:
            done, _ = await asyncio.wait((asked,), timeout=SILENT_SECONDS)
            if not done:
                self._leave(translated(TimeoutError(), self._store.shown_url))
            mark = await asked
            if self._state.is_here and self._run == self._store.expected_run and mark == self._store.mark:
                self._clock.go_on()
                await self._look()
                return False
            return await self._come_back(mark)
        except StoreError as error:
            self._leave(error)
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
        return False

    async def _mark(self) -> str:
        """Return the mark that the store has now, once it is known that it can be written to."""
        mark, put_back = await self._call(self._script(args=(self._store.mark, new_mark())))
        if put_back:
            self._told.evicted()
        return str(mark.decode())

    async def _call(self, call: Awaitable[Any]) -> Any:
        try:
            return await answered(call, ANSWER_SECONDS)
        except CLIENT_ERRORS as error:
            raise translated(error, self._store.shown_url) from error

    def _meet(self, run: str) -> None:
        self._run = run

    # -- changes -------------------------------------------------------------------------------------------------

    def _leave(self, error: StoreError) -> None:
        if not isinstance(error, StoreUnavailableError):
            error = StoreUnavailableError(str(error), Away.UNFIT)
        if self._state.is_here:
            self._told.away(error)
        else:
            self._told.still_away(error)
        self._state.leave(error)

    async def _come_back(self, mark: str) -> bool:
        how = Back.SAME if self._run == self._store.expected_run else Back.RESTARTED
        if mark != self._store.mark:
            how = Back.EMPTIED
        if self._state.is_here:  # nobody else has noticed
            self._leave(StoreUnavailableError(f"the store at {self._store.shown_url} was {how.value}"))
        if how is not Back.SAME:
            self._store.learn(await self._info())
        self._store.expected_run = self._run
        await self._state.come_back(how)
        if how is Back.EMPTIED:
            return True

        self._clock.go_on()
        self._told.back(how)
        return False

    async def _info(self) -> dict[str, str]:
        return parse_info(await self._call(self._client.execute_command("INFO")))

    async def _look(self) -> None:
        """Say, now and then, when a store that runs was told to keep less than it must."""
        now = asyncio.get_running_loop().time()
        if now < self._look_at:
            return

        self._look_at = now + LOOK_SECONDS
        info = await self._info()
        evicted = int(info.get("evicted_keys", 0))
        if evicted > self._evicted:
            log.warning("the store has thrown %d keys away to make room; raise its maxmemory", evicted)
        self._evicted = evicted
        self._show_safe(weakness(info) is None)
        if self._allow_volatile:
            return

        try:
            check_keeping(info, self._store.shown_url)
        except StoreRefusedError as error:
            if not self._is_weak:
                log.warning("what is stored from now on can be lost: %s", error)
            self._is_weak = True
        else:
            if self._is_weak:
                log.info("the store keeps again what it takes")
            self._is_weak = False


class Told:
    """What the log is told of the store: each change, but of one that comes and goes all the time only some."""

    def __init__(self, remind: float) -> None:
        """`remind`: how often, in seconds, is said that it is still away."""
        self._remind = remind
        self._changes: list[float] = []
        """When it was told that it is away, not longer ago than `remind`."""
        self._untold = 0
        self._is_quiet = False
        self._since = self._told_at = 0.0
        self._why = Away.UNREACHABLE
        self._evicted_at = 0.0
        """When that is to be told again."""

    def away(self, error: StoreUnavailableError) -> None:
        self._since = self._told_at = now = asyncio.get_running_loop().time()
        self._why = error.why
        self._changes = [when for when in self._changes if now - when < self._remind]
        self._is_quiet = len(self._changes) >= CHANGES
        if self._is_quiet:
            self._untold += 1
            return

        self._changes.append(now)
        often = f" (and was {self._untold} times before that were not told)" if self._untold else ""
        self._untold = 0
        log.warning("the store is away%s, and what needs it waits: %s", often, error)

    def still_away(self, error: StoreUnavailableError) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._told_at >= self._remind or (error.why is not self._why and len(self._changes) < CHANGES):
            self._changes.append(now)
            self._told_at, self._is_quiet, self._why = now, False, error.why
            log.warning("the store has been away for %.0f s: %s", now - self._since, error)

    def evicted(self) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._evicted_at:
            self._evicted_at = now + self._remind
            log.warning("the store has evicted the installation's mark, and with it whatever else; raise its maxmemory")

    def back(self, how: Back) -> None:
        if self._is_quiet:
            return

        took = asyncio.get_running_loop().time() - self._since
        what = ", started again: what it has lost was written again" if how is Back.RESTARTED else ""
        log.info("the store is back after %.0f s%s", took, what)


async def forever(step: Callable[[], Awaitable[None]], what: str, log: logging.Logger) -> None:
    """Repeat a step. While the store is away it is tried again, which is said once; whatever else goes wrong is a bug
    of ours: it is told, and nothing else of the server stands still."""
    waiting, failing = Waiting(log, what), Failing(log, what)
    while True:
        try:
            await step()
            waiting.over()
        except StoreUnavailableError as error:
            waiting.because(error)
            await asyncio.sleep(AWAY_SECONDS)
        except Exception as error:
            failing.because(error)
            await asyncio.sleep(AWAY_SECONDS)
