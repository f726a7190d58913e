"""Who sat in one block with whom lately, in one ladder, and how long a free bot waits for company that tells more.

Bots whose match has just ended are free at the same moment. If they were paired at once they would meet again, for
ever, and a ladder whose bots have one slot each would fall apart into fixed pairs that no rating can compare. So a bot
that could only get company worth less than what others would be waits a little: at most `WAIT_SHARE` of the time that
it was last busy for, and the less the more its company is worth. In a large ladder somebody is free in a small part of
that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

MEMORY_BLOCKS: Final = 64
"""Of a bot's meetings those in its last so many blocks are remembered."""
WAIT_SHARE: Final = 0.25
"""Of the time that a bot was last busy for: so long it waits for company at most."""
LONGEST_WAIT_MS: Final = 30_000


class Meetings:
    """How often any two met in the last blocks of either."""

    __slots__ = ("_last", "_of")

    def __init__(self) -> None:
        self._of: dict[str, dict[str, int]] = {}
        self._last: dict[str, deque[tuple[str, ...]]] = {}

    def seated(self, line_up: Sequence[str]) -> None:
        """Count a new block."""
        others = tuple(line_up)
        for bot in others:
            met = self._of.setdefault(bot, {})
            last = self._last.setdefault(bot, deque())
            if len(last) == MEMORY_BLOCKS:
                _forget(met, bot, last.popleft())
            last.append(others)
            for other in others:
                if other != bot:
                    met[other] = met.get(other, 0) + 1

    def of(self, bot: str) -> dict[str, int]:
        """Return whom a bot met how often; not to be changed."""
        return self._of.get(bot, {})


def _forget(met: dict[str, int], bot: str, line_up: Iterable[str]) -> None:
    for other in line_up:
        if other != bot:
            if met[other] == 1:
                del met[other]
            else:
                met[other] -= 1


class Patience:
    """Since when bots are free and how long they may wait. Times are in milliseconds."""

    __slots__ = ("_due", "_free_since", "_seated_at")

    def __init__(self) -> None:
        self._seated_at: dict[str, int] = {}
        self._free_since: dict[str, int] = {}
        self._due: int | None = None

    def begin(self) -> None:
        """Begin a round: nobody waits yet."""
        self._due = None

    def waits(self, bot: str, worth: float, now: int) -> bool:
        """Tell whether a free bot waits on, where the company that it could have is worth so much of the best, 0 to 1.
        Who has not played yet waits for nothing."""
        seated = self._seated_at.get(bot)
        if seated is None:
            return False

        since = self._free_since.setdefault(bot, now)
        until = since + min(LONGEST_WAIT_MS, int((since - seated) * WAIT_SHARE * (1 - worth)))
        if now >= until:
            return False

        self._due = until if self._due is None else min(self._due, until)
        return True

    def seated(self, line_up: Sequence[str], now: int) -> None:
        """Note a new block."""
        for bot in line_up:
            self._seated_at[bot] = now
            self._free_since.pop(bot, None)

    @property
    def next_end(self) -> int | None:
        """When the first of those that waited in this round no longer does; None where nobody waited."""
        return self._due
