"""What god turns and creatures of Cyclades are worth to a seat, in gold: the greedy bot's sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from agon_bots.house.greedy.cyclades_worth import (
    FLEET,
    LADDER,
    OTHERS,
    PRIEST,
    SPARE,
    STOP_WIN,
    TROOP,
    Worth,
)
from agon_engine.cyclades.board import members
from agon_engine.cyclades.data import (
    APOLLO_INCOME,
    APOLLO_RELIEF,
    BUILDING_PRICE,
    FLEET_PRICES,
    PHILOSOPHER_PRICES,
    PRIEST_PRICES,
    SET,
    TROOP_PRICES,
)
from agon_engine.cyclades.enums import BUILDING_OF, BUILDINGS, NOBODY, Building, Creature, God
from agon_engine.cyclades.view import View

DENIAL: Final = 0.1
"""So much of what a rival would gain with a god is it worth to keep it from him."""
MINOR: Final = {Creature.SIREN: 2.0, Creature.SYLPH: 2.0, Creature.HARPY: 1.0}
"""Creatures whose effect is not looked at closely. Those that are nowhere are never bought."""

Ware = tuple[float, int]
"""Something that a turn offers: what it is worth, and its price."""


class Turns(Worth):
    """The sums of one view, with those of turns."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._wares: dict[God, list[Ware]] = {}

    def turn_worth(self, god: God, gold: int) -> float:
        """Return what a turn with a god is worth with so much gold to spend: the best that it buys."""
        if god is God.APOLLO:
            return self.apollo_worth()

        total = 0.0
        for worth, price in self.wares(god):
            if price <= gold:
                total += worth - price
                gold -= price
        return total

    def apollo_worth(self) -> float:
        """Return what a turn of Apollo's is worth (C7.9)."""
        gift = APOLLO_RELIEF if self.isles[self.me].bit_count() <= 1 else APOLLO_INCOME
        return gift + (0.0 if self.view.gods.apollo or not self.view.supply.prosperity else self.lasting)

    def wares(self, god: God) -> list[Ware]:
        """Return what is worth its price in a turn, the best first."""
        wares = self._wares.get(god)
        if wares is None:
            offered = [*_WARES[god](self), *self._building(god), *self._creature()]
            wares = sorted([ware for ware in offered if ware[0] > ware[1]], key=lambda ware: ware[1] - ware[0])
            self._wares[god] = wares
        return wares

    def _building(self, god: God) -> list[Ware]:
        building = BUILDING_OF[god]
        has_room = any(self.free_slots(island) > 0 for island in self.own_isles)
        in_supply = self.view.supply.buildings[building - 1] > 0
        return [(self.building_worth(self.me, building), BUILDING_PRICE)] if has_room and in_supply else []

    def _creature(self) -> list[Ware]:
        """Return the best creature; more than one is hardly ever bought."""
        shown = [(self.creature_worth(card), self.price(card)) for card in self.view.creatures.spaces if card]
        return sorted(shown, key=lambda ware: ware[0] - ware[1])[-1:]

    def of_poseidon(self) -> Iterable[Ware]:
        free = self.coast & ~self.waters[self.me]
        worths = sorted([self.sea_worth(sea) for sea in members(free) if self.sea_owner[sea] == NOBODY], reverse=True)
        return zip(worths[: self.view.players[self.me].fleets], FLEET_PRICES, strict=False)

    def of_ares(self) -> Iterable[Ware]:
        """Return a troop, and the two best campaigns, each with as many new troops as are best for it."""
        recruits = self.view.players[self.me].troops
        best: dict[int, tuple[float, float, int]] = {}
        for number in range(min(recruits, len(TROOP_PRICES)) + 1):
            price = 1 + sum(TROOP_PRICES[:number])
            for origin in self.own_isles:
                for worth, target in self.campaigns(origin, number):
                    best[target] = max(best.get(target, (0.0, 0.0, 0)), (worth - price, worth, price))
        campaigns = sorted(best.values(), reverse=True)[:2]
        troop = [(TROOP + max(map(self.post_worth, self.own_isles)), 0)] if recruits else []
        return [*troop, *[(worth, price) for _, worth, price in campaigns]]

    def of_zeus(self) -> Iterable[Ware]:
        worth = PRIEST * self.lasting
        return zip((worth, worth / 2), PRIEST_PRICES, strict=True)

    def of_athena(self) -> Iterable[Ware]:
        worths = (self.philosopher_worth(self.me), self.philosopher_worth(self.me, 1))
        return zip(worths, PHILOSOPHER_PRICES, strict=True)

    def denial_worth(self, god: God) -> float:
        """Return what it is worth to keep a god from the rivals, who could complete a set with it."""
        worst = max([self._completion(god, seat) for seat in self.rivals], default=0.0)
        return min(DENIAL * worst, STOP_WIN / 5)

    def _completion(self, god: God, seat: int) -> float:
        """Return what a rival gains by a set that it could complete in a turn with a god."""
        gold, philosophers = self.purse(seat), self.view.players[seat].philosophers
        building = BUILDING_OF[god]
        with_building = not self.owned[seat][building - 1] and self.kinds[seat] == SET - 1 and gold > BUILDING_PRICE
        recruits = 2 if gold > PHILOSOPHER_PRICES[1] else 1
        with_philosophers = god is God.ATHENA and philosophers + recruits >= SET
        return self.metropolis_worth(seat) if with_building or with_philosophers else 0.0

    # -- creatures -------------------------------------------------------------------------------------------

    def creature_worth(self, creature: Creature) -> float:
        """Return what the effect of a creature is worth now."""
        judge = _CREATURES.get(creature)
        return judge(self) if judge else MINOR.get(creature, 0.0)

    def best_flight(self) -> float:
        """Return what Pegasus is worth: the best attack without a chain."""
        targets = members(self.board.all_islands & ~self.isles[self.me])
        worths = [
            self.march_worth(origin, target, self.troops[origin])
            for origin in self.own_isles
            if self.troops[origin] and self.can_leave(origin)
            for target in targets
            if not self.is_protected(target) and not self.is_under(Creature.CHIRON, target)
        ]
        return max(worths, default=0.0)

    def ruin_worth(self, island: int, building: Building) -> float:
        """Return what it is worth that a building is destroyed."""
        owner = self.owner[island]
        if owner == self.me:
            return -LADDER[-1]

        if owner == NOBODY:
            return 0.0

        alone = self.owned[owner][building - 1] == 1
        return OTHERS * (LADDER[min(self.kinds[owner], SET - 1) - 1] if alone else SPARE)

    def best_ruin(self) -> float:
        worths = [
            self.ruin_worth(island, building)
            for seat in self.rivals
            for island in members(self.isles[seat])
            for building in BUILDINGS
            if self.buildings[island][building - 1] and not self.is_under(Creature.CHIRON, island)
        ]
        return max(worths, default=0.0)

    def best_replay(self) -> float:
        """Return what the Chimera is worth: the best card of the discard pile."""
        cards = [card for card in self.view.creatures.discard if card is not Creature.CHIMERA]
        return max(map(self.creature_worth, cards), default=0.0)

    def best_replacement(self) -> float:
        """Return what the Cyclops is worth: a kind that is missing in place of a spare building."""
        if max(self.owned[self.me]) < 2:
            return 0.0

        missing = [building for building in BUILDINGS if not self.owned[self.me][building - 1]]
        return max([self.building_worth(self.me, building) for building in missing], default=0.0)

    def best_robbery(self) -> float:
        """Return what the Griffon is worth."""
        return max([self.purse(seat) // 2 for seat in self.rivals], default=0.0)

    def best_philosopher(self) -> float:
        """Return what the Satyr is worth."""
        some = any(self.view.players[seat].philosophers for seat in self.rivals)
        return self.philosopher_worth(self.me) if some else 0.0

    def best_priest(self) -> float:
        """Return what the Dryad is worth."""
        some = any(self.view.players[seat].priests for seat in self.rivals)
        return PRIEST * self.lasting if some else 0.0

    def flood_worth(self, sea: int) -> float:
        """Return what it is worth that the Kraken kills the fleets in a sea."""
        owner = self.sea_owner[sea]
        if owner == self.me:
            return -self.sea_worth(sea) - FLEET * (self.fleets[sea] - 1)

        return OTHERS * 2 * FLEET * self.fleets[sea]

    def best_flood(self) -> float:
        return max([self.flood_worth(sea) for sea in range(1, self.board.seas + 1)])

    def shelter_worth(self, island: int) -> float:
        """Return what the Minotaur is worth on an own island."""
        return self.post_worth(island, more=2)

    def best_shelter(self) -> float:
        return max(map(self.shelter_worth, self.own_isles))

    def fates_worth(self) -> float:
        return float(self.income(self.me))


_WARES: Final[dict[God, Callable[[Turns], Iterable[Ware]]]] = {
    God.ZEUS: Turns.of_zeus,
    God.ATHENA: Turns.of_athena,
    God.ARES: Turns.of_ares,
    God.POSEIDON: Turns.of_poseidon,
}
_CREATURES: Final[dict[Creature, Callable[[Turns], float]]] = {
    Creature.PEGASUS: Turns.best_flight,
    Creature.GIANT: Turns.best_ruin,
    Creature.CHIMERA: Turns.best_replay,
    Creature.CYCLOPS: Turns.best_replacement,
    Creature.GRIFFON: Turns.best_robbery,
    Creature.FATES: Turns.fates_worth,
    Creature.SATYR: Turns.best_philosopher,
    Creature.DRYAD: Turns.best_priest,
    Creature.KRAKEN: Turns.best_flood,
    Creature.MINOTAUR: Turns.best_shelter,
}
