"""What all schedules share: the check of a field, orders drawn from the seed, and who follows whom around a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from agon_engine.core.chance import Chance
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.schedules.lazily import permutation


def check_field(bots: Sequence[str], seats: int) -> None:
    """Raise ScheduleError unless there are different bots, enough for the seats."""
    if seats < 2 or len(set(bots)) != len(bots) or len(bots) < seats:
        raise ScheduleError(
            f"a tournament at tables of {seats} needs as many bots or more, each once, not {len(bots)!r}"
        )


def shuffled(bots: Sequence[str], chance: Chance, label: str) -> tuple[str, ...]:
    """Return the bots in an order of their own for each label."""
    items = list(bots)
    chance.fork(label).shuffle("bots", items)
    return tuple(items)


def line_up(group: Sequence[str], number: int, cycle: int, chance: Chance) -> tuple[str, ...]:
    """Return a group as a line-up: who follows whom around the table is drawn for the group's number, and goes through
    all orders over the cycles."""
    orders = factorial(len(group) - 1)
    order = (chance.fork(f"order {number}").below("order", orders) + cycle) % orders
    return (group[0], *permutation(order, group[1:]))
