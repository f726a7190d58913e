"""The small closed sets of Elysium, as numbers that views, state and wire share. No rules and no card data here.

Where a field may hold nothing, nothing is 0; that is why every set begins at 1.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

NOBODY: Final = -1
"""In place of a seat (seats count from 0): nobody."""


class Family(IntEnum):
    """The gods' families (E1.1)."""

    NONE = 0
    """Of a Citizen, or of a Legend that is of no one family."""
    APOLLO = 1
    ARES = 2
    ATHENA = 3
    HADES = 4
    HEPHAESTUS = 5
    HERMES = 6
    POSEIDON = 7
    ZEUS = 8


class Colour(IntEnum):
    """The columns of a player, and what a card's acquisition condition asks for."""

    NONE = 0
    RED = 1
    YELLOW = 2
    GREEN = 3
    BLUE = 4
    ANY = 5
    """On a card only: a column of any colour."""


COLOURS: Final = (Colour.RED, Colour.YELLOW, Colour.GREEN, Colour.BLUE)
"""The columns that there are."""


class Activation(IntEnum):
    """When a card's power is used (E4.7)."""

    NONE = 0
    """Of a Citizen."""
    INSTANT = 1
    ACTIVATE = 2
    TRIGGER = 3
    PERMANENT = 4
    ELEUSIS = 5
    LEGEND = 6
    CHRONOS = 7


class LegendKind(IntEnum):
    """What a Legend is (E5.4, E5.5)."""

    LONE = 1
    """One card, which is not decided yet."""
    FAMILY = 2
    LEVEL = 3


class Phase(IntEnum):
    """The part of an epoch that a match is in."""

    ACTIONS = 1
    """Phase II."""
    LEGENDS = 2
    """Phase III."""
    OVER = 3


class Side(IntEnum):
    """The two sides of the pediment."""

    A = 1
    B = 2


class Todo(IntEnum):
    """What a task on the agenda is. Those from TURN on open a decision, where there is something to choose. Some have
    numbers of their own, x and y."""

    NONE = 0
    """The match is over."""
    NEXT_TURN = 1
    """Phase II: go on with the next player, or with Phase III."""
    NEXT_WRITER = 2
    """Phase III: go on with the next player, or with Phase IV."""
    EFFECT = 3
    """Resolve a step of a card."""
    INSTANT = 4
    """Resolve the Instantaneous power of a card just taken."""
    EACH = 5
    """Go on with the opponents of an `each_opponent`; x: how many have had their turn."""
    MOVED = 6
    """A card's effect has ended; x: the moved_level of the one that it has interrupted, or 0."""
    PUT_UNDER = 7
    """Put the rest of what was looked at under the draw pile; x: how many were looked at."""
    SCORE = 8
    """Add the points up."""
    TURN = 9
    """Powers, or the turn's take."""
    DISMISS = 10
    AFTER = 11
    """Powers after the take, or the end of the turn."""
    WRITE = 12
    """Legend powers and transfers, or the end of the step."""
    PLACE = 13
    """The place of a card that is transferred; x: the card, y: 1 from the Agora."""
    CHOOSE = 14
    """x: how many options are to be picked yet, y: bits of those that were."""
    MAY = 15
    PICK = 16
    """x: 1 where it can be declined."""
    PAY = 17
    SACRIFICE = 18
    TAKE = 19
    LOSE_CARD = 20
    MOVE = 21
    """x: how many cards yet."""
    RESERVE = 22
    RETURN = 23
    """x: how many columns yet."""
    TRANSFER = 24
    """x: how many cards yet."""
    REUSE = 25
    RECHARGE = 26
    PEEK = 27
    """Private from here on: asked whatever there is to choose; x: how many cards are looked at."""
    KEEP = 28
    ORDER = 29


PRIVATE: Final = Todo.PEEK
"""From this one on a decision is asked also where only one answer is left, since others may not know that it is."""
