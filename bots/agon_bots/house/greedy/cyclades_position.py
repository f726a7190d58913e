"""A view of Cyclades laid out for sums: what is where, what can reach what, how battles go. Nothing is judged here."""

from __future__ import annotations

from collections import Counter
from functools import cache, cached_property
from typing import Final

from agon_engine.core import Seat
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import DIE, MINOTAUR_STRENGTH, SPACE_PRICES, winning_number
from agon_engine.cyclades.enums import NOBODY, Building, Creature, God, Phase
from agon_engine.cyclades.view import View

_ROLLS: Final = Counter(attack - defence for attack in DIE for defence in DIE)
"""How often the attacker's die is by so much the higher one."""
_ALL_ROLLS: Final = len(DIE) ** 2
_NO_BUILDINGS: Final = (0, 0, 0, 0)

Odds = tuple[float, float]
"""How likely attackers win a battle that is fought to its end, and how many of them are left on average."""


@cache
def odds(attackers: int, defenders: int, bonus: int) -> Odds:
    """Return the odds of a battle; `bonus` is what the defenders have on top of their number (C8.1)."""
    if not attackers or not defenders:
        return (1.0, float(attackers)) if attackers else (0.0, 0.0)

    wins = left = 0.0
    for roll, times in _ROLLS.items():
        lead = attackers + roll - defenders - bonus
        further = odds(attackers - (lead <= 0), defenders - (lead >= 0), bonus)
        wins += times * further[0]
        left += times * further[1]
    return wins / _ALL_ROLLS, left / _ALL_ROLLS


class Position:
    """What a view says. Lists are by island, by sea or by seat; sets of islands and seas are bits."""

    def __init__(self, view: View) -> None:
        """Raise ValueError for a spectator's view: it is nobody's position."""
        if view.seat is None:
            raise ValueError("a spectator has no position to judge")

        self.view = view
        self.me: Seat = view.seat
        self.seats = view.deal.seats
        self.board = BOARDS[self.seats]
        self.needed = winning_number(self.seats)
        """So many Metropolises win."""
        self._read_islands()
        self._read_seas()
        self.figurines = {figurine.creature: figurine.island for figurine in view.creatures.figurines}
        """The islands of figurines."""
        self.gold = view.own.gold
        """What is left when the own bids that stand are paid."""
        if view.table.phase is Phase.OFFERINGS:
            self.gold -= sum([self.cost(offer.amount) for offer in view.gods.offers if offer.bidder == self.me])

    def _read_islands(self) -> None:
        islands = self.view.islands
        self.owner = [NOBODY, *[island.owner for island in islands]]
        self.troops = [0, *[island.troops for island in islands]]
        self.buildings = [_NO_BUILDINGS, *[island.buildings for island in islands]]
        self.metropolis = [False, *[island.metropolis for island in islands]]
        self.horns = [0, *[self.board.horns[island.island] + island.prosperity for island in islands]]
        self.isles = [0] * self.seats
        for island in islands:
            if island.owner != NOBODY:
                self.isles[island.owner] |= 1 << island.island
        own = [[self.buildings[island] for island in members(isles)] for isles in self.isles]
        self.owned = [tuple(map(sum, zip(_NO_BUILDINGS, *buildings, strict=True))) for buildings in own]
        """By seat: how many buildings of each kind."""
        self.kinds = [sum(map(bool, counts)) for counts in self.owned]
        """By seat: how many different buildings."""
        self.metropolises = [sum([self.metropolis[island] for island in members(isles)]) for isles in self.isles]

    def _read_seas(self) -> None:
        self.sea_owner = [NOBODY] * (self.board.seas + 1)
        self.fleets = [0] * (self.board.seas + 1)
        self.waters = [0] * self.seats
        for sea, owner, fleets in self.view.seas.fleets:
            self.sea_owner[sea] = owner
            self.fleets[sea] = fleets
            self.waters[owner] |= 1 << sea

    # -- seats -----------------------------------------------------------------------------------------------

    @property
    def own_isles(self) -> tuple[int, ...]:
        return members(self.isles[self.me])

    @property
    def rivals(self) -> list[Seat]:
        """Return the other seats that are in the match."""
        return [seat for seat in range(self.seats) if seat != self.me and self.isles[seat]]

    def cost(self, bid: int) -> int:
        """Return what a bid costs this seat (C6.3)."""
        return max(1, bid - self.view.players[self.me].priests)

    def purse(self, seat: Seat) -> float:
        """Return what a seat is thought to have."""
        player = self.view.players[seat]
        return (player.least_gold + player.most_gold) / 2

    def income(self, seat: Seat) -> int:
        """Return the revenue of a seat (C5.1)."""
        horns = sum([self.horns[island] for island in members(self.isles[seat])])
        return horns + (self.waters[seat] & self.board.trade).bit_count()

    def price(self, creature: Creature) -> int:
        """Return what this seat pays for a creature on its space (C7.10)."""
        discounts = self.owned[self.me][Building.TEMPLE - 1] + self.metropolises[self.me]
        left = max(0, discounts - self.view.players[self.me].discounts_used)
        return max(1, SPACE_PRICES[self.view.creatures.spaces.index(creature)] - left)

    def standing_bid(self, god: God) -> int:
        return next((offer.amount for offer in self.view.gods.offers if offer.god is god), 0)

    # -- islands ---------------------------------------------------------------------------------------------

    def free_slots(self, island: int) -> int:
        covered = self.board.covered[island] if self.metropolis[island] else 0
        return self.board.slots[island] - covered - sum(self.buildings[island])

    def under_frame(self, island: int) -> int:
        """Return how many buildings a Metropolis there would lie over (C10.8)."""
        return max(0, sum(self.buildings[island]) - self.board.slots[island] + self.board.covered[island])

    def is_under(self, figurine: Creature, island: int) -> bool:
        """Tell whether a figurine stands on an island."""
        return self.figurines.get(figurine) == island

    def is_protected(self, island: int) -> bool:
        """Tell whether it is the last island of its owner (C7.11)."""
        owner = self.owner[island]
        return owner != NOBODY and self.isles[owner] == 1 << island

    def joined(self, seat: Seat, island: int) -> int:
        """Return the bits of the islands that the fleets of a seat join to one (C7.7)."""
        waters = self.waters[seat]
        return self.shores_along(waters, self.board.island_waters[island] & waters) & ~(1 << island)

    def shores_along(self, waters: int, start: int) -> int:
        """Return the bits of the islands that touch unbroken chains of some seas, from some of these on."""
        board = self.board
        ahead = reached = start
        shores = 0
        while ahead:
            sea = ahead.bit_length() - 1
            shores |= board.sea_shores[sea]
            further = board.sea_neighbours[sea] & waters & ~reached
            reached |= further
            ahead = ahead ^ 1 << sea | further
        return shores

    def landing(self, attackers: int, island: int, defenders: int) -> Odds:
        """Return the odds of an attack on an island with so many troops."""
        bonus = self.buildings[island][Building.FORTRESS - 1] + self.metropolis[island]
        if self.owner[island] != NOBODY and self.is_under(Creature.MINOTAUR, island):
            # It fights on as a last unit, worth one more than a troop (C8.5).
            return odds(attackers, defenders + 1, bonus + MINOTAUR_STRENGTH - 1)

        return odds(attackers, defenders, bonus)

    # -- seas ------------------------------------------------------------------------------------------------

    @cached_property
    def coast(self) -> int:
        """The bits of the seas that touch an own island."""
        seas = 0
        for island in self.own_isles:
            seas |= self.board.island_waters[island]
        return seas

    def boarding(self, attackers: int, sea: int) -> Odds:
        """Return the odds of an attack on the fleets in a sea."""
        shores = members(self.board.sea_shores[sea] & self.isles[self.sea_owner[sea]])
        ports = sum([self.buildings[island][Building.PORT - 1] + self.metropolis[island] for island in shores])
        return odds(attackers, self.fleets[sea], ports)
