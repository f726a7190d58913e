"""Drawing what lies face down, lot by lot (D1, D2): which card is where, and from which lot it came into a mixed one.

What is known goes first. Each such card takes a way from its lot back to a base lot that has a copy of it, through
mixed lots that have room for it; where there are several one is drawn, and another one if those to come find none after
it. Then all other places are filled.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from agon_engine.core import Chance, RulesBug, Seat
from agon_engine.elysium.layout import Mix
from agon_engine.elysium.view import Origin, Table

Card = tuple[int, int]
"""A design, and the base lot that the card is of."""
Face = tuple[int, tuple[int, ...]]
"""A design, and the base lots that the card may be of; none: any."""
_NOWHERE: Final = 1 << 30
"""Above all lots."""
_CERTAIN: Final = 1 << 48
"""The odds of a way are a part of it."""


class _Known(NamedTuple):
    """A card whose design and lot are known."""

    lot: int
    design: int
    lots: tuple[int, ...] = ()
    """The base lots that it may be of; empty: any."""
    into: int = _NOWHERE
    """The seat's own mixed lot that it went into from there."""


class _Way(NamedTuple):
    """Where a card may have come from."""

    lots: tuple[int, ...]
    """From its lot back to the first whose cards are known one by one."""
    card: Card
    odds: int


class Tracing:
    """What lies face down by one view."""

    def __init__(self, table: Table, seat: Seat | None, origins: Sequence[Origin], deal: Counter[int]) -> None:
        """Take in the lots; `origins` are those of the seat's own mixed lots, `deal` the designs of lot 0."""
        self._table = table
        self._own = origins
        self._stock: dict[int, Counter[Card]] = {0: Counter({(design, 0): deal[design] for design in sorted(deal)})}
        """The cards that no place has yet, by base lot and by mixed lot of the seat's own."""
        self._room: dict[int, dict[int, int]] = {}
        """By other mixed lot and the lot before: of how many cards it is not drawn yet which they are."""
        self._origins: dict[int, list[tuple[int, int]]] = {mix.number: [] for mix in table.mixes}
        for number, cards, _ in table.lots:
            self._stock[number] = Counter((design, number) for design in cards)
        for mix in table.mixes:
            if mix.seat == seat:
                self._stock[mix.number] = Counter()
            else:
                self._room[mix.number] = {share.lot: share.cards for share in mix.shares}

    def draw(self, places: Sequence[tuple[int, Face | None]], chance: Chance) -> list[Card]:
        """Return the cards for places, each given as its lot and what is known to lie there. Raise RulesBug where there
        are none."""
        known = [_Known(lot, *face) for lot, face in places if face]
        known += [_Known(lot, design, lots) for lot, design, lots in self._table.shown]
        known += [_Known(parent, design, (), lot) for lot, parent, design in self._own]
        found: dict[_Known, list[Card]] = {}
        if not self._find(self._take_certain(known, found), found, chance):
            raise RulesBug(f"cards come from no lot: {known!r}")

        pools = self._fill(chance)
        cards = []
        for lot, face in places:
            pool = found[_Known(lot, *face)] if face else pools[lot]
            if not pool:
                raise RulesBug(f"there are more places than cards of a lot: {lot!r}")
            cards.append(pool.pop())
        return cards

    def mixes(self) -> list[Mix]:
        """Return the mixed lots with what went into them as it was drawn."""
        for lot, parent, design in self._own:
            self._origins[lot].append((parent, design))
        return [Mix(number, seat, tuple(sorted(self._origins[number]))) for number, seat, _ in self._table.mixes]

    # -- what is known ---------------------------------------------------------------------------------------

    def _take_certain(self, known: Sequence[_Known], found: dict[_Known, list[Card]]) -> list[_Known]:
        """Take the cards in places of base lots, which are all there are as a rule; return the others."""
        others = []
        for one in known:
            if one.lot in self._origins or one.into != _NOWHERE:
                others.append(one)
                continue
            card = one.design, one.lot
            self._stock[one.lot][card] -= 1
            if self._stock[one.lot][card] < 0:
                raise RulesBug(f"a lot has too few copies of a card: {one!r}")
            found.setdefault(one, []).append(card)
        return others

    def _find(self, known: Sequence[_Known], found: dict[_Known, list[Card]], chance: Chance) -> bool:
        """Draw ways for all the cards; return whether there are any. First for what went into the seat's own mixed
        lots, by their numbers, since that is what is known of these; and always for the card that has the fewest."""
        if not known:
            return True

        into = min(one.into for one in known)
        choices = [(self._ways(one, one.lot, _CERTAIN), one) for one in known if one.into == into]
        ways, one = min(choices, key=lambda choice: len(choice[0]))
        others = list(known)
        others.remove(one)
        while ways:
            way = _draw(ways, chance)
            self._go(one, way, 1)
            if self._find(others, found, chance):
                found.setdefault(one, []).append(way.card)
                for lot, parent in pairwise(way.lots):
                    self._origins[lot].append((parent, one.design))
                return True
            self._go(one, way, -1)
            ways.remove(way)
        return False

    def _ways(self, one: _Known, lot: int, odds: int) -> list[_Way]:
        """Return the ways of a card from a lot on that are still open."""
        stock = self._stock.get(lot)
        if stock is not None:
            left = stock.total()
            return [
                _Way((lot,), card, max(1, odds * count // left))
                for card, count in stock.items()
                if count and card[0] == one.design and (not one.lots or card[1] in one.lots)
            ]

        room = self._room[lot]
        left = sum(room.values())
        return [
            _Way((lot, *lots), card, part)
            for parent, count in room.items()
            if count
            for lots, card, part in self._ways(one, parent, odds * count // left)
        ]

    def _go(self, one: _Known, way: _Way, count: int) -> None:
        """Let a card go a way (1), or not (-1)."""
        for lot, parent in pairwise(way.lots):
            self._room[lot][parent] -= count
        self._stock[way.lots[-1]][way.card] -= count
        if one.into != _NOWHERE:
            self._stock[one.into][way.card] += count

    # -- what is not -----------------------------------------------------------------------------------------

    def _fill(self, chance: Chance) -> dict[int, list[Card]]:
        """Let the cards that are left go where they may; return by lot those that lie in its places."""
        pools: dict[int, list[Card]] = {lot: [*stock.elements()] for lot, stock in self._stock.items()}
        for lot in self._room:
            pools[lot] = []
        for lot in sorted(pools):
            pool = pools[lot]
            chance.shuffle("hidden", pool)
            for mixed, room in self._room.items():
                for _ in range(room.get(lot, 0)):
                    card = pool.pop()
                    pools[mixed].append(card)
                    self._origins[mixed].append((lot, card[0]))
        return pools


def _draw(ways: Sequence[_Way], chance: Chance) -> _Way:
    """Draw one of the ways by their odds."""
    bounds = list(accumulate(way.odds for way in ways))
    return ways[bisect(bounds, chance.below("way", bounds[-1]))]
