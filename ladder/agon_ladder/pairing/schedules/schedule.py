"""What every schedule fulfils: a tournament is rounds of blocks, and a round follows from the results of those before.

So a schedule has no state: after a restart the same results give the same rounds, whatever the order in which matches
ended. `agon_ladder.pairing.verify` proves what a schedule promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from agon_ladder.pairing.schedules.table import Row
from agon_ladder.stats.blocks import PlayedBlock

Played = Sequence[Sequence[PlayedBlock]]
"""The complete blocks of each round, by round. A block that was planned and is missing could not be played to its end:
nobody scores for it, and its bots have not met."""


class PlannedBlock(NamedTuple):
    """One block to play."""

    round: int
    """From 0."""
    number: int
    """Within the round, from 0."""
    line_up: tuple[str, ...]
    """The seats of place 0; the other places rotate it."""


class Promise(NamedTuple):
    """How evenly a schedule spreads its blocks, over all its rounds together."""

    groups: tuple[tuple[str, ...], ...]
    """Bots that are treated alike; every bot is in one of them."""
    blocks_apart: int
    """By how many blocks two bots of one group differ at most."""
    meetings_apart: int | None
    """By how many blocks two pairs differ at most, between the same two groups or within the same one; None: nothing is
    promised of pairs."""


class Schedule(Protocol):
    """Which blocks a tournament has."""

    @property
    def bots(self) -> tuple[str, ...]:
        """All bots, the best seed first."""
        ...

    @property
    def rounds(self) -> int:
        """How many rounds are planned, at most."""
        ...

    @property
    def extent(self) -> str:
        """How long it is, as people say it: `7 rounds`, `3 stages`."""
        ...

    @property
    def planned_blocks(self) -> int:
        """How many blocks all rounds have together, at most: what the start prints and a progress bar counts to."""
        ...

    @property
    def is_adaptive(self) -> bool:
        """Whether a round follows from results. Where not, a round may begin before the one before it is over."""
        ...

    @property
    def promise(self) -> Promise | None:
        """How evenly the blocks are spread; None where results decide how many a bot has."""
        ...

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """What ranks bots with the same points, by name, in its order; empty: they share a place."""
        ...

    def round(self, number: int, played: Played, /) -> Sequence[PlannedBlock]:
        """Return the blocks of a round, lazily: an item is made when it is asked for.

        `played` has every earlier round; a schedule that is not adaptive does not read it. An empty round: the
        tournament is over.
        """
        ...

    def round_name(self, number: int, played: Played, /) -> str:
        """Return what people call a round: `round 2 of 7`, `stage 1 of 3`. Reads results as `round` does; there must be
        such a round."""
        ...

    def byes(self, number: int, played: Played, /) -> tuple[str, ...]:
        """Return the bots that sit a round out and stay in, by the results as `round` does."""
        ...

    def table(self, played: Played, under_way: Sequence[PlayedBlock] = ()) -> list[Row]:
        """Return how the bots stand after these rounds and what was played of the next one, the best first."""
        ...
