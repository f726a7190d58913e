"""Lines for bots' private logs, from a frame until they are stored: gathered for a moment, bounded for each bot alone,
so that one that talks too much costs no other a line. How logs are kept is `accounts`'."""

from __future__ import annotations

from collections import Counter

from agon_server.accounts import Accounts
from agon_server.store.errors import StoreUnavailableError

WAITING = 1_000
"""Lines of one bot that wait to be stored; more are counted and dropped, which its log says."""


class Notes:
    """The lines of all bots that are not stored yet."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._lines: dict[str, list[str]] = {}
        self._dropped: Counter[str] = Counter()

    def add(self, bot: str, line: str) -> None:
        """Keep a line until `store` is called."""
        lines = self._lines.setdefault(bot, [])
        if len(lines) < WAITING:
            lines.append(line)
        else:
            self._dropped[bot] += 1

    async def store(self) -> None:
        """Store what waits. Raise StoreUnavailableError where that must wait longer."""
        for bot in list(self._lines):
            lines, dropped = self._lines.pop(bot), self._dropped.pop(bot, 0)
            try:
                mark = [f"dropped {dropped} lines that came too fast"] if dropped else []
                await self._accounts.append_notes(bot, lines + mark)
            except StoreUnavailableError:
                newer = self._lines.get(bot, [])
                self._lines[bot] = [*lines, *newer][:WAITING]
                self._dropped[bot] += dropped + max(0, len(lines) + len(newer) - WAITING)
                raise
