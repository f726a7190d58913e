"""A ladder's table folded again to replace the live one, with its rating rows: of the newest results alone, since no
others are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from agon_ladder.errors import ResultError
from agon_ladder.fold import FinalTable, LadderState, Step
from agon_ladder.results import MatchResult
from agon_ladder.rulings import Loss, Purge, Season, purged_by
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.tables import Replacement
from agon_server.queue.reading import Told, Unreadable

ROWS_AT_ONCE: Final = 250
"""Results whose rating rows are written in one call."""


class Mark(NamedTuple):
    """Where a fold can be taken up again."""

    state: LadderState
    """Not to be changed."""
    purges: tuple[Purge, ...]
    """Under which it was folded."""
    losses: tuple[Loss, ...]
    """Accepted, under which it was folded."""
    seasons: tuple[FinalTable, ...]
    """That were over."""


class Marks:
    """Marks that are set while results are folded, so that the rating rows that are kept can be made from there on when
    it is known which these are."""

    def __init__(self, rows_kept: int) -> None:
        self._rows_kept = rows_kept
        self._newer: Mark | None = None
        self.last: Mark | None = None
        """The last one that has so many results behind it; None: none but the beginning."""

    def maybe_set(
        self, state: LadderState, purges: tuple[Purge, ...], losses: tuple[Loss, ...], seasons: Sequence[FinalTable]
    ) -> None:
        """Set a mark when so many rated results have gone by since the last one."""
        if state.results >= self._rows_kept + (self._newer.state.results if self._newer is not None else 0):
            self.last, self._newer = self._newer, Mark(state.copy(), purges, losses, tuple(seasons))


class Refold:
    """A table that is folded again, with its rating rows and the seasons that are over."""

    def __init__(
        self,
        ladder: LadderDef,
        purges: tuple[Purge, ...],
        losses: tuple[Loss, ...],
        made: Replacement,
        mark: Mark | None = None,
    ) -> None:
        """Begin at the mark, set under the same rulings, else with an empty table."""
        self.state = ladder.empty_table() if mark is None else mark.state.copy()
        self.purges = purges
        self.losses = losses
        self.seasons = [] if mark is None else list(mark.seasons)
        self._made = made
        self._rated: list[Step] = []

    async def take(self, entry: Told) -> None:
        """Fold one entry; what the fold refuses was refused before, too."""
        try:
            if isinstance(entry, MatchResult):
                step = self.state.apply(entry, purged=purged_by(self.purges, entry) is not None)
                if step.is_rated:
                    self._rated.append(step)
            elif isinstance(entry, Season):
                self.seasons.append(self.state.begin_season(entry))
            elif not isinstance(entry, Unreadable):
                self.state.pass_over(entry.position)
        except ResultError:
            return

        if len(self._rated) == ROWS_AT_ONCE:
            await self.write_rows()

    async def write_rows(self) -> None:
        """Store what rating rows there are."""
        if self._rated:
            await self._made.add(self._rated)
        self._rated = []
