"""How a state is laid out: the rows, the marks of cards, Legends, the tasks of the agenda, and the bits that say which
view parts have to be made anew. Numbers and types alone."""

from __future__ import annotations

from typing import Final, NamedTuple

from agon_engine.core import Seat
from agon_engine.elysium.enums import LegendKind, Todo
from agon_engine.elysium.notation import MAX_SEATS
from agon_engine.elysium.words import Zone

AGORA: Final = 0
ORACLE: Final = 1
DISCARD: Final = 2
"""Indexes of the rows."""
ROWS: Final = {Zone.AGORA: AGORA, Zone.ORACLE: ORACLE, Zone.DISCARD: DISCARD}

TURNED: Final = 1
RING: Final = 2
RESOLVED: Final = 4
"""Its own power was resolved in this turn (T1)."""
REUSED: Final = 8
"""It was used by `reuse` in this turn (T1)."""
COUNT: Final = 16
"""One use of an `on` that has a limit: the bits from here on count them until Phase IV."""
THIS_TURN: Final = RESOLVED | REUSED
IN_DOMAIN: Final = TURNED | RING

FAMILY_BONUS: Final = (5, 2)
"""VP of the first and the second tile of a family (E2.5)."""

STALE_TABLE: Final = 1
STALE_TILES: Final = 2
STALE_ROW: Final = 4
"""Shifted by the row."""
STALE_PLAYER: Final = 1 << 5
"""Shifted by the seat, as those that follow."""
STALE_DOMAIN: Final = STALE_PLAYER << MAX_SEATS
STALE_ELYSIUM: Final = STALE_DOMAIN << MAX_SEATS
STALE_OWN: Final = STALE_ELYSIUM << MAX_SEATS
STALE_OWNS: Final = STALE_OWN * ((1 << MAX_SEATS) - 1)
STALE_ALL: Final = -1


class Power(NamedTuple):
    """A power that is being resolved; all steps of its effect share it (T4)."""

    owner: Seat
    """Who resolves it."""
    subject: Seat
    """To whom it happens, and who decides: the owner, but for steps inside `each_opponent` and `pick_opponent`."""
    source: int
    """The card whose power it is; 0: none."""


OF_SEAT: Final = tuple(Power(seat, seat, 0) for seat in range(MAX_SEATS))
"""By seat: what it does by no card's power, such as its turn."""


class Task(NamedTuple):
    """Something on the agenda."""

    todo: Todo
    power: Power
    node: int = 0
    """The step of the card, by its number; 0: none."""
    x: int = 0
    y: int = 0
    """Numbers of its own: see `Todo`."""


class Mix(NamedTuple):
    """A lot that a look has made of cards of several (D2), or a shuffle of cards of which some have marks (T1)."""

    number: int
    seat: Seat
    """Who looked; NOBODY: it was a shuffle."""
    origins: tuple[tuple[int, int], ...]
    """Each card's lot before and its design, in order. How many came from where all know, the designs only the seat."""


class Legend(NamedTuple):
    """Cards of an Elysium that belong together; a lone card too."""

    kind: LegendKind
    family: int
    """0 for a level Legend."""
    level: int
    """0 for a family Legend."""
    cards: tuple[int, ...]
    """Below 0: a Citizen."""
    held: int
    """Bits of the levels that a family Legend holds, or of the families of a level Legend."""
