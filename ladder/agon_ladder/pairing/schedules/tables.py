"""Who sits together in a round of a Swiss tournament: tables of k bots at the least cost over all of them.

The cost of a table is the sum over its pairs, compared part by part:

1. how often they have met, squared, so that a third meeting is worse than two second ones;
2. the square of the difference of their points, so that leaders meet leaders;
3. between bots with the same points, how far they are from the places in which the upper part of the group meets the
   lower one, as in the Dutch system.

Up to `EXACT` bots the least cost is found by trying all. For more, tables are dealt group by group from the top and
improved by exchanging two bots of nearby tables as long as that lowers the cost. Where bots still meet again, other
starts are tried. With few rounds for the size of the field, as Swiss tournaments have, nobody meets twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from agon_engine.core.chance import Chance

EXACT: Final = 12
NEAR: Final = 24
"""Tables on each side with which bots are exchanged first."""
STARTS: Final = 8
"""Starts that are tried where bots meet again; large fields have fewer."""
LARGE: Final = 200
"""Bots from which there is one start."""

Pair = tuple[int, int]
Table = tuple[int, ...]


class Costs:
    """What it costs to seat two bots together. Bots are numbers in the order of the standings."""

    def __init__(self, points: Sequence[int], met: Mapping[Pair, int], seats: int) -> None:
        """`points` never rise; `met` counts by pair, the lower number first."""
        self._points = points
        self._met = met
        self.groups = Counter(points)
        """How many bots have these points, from the most points down."""
        self._seats = seats
        self._known: dict[Pair, int] = {}
        bots = len(points)
        self.spread = bots * bots * bots * seats
        """More than all third parts together."""
        widest = (points[0] - points[-1]) if points else 0
        self.again = self.spread * (widest * widest + 1) * bots * seats
        """More than all second and third parts together."""

    def pair(self, one: int, other: int) -> int:
        pair = (one, other) if one < other else (other, one)
        cost = self._known.get(pair)
        if cost is None:
            cost = self._known[pair] = self._pair(*pair)
        return cost

    def _pair(self, low: int, high: int) -> int:
        cost = self.again * self._met.get((low, high), 0) ** 2
        if apart := self._points[low] - self._points[high]:
            return cost + self.spread * apart * apart

        return cost + self._off_place(high - low, self.groups[self._points[low]])

    def _off_place(self, distance: int, size: int) -> int:
        step = max(1, size // self._seats)
        return (distance - step * min(max(1, (2 * distance + step) // (2 * step)), self._seats - 1)) ** 2

    def with_all(self, bot: int, others: Sequence[int]) -> int:
        return sum([self.pair(bot, other) for other in others])

    def table(self, table: Sequence[int]) -> int:
        return sum(self.pair(one, other) for one, other in combinations(table, 2))

    def total(self, tables: Sequence[Sequence[int]]) -> int:
        return sum(map(self.table, tables))


def seat_tables(points: Sequence[int], met: Mapping[Pair, int], seats: int, chance: Chance) -> list[Table]:
    """Return the tables, the one with the best bot first. The number of bots is a multiple of the seats.

    `points` are those of the bots in the order of the standings, so they never rise; `met` says how often two of these
    numbers have met, the lower one first. The draws of `chance` matter only where bots must meet again.
    """
    costs = Costs(points, met, seats)
    bots = len(points)
    tables = _exactly(costs, bots, seats) if bots <= EXACT else _approximately(costs, bots, seats, chance)
    return sorted(tuple(sorted(table)) for table in tables)


# -- small fields --------------------------------------------------------------------------------------------


def _exactly(costs: Costs, bots: int, seats: int) -> list[Table]:
    """Return the tables of the least cost. The best bot left is always seated next, so each set of bots that can be
    left is looked at once."""
    best: dict[Table, tuple[int, Table]] = {(): (0, ())}

    def least(left: Table) -> int:
        if left not in best:
            found: tuple[int, Table] | None = None
            for others in combinations(left[1:], seats - 1):
                table = (left[0], *others)
                cost = costs.table(table) + least(tuple(bot for bot in left if bot not in table))
                if found is None or cost < found[0]:
                    found = (cost, table)
            assert found is not None
            best[left] = found
        return best[left][0]

    left = tuple(range(bots))
    least(left)
    tables = []
    while left:
        table = best[left][1]
        tables.append(table)
        left = tuple(bot for bot in left if bot not in table)
    return tables


# -- large fields --------------------------------------------------------------------------------------------


def _approximately(costs: Costs, bots: int, seats: int, chance: Chance) -> list[Table]:
    best = _improved(costs, _dealt(costs, range(bots), seats))
    for _ in range(STARTS - 1 if bots < LARGE else 0):
        if costs.total(best) < costs.again:
            break
        order = list(range(bots))
        chance.shuffle("tables", order)
        other = _improved(costs, [order[first : first + seats] for first in range(0, bots, seats)])
        best = min(best, other, key=costs.total)
    return [tuple(table) for table in best]


def _dealt(costs: Costs, order: Sequence[int], seats: int) -> list[list[int]]:
    """Return tables dealt group by group: the i-th table of a group has the i-th bot of each of its parts. Who is left
    over plays in the group below."""
    tables: list[list[int]] = []
    waiting: list[int] = []
    first = 0
    for size in costs.groups.values():
        waiting += order[first : first + size]
        first += size
        count = len(waiting) // seats
        tables += [waiting[table : count * seats : count] for table in range(count)]
        waiting = waiting[count * seats :]
    return tables


def _improved(costs: Costs, tables: list[list[int]]) -> list[list[int]]:
    """Exchange bots, in place, until no exchange between near tables lowers the cost, and none at all that of a table
    whose bots meet again."""
    cost = [costs.table(table) for table in tables]
    dirty = dict.fromkeys(range(len(tables)))
    while dirty:
        number = next(iter(dirty))
        del dirty[number]
        changed = _exchange(costs, tables, cost, number, NEAR)
        if changed is None and cost[number] >= costs.again:
            changed = _exchange(costs, tables, cost, number, len(tables))
        if changed is not None:
            dirty |= {number: None, changed: None}
    return tables


def _exchange(costs: Costs, tables: Sequence[list[int]], cost: list[int], number: int, near: int) -> int | None:
    """Make the exchange with a near table that lowers the cost most; return that table, or None where none does."""
    # What is no more than a place within a group of equal points is not worth the search.
    best, chosen = costs.spread - 1, None
    if cost[number] < costs.spread:
        return None

    table = tables[number]
    for other in range(max(0, number - near), min(len(tables), number + near + 1)):
        if other == number:
            continue
        for mine, bot in enumerate(table):
            left = [*table[:mine], *table[mine + 1 :]]
            lost = costs.with_all(bot, left)
            for theirs, new in enumerate(tables[other]):
                others = [*tables[other][:theirs], *tables[other][theirs + 1 :]]
                gain = lost + costs.with_all(new, others) - costs.with_all(new, left)
                # Most are dismissed before the last sum is made.
                if gain > best and (gain := gain - costs.with_all(bot, others)) > best:
                    best, chosen = gain, (other, mine, theirs)
    if chosen is None:
        return None

    other, mine, theirs = chosen
    table[mine], tables[other][theirs] = tables[other][theirs], table[mine]
    cost[number], cost[other] = costs.table(table), costs.table(tables[other])
    return other
