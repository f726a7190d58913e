"""A bot as pairing sees it: who it is, what it can play now, and what it has played."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agon_engine.core.record import Deals


@dataclass(frozen=True, slots=True)
class Player:
    """Who a bot is, as far as it decides whom it may meet and over which deals."""

    bot: str
    owner: str
    house: bool = False
    trusted: bool = False
    """The organiser says that it does not remember from one match to another."""

    def may_meet(self, other: Player) -> bool:
        """Tell whether the two may sit in one rated block: not with itself, and bots of one owner not with each other,
        house bots excepted (M9)."""
        return self.bot != other.bot and (self.house or other.house or self.owner != other.owner)

    @property
    def may_share_deals(self) -> bool:
        """Whether it may play several matches of one deal: it cannot carry what it saw from one into another."""
        return self.house or self.trusted


@dataclass(frozen=True, slots=True)
class Candidate:
    """A connected bot that a ladder could seat."""

    player: Player
    free: int
    """Matches that it could start now."""
    games: int
    """Rated games in this ladder, and those that are planned in its open blocks."""
    rating: int
    """In thousandths of a point."""
    uncertainty: int
    """The ± of its score, in thousandths of a point."""
    waiting: int = 0
    """Its open blocks in this ladder with places left to play."""
    ahead: bool = False
    """It has played so much more than the others lately that it gets no block merely because its slots are free."""
    behind: bool = False
    """It has played less than the others lately."""
    far_behind: bool = False
    """So much less that it must be slow, or company of one that is."""
    met: int = 0
    """How many different bots it met lately."""
    settled: bool = False
    """A house bot that has played enough: it is company for others, and gets no block for its own sake."""


def can_seat(players: Iterable[Player], seats: int) -> bool:
    """Tell whether so many of them can sit in one rated block; looks at no more of them than it must."""
    owners = set()
    found = 0
    for player in players:
        if player.house or player.owner not in owners:
            found += 1
            if found >= seats:
                return True
            if not player.house:
                owners.add(player.owner)
    return False


def deals_for(wanted: Deals, players: Iterable[Player]) -> Deals:
    """Return the deals that a block of these players has: `shared` only where the ladder wants it and nobody in it
    could remember a deal from one match to the next; else `fresh`."""
    if wanted is Deals.SHARED and all(player.may_share_deals for player in players):
        return Deals.SHARED

    return Deals.FRESH
