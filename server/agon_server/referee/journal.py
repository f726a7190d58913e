"""Where accepted choices wait until they are stored, and only then have consequences.

All choices of one loop turn go together: `accept` collects, one call of the store keeps them and lets their matches
follow them, in the order in which they were accepted; what comes while a call is under way goes with the next one. No
frame that follows from a choice leaves before. While the store is away everything waits. What the entries mean is
`entries`', and what becomes of a match that the store says is not ours is the referee's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from agon_server.referee.entries import Entry

AT_ONCE: Final = 500
"""Entries that one call stores, so that it holds neither the store nor this process up."""
READ_TURNS: Final = 16
"""Turns of the loop before a call: gRPC needs two or more for each message that it hands over. On busy streams fewer
make smaller calls, and more bring nothing."""
_STORED: Final = 1


class Follower(Protocol):
    """A match: it draws the consequences of what it has accepted."""

    head: str
    """Its id and epoch, as they stand before each of its entries in a call."""
    closed: bool
    """Nothing of it is to be stored any more: it is over, or was let go."""

    def follow(self, entry: Entry) -> None:
        """Let an entry that is stored take effect in the rules."""

    def tell(self) -> None:
        """Send what came of what it has followed."""


class AcceptsEntries(Protocol):
    """The journal, as a match sees it."""

    def accept(self, match: Follower, entry: Entry, line: str) -> None:
        """Take an entry of a match, which follows it when its line is stored."""


class Line(Protocol):
    """The way to the script that stores entries."""

    async def call(self, count: int, arguments: str) -> Any: ...


Waiting = tuple[Follower, Entry, str]
"""An entry with its match and its line, as it travels."""


class Journal:
    """Collects entries, stores them and releases their consequences together. `run` is to be repeated for ever."""

    def __init__(
        self,
        line: Line,
        server: str,
        mend: Callable[[list[Follower]], Awaitable[None]],
        on_stored: Callable[[float], None],
    ) -> None:
        """`server`: the owner's name as it travels. `mend` is called with matches of which the store does not take an
        entry: it makes the store as it has to be, or lets them go. `on_stored` is told each call's seconds."""
        self._line = line
        self._server = server
        self._mend = mend
        self._on_stored = on_stored
        self._waiting: list[Waiting] = []
        self._storing: list[Waiting] = []
        """What the call under way is to store, or is to be tried again."""
        self._loop = asyncio.get_running_loop()
        self._wake: asyncio.Future[None] | None = None

    def accept(self, match: Follower, entry: Entry, line: str) -> None:
        """Take an entry of a match, which follows it when it is stored. `line` is what the store is to keep."""
        self._waiting.append((match, entry, f"${len(line)}\r\n{line}\r\n"))
        wake = self._wake
        if wake is not None:
            self._wake = None
            if not wake.done():
                wake.set_result(None)

    async def run(self) -> None:
        """Wait for entries and store them in one call. Raise StoreUnavailableError where that must wait: nothing is
        lost, and the next run tries it again."""
        if not self._storing:
            if not self._waiting:
                self._wake = self._loop.create_future()
                await self._wake
            # Choices that have arrived by now are read first, so that they go in the same call, and what follows from
            # them in the same messages: turns of the loop, no time.
            have_read = self._loop.create_future()
            _after_turns(READ_TURNS - 1, self._loop, have_read)
            await have_read
            self._storing, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
        storing = [item for item in self._storing if not item[0].closed]
        if storing:
            await self._store(storing)
        else:
            self._storing = []

    async def _store(self, storing: list[Waiting]) -> None:
        parts = [self._server]
        for match, _, line in storing:
            parts.append(match.head)
            parts.append(line)
        began = time.perf_counter()
        answers = await self._line.call(1 + 3 * len(storing), "".join(parts))
        self._on_stored(time.perf_counter() - began)
        left: list[Waiting] = []
        refused: list[Follower] = []
        # First the rules of all matches, then the views and frames of all: what the processor has just run it runs
        # again from its caches, which saves more than any one part of the walk.
        due: dict[Follower, None] = {}
        for item, answer in zip(storing, answers, strict=True):
            match = item[0]
            if answer == _STORED and match not in refused:
                if match in due:
                    match.tell()
                match.follow(item[1])
                due[match] = None
            else:
                left.append(item)
                if match not in refused:
                    refused.append(match)
        for match in due:
            match.tell()
        self._storing = left
        if refused:
            await self._mend(refused)


def _after_turns(turns: int, loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> None:
    """Let whoever awaits `done` go on after so many turns of the loop, and one that it takes itself: by callbacks, as a
    turn of a task costs several times as much."""
    if turns > 0:
        loop.call_soon(_after_turns, turns - 1, loop, done)
    elif not done.done():
        done.set_result(None)
