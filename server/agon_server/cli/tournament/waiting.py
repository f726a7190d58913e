"""Whom a tournament of a server waits for: what is told of it, by the reasons, and once while it is followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from agon.codec.tournament import Awaited

PATIENCE_SECONDS = 10.0
"""A bot that is away for less, as while it starts or comes back, is not worth a line."""


def told_awaited(awaited: Sequence[Awaited]) -> list[str]:
    """Return a line for each reason, with the bots that it is true of.

    >>> told_awaited([Awaited("a", "not connected"), Awaited("b", "suspended"), Awaited("c", "not connected")])
    ['waits for a, c: not connected', 'waits for b: suspended']
    """
    bots: dict[str, list[str]] = {}
    for each in awaited:
        bots.setdefault(each.reason, []).append(each.bot)
    return [f"waits for {', '.join(names)}: {why}" for why, names in bots.items()]


class WaitsFor:
    """Knows what was told, and so what is new."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._since: dict[Awaited, float] = {}
        self._told: set[Awaited] = set()

    def news(self, awaited: Sequence[Awaited]) -> list[str]:
        """Return lines for what is waited for by now, and was not told since it began."""
        now = self._clock()
        self._since = {each: self._since.get(each, now) for each in awaited}
        self._told &= set(awaited)
        new = [each for each in awaited if each not in self._told and now - self._since[each] >= PATIENCE_SECONDS]
        self._told |= set(new)
        return told_awaited(new)
