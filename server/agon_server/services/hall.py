"""How many streams there may be: those between their opening and their welcome, of which who says nothing makes room
for who comes, and, apart from them, those that are welcome."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any

from agon.codec.frames import RefusedCode
from agon_server.referee.clock import Microseconds
from agon_server.referee.stream import Ending

PLACES = 1_000
"""Streams at a time that have not said Hello, or whose Hello is looked at: as many bots can come back at once."""
HELLO_SECONDS = 10.0
"""How long a new stream may take to say Hello, where nobody needs its place."""
RETRY: Microseconds = 5_000_000
"""The delay that is asked of a stream for which there is no room."""


class Hall:
    """The streams of one server that are not welcome yet."""

    def __init__(self, places: int = PLACES, hello_seconds: float | None = None) -> None:
        self._places = places
        self._hello_seconds = HELLO_SECONDS if hello_seconds is None else hello_seconds
        self._silent: dict[asyncio.Timeout, None] = {}
        """The patience with each stream that has said nothing, the oldest first."""
        self._taken = 0

    @contextmanager
    def place(self) -> Iterator[bool]:
        """Take a place for as long as the block lasts, if need be that of the stream that has been silent longest.

        False when there is none: all that are there have said Hello.
        """
        if self._taken >= self._places and not self._send_away():
            yield False
            return

        self._taken += 1
        try:
            yield True
        finally:
            self._taken -= 1

    def _send_away(self) -> bool:
        if not self._silent:
            return False

        oldest = next(iter(self._silent))
        del self._silent[oldest]
        oldest.reschedule(asyncio.get_running_loop().time())
        return True

    async def first_message(self, message: Awaitable[Any]) -> Any:
        """Return the first message of a stream that has a place, or why it gets none any more: an Ending."""
        patience = asyncio.timeout(self._hello_seconds)
        try:
            async with patience:
                self._silent[patience] = None
                return await message
        except TimeoutError:
            if patience in self._silent:
                return Ending(RefusedCode.HELLO_FIRST, f"no Hello within {self._hello_seconds:g} seconds")
            return Ending(
                RefusedCode.LIMIT,
                f"more than {self._places} streams have said no Hello: say it at once",
                retry_delay=RETRY,
            )
        finally:
            self._silent.pop(patience, None)


class Places:
    """The streams of one server that are welcome: so many in all, and so many of a bot.

    A stream has its place until its bot has been told the end, so that those that are not read do not pile up.
    """

    def __init__(self, streams: int, per_bot: int) -> None:
        self._streams = streams
        self._per_bot = per_bot
        self._taken = 0
        self._by_bot: dict[str, int] = {}

    def refusal(self, bot: str, *, replaces: bool) -> Ending | None:
        """Return why there is no place for one more stream of a bot; None: there is one. `replaces`: another stream of
        it ends for this one."""
        if self._taken - replaces >= self._streams:
            return Ending(RefusedCode.LIMIT, f"this server holds {self._streams} streams already", retry_delay=RETRY)
        if self._by_bot.get(bot, 0) - replaces >= self._per_bot:
            return Ending(RefusedCode.LIMIT, f"a bot has at most {self._per_bot} streams here", retry_delay=RETRY)
        return None

    def take(self, bot: str) -> None:
        """Give a stream of a bot a place; does not check."""
        self._taken += 1
        self._by_bot[bot] = self._by_bot.get(bot, 0) + 1

    def give_back(self, bot: str) -> None:
        """Let the place of a stream be free."""
        self._taken -= 1
        self._by_bot[bot] -= 1
        if not self._by_bot[bot]:
            del self._by_bot[bot]
