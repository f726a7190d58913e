"""Who is ahead and who is behind: how much each bot was seated in one ladder, against the others. The fast must not run
away, and the slow must not hold back the same ones again and again (M1).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Sequence
from typing import Final

AHEAD_RATIO: Final = 2
AHEAD_BLOCKS: Final = 4
"""Who has more than so many times the games of the others' lower median, and so many blocks more, is ahead; of whom it
has as much more is far behind."""


class Pace:
    """How much each bot was seated in one ladder since the planner was made, so that the fast do not run away.

    A bot that is new here counts as the others do by then: it is neither held back nor holds anybody back.
    """

    __slots__ = ("_games", "_present", "_settled", "_sorted")

    def __init__(self) -> None:
        self._games: dict[str, int] = {}
        self._present: set[str] = set()
        self._settled: set[str] = set()
        """Who plays only as company for others neither leads nor lags."""
        self._sorted: list[int] = []
        """Of the bots that this round compares."""

    def begin(self, bots: Collection[str]) -> None:
        """Begin a round with these bots present, busy or not."""
        there = set(bots)
        if there == self._present:
            return

        self._present = there
        present = [bot for bot in bots if bot not in self._settled]
        known = sorted(self._games[bot] for bot in present if bot in self._games)
        middle = known[(len(known) - 1) // 2] if known else 0
        self._sorted = sorted(self._games.setdefault(bot, middle) for bot in present)

    def settle(self, bot: str, *, settled: bool) -> None:
        """Compare a present bot or, where it is settled, no longer."""
        if settled == (bot in self._settled):
            return

        if settled:
            self._settled.add(bot)
            self._leave(self._games.get(bot, 0))
        else:
            self._settled.discard(bot)
            insort(self._sorted, self._games.setdefault(bot, self._middle))

    def is_ahead(self, bot: str, seats: int) -> bool:
        """Tell whether a bot has over `AHEAD_RATIO` times the games of the lower median, and `AHEAD_BLOCKS` more."""
        most = AHEAD_RATIO * self._middle + AHEAD_BLOCKS * seats
        return bot not in self._settled and self._games.get(bot, 0) > most

    def is_behind(self, bot: str) -> bool:
        """Tell whether a bot has fewer games than the lower median."""
        return bot not in self._settled and self._games.get(bot, 0) < self._middle

    def is_far_behind(self, bot: str, seats: int) -> bool:
        """Tell whether the lower median is over `AHEAD_RATIO` times the games of a bot, and `AHEAD_BLOCKS` more."""
        most = AHEAD_RATIO * self._games.get(bot, 0) + AHEAD_BLOCKS * seats
        return bot not in self._settled and self._middle > most

    def seated(self, line_up: Sequence[str]) -> None:
        """Count a new block."""
        for bot in line_up:
            before = self._games.get(bot, 0)
            self._games[bot] = before + len(line_up)
            if bot in self._present and bot not in self._settled and self._leave(before):
                insort(self._sorted, self._games[bot])

    @property
    def _middle(self) -> int:
        return self._sorted[(len(self._sorted) - 1) // 2] if self._sorted else 0

    def _leave(self, games: int) -> bool:
        at = bisect_left(self._sorted, games)
        if at == len(self._sorted) or self._sorted[at] != games:
            return False

        del self._sorted[at]
        return True
