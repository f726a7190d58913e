"""Where accepted choices wait until they are stored, and only then have consequences.

All choices of one loop turn go together: `accept` collects, the end of the turn stores them and lets their
consequences go, in the order in which they were accepted. No frame that follows from a choice leaves before.
Here a choice is stored by being collected (a match whose server dies is played again from its start); a journal
that outlives the process stores in `_store`, and nothing else changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple


class Entry(NamedTuple):
    """One accepted choice or fault of a match, numbered without gaps from 0."""

    match: str
    epoch: int
    number: int
    seat: int
    action: str
    charge: int
    """What the seat was charged, in microseconds."""


class Journal:
    """Collects the entries of a loop turn and releases their consequences together."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Entry, Callable[[], None]]] = []
        self._loop = asyncio.get_running_loop()

    def accept(self, entry: Entry, then: Callable[[], None]) -> None:
        """Take an entry; call `then` when it is stored."""
        if not self._waiting:
            self._loop.call_soon(self._end_of_turn)
        self._waiting.append((entry, then))

    def _end_of_turn(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._store([entry for entry, _ in waiting])
        for _, then in waiting:
            then()

    def _store(self, entries: list[Entry]) -> None:
        """Keep the entries for a takeover. Nothing takes over within this process, so there is nothing to do."""
