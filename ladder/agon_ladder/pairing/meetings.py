"""Who sat in one block with whom lately, in one ladder."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

MEMORY_BLOCKS: Final = 64
"""Of a bot's meetings those in its last so many blocks are remembered."""


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
