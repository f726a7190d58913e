"""What islands, seas, pieces, creatures and god turns of Cyclades are worth to a seat, in gold: the greedy bot's sums.

All are estimates of one position; nothing here says what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Final

from agon_bots.house.greedy.cyclades_position import Position
from agon_engine.core import Seat
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
from agon_engine.cyclades.enums import BUILDING_OF, BUILDINGS, NOBODY, Building, Creature, God, OverBuildings
from agon_engine.cyclades.view import View

WIN: Final = 150.0
"""The Metropolis that wins."""
METROPOLIS: Final = 26.0
"""An earlier one."""
LADDER: Final = (4.0, 5.0, 7.0)
"""The first, second and third part of a set; the fourth is worth the Metropolis."""
SPARE: Final = 0.8
"""A building of a kind that is there already."""
ISLAND: Final = 3.0
"""An island, by itself."""
SLOT: Final = 0.8
"""A free slot."""
NEEDED_SLOT: Final = 2.5
"""The same where there are fewer than buildings to come."""
TROOP: Final = 1.5
FLEET: Final = 1.2
PRIEST: Final = 1.2
"""For each cycle that it lasts."""
ATTACKED: Final = 0.35
"""How likely a rival who can attack an island does so before it can be seen to."""
FLOWN_AT: Final = 0.06
"""The same where only Pegasus comes."""
OTHERS: Final = 0.3
"""What is lost by the leading rival is worth so much of it."""
STOP_WIN: Final = 60.0
"""To take a Metropolis from a seat that would win with it."""
ACCESS: Final = 1.5
"""A fleet that opens the way to an island of others; the first one of several."""


class Worth(Position):
    """The sums of one view."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        last = min(view.deal.max_cycles, 14)
        self.lasting = max(1.0, min(4.0, 0.4 * (last - view.table.cycle)))
        """What one gold in each cycle to come is worth."""
        self._threats: dict[int, list[tuple[int, bool]]] = {}

    # -- sets and Metropolises -------------------------------------------------------------------------------

    def metropolis_worth(self, seat: Seat) -> float:
        return WIN if self.metropolises(seat) + 1 >= self.needed else METROPOLIS

    def part_worth(self, seat: Seat, parts: int) -> float:
        """Return what the next part of a set is worth to a seat with so many."""
        if parts < len(LADDER):
            return LADDER[parts]

        return self.metropolis_worth(seat) if self.has_site(seat) else 0.0

    def has_site(self, seat: Seat) -> bool:
        """Tell whether a seat has an island for a Metropolis (C10.2)."""
        forbidden = self.view.deal.metropolis_over_buildings is OverBuildings.FORBID
        for island in members(self.isles[seat]):
            if not self.metropolis[island] and not (forbidden and self.under_frame(island) > 1):
                return True
        return False

    def building_worth(self, seat: Seat, building: Building) -> float:
        """Return what one more building of a kind is worth to a seat."""
        owned = self.count(seat)
        if owned[building - 1]:
            return SPARE

        return self.part_worth(seat, sum([count > 0 for count in owned]))

    def philosopher_worth(self, seat: Seat, more: int = 0) -> float:
        """Return what a philosopher is worth to a seat, after so many more than it has."""
        return self.part_worth(seat, (self.view.players[seat].philosophers + more) % SET)

    @cached_property
    def slot_worth(self) -> float:
        """What a free slot is worth to this seat."""
        free = sum([self.free_slots(island) for island in members(self.isles[self.me])])
        return NEEDED_SLOT if free < self.count(self.me).count(0) else SLOT

    # -- islands ---------------------------------------------------------------------------------------------

    def holding_worth(self, island: int) -> float:
        """Return what its owner has from an island."""
        worth = ISLAND + self.horns[island] * self.lasting + SLOT * self.free_slots(island)
        worth += (LADDER[0] + SPARE) * sum(self.buildings[island])
        if self.metropolis[island]:
            owner = self.owner[island]
            worth += WIN / 2 if owner != NOBODY and self.metropolises(owner) >= self.needed else METROPOLIS
        return worth

    def prize(self, island: int) -> float:
        """Return what it is worth to take an island that is not this seat's."""
        worth = ISLAND + self.horns[island] * self.lasting + self.slot_worth * self.free_slots(island)
        owned = list(self.count(self.me))
        for kind, count in enumerate(self.buildings[island]):
            if count and not owned[kind]:
                worth += self.part_worth(self.me, sum([number > 0 for number in owned]))
                owned[kind] = count
            else:
                worth += SPARE * count
        if self.metropolis[island]:
            worth += self.metropolis_worth(self.me)
        if self.owner[island] != NOBODY:
            worth += OTHERS * self.holding_worth(island)
            if self.metropolis[island] and self.metropolises(self.owner[island]) >= self.needed:
                worth += STOP_WIN
        return worth

    def risk(self, island: int, troops: float) -> float:
        """Return how likely an own island, or one that is taken, is lost with so many troops on it."""
        if self.isles[self.me] == 1 << island:
            return FLOWN_AT / 2

        worst = FLOWN_AT / (1 + troops)
        for attackers, joined in self._threats_to(island):
            likely = ATTACKED if joined else FLOWN_AT
            worst = max(worst, likely * self.landing(attackers, island, round(troops))[0])
        return worst

    def _threats_to(self, island: int) -> list[tuple[int, bool]]:
        """Return for each rival with how many troops it can come, and whether its fleets reach so far."""
        threats = self._threats.get(island)
        if threats is None:
            threats = self._threats[island] = []
            for seat in range(self.seats):
                if seat != self.me and self.isles[seat]:
                    near = members(self.joined(seat, island) & self.isles[seat])
                    isles = near or members(self.isles[seat])
                    most = max([self.troops[origin] for origin in isles])
                    threats.append((most + (2 if near else 0), bool(near)))
        return threats

    # -- troops ----------------------------------------------------------------------------------------------

    def march_worth(self, origin: int, target: int, troops: int, recruits: int = 0) -> float:
        """Return what it is worth that troops of one island go to another, some of them new ones."""
        here = self.troops[origin]
        stay = here + recruits - troops
        worth = self.holding_worth(origin) * (self.risk(origin, here) - self.risk(origin, stay))
        if self.owner[target] == self.me:
            there = self.troops[target]
            return worth + self.holding_worth(target) * (self.risk(target, there) - self.risk(target, there + troops))

        if self.owner[target] == NOBODY:
            return worth + self.prize(target) * (1 - self.risk(target, troops))

        wins, left = self.landing(troops, target)
        if not wins:
            return worth - TROOP * troops

        kept = 1 - self.risk(target, left / wins)
        return worth + wins * kept * self.prize(target) - TROOP * (troops - left)

    def post_worth(self, island: int) -> float:
        """Return what one more troop on an own island is worth at home."""
        here = self.troops[island]
        return self.holding_worth(island) * (self.risk(island, here) - self.risk(island, here + 1))

    def campaigns(self, origin: int, recruits: int) -> list[tuple[float, int]]:
        """Return what the best march from an island to each that can be reached is worth, with new troops too."""
        troops = self.troops[origin] + recruits
        if not troops or self.figurine_on(Creature.MEDUSA, origin):
            return []

        targets = members(self.joined(self.me, origin) & ~self.isles[self.me])
        return [
            (
                max([self.march_worth(origin, target, number, recruits) for number in {1, troops - 1, troops} - {0}]),
                target,
            )
            for target in targets
            if not self.is_protected(target)
        ]

    # -- fleets ----------------------------------------------------------------------------------------------

    def sea_worth(self, sea: int) -> float:
        """Return what it is worth to have a fleet in a sea without one."""
        worth = self.lasting if self.board.trade >> sea & 1 else 0.0
        shores = self.board.sea_shores[sea]
        if not shores & self.isles[self.me] and not self.board.sea_neighbours[sea] & self.waters[self.me]:
            return worth

        covered = 0
        for mine in members(self.waters[self.me] & ~(1 << sea)):
            covered |= self.board.sea_shores[mine]
        for island in members(shores & ~self.isles[self.me] & ~covered):
            if not self.is_protected(island):
                worth += ACCESS + 0.12 * self.prize(island)
        return worth

    def sail_worth(self, sea: int, target: int, fleets: int) -> float:
        """Return what it is worth that fleets go from a sea to the next."""
        leaves = self.sea_worth(sea) + FLEET if fleets == self.fleets[sea] else 0.0
        owner = self.sea_owner[target]
        if owner == self.me:
            return -leaves

        if owner == NOBODY:
            return self.sea_worth(target) + FLEET - leaves

        wins, left = self.boarding(fleets, target)
        gain = self.sea_worth(target) + FLEET + OTHERS * FLEET * self.fleets[target]
        return wins * gain - FLEET * (fleets - left) - leaves

    # -- god turns -------------------------------------------------------------------------------------------

    def turn_worth(self, god: God, gold: int) -> float:
        """Return what a turn with a god is worth to a seat that has so much gold in it."""
        if god is God.APOLLO:
            return self.apollo_worth()

        offers = [*_TURNS[god](self)]
        building = BUILDING_OF[god]
        if any([self.free_slots(island) > 0 for island in members(self.isles[self.me])]):
            offers.append((self.building_worth(self.me, building), BUILDING_PRICE))
        creatures = [(self.creature_worth(card), self.price(card)) for card in self.view.creatures.spaces if card]
        offers += sorted(creatures, key=lambda offer: offer[0] - offer[1])[-1:]
        return _best_buys(offers, gold)

    def apollo_worth(self) -> float:
        """Return what a turn of Apollo's is worth (C7.9)."""
        gift = APOLLO_RELIEF if self.isles[self.me].bit_count() <= 1 else APOLLO_INCOME
        return gift + (0.0 if self.view.gods.apollo or not self.view.supply.prosperity else self.lasting)

    def of_poseidon(self) -> Iterable[tuple[float, int]]:
        seas = self.coast(self.me) & ~self.waters[self.me]
        worths = [self.sea_worth(sea) + FLEET for sea in members(seas) if self.sea_owner[sea] == NOBODY]
        best = sorted(worths, reverse=True)[: self.reserve()[1]]
        return zip(best, FLEET_PRICES, strict=False)

    def of_ares(self) -> Iterable[tuple[float, int]]:
        """Return what the best campaigns bring: one with all that can be recruited or none, and a second one."""
        isles = members(self.isles[self.me])
        recruits = self.reserve()[0]
        best: dict[int, tuple[float, float, int]] = {}
        for number in range(min(recruits, len(TROOP_PRICES)) + 1):
            price = 1 + sum(TROOP_PRICES[:number])
            for origin in isles:
                for worth, target in self.campaigns(origin, number):
                    best[target] = max(best.get(target, (0.0, 0.0, 0)), (worth - price, worth, price))
        plans = sorted(best.values(), reverse=True)[:2]
        troop = max(map(self.post_worth, isles)) + TROOP if recruits else 0.0
        return [(troop, 0), *((worth, price) for _, worth, price in plans)]

    def of_zeus(self) -> Iterable[tuple[float, int]]:
        worth = PRIEST * self.lasting
        return zip((worth, worth / 2), PRIEST_PRICES, strict=True)

    def of_athena(self) -> Iterable[tuple[float, int]]:
        worths = (self.philosopher_worth(self.me), self.philosopher_worth(self.me, 1))
        return zip(worths, PHILOSOPHER_PRICES, strict=True)

    def denial_worth(self, god: God) -> float:
        """Return what it is worth to keep a god from the rivals, who could complete a set with it."""
        building = BUILDING_OF[god]
        worst = 0.0
        for seat, player in enumerate(self.view.players):
            if seat == self.me or not self.isles[seat] or player.most_gold < BUILDING_PRICE + 1:
                continue
            owned = self.count(seat)
            completes = not owned[building - 1] and owned.count(0) == 1
            if completes or (god is God.ATHENA and player.philosophers + 1 + (player.most_gold > 5) >= SET):
                worst = max(worst, self.metropolis_worth(seat))
        return STOP_WIN / 5 if worst == WIN else worst * OTHERS / 3

    # -- creatures -------------------------------------------------------------------------------------------

    def creature_worth(self, creature: Creature) -> float:
        """Return what the effect of a creature is worth now."""
        judge = _CREATURES.get(creature)
        return judge(self) if judge else 0.0

    def rivals(self) -> list[Seat]:
        return [seat for seat in range(self.seats) if seat != self.me and self.isles[seat]]

    def purse(self, seat: Seat) -> float:
        player = self.view.players[seat]
        return (player.least_gold + player.most_gold) / 2

    def best_flight(self) -> float:
        """Return what Pegasus is worth: the best attack without a chain."""
        targets = members(self.board.all_islands & ~self.isles[self.me])
        chiron = self.islands_of_creatures.get(Creature.CHIRON)
        worths = [
            self.march_worth(origin, target, self.troops[origin])
            for origin in members(self.isles[self.me])
            if self.troops[origin] and not self.figurine_on(Creature.MEDUSA, origin)
            for target in targets
            if target != chiron and not self.is_protected(target)
        ]
        return max(worths, default=0.0)

    def ruin_worth(self, island: int, building: Building) -> float:
        """Return what it is worth that a building is destroyed."""
        owner = self.owner[island]
        if owner == self.me:
            return -self.building_worth(self.me, building) - LADDER[0]

        if owner == NOBODY:
            return 0.0

        owned = self.count(owner)
        worth = LADDER[sum([count > 0 for count in owned]) - 1] if owned[building - 1] == 1 else SPARE
        return OTHERS * worth + (0.5 if self.metropolises(owner) + 1 >= self.needed else 0.0)

    def best_ruin(self) -> float:
        chiron = self.islands_of_creatures.get(Creature.CHIRON)
        worths = [
            self.ruin_worth(island, building)
            for seat in self.rivals()
            for island in members(self.isles[seat])
            for building in BUILDINGS
            if self.buildings[island][building - 1] and island != chiron
        ]
        return max(worths, default=0.0)

    def best_replacement(self) -> float:
        """Return what the Cyclops is worth: a spare building for a kind that is missing."""
        owned = self.count(self.me)
        if max(owned) < 2:
            return 0.0

        missing = [building for building in BUILDINGS if not owned[building - 1]]
        return max([self.building_worth(self.me, building) for building in missing], default=0.0)

    def best_flood(self) -> float:
        """Return what the Kraken is worth in its best sea."""
        return max([self.flood_worth(sea) for sea in range(1, self.board.seas + 1)])

    def flood_worth(self, sea: int) -> float:
        """Return what it is worth that the fleets in a sea die."""
        owner = self.sea_owner[sea]
        if owner == NOBODY:
            return 0.0

        worth = FLEET * self.fleets[sea] + (1.0 if self.board.trade >> sea & 1 else 0.0)
        return -worth - self.sea_worth(sea) if owner == self.me else 2 * OTHERS * worth

    def shelter_worth(self, island: int) -> float:
        """Return what the Minotaur is worth on an own island."""
        troops = self.troops[island]
        return self.holding_worth(island) * (self.risk(island, troops) - self.risk(island, troops + 2))

    def best_shelter(self) -> float:
        return max([self.shelter_worth(island) for island in members(self.isles[self.me])])


def _best_buys(offers: Iterable[tuple[float, int]], gold: int) -> float:
    """Return what the best of some things, each with its price, are worth over their prices, for so much gold."""
    total = 0.0
    for worth, price in sorted(offers, key=lambda offer: offer[1] - offer[0]):
        if worth > price and price <= gold:
            total += worth - price
            gold -= price
    return total


_TURNS: Final[dict[God, Callable[[Worth], Iterable[tuple[float, int]]]]] = {
    God.ZEUS: Worth.of_zeus,
    God.ATHENA: Worth.of_athena,
    God.ARES: Worth.of_ares,
    God.POSEIDON: Worth.of_poseidon,
}
_CREATURES: Final[dict[Creature, Callable[[Worth], float]]] = {
    Creature.SIREN: lambda _: 2.0,
    Creature.PEGASUS: Worth.best_flight,
    Creature.GIANT: Worth.best_ruin,
    Creature.CHIMERA: lambda worth: (
        0.9
        * max(
            [_CREATURES[card](worth) for card in worth.view.creatures.discard if card is not Creature.CHIMERA],
            default=0.0,
        )
    ),
    Creature.CYCLOPS: Worth.best_replacement,
    Creature.SPHINX: lambda _: 0.0,
    Creature.SYLPH: lambda _: 2.0,
    Creature.HARPY: lambda _: 1.0,
    Creature.GRIFFON: lambda worth: max([worth.purse(seat) // 2 for seat in worth.rivals()], default=0.0),
    Creature.FATES: lambda worth: float(worth.income(worth.me)),
    Creature.SATYR: lambda worth: (
        worth.philosopher_worth(worth.me)
        if any(worth.view.players[seat].philosophers for seat in worth.rivals())
        else 0.0
    ),
    Creature.DRYAD: lambda worth: (
        PRIEST * worth.lasting if any(worth.view.players[seat].priests for seat in worth.rivals()) else 0.0
    ),
    Creature.KRAKEN: Worth.best_flood,
    Creature.MINOTAUR: Worth.best_shelter,
    Creature.CHIRON: lambda _: 0.0,
    Creature.MEDUSA: lambda _: 0.0,
    Creature.POLYPHEMUS: lambda _: 0.0,
}
