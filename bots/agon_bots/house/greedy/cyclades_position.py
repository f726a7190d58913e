"""A view of Cyclades laid out for sums: what is where, what can reach what, and how battles go. Nothing is judged here."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Final

from agon_engine.core import Seat
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import DIE, FLEETS, MINOTAUR_STRENGTH, SPACE_PRICES, TROOPS, winning_number
from agon_engine.cyclades.enums import NOBODY, Building, Creature, God
from agon_engine.cyclades.view import View

_ROLLS: Final = Counter(attack - defence for attack in DIE for defence in DIE)
"""How often the attacker's die is by so much the higher one."""
_ALL_ROLLS: Final = len(DIE) ** 2
_WITH_METROPOLIS: Final = 1


@cache
def odds(attackers: int, defenders: int, bonus: int) -> tuple[float, float]:
    """Return how likely attackers win a battle that is fought to its end, and how many of them are left on average.

    `bonus` is what the defenders have on top of their number (C8.1).
    """
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
    """What a view says; lists are by island, by sea or by seat, and sets of islands and seas are bits."""

    def __init__(self, view: View) -> None:
        seat = view.seat
        assert seat is not None
        self.view = view
        self.me: Seat = seat
        self.seats = view.deal.seats
        self.board = BOARDS[self.seats]
        self.needed = winning_number(self.seats)
        """So many Metropolises win."""
        self._read_islands()
        self._read_seas()
        self.islands_of_creatures = {figurine.creature: figurine.island for figurine in view.creatures.figurines}
        self.gold = view.own.gold - sum(
            self.cost(offer.amount) for offer in view.gods.offers if self._stands(offer.bidder)
        )
        """What is left when the own bids that stand are paid."""

    def _read_islands(self) -> None:
        islands = self.view.islands
        self.owner = [NOBODY, *[island.owner for island in islands]]
        self.troops = [0, *[island.troops for island in islands]]
        self.buildings = [(0, 0, 0, 0), *[island.buildings for island in islands]]
        self.metropolis = [False, *[island.metropolis for island in islands]]
        self.horns = [0, *[island.prosperity + self.board.horns[island.island] for island in islands]]
        self.isles = [0] * self.seats
        for island in islands:
            if island.owner != NOBODY:
                self.isles[island.owner] |= 1 << island.island

    def _read_seas(self) -> None:
        self.sea_owner = [NOBODY] * (self.board.seas + 1)
        self.fleets = [0] * (self.board.seas + 1)
        self.waters = [0] * self.seats
        for sea, owner, fleets in self.view.seas.fleets:
            self.sea_owner[sea] = owner
            self.fleets[sea] = fleets
            self.waters[owner] |= 1 << sea

    def _stands(self, bidder: Seat) -> bool:
        return bidder == self.me and not self.view.gods.acted

    # -- gold ------------------------------------------------------------------------------------------------

    def cost(self, bid: int) -> int:
        """Return what a bid costs this seat (C6.3)."""
        return max(1, bid - self.view.players[self.me].priests)

    def income(self, seat: Seat) -> int:
        """Return the revenue of a seat (C5.1)."""
        horns = sum([self.horns[island] for island in members(self.isles[seat])])
        return horns + (self.waters[seat] & self.board.trade).bit_count()

    def price(self, creature: Creature) -> int:
        """Return what this seat pays for a creature on its space (C7.10)."""
        owned = self.count(self.me)
        left = owned[Building.TEMPLE - 1] + self.metropolises(self.me) - self.view.players[self.me].discounts_used
        return max(1, SPACE_PRICES[self.view.creatures.spaces.index(creature)] - max(0, left))

    # -- islands ---------------------------------------------------------------------------------------------

    def metropolises(self, seat: Seat) -> int:
        return sum([self.metropolis[island] for island in members(self.isles[seat])])

    def count(self, seat: Seat) -> tuple[int, ...]:
        """Return how many buildings of each kind a seat has."""
        owned = [self.buildings[island] for island in members(self.isles[seat])]
        return tuple([sum(kind) for kind in zip((0, 0, 0, 0), *owned, strict=True)])

    def free_slots(self, island: int) -> int:
        covered = self.board.covered[island] if self.metropolis[island] else 0
        return self.board.slots[island] - covered - sum(self.buildings[island])

    def under_frame(self, island: int) -> int:
        """Return how many buildings a Metropolis there would lie over (C10.8)."""
        return max(0, sum(self.buildings[island]) - self.board.slots[island] + self.board.covered[island])

    def figurine_on(self, creature: Creature, island: int) -> bool:
        return self.islands_of_creatures.get(creature) == island

    def reserve(self) -> tuple[int, int]:
        """Return the troops and fleets that this seat can still recruit."""
        player = self.view.players[self.me]
        return min(player.troops, TROOPS), min(player.fleets, FLEETS)

    # -- reach -----------------------------------------------------------------------------------------------

    def joined(self, seat: Seat, island: int) -> int:
        """Return the bits of the islands that the fleets of a seat join to one (C7.7)."""
        board, waters = self.board, self.waters[seat]
        ahead = reached = board.island_waters[island] & waters
        shores = 0
        while ahead:
            sea = ahead.bit_length() - 1
            shores |= board.sea_shores[sea]
            further = board.sea_neighbours[sea] & waters & ~reached
            reached |= further
            ahead = ahead ^ 1 << sea | further
        return shores & ~(1 << island)

    def coast(self, seat: Seat) -> int:
        """Return the bits of the seas that touch an island of a seat."""
        seas = 0
        for island in members(self.isles[seat]):
            seas |= self.board.island_waters[island]
        return seas

    def is_protected(self, island: int) -> bool:
        """Tell whether it is the last island of its owner (C7.11)."""
        owner = self.owner[island]
        return owner != NOBODY and self.isles[owner] == 1 << island

    # -- battles ---------------------------------------------------------------------------------------------

    def landing(self, attackers: int, island: int, defenders: int | None = None) -> tuple[float, float]:
        """Return the odds of an attack on an island, as it is or with so many defenders."""
        troops = self.troops[island] if defenders is None else defenders
        bonus = self.buildings[island][Building.FORTRESS - 1] + self.metropolis[island] * _WITH_METROPOLIS
        if self.owner[island] != NOBODY and self.figurine_on(Creature.MINOTAUR, island):
            # It fights on as a last unit that is worth one more than a troop.
            troops, bonus = troops + 1, bonus + MINOTAUR_STRENGTH - 1
        return odds(attackers, troops, bonus)

    def boarding(self, attackers: int, sea: int) -> tuple[float, float]:
        """Return the odds of an attack on the fleets in a sea."""
        owner = self.sea_owner[sea]
        shores = members(self.board.sea_shores[sea] & self.isles[owner])
        ports = sum([self.buildings[island][Building.PORT - 1] + self.metropolis[island] for island in shores])
        return odds(attackers, self.fleets[sea], ports)

    # -- offerings -------------------------------------------------------------------------------------------

    def standing_bid(self, god: God) -> int:
        return next((offer.amount for offer in self.view.gods.offers if offer.god == god), 0)
