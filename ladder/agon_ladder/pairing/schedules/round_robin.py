"""Round robin: every line-up once a cycle, or, where these are too many, a balanced part. A round is a cycle."""

from __future__ import annotations

from collections.abc import Sequence

from agon_engine.core.chance import Chance
from agon_ladder.pairing.schedules.cycles import Cycles, groups_of
from agon_ladder.pairing.schedules.schedule import Promise
from agon_ladder.pairing.schedules.seating import check_field, line_up, shuffled


class RoundRobin(Cycles):
    """Every line-up of `seats` bots once a cycle; or with `blocks_per_bot` one round in which each bot has at least so
    many blocks, all equally many, and pairs meet as evenly as a cyclic design can have them."""

    def __init__(
        self, bots: Sequence[str], seats: int, chance: Chance, *, cycles: int = 1, blocks_per_bot: int | None = None
    ) -> None:
        """Draw only from forks of `chance`. Raise ScheduleError for numbers that cannot be."""
        check_field(bots, seats)
        self._groups, apart = groups_of(len(bots), seats, cycles=cycles, blocks_per_bot=blocks_per_bot, chance=chance)
        super().__init__(bots, cycles, len(self._groups))
        self._chance = chance
        self._ring = shuffled(bots, chance, "ring")
        self.promise = Promise((self.bots,), 0, apart)

    def _line_up(self, cycle: int, number: int) -> tuple[str, ...]:
        group = [self._ring[bot] for bot in self._groups[number]]
        return line_up(group, number, cycle, self._chance)
