"""A journal whose store is the test's own: for streams and matches on a real loop."""

from __future__ import annotations

import asyncio
import contextlib
import re

from agon_server.referee.journal import Follower, Journal
from agon_server.store.errors import StoreUnavailableError

_ARGUMENT = re.compile(r"\$\d+\r\n(.*?)\r\n", re.DOTALL)


class FakeLine:
    """Takes every entry, and keeps the calls: what each one stored, as (match, epoch, line)."""

    def __init__(self) -> None:
        self.calls: list[list[tuple[str, str, str]]] = []
        self.open = asyncio.Event()
        """A call that is made while it is not set waits."""
        self.open.set()
        self.answers: list[list[int]] = []
        """What the next calls answer, if not that all is stored."""
        self.away = 0
        """How many of the next calls fail."""

    async def call(self, count: int, arguments: str) -> list[int]:
        """Store entries, as the script does."""
        words = _ARGUMENT.findall(arguments)
        assert count == len(words)
        self.calls.append(list(zip(words[1::3], words[2::3], words[3::3], strict=True)))
        await self.open.wait()
        if self.away:
            self.away -= 1
            raise StoreUnavailableError("the store is away")
        return self.answers.pop(0) if self.answers else [1] * (count // 3)

    async def aclose(self) -> None:
        """Close nothing."""


class StoredJournal(Journal):
    """A journal on such a line. `serve` stores until cancelled."""

    def __init__(self) -> None:
        self.line = FakeLine()
        self.refused: list[Follower] = []
        super().__init__(self.line, "$4\r\nhere\r\n", self._refused, lambda _: None)

    async def _refused(self, matches: list[Follower]) -> None:
        self.refused += matches

    async def serve(self) -> None:
        """Store what comes."""
        while True:
            with contextlib.suppress(StoreUnavailableError):
                await self.run()
