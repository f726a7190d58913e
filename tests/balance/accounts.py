"""What is kept of a match that was played to measure balance, and what a game has to say for that.

An account is small and plain, since it comes from another process. Nothing here knows a game or reckons anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agon_engine.core import Action, Decision, Seat


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a seat can take: a card, a quest."""

    name: str
    group: str
    """What it belongs to: a family."""
    peers: str
    """What it is measured against: the cards of its level, the other quests."""


@dataclass(frozen=True, slots=True)
class Draw:
    """A take that was drawn, each of the options being as likely. Items by their number."""

    options: tuple[int, ...]
    picked: int


@dataclass(frozen=True, slots=True)
class SeatAccount:
    """What a seat did and what it came to. Items by their number, once for each time."""

    player: str
    start: int
    """Its place in the order of the first turn, from 1."""
    score: int
    placement: int
    lead: float
    """Its score less the mean of the others'."""
    taken: tuple[int, ...]
    used: tuple[int, ...]
    transferred: tuple[int, ...]
    """Brought to where they score."""
    draws: tuple[Draw, ...]
    facts: tuple[float, ...]
    """As the ledger names them, then the parts of the score."""


@dataclass(frozen=True, slots=True)
class MatchAccount:
    """A match that was played."""

    number: int
    lineup: str
    offered: tuple[int, ...]
    """Items that came where they can be taken, once for each copy."""
    seats: tuple[SeatAccount, ...]


class Ledger(Protocol):
    """What is counted in the matches of a game."""

    items: Sequence[Item]
    facts: Sequence[str]
    """Names of what is reckoned of a seat at the end."""

    def takes(self, decision: Decision) -> Sequence[tuple[Action, int]]:
        """Return the actions by which an item is drafted, with the item's number; none where nothing is drafted."""

    def offered(self, state: Any) -> tuple[int, ...]:
        """Return what was offered in a match that is over."""

    def done(self, state: Any, seat: Seat) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return what a seat took, used and transferred in a match that is over."""

    def start(self, state: Any, seat: Seat) -> int:
        """Return a seat's place in the order of the first turn, from 1."""

    def facts_of(self, state: Any, seat: Seat) -> tuple[float, ...]:
        """Return a seat's `facts` in a match that is over."""
