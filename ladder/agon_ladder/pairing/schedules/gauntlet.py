"""Gauntlet: one challenger or several, each against all the others; challengers do not meet. A round is a cycle."""

from __future__ import annotations

from collections.abc import Sequence

from agon_engine.core.chance import Chance
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.schedules.cycles import Cycles, groups_of
from agon_ladder.pairing.schedules.schedule import Promise
from agon_ladder.pairing.schedules.seating import check_field, line_up, shuffled


class Gauntlet(Cycles):
    """Each challenger once a cycle with every group of others that fills the table; or with `blocks_per_bot` one round
    in which each of the others has at least so many blocks with each challenger."""

    def __init__(
        self,
        bots: Sequence[str],
        seats: int,
        chance: Chance,
        *,
        challengers: Sequence[str],
        cycles: int = 1,
        blocks_per_bot: int | None = None,
    ) -> None:
        """Draw only from forks of `chance`. Raise ScheduleError for numbers and names that cannot be."""
        check_field(bots, seats)
        if not challengers or len(set(challengers)) != len(challengers) or not set(challengers) <= set(bots):
            raise ScheduleError(f"challengers are one or more of the bots, each once, not {tuple(challengers)!r}")
        others = [bot for bot in bots if bot not in challengers]
        if len(others) < seats - 1:
            raise ScheduleError(
                f"a challenger at a table of {seats} needs {seats - 1} or more bots that are none, not {len(others)!r}"
            )

        self._groups, apart = groups_of(
            len(others), seats - 1, cycles=cycles, blocks_per_bot=blocks_per_bot, chance=chance
        )
        super().__init__(bots, cycles, len(self._groups) * len(challengers))
        self._chance = chance
        self._challengers = tuple(challengers)
        self._ring = shuffled(others, chance, "ring")
        self.promise = Promise((self._challengers, tuple(others)), 0, apart * len(challengers))

    def _line_up(self, cycle: int, number: int) -> tuple[str, ...]:
        # All challengers meet a group before the next one comes, so that they can be compared at any time.
        group, challenger = divmod(number, len(self._challengers))
        bots = [self._challengers[challenger], *(self._ring[bot] for bot in self._groups[group])]
        return line_up(bots, group, cycle, self._chance)
