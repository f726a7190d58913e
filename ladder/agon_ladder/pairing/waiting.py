"""How long a free bot waits for company that tells more than what is there.

Bots whose match has just ended are free at the same moment. If they were paired at once they would meet again, for
ever, and a ladder whose bots have one slot each would fall apart into fixed pairs that no rating can compare. So a bot
that could only get company worth less than what others would be waits a little: at most `WAIT_SHARE` of the time that
it was last busy for, and the less the more its company is worth. In a large ladder somebody is free in a small part of
that. As long, in all but small ladders, two that met often are no company of a third either: it may be new to both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from agon_ladder.pairing.information import expected_gain, information
from agon_ladder.pairing.meetings import Meetings
from agon_ladder.pairing.players import Candidate, Player

WAIT_SHARE: Final = 0.25
"""Of the time that a bot was last busy for: so long it waits for company at most."""
LONGEST_WAIT_MS: Final = 30_000
_FEW: Final = 32
"""Among so many bots nobody is kept apart: all meet often in any case, and games would be less even."""
_LOOKED_AT: Final = 32
"""Who met so many is not asked whether there is one that it never met."""


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


class Waiting:
    """Who waits during one round of pairing in one ladder."""

    def __init__(
        self,
        present: Collection[str],
        player: Callable[[str], Player],
        meetings: Meetings,
        patience: Patience | None,
    ) -> None:
        """`present` are all bots, busy or not, and `player` says who they are. Without `patience` nobody waits."""
        self._present = present
        self._player = player
        self._meetings = meetings
        self._patience = patience

    def for_anybody_else(self, bot: str, now: int) -> bool:
        """Tell whether it waits still where the company that it could have is worth nothing to it."""
        return self._patience is not None and self._patience.waits(bot, 0.0, now)

    def for_better(self, anchor: Candidate, chosen: Sequence[Candidate], now: int) -> bool:
        """Tell whether the anchor of a block waits for company that tells more than this."""
        if self._patience is None:
            return False

        bot = anchor.player.bot
        best = sum(information(0, anchor.uncertainty, one.uncertainty) for one in chosen) / (
            1 + self._least(anchor.player)
        )
        worth = expected_gain(anchor, chosen, self._meetings.of(bot)) / best
        return self._patience.waits(bot, min(1.0, worth), now)

    def keeps_apart(self, one: Candidate, other: Candidate, now: int) -> bool:
        """Tell whether two would meet at least a third time while both can wait for somebody whom they met less, and
        neither has to catch up (M2)."""
        met = self._meetings.of(one.player.bot).get(other.player.bot, 0)
        if met < 2 or one.behind or other.behind or len(self._present) <= _FEW:
            return False

        return self._spares(one, met, now) and self._spares(other, met, now)

    def _spares(self, candidate: Candidate, met: int, now: int) -> bool:
        """Tell whether it can wait for somebody else than one whom it met so often."""
        least = self._least(candidate.player)
        if self._patience is None or met < least + 2:
            return False

        return self._patience.waits(candidate.player.bot, (1 + least) / (1 + met), now)

    def _least(self, player: Player) -> int:
        """Return how often it met the one that it met least, of those that are there and that it may meet."""
        met = self._meetings.of(player.bot)
        if len(met) < _LOOKED_AT and any(
            bot not in met and player.may_meet(self._player(bot)) for bot in self._present
        ):
            return 0

        return min((times for bot, times in met.items() if bot in self._present), default=0)
