"""What cards, powers and places in an Elysium are worth to a seat, in points, by its view alone: the greedy bot's sums.

Estimates of powers are those of the card set that is played. Nothing here says what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agon_engine.core import Seat
from agon_engine.elysium import Elysium
from agon_engine.elysium.enums import Activation, LegendKind
from agon_engine.elysium.epoch import EPOCHS
from agon_engine.elysium.scoring import CITIZEN_VP, FAMILY_VP, LEVEL_VP
from agon_engine.elysium.tables import GOLD, PP
from agon_engine.elysium.view import Group, View

NEED: Final = 4.0
"""Gold that transfers cost in an epoch."""
SHORT: Final = 0.7
"""What a gold is worth that will be needed for transfers."""
SPARE: Final = 0.15
"""The same beyond that."""
PRESTIGE: Final = 0.6
"""What a PP is worth."""
TRANSFER: Final = 0.7
"""What a transfer more is worth."""
PER_LEVEL: Final = 2.0
"""What a power without an estimate is taken to be worth, by level."""
LEVEL_TILE: Final = 0.6
"""Of a level's tile what it is worth to who takes it: it may be taken over."""
HELD_TILE: Final = 0.4
"""What it is worth to have a larger Legend of a level whose tile one has, early."""
PAID: Final = 0.2
"""Of what its transfer costs, so much counts against a card that is taken: it may stay in the Domain."""
PROMISE: Final = 0.75
"""The chance that what a card promises for a Legend comes true."""
KEPT: Final = 0.5
"""Of what a power is worth over a game, so much is lost, early, with a card that leaves the Domain."""
START: Final = (0.0, 0.6, 1.0, 1.4)
"""What a lone card in the Elysium is worth early, by level: it may become a Legend."""
PARTNER: Final = 1.2
"""What a card of the own Domain or Elysium that it could make a Legend with is worth to a card."""
RING: Final = 2
"""The mark of a Trigger card that has its ring."""
_USED_UP: Final = (Activation.INSTANT, Activation.CHRONOS)
"""What such a card does it does not do in the Domain."""


class Worth:
    """The sums of one view."""

    def __init__(self, game: Elysium, view: View) -> None:
        seat = view.seat
        assert seat is not None
        self.tables = game.tables
        self.view = view
        self.seat: Seat = seat
        self.me = view.players[seat]
        self.opponents = len(view.players) - 1
        self.epoch = view.table.epoch
        self.left = (EPOCHS - self.epoch) / (EPOCHS - 1)
        """1 in the first epoch, 0 in the last."""
        short = NEED * (EPOCHS + 1 - self.epoch) - self.me.gold
        self.gold = SPARE + (SHORT - SPARE) * min(1.0, max(0.0, short / NEED))
        """What a gold is worth."""
        self.domain = [design for design in view.domains[seat].cards if design]
        self.legends = view.elysiums[seat].legends

    def points(self, resource: int, n: int) -> float:
        """Return what so much gold, VP or PP is worth."""
        return n * (self.gold if resource == GOLD else PRESTIGE if resource == PP else 1.0)

    # -- cards -----------------------------------------------------------------------------------------------

    def card(self, design: int) -> float:
        """Return what it is worth to take a card into the own Domain."""
        return self.power(design) + self.prospects(design)

    def estimate(self, design: int) -> float:
        """Return what the power of a card is worth over a whole game, by its set."""
        return self.tables.cards.cards[design - 1].estimate or PER_LEVEL * self.tables.level[design]

    def power(self, design: int) -> float:
        """Return what a card's power is worth from now on."""
        activation, estimate = self.tables.activation[design], self.estimate(design)
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
        activation = self.tables.activation
        return any(other != design and activation[other] == Activation.ELEUSIS for other in self.domain)

    def prospects(self, design: int) -> float:
        """Return what a card promises for the own Legends, its transfer paid."""
        best = max((self._added(legend, design) for legend in self.legends), default=0.0)
        partners = sum(self._match(design, other) for other in self.domain)
        promise = max(best, min(3, partners) * PARTNER + (0.3 if partners else 0.0))
        return max(0.0, promise * PROMISE - self.tables.level[design] * self.gold * PAID)

    def remaining(self, design: int) -> float:
        """Return what is lost with a card (0: a Citizen) that leaves the own Domain for good."""
        return self.kept_power(design) + self.chronos(design) + self.prospects(design) if design else 0.5

    def kept_power(self, design: int) -> float:
        """Return what is lost with the power of a card that leaves the own Domain."""
        activation = self.tables.activation[design]
        if activation in _USED_UP or not self.left:
            return 0.0
        if activation == Activation.TRIGGER:
            return 0.5 * self.estimate(design) if self._has_ring(design) else 0.0
        return self.estimate(design) * self.left * KEPT

    def chronos(self, design: int) -> float:
        """Return what a card's Chronos power is worth, once the card is in the Elysium."""
        return 0.5 * self.estimate(design) if self.tables.activation[design] == Activation.CHRONOS else 0.0

    def _has_ring(self, design: int) -> bool:
        domain = self.view.domains[self.seat]
        return any(card == design and marks & RING for card, marks in zip(domain.cards, domain.marks, strict=True))

    def _match(self, one: int, other: int) -> bool:
        """Return whether two cards can be of one Legend."""
        tables = self.tables
        return (tables.family[one] == tables.family[other]) != (tables.level[one] == tables.level[other])

    # -- the Elysium -----------------------------------------------------------------------------------------

    def _fits(self, design: int) -> bool:
        return any(self._added(legend, design) > 0 for legend in self.legends)

    def _added(self, legend: Group, design: int) -> float:
        """Return what a card adds to a Legend; 0 where it cannot be added."""
        family, level = self.tables.family[design], self.tables.level[design]
        if legend.kind is LegendKind.FAMILY:
            fits = legend.family == family and not legend.held >> level & 1
            return self._grown_family(legend) if fits else 0.0
        if legend.kind is LegendKind.LEVEL:
            fits = legend.level == level and not legend.held >> family & 1
            return self._grown_level(legend) if fits else 0.0
        if (legend.family == family) == (legend.level == level):
            return 0.0
        if legend.family == family:
            return FAMILY_VP[2] + 1.5 * self.left
        return LEVEL_VP[2] + 2.0 * self.left + self.level_tile(level, 2)

    def _grown_family(self, legend: Group) -> float:
        size = len(legend.cards) + 1
        if size >= len(FAMILY_VP):
            return 0.0
        return FAMILY_VP[size] - FAMILY_VP[size - 1] + (self.family_tile(legend.family) if size == 3 else 0)

    def _grown_level(self, legend: Group) -> float:
        size = len(legend.cards) + 1
        if size >= len(LEVEL_VP):
            return 0.0
        return LEVEL_VP[size] - LEVEL_VP[size - 1] + self.level_tile(legend.level, size)

    def family_tile(self, family: int) -> int:
        """Return what the next tile of a family that is still to be had is worth."""
        return next((tile.vp for tile in self.view.tiles.tiles if tile.family == family and tile.holder < 0), 0)

    def level_tile(self, level: int, size: int) -> float:
        """Return what a level Legend of that size wins of the level's tile."""
        tile = self.view.tiles.tiles[level - 1]
        if tile.holder == self.seat:
            return HELD_TILE * self.left
        if tile.holder >= 0 and size <= self._largest(tile.holder, level):
            return 0.0
        return tile.vp * (1 - (1 - LEVEL_TILE) * self.left) + (tile.vp / self.opponents if tile.holder >= 0 else 0.0)

    def _largest(self, seat: Seat, level: int) -> int:
        legends = self.view.elysiums[seat].legends
        return max((len(it.cards) for it in legends if it.kind is LegendKind.LEVEL and it.level == level), default=0)

    def place(self, design: int, number: int) -> float:
        """Return what a card (0: a Citizen) is worth in a Legend, or (0) as a new one."""
        if not number:
            return START[self.tables.level[design]] * self.left
        legend = self.legends[number - 1]
        return self._added(legend, design) if design else self._citizen(legend)

    def _citizen(self, legend: Group) -> float:
        if legend.kind is LegendKind.FAMILY:
            return self._grown_family(legend) + CITIZEN_VP
        if legend.kind is LegendKind.LEVEL:
            return self._grown_level(legend) + CITIZEN_VP
        return 1.0 + CITIZEN_VP

    # -- transfers -------------------------------------------------------------------------------------------

    def transfer(self, design: int) -> float:
        """Return what it is worth to transfer a card of the own Domain (0: a Citizen), paid and without its power."""
        if not design:
            return max((self._citizen(legend) for legend in self.legends), default=0.0) - 2 * self.gold

        partners = sum(self._match(design, other) for other in self.domain if other != design)
        hope = (0.9 * min(2, partners) + START[self.tables.level[design]] * self.left) * (1.0 if self.left else 0.6)
        return self._written(design, hope) - self.kept_power(design)

    def transfer_new(self, design: int) -> float:
        """Return what it is worth to transfer a card that was not the own: its power is none that is lost."""
        partners = sum(self._match(design, other) for other in self.domain)
        return self._written(design, 0.9 * min(2, partners) * (1.0 if self.left else 0.6))

    def _written(self, design: int, hope: float) -> float:
        """Return what a card is worth in the best place of the Elysium, or as one begun in hope, its level paid."""
        best = max(hope, *(self.place(design, number) for number in range(len(self.legends) + 1)))
        return best - self.tables.level[design] * self.gold + self.chronos(design)


def best_sum(values: Iterable[float], count: int) -> float:
    """Return the sum of the best of some values."""
    return sum(sorted(values, reverse=True)[:count])
