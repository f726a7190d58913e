"""What cards, powers and places in an Elysium are worth to a seat, in points, by its view alone: the greedy bot's sums.

Estimates of powers are those of the card set. Nothing here says what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agon_engine.core import Seat
from agon_engine.elysium import GAME
from agon_engine.elysium.enums import Activation, LegendKind
from agon_engine.elysium.scoring import FAMILY_VP, LEVEL_VP
from agon_engine.elysium.view import Group, View

TABLES: Final = GAME.tables
ESTIMATE: Final = (0.0, *(card.estimate for card in GAME.cards.cards))
EPOCHS: Final = 5
GOLD: Final = 0.7
"""What a gold is worth while there are cards to transfer."""
LATE_GOLD: Final = 0.1
"""The same at the end."""
COMPLETE_FAMILY: Final = 4.0
"""What the tile of a completed family is worth, before it is known which."""
TILE: Final = (0.0, 1.0, 2.5, 4.0)
"""What a level's tile is worth to who takes it, by level: it may be taken over."""
START: Final = (0.0, 0.6, 1.0, 1.4)
"""What a lone card in the Elysium is worth early, by level: it may become a Legend."""
CITIZEN: Final = -1.2
"""What a Citizen in a Legend costs."""
PARTNER: Final = 1.2
"""What a card of the own Domain or Elysium that it could make a Legend with is worth to a card."""
_USED_ONCE: Final = (Activation.INSTANT, Activation.CHRONOS)


class Worth:
    """The sums of one view."""

    def __init__(self, view: View) -> None:
        seat = view.seat
        assert seat is not None
        self.view = view
        self.seat: Seat = seat
        self.epoch = view.table.epoch
        self.left = (EPOCHS - self.epoch) / (EPOCHS - 1)
        """1 in the first epoch, 0 in the last."""
        self.gold = GOLD * self.left + (LATE_GOLD + 0.4 * (view.players[seat].gold < 6)) * (1 - self.left)
        self.domain = [design for design in view.domains[seat].cards if design]
        self.legends = view.elysiums[seat].legends

    # -- cards -----------------------------------------------------------------------------------------------

    def card(self, design: int) -> float:
        """Return what it is worth to take a card into the own Domain."""
        return self.power(design) + self.prospects(design)

    def power(self, design: int) -> float:
        """Return what a card's power is worth from now on."""
        activation = TABLES.activation[design]
        estimate = ESTIMATE[design] or float(TABLES.level[design] * 2)
        if activation == Activation.INSTANT:
            return estimate
        if activation == Activation.CHRONOS:
            return 0.6 * estimate if self.epoch < EPOCHS or self._fits(design) else 0.2 * estimate
        if activation == Activation.TRIGGER:
            return estimate * (0.75 + 0.25 * self.left)
        if activation == Activation.ELEUSIS and not self._has_partner(design):
            return 0.45 * estimate * (0.3 + 0.7 * self.left)
        return estimate * (0.35 + 0.65 * self.left)

    def _has_partner(self, design: int) -> bool:
        return any(other != design and TABLES.activation[other] == Activation.ELEUSIS for other in self.domain)

    def prospects(self, design: int) -> float:
        """Return what a card promises for the own Legends, its transfer paid."""
        level = TABLES.level[design]
        best = max((self._added(legend, design) for legend in self.legends), default=0.0)
        partners = sum(_match(design, other) for other in self.domain)
        promise = max(best, min(3, partners) * PARTNER + (0.3 if partners else 0.0))
        return max(0.0, promise * (0.75 if self.left else 0.6) - level * self.gold * 0.5)

    def _fits(self, design: int) -> bool:
        return any(self._added(legend, design) > 0 for legend in self.legends)

    # -- the Elysium -----------------------------------------------------------------------------------------

    def _added(self, legend: Group, design: int) -> float:
        """Return what a card adds to a Legend; 0 where it cannot be added."""
        family, level = TABLES.family[design], TABLES.level[design]
        size = len(legend.cards)
        if legend.kind is LegendKind.FAMILY:
            if legend.family != family or legend.held >> level & 1:
                return 0.0
            return FAMILY_VP[size + 1] - FAMILY_VP[size] + COMPLETE_FAMILY
        if legend.kind is LegendKind.LEVEL:
            if legend.level != level or legend.held >> family & 1 or size >= len(LEVEL_VP) - 1:
                return 0.0
            return LEVEL_VP[size + 1] - LEVEL_VP[size] + self.tile(level, size + 1)
        if (legend.family == family) == (legend.level == level):
            return 0.0
        if legend.family == family:
            return FAMILY_VP[2] + 1.5 * self.left
        return LEVEL_VP[2] + 2.0 * self.left + self.tile(level, 2)

    def tile(self, level: int, size: int) -> float:
        """Return what a level Legend of that size wins of the level's tile."""
        holder = self.view.tiles.tiles[level - 1].holder
        if holder == self.seat:
            return 0.4 * self.left
        if holder >= 0:
            largest = max(
                (
                    len(legend.cards)
                    for legend in self.view.elysiums[holder].legends
                    if legend.kind is LegendKind.LEVEL and legend.level == level
                ),
                default=0,
            )
            if size <= largest:
                return 0.0
        return TILE[level]

    def place(self, design: int, number: int) -> float:
        """Return what a card (0: a Citizen) is worth in a Legend, or (0) as a new one."""
        if not number:
            return START[TABLES.level[design]] * self.left
        if design:
            return self._added(self.legends[number - 1], design)
        return self._citizen(self.legends[number - 1])

    def _citizen(self, legend: Group) -> float:
        size = len(legend.cards)
        if legend.kind is LegendKind.FAMILY:
            return FAMILY_VP[3] - FAMILY_VP[2] + COMPLETE_FAMILY + CITIZEN if size == 2 else CITIZEN
        if legend.kind is LegendKind.LEVEL and size < len(LEVEL_VP) - 1:
            return LEVEL_VP[size + 1] - LEVEL_VP[size] + self.tile(legend.level, size + 1) + CITIZEN
        return 1.0 + CITIZEN

    def transfer(self, design: int) -> float:
        """Return what it is worth to transfer a card of the own Domain (0: a Citizen), paid and without its power."""
        if not design:
            return max((self._citizen(legend) for legend in self.legends), default=0.0) - 2 * self.gold

        best = max(self.place(design, number) for number in range(len(self.legends) + 1))
        partners = sum(_match(design, other) for other in self.domain if other != design)
        best = max(
            best, (0.9 * min(2, partners) + START[TABLES.level[design]] * self.left) * (1.0 if self.left else 0.6)
        )
        return best - TABLES.level[design] * self.gold - self.kept_power(design) + self.chronos(design)

    def kept_power(self, design: int) -> float:
        """Return what is lost with the power of a card that leaves the own Domain."""
        activation = TABLES.activation[design]
        if activation in _USED_ONCE or not self.left:
            return 0.0
        if activation == Activation.TRIGGER:
            return 0.5 * ESTIMATE[design] if self._has_ring(design) else 0.0
        return ESTIMATE[design] * self.left * 0.5

    def chronos(self, design: int) -> float:
        return 0.5 * ESTIMATE[design] if TABLES.activation[design] == Activation.CHRONOS else 0.0

    def _has_ring(self, design: int) -> bool:
        domain = self.view.domains[self.seat]
        return any(card == design and marks & 2 for card, marks in zip(domain.cards, domain.marks, strict=True))


def _match(one: int, other: int) -> int:
    """Return 1 where two cards can be of one Legend."""
    same_family = TABLES.family[one] == TABLES.family[other]
    return int(same_family != (TABLES.level[one] == TABLES.level[other]))


def best_sum(values: Iterable[float], count: int) -> float:
    """Return the sum of the best of some values."""
    return sum(sorted(values, reverse=True)[:count])
