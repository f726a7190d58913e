"""Which bots meet: lazy sequences of groups of k out of n bots, as numbers 0 to n - 1.

`EveryPair` and `EveryGroup` have each group once. `CyclicDesign` has a part of them for fields whose groups are too
many: every bot as often as every other, and every pair as often as every other but for a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Final

from agon_engine.core.chance import Chance
from agon_ladder.pairing.schedules.lazily import Lazy, combination, stride

Group = tuple[int, ...]

_CANDIDATES: Final = 48
"""Bots among which the next member of a base block is chosen."""
_TRIES: Final = 8
"""How often a base block is drawn anew because its line-ups are there already."""


class EveryPair(Lazy[Group]):
    """Each pair once, in rounds in which nobody plays twice: the circle method (T. P. Kirkman 1847).

    >>> list(EveryPair(4))
    [(3, 0), (1, 2), (3, 1), (2, 0), (3, 2), (0, 1)]
    """

    __slots__ = ("_bots",)

    def __init__(self, bots: int) -> None:
        self._bots = bots

    def __len__(self) -> int:
        return comb(self._bots, 2)

    def item(self, index: int) -> Group:
        # An odd field turns with an empty chair in the fixed place.
        turning = self._bots - 1 + self._bots % 2
        round_, pair = divmod(index, self._bots // 2)
        if self._bots % 2 == 0:
            if pair == 0:
                return (turning, round_)
            pair -= 1
        return ((round_ + pair + 1) % turning, (round_ - pair - 1) % turning)


class EveryGroup(Lazy[Group]):
    """Each group once, spread over the whole field from the start: after any part of them bots differ as if the groups
    had been drawn by lot."""

    __slots__ = ("_bots", "_count", "_size", "_stride")

    def __init__(self, bots: int, size: int) -> None:
        self._bots = bots
        self._size = size
        self._count = comb(bots, size)
        self._stride = stride(self._count)

    def __len__(self) -> int:
        return self._count

    def item(self, index: int) -> Group:
        return combination(index * self._stride % self._count, self._bots, self._size)


class CyclicDesign(Lazy[Group]):
    """A cyclic incomplete block design: base blocks, each shifted around the ring of all bots (R. C. Bose 1939).

    A base block with all its shifts seats every bot `size` times. How often two bots meet depends only on their
    distance on the ring, so base blocks are chosen, member by member, whose distances have occurred least.
    """

    __slots__ = ("_bases", "_bots", "_stride", "meetings_apart")

    def __init__(self, bots: int, size: int, bases: int, chance: Chance) -> None:
        """Choose so many base blocks; every bot is in `size * bases` groups."""
        self._bots = bots
        self._stride = stride(bots)
        met = [0] * (bots // 2 + 1)
        seen: set[Group] = set()
        chosen = []
        for _ in range(bases):
            base = _base(bots, size, met, seen, chance)
            seen.add(_gaps(base, bots))
            for one, other in combinations(base, 2):
                met[_distance(one, other, bots)] += _pairs_met(one, other, bots)
            chosen.append(base)
        self._bases: tuple[Group, ...] = tuple(chosen)
        self.meetings_apart: int = max(met[1:]) - min(met[1:])
        """By how many groups two pairs differ at most."""

    def __len__(self) -> int:
        return self._bots * len(self._bases)

    def item(self, index: int) -> Group:
        base, shift = divmod(index, self._bots)
        shift *= self._stride
        return tuple((member + shift) % self._bots for member in self._bases[base])


def _distance(one: int, other: int, bots: int) -> int:
    apart = (one - other) % bots
    return min(apart, bots - apart)


def _pairs_met(one: int, other: int, bots: int) -> int:
    """Return how often each pair at that distance meets over all shifts: bots that face each other do so twice."""
    return 2 if 2 * _distance(one, other, bots) == bots else 1


def _base(bots: int, size: int, met: Sequence[int], seen: set[Group], chance: Chance) -> Group:
    base: Group = ()
    for _ in range(_TRIES):
        base = _draw_base(bots, size, met, chance)
        gaps = _gaps(base, bots)
        turned = (gaps[start:] + gaps[:start] for start in range(1, size))
        if gaps not in seen and gaps not in turned:
            break
    return base


def _draw_base(bots: int, size: int, met: Sequence[int], chance: Chance) -> Group:
    chosen = [0]
    own = [0] * len(met)
    while len(chosen) < size:
        some = range(bots) if bots <= _CANDIDATES else [chance.below("some", bots) for _ in range(_CANDIDATES)]
        free = [bot for bot in some if bot not in chosen]
        if not free:
            continue
        chance.shuffle("order", free)
        best = min(free, key=lambda bot: _cost(bot, chosen, met, own, bots))
        for member in chosen:
            own[_distance(best, member, bots)] += _pairs_met(best, member, bots)
        chosen.append(best)
    return tuple(chosen)


def _cost(bot: int, chosen: Sequence[int], met: Sequence[int], own: Sequence[int], bots: int) -> int:
    """Return what a member adds to the sum of squares of all meetings, but for constants."""
    added = dict.fromkeys((_distance(bot, member, bots) for member in chosen), 0)
    for member in chosen:
        added[_distance(bot, member, bots)] += _pairs_met(bot, member, bots)
    return sum(more * (2 * (met[apart] + own[apart]) + more) for apart, more in added.items())


def _gaps(base: Group, bots: int) -> Group:
    """Return the distances around the ring, from the least rotation: equal for two blocks exactly when one is the
    other shifted."""
    ring = sorted(base)
    gaps = [(after - before) % bots for before, after in zip(ring, [*ring[1:], ring[0]], strict=True)]
    return min(tuple(gaps[start:] + gaps[:start]) for start in range(len(gaps)))
