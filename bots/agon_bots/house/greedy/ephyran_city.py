"""What a city of Ephyran is worth to the greedy bot, and what a zone, a token or a card would add to it.

Everything is in points of the final score, as far as one can say; the weights were fitted by playing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agon_engine.core import Seat
from agon_engine.ephyran.data import (
    CARD_SUPPORT,
    CELLS,
    HALF_CELL,
    HALF_CREATURE,
    HALF_ITEM,
    ITEM_POINTS,
    ZONES,
    is_dionysos,
)
from agon_engine.ephyran.enums import Support
from agon_engine.ephyran.fitting import ZONE_HALVES
from agon_engine.ephyran.scoring import CITY_BONUS, FIRST_CITY_BONUS
from agon_engine.ephyran.view import View

MEAN_TOKEN: Final = 13 / 12

TEMPO: Final = 0.5
"""A zone beside its points, early: the next one can follow, and the city comes to be complete."""
GOD_TEMPO: Final = 0.3
"""The same once more in the own god's column, where what follows counts double."""
VARIETY: Final = 0.2
"""Each zone of a column that can still have four different creatures."""
WAITING: Final = 0.7
"""How much of its worth a zone in hand keeps for each other one that must be built before it."""
SECOND_USE: Final = 0.25
"""How much of its second best use a card is worth beside the best one."""
DIONYSOS: Final = 1.0
"""A Dionysos in hand beside the points that it will bring: it is kept for where nothing else fits."""
SUPPORTS: Final[Mapping[Support, float]] = {
    Support.NONE: 0.0,
    Support.SHIELD: 1.0,
    Support.HECATE: 0.5,
    Support.ARES_DESTROY: 1.0,
    Support.ARES_STEAL_ZONE: 1.5,
    Support.ARES_STEAL_TOKEN: 0.8,
    Support.ATHENA_WIN_TOKEN: 1.4,
    Support.ATHENA_DOUBLE_BUILD: 1.2,
    Support.ATHENA_BUILD_FROM_DISCARD: 1.0,
    Support.DRAW_TWO: 0.5,
    Support.DRAW_PICK_THREE: 0.6,
    Support.DRAW_DIG_DISCARD: 0.5,
}
"""A support half in hand, before one looks at the table."""


class Column:
    """One column of a city."""

    __slots__ = ("dionysos", "height", "kinds", "locked", "tokens", "weight", "zones")

    def __init__(self, zones: Sequence[int], tokens: Sequence[float | None], *, locked: bool, weight: int) -> None:
        self.zones = zones
        self.tokens = tokens
        """By zone, what its token counts; None where it has none."""
        self.locked = locked
        self.weight = weight
        """2 in the column of the seat's god, else 1."""
        self.height = len(zones)
        self.kinds = {HALF_CREATURE[half] for half in zones} - {0}
        self.dionysos = any(is_dionysos(half // 2) for half in zones)

    @property
    def is_open(self) -> bool:
        """Tell whether a zone can still be built on it."""
        return self.height < ZONES

    def guarded(self) -> float:
        """Return the points that stand in it."""
        items = sum(ITEM_POINTS[HALF_ITEM[half]] for half in self.zones)
        return (len(self.kinds) + items + sum(token or 0.0 for token in self.tokens)) * self.weight

    @property
    def is_varied(self) -> bool:
        """Tell whether it can still come to four different creatures without a Dionysos."""
        return not self.dionysos and len(self.kinds) == self.height


class CityValue:
    """One seat's city."""

    __slots__ = ("bonus", "columns", "complete", "dionysos", "phase", "seat", "zones")

    def __init__(self, view: View, seat: Seat, known: Mapping[int, float], phase: float) -> None:
        """Read a city from a view. `known`: what tokens count, as far as known; `phase`: 1 early, 0 at the end."""
        god = view.deal.gods[seat]
        city = view.cities[seat]
        finished = [other.completed for other in view.cities if other.completed]
        self.seat = seat
        self.phase = phase
        self.columns = [
            Column(
                zones,
                [known.get(token, MEAN_TOKEN) if token else None for token in tokens],
                locked=lock > 0,
                weight=2 if index == god - 1 else 1,
            )
            for index, (zones, tokens, lock) in enumerate(city.columns)
        ]
        self.zones = sum(column.height for column in self.columns)
        self.dionysos = any(column.dionysos for column in self.columns)
        self.complete = city.completed > 0
        self.bonus = FIRST_CITY_BONUS if min(finished, default=city.completed) == city.completed else CITY_BONUS
        """What completing it has earned, or would earn now."""

    # -- zones -----------------------------------------------------------------------------------------------

    def gain(self, half: int, index: int) -> float:
        """Return what building a half as the next zone of a column is worth."""
        column = self.columns[index]
        tempo = TEMPO + (GOD_TEMPO if column.weight == 2 else 0.0)
        completes = self.bonus if self.zones == CELLS - 1 else 0.0
        return self.points(half, column, column.height) * column.weight + tempo * self.phase + completes

    def points(self, half: int, column: Column, place: int) -> float:
        """Return what a half adds to a column as its zone at that place, not doubled."""
        if is_dionysos(half // 2):
            return (0.0 if self.dionysos else 1.0) - (VARIETY * column.height if column.is_varied else 0.0)

        new = HALF_CREATURE[half] not in column.kinds
        points = new + float(ITEM_POINTS[HALF_ITEM[half]])
        if column.is_varied:
            points += (1.0 if place == ZONES - 1 else VARIETY) if new else -VARIETY * column.height
        return points

    def loss(self, index: int) -> float:
        """Return what losing the uncovered zone of a column would cost, with its token."""
        column = self.columns[index]
        half = column.zones[-1]
        points = float(ITEM_POINTS[HALF_ITEM[half]]) + (column.tokens[-1] or 0.0)
        kinds = {HALF_CREATURE[other] for other in column.zones[:-1]}
        if is_dionysos(half // 2) or HALF_CREATURE[half] not in kinds:
            points += 1.0
        if column.is_varied:
            points += 1.0 if column.height == ZONES else VARIETY
        tempo = (TEMPO + (GOD_TEMPO if column.weight == 2 else 0.0)) * self.phase
        return points * column.weight + tempo + (self.bonus if self.complete else 0.0)

    def exchange(self, half: int, index: int) -> float:
        """Return what replacing the uncovered zone by a half is worth; a token on it is lost."""
        column = self.columns[index]
        before = column.zones[-1]
        below = Column(column.zones[:-1], column.tokens[:-1], locked=column.locked, weight=column.weight)
        place = column.height - 1
        change = self.points(half, below, place) - self.points(before, below, place)
        return (change - (column.tokens[-1] or 0.0)) * column.weight

    def builds(self, cards: Iterable[int]) -> list[tuple[float, int, int]]:
        """Return all that can be built from cards: its worth, the card, the column; the best first."""
        found = []
        for card in cards:
            if is_dionysos(card):
                for index, column in enumerate(self.columns):
                    if column.is_open:
                        found.append((self.gain(2 * card, index) - self.card_worth(card), card, index))
                continue
            for half, cell in ZONE_HALVES[card]:
                index, place = divmod(cell, ZONES)
                if self.columns[index].height == place:
                    found.append((self.gain(half, index), card, index))
        found.sort(reverse=True)
        return found

    # -- cards and tokens ------------------------------------------------------------------------------------

    def card_worth(self, card: int) -> float:
        """Return what having a card in hand is worth."""
        if is_dionysos(card):
            return (DIONYSOS + (0.0 if self.dionysos else 2.0)) * self.phase

        uses = [self.support_worth(card), *(self.half_worth(half) for half, _ in ZONE_HALVES[card])]
        best = max(uses)
        return best + (sum(uses) - best) * SECOND_USE

    def support_worth(self, card: int) -> float:
        """Return what having a card's support half in hand is worth."""
        return SUPPORTS[CARD_SUPPORT[card]] * self.phase

    def half_worth(self, half: int) -> float:
        """Return what having a zone half in hand is worth: less for each zone that must come before it."""
        index, place = divmod(HALF_CELL[half], ZONES)
        column = self.columns[index]
        missing = place - column.height
        if missing < 0:
            return 0.5 * max(0.0, self.exchange(half, index)) if missing == -1 else 0.0

        new = HALF_CREATURE[half] not in column.kinds
        points = (new + float(ITEM_POINTS[HALF_ITEM[half]])) * column.weight + TEMPO * self.phase
        return points * WAITING**missing

    def token_worth(self, points: float) -> float:
        """Return what a token that counts so much is worth on the best free zone; 0 where none is free."""
        weights = [column.weight for column in self.columns for token in column.tokens if token is None]
        return max((points * weight for weight in weights), default=0.0)
