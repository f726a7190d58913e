"""Where accepted choices wait until they are stored, and only then have consequences.

All choices of one loop turn go together: `accept` collects, the end of the turn stores them and lets their matches
follow them, in the order in which they were accepted. No frame that follows from a choice leaves before. Here a choice
is stored by being collected (a match whose server dies is played again from its start); a journal that outlives the
process stores in `_store`, and nothing else changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from agon_engine.core.driver import UNTIMED, Timing
from agon_engine.core.game import Action, Seat
from agon_engine.core.policy import Termination


class Kind(Enum):
    """What a journal's entry is about."""

    CHOICE = "choice"
    STRIKE = "strike"
    """A decision without a usable answer; a substitute stands in."""
    FALL = "fall"
    """A seat is out for good."""
    END = "end"
    """The match ends without counting."""


class Entry(NamedTuple):
    """One thing that was accepted in a match: all that its consequences follow from."""

    number: int
    """Without gaps, from 0."""
    kind: Kind
    seat: Seat = -1
    """-1 for END."""
    action: Action = -1
    """Of a CHOICE."""
    why: Termination | None = None
    """Of all others."""
    timing: Timing = UNTIMED
    """What the clock of the seat is charged by."""
    seats: Sequence[Termination] | None = None
    """Of an END: why each seat ended, where that is known better."""


class Follower(Protocol):
    """A match: it draws the consequences of what it has accepted."""

    @property
    def epoch(self) -> int: ...

    def follow(self, entry: Entry) -> None:
        """Do what follows from an entry that is stored."""


class Journal:
    """Collects the entries of a loop turn and releases their consequences together."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Follower, Entry]] = []
        self._loop = asyncio.get_running_loop()

    def accept(self, match: Follower, entry: Entry) -> None:
        """Take an entry of a match, which follows it when it is stored."""
        if not self._waiting:
            self._loop.call_soon(self._end_of_turn)
        self._waiting.append((match, entry))

    def _end_of_turn(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._store(waiting)
        for match, entry in waiting:
            match.follow(entry)

    def _store(self, entries: Sequence[tuple[Follower, Entry]]) -> None:
        """Keep the entries for a takeover. Nothing takes over within this process, so there is nothing to do."""
