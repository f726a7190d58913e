"""What schedules share whose line-ups are known from the start: rounds that are cycles through the same groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from itertools import chain
from math import comb

from agon_engine.core.chance import Chance
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.schedules.designs import CyclicDesign, EveryGroup, EveryPair, Group
from agon_ladder.pairing.schedules.lazily import LazyMap
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Played, Promise
from agon_ladder.pairing.schedules.table import Row, Tally
from agon_ladder.stats.blocks import PlayedBlock


def groups_of(
    bots: int, size: int, *, cycles: int, blocks_per_bot: int | None, chance: Chance
) -> tuple[Sequence[Group], int]:
    """Return every group of so many bots once, or, with `blocks_per_bot`, a part of them in which each bot is at least
    so often; and by how many groups two pairs of bots differ.

    Raise ScheduleError for numbers that cannot be, and where the part would be all.
    """
    if cycles < 1:
        raise ScheduleError(f"cycles is a number from 1, not {cycles!r}")
    if blocks_per_bot is None:
        return EveryPair(bots) if size == 2 else EveryGroup(bots, size), 0
    if cycles != 1:
        raise ScheduleError(
            f"cycles repeat all line-ups, blocks_per_bot plays a part of them: cycles is 1, not {cycles!r}"
        )

    full = comb(bots - 1, size - 1)
    bases = -(-blocks_per_bot // size)
    if blocks_per_bot < 1 or bases * size >= full:
        most = max(0, (full - 1) // size * size)
        allowed = f"1 to {most} here" if most else "impossible here"
        raise ScheduleError(
            f"blocks_per_bot is for a part of all line-ups, of which a bot has {full}: it is {allowed}, not "
            f"{blocks_per_bot!r}; cycles plays them all"
        )

    design = CyclicDesign(bots, size, bases, chance.fork("design"))
    return design, design.meetings_apart


class Cycles(ABC):
    """Rounds of the same groups, in the same order. A round need not wait for the one before it."""

    is_adaptive = False
    tie_breaks: tuple[str, ...] = ()
    promise: Promise

    def __init__(self, bots: Sequence[str], rounds: int, blocks: int) -> None:
        self.bots = tuple(bots)
        self.rounds = rounds
        self._blocks = blocks

    @property
    def planned_blocks(self) -> int:
        return self.rounds * self._blocks

    def round(self, number: int, _played: Played) -> Sequence[PlannedBlock]:
        if not 0 <= number < self.rounds:
            return ()

        return LazyMap(range(self._blocks), partial(self._block, number))

    def _block(self, cycle: int, number: int) -> PlannedBlock:
        return PlannedBlock(cycle, number, self._line_up(cycle, number))

    @abstractmethod
    def _line_up(self, cycle: int, number: int) -> tuple[str, ...]:
        """Make the line-up of a block from its number in the cycle."""

    @property
    def extent(self) -> str:
        return f"{self.rounds} round{'s' if self.rounds != 1 else ''}"

    def round_name(self, number: int, _played: Played) -> str:
        return f"round {number + 1} of {self.rounds}"

    def byes(self, _number: int, _played: Played) -> tuple[str, ...]:
        return ()

    def table(self, played: Played, under_way: Sequence[PlayedBlock] = ()) -> list[Row]:
        tally = Tally(self.bots)
        for round_ in chain(played, (under_way,)):  # there can be a million of them
            tally.add_all(round_)
        return tally.rows()
