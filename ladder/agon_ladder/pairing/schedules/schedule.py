"""What every schedule fulfils: a tournament is rounds of blocks, and a round follows from the results of those before.

So a schedule has no state: after a restart the same results give the same rounds, whatever the order in which matches
ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from agon_ladder.stats.blocks import PlayedBlock


class PlannedBlock(NamedTuple):
    """One block to play."""

    round: int
    """From 0."""
    number: int
    """Within the round, from 0."""
    line_up: tuple[str, ...]
    """The seats of place 0; the other places rotate it."""


class Schedule(Protocol):
    """Which blocks a tournament has."""

    @property
    def rounds(self) -> int:
        """How many rounds are planned, at most."""
        ...

    @property
    def planned_blocks(self) -> int:
        """How many blocks all rounds have together, at most: what the start prints and a progress bar counts to."""
        ...

    def round(self, number: int, played: Sequence[Sequence[PlayedBlock]]) -> Sequence[PlannedBlock]:
        """Return the blocks of a round, lazily: an item is made when it is asked for.

        `played` has the blocks of every earlier round, by round and number; schedules that do not depend on results do
        not read it. An empty round: the tournament is over.
        """
        ...
