"""The small closed sets of Ephyran, as numbers that views, state and wire share. No rules and no card data here.

Where a field may hold nothing, nothing is 0; that is why every set begins at 1.
"""

from __future__ import annotations

from enum import IntEnum

NOBODY = -1
"""In place of a seat (seats count from 0): nobody."""
NOT_BUILT = -1
"""In place of a Dionysos' position in a city: it is in none."""


class Colour(IntEnum):
    """The four territories. A city's columns stand in this order, and every god has one."""

    NONE = 0
    BLUE = 1
    """Poseidon's lagoon."""
    RED = 2
    """Hephaestus' mountain."""
    GREEN = 3
    """Aeolus' forest."""
    BROWN = 4
    """Gaia's lands."""


COLOURS = tuple(Colour)
"""By number, NONE first."""


class Item(IntEnum):
    """What is printed on a zone or is on the hidden side of a magic token."""

    NONE = 0
    """On a zone: none is printed. Of a token: not known."""
    THUNDERBOLT = 1
    TRIDENT = 2
    OWL = 3
    HELMET = 4
    """Only on tokens."""


class Support(IntEnum):
    """The support halves, in the order of rule P5."""

    NONE = 0
    SHIELD = 1
    HECATE = 2
    ARES_DESTROY = 3
    ARES_STEAL_ZONE = 4
    ARES_STEAL_TOKEN = 5
    ATHENA_WIN_TOKEN = 6
    ATHENA_DOUBLE_BUILD = 7
    ATHENA_BUILD_FROM_DISCARD = 8
    DRAW_TWO = 9
    DRAW_PICK_THREE = 10
    DRAW_DIG_DISCARD = 11


class Phase(IntEnum):
    """What kind of choice is open."""

    TURN = 1
    """The turn's action (P3)."""
    TARGET = 2
    """The target of the support in play, or whose Dionysos is taken (P3.6, P5.3)."""
    REACT = 3
    """Cancel the support in play, or pass (P5.2)."""
    PLACE = 4
    """On which own zone the token that was just looked at goes (P4.1, P4.2)."""
    BUILD = 5
    """A zone of `ATHENA_DOUBLE_BUILD`; without a support, where the Dionysos just taken goes (P3.6)."""
    DRAW = 6
    """From the deck or from the first discard (P3.7)."""
    KEEP = 7
    """Which of the cards looked at is kept (`DRAW_PICK_THREE`)."""
    DIG = 8
    """Which card of the first discard is taken (`DRAW_DIG_DISCARD`)."""
    OVER = 9
    """None: the match is over."""


class Ending(IntEnum):
    """Whether the last round has begun, and what made it so (P7.1, P7.2)."""

    NONE = 0
    DECK = 1
    """The deck is empty."""
    CITY = 2
    """A city had all its 16 zones."""
    STALL = 3
    """Three rounds in which nothing moved; the match is over."""


class TieBreak(IntEnum):
    """The option `tie_break` (P7.6)."""

    SHARED = 1
    ZONES = 2


class Step(IntEnum):
    """The kinds of step on the agenda; what follows the kind in the tuple stands beside it."""

    END_TURN = 0
    DRAW = 1
    """Seat, draws due."""
    ASK_REACTION = 2
    """Seat."""
    RESOLVE = 3
    ASK_PLACE = 4
    ASK_BUILD = 5
    LOOK = 6
    ASK_DIG = 7
