"""Whose turn it is to open a block: ladders that share bots go on at one pace.

It is start-time fair queueing (P. Goyal, H. Vin and H. Cheng, *Start-Time Fair Queueing*, 1996) over the games of a
bot: the ladder goes first whose bots were given the fewest. A ladder that is new, or that could not be played for a
while, begins where the least of those that were played stands: old ladders do not wait until it has caught up with all
that they ever played, and it owes nothing either.
"""

from __future__ import annotations

from collections.abc import Mapping


class Shares:
    """How many games a bot has had in each ladder, since the planner was made."""

    __slots__ = ("_bots", "_had")

    def __init__(self) -> None:
        self._had: dict[str, float] = {}
        self._bots: dict[str, int] = {}
        """Of the ladders that can be played now, how many bots are there."""

    def begin(self, bots: Mapping[str, int]) -> None:
        """Begin a round: so many bots are there, busy or not, in each ladder that can be played."""
        least = min((self._had[ladder] for ladder in bots if ladder in self._bots), default=0.0)
        for ladder in bots:
            if ladder not in self._bots:
                self._had[ladder] = max(least, self._had.get(ladder, 0.0))
        self._bots = dict(bots)

    def of(self, ladder: str) -> float:
        """Return the games that a bot has had, on the average of those that are there."""
        return self._had.get(ladder, 0.0)

    def is_behind(self, ladder: str, games: int) -> bool:
        """Tell whether a bot has had over so many games fewer than in the ladder that can be played and had most."""
        return self.of(ladder) + games < max((self._had[other] for other in self._bots), default=0.0)

    def opened(self, ladder: str, games: int) -> None:
        """Count a new block in which the games of its bots add up to this."""
        self._had[ladder] = self.of(ladder) + games / self._bots[ladder]
