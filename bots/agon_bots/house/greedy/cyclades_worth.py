"""What islands, seas, pieces and parts of sets are worth to a seat of Cyclades, in gold: the greedy bot's sums.

All are estimates of one position. What whole turns and creatures are worth is in `cyclades_turns.py`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from agon_bots.house.greedy.cyclades_position import Position
from agon_engine.core import Seat
from agon_engine.cyclades.board import members
from agon_engine.cyclades.data import SET
from agon_engine.cyclades.enums import NOBODY, Building, Creature, OverBuildings
from agon_engine.cyclades.view import View

WIN: Final = 150.0
"""The Metropolis that wins."""
METROPOLIS: Final = 26.0
"""An earlier one."""
LADDER: Final = (2.2, 2.8, 5.0)
"""The first, second and third part of a set; the fourth is worth the Metropolis."""
SPARE: Final = 0.8
"""A building of a kind that is there already."""
ISLAND: Final = 3.0
"""An island, by itself."""
SLOT: Final = 0.8
"""A free slot."""
NEEDED_SLOT: Final = 2.5
"""The same where there are fewer than kinds of buildings to come."""
TROOP: Final = 1.5
FLEET: Final = 1.2
PRIEST: Final = 1.2
"""For each cycle that counts."""
ATTACKED: Final = 0.35
"""How likely a rival who can attack an island does so before it can be seen to."""
FLOWN_AT: Final = 0.06
"""The same where only Pegasus comes."""
RECRUITS: Final = 2
"""So many more troops an attacker is thought to bring."""
OTHERS: Final = 0.3
"""What a rival loses is worth so much of it."""
STOP_WIN: Final = 60.0
"""To take a Metropolis from a seat that would win with it."""
ACCESS: Final = 1.5
"""The first fleet that opens the way to an island of others."""
PLUNDER: Final = 0.12
"""So much of the prize is added to it."""
LAST_CYCLE: Final = 14
"""About when a match is over."""


class Worth(Position):
    """The sums of one view."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        cycles = min(view.deal.max_cycles, LAST_CYCLE) - view.table.cycle
        self.lasting = max(1.0, min(4.0, 0.4 * cycles))
        """What one gold in each cycle to come is worth."""
        self._threats: dict[int, list[tuple[int, float]]] = {}
        self._risks: dict[tuple[int, int], float] = {}
        self._prizes: dict[int, float] = {}
        self._networks: dict[int, float] = {}

    # -- sets and Metropolises -------------------------------------------------------------------------------

    def metropolis_worth(self, seat: Seat) -> float:
        return WIN if self.metropolises[seat] + 1 >= self.needed else METROPOLIS

    def part_worth(self, seat: Seat, parts: int) -> float:
        """Return what the next part of a set is worth to a seat with so many."""
        if parts < len(LADDER):
            return LADDER[parts]

        return self.metropolis_worth(seat) if self.has_site(seat) else 0.0

    def has_site(self, seat: Seat) -> bool:
        """Tell whether a Metropolis of a seat will find an island (C10.2), if a set of buildings goes for it."""
        may_cover = self.view.deal.metropolis_over_buildings is OverBuildings.REMOVE
        return any(
            not self.metropolis[island] and (may_cover or self.under_frame(island) <= 1)
            for island in members(self.isles[seat])
        )

    def building_worth(self, seat: Seat, building: Building) -> float:
        """Return what one more building of a kind is worth to a seat."""
        return SPARE if self.owned[seat][building - 1] else self.part_worth(seat, self.kinds[seat])

    def philosopher_worth(self, seat: Seat, more: int = 0) -> float:
        """Return what a philosopher is worth to a seat, after so many more than it has."""
        return self.part_worth(seat, (self.view.players[seat].philosophers + more) % SET)

    @cached_property
    def slot_worth(self) -> float:
        """What a free slot is worth to this seat."""
        free = sum([self.free_slots(island) for island in self.own_isles])
        return NEEDED_SLOT if free < SET - self.kinds[self.me] else SLOT

    # -- islands ---------------------------------------------------------------------------------------------

    def holding_worth(self, island: int) -> float:
        """Return what its owner has from an island."""
        worth = ISLAND + self.horns[island] * self.lasting + SLOT * self.free_slots(island)
        worth += (LADDER[0] + SPARE) * sum(self.buildings[island])
        if self.metropolis[island]:
            worth += WIN / 2 if self.has_won(self.owner[island]) else METROPOLIS
        return worth

    def has_won(self, seat: Seat) -> bool:
        """Tell whether a seat has what wins at the end of the cycle."""
        return seat != NOBODY and self.metropolises[seat] >= self.needed

    def prize(self, island: int) -> float:
        """Return what it is worth to take an island that is not this seat's."""
        prize = self._prizes.get(island)
        if prize is None:
            prize = self._prizes[island] = self._prize(island)
        return prize

    def _prize(self, island: int) -> float:
        worth = ISLAND + self.horns[island] * self.lasting + self.slot_worth * self.free_slots(island)
        parts = self.kinds[self.me]
        for count, own in zip(self.buildings[island], self.owned[self.me], strict=True):
            worth += SPARE * count
            if count and not own:
                worth += self.part_worth(self.me, min(parts, SET - 1)) - SPARE
                parts += 1
        if self.metropolis[island]:
            worth += self.metropolis_worth(self.me)
            if self.has_won(self.owner[island]):
                worth += STOP_WIN
        if self.owner[island] != NOBODY:
            worth += OTHERS * self.holding_worth(island)
        return worth

    def risk(self, island: int, troops: int) -> float:
        """Return how likely this seat loses an island on which it has so many troops."""
        risk = self._risks.get((island, troops))
        if risk is None:
            attacks = [likely * self.landing(most, island, troops)[0] for most, likely in self._threats_to(island)]
            alone = self.isles[self.me] == 1 << island
            risk = FLOWN_AT / 2 if alone else max([FLOWN_AT / (1 + troops), *attacks])
            self._risks[island, troops] = risk
        return risk

    def _threats_to(self, island: int) -> list[tuple[int, float]]:
        """Return for each rival with how many troops it can come, and how likely it does."""
        threats = self._threats.get(island)
        if threats is None:
            threats = self._threats[island] = []
            for seat in self.rivals:
                near = members(self.joined(seat, island) & self.isles[seat])
                most = max([self.troops[origin] for origin in near or members(self.isles[seat])])
                threats.append((most + RECRUITS, ATTACKED) if near else (most, FLOWN_AT))
        return threats

    # -- troops ----------------------------------------------------------------------------------------------

    def post_worth(self, island: int, more: int = 1) -> float:
        """Return what more troops, or fewer, on an own island are worth there."""
        here = self.troops[island]
        return self.holding_worth(island) * (self.risk(island, here) - self.risk(island, here + more))

    def march_worth(self, origin: int, target: int, troops: int, recruits: int = 0) -> float:
        """Return what it is worth that troops of one island go to another, after so many new ones came."""
        leaving = self.post_worth(origin, recruits - troops)
        if self.owner[target] == self.me:
            return leaving + self.post_worth(target, troops)

        wins, left = (1.0, float(troops))
        if self.owner[target] != NOBODY:
            wins, left = self.landing(troops, target, self.troops[target])
        if not wins:
            return leaving - TROOP * troops

        kept = 1 - self.risk(target, round(left / wins))
        return leaving + wins * kept * self.prize(target) - TROOP * (troops - left)

    def can_leave(self, island: int) -> bool:
        """Tell whether troops may leave an island."""
        return not self.is_under(Creature.MEDUSA, island)

    def campaigns(self, origin: int, recruits: int) -> list[tuple[float, int]]:
        """Return what a march from an island to each that can be taken is worth, with so many new troops too."""
        troops = self.troops[origin] + recruits
        if not troops or not self.can_leave(origin):
            return []

        numbers = {1, max(1, troops - 1), troops}
        return [
            (max([self.march_worth(origin, target, number, recruits) for number in numbers]), target)
            for target in members(self.joined(self.me, origin) & ~self.isles[self.me])
            if not self.is_protected(target)
        ]

    def best_campaign(self, origin: int, recruits: int) -> float:
        """Return what the best of these marches is worth; 0: none is any good."""
        return max([worth for worth, _ in self.campaigns(origin, recruits)], default=0.0)

    # -- fleets ----------------------------------------------------------------------------------------------

    def sea_worth(self, sea: int) -> float:
        """Return what a fleet in a sea is worth beside those in other seas."""
        others = self.waters[self.me] & ~(1 << sea)
        return self.network_worth(others | 1 << sea) - self.network_worth(others)

    def sail_worth(self, sea: int, target: int, fleets: int) -> float:
        """Return what it is worth that fleets go from a sea to the next."""
        here = self.waters[self.me]
        left_behind = here & ~(1 << sea) if fleets == self.fleets[sea] else here
        arrived = self.network_worth(left_behind | 1 << target)
        if self.sea_owner[target] in (self.me, NOBODY):
            return arrived - self.network_worth(here)

        wins, left = self.boarding(fleets, target)
        lost = self.network_worth(left_behind)
        spoils = OTHERS * FLEET * self.fleets[target]
        return lost + wins * (arrived - lost + spoils) - FLEET * (fleets - left) - self.network_worth(here)

    def network_worth(self, waters: int) -> float:
        """Return what it is worth to have fleets in some seas: trade, and the way to islands of others."""
        worth = self._networks.get(waters)
        if worth is None:
            trade = (waters & self.board.trade).bit_count()
            worth = FLEET * waters.bit_count() + self.lasting * trade
            for island in members(self.shores_along(waters, waters & self.coast) & ~self.isles[self.me]):
                if not self.is_protected(island):
                    worth += ACCESS + PLUNDER * self.prize(island)
            self._networks[waters] = worth
        return worth
