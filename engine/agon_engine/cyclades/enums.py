"""The small closed sets of Cyclades, as numbers that views, state and wire share. No rules and no map data here.

Where a field may hold nothing, nothing is 0; that is why every set begins at 1.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

NOBODY: Final = -1
"""In place of a seat (seats count from 0): nobody."""


class God(IntEnum):
    """The five gods (C4.1)."""

    NONE = 0
    ZEUS = 1
    ATHENA = 2
    ARES = 3
    POSEIDON = 4
    APOLLO = 5


SHUFFLED_GODS: Final = (God.ZEUS, God.ATHENA, God.ARES, God.POSEIDON)
"""Those that are bid for; Apollo is always last and free (C6.4)."""


class Building(IntEnum):
    """The four buildings (C1.2), each with its god's number of turn (C7.5)."""

    NONE = 0
    PORT = 1
    FORTRESS = 2
    TEMPLE = 3
    UNIVERSITY = 4


BUILDINGS: Final = (Building.PORT, Building.FORTRESS, Building.TEMPLE, Building.UNIVERSITY)
BUILDING_OF: Final = (
    Building.NONE,
    Building.TEMPLE,
    Building.UNIVERSITY,
    Building.FORTRESS,
    Building.PORT,
    Building.NONE,
)
"""By god: what is built in his turn."""


class Creature(IntEnum):
    """The seventeen creatures (C9), island figurines last."""

    NONE = 0
    SIREN = 1
    PEGASUS = 2
    GIANT = 3
    CHIMERA = 4
    CYCLOPS = 5
    SPHINX = 6
    SYLPH = 7
    HARPY = 8
    GRIFFON = 9
    FATES = 10
    SATYR = 11
    DRYAD = 12
    KRAKEN = 13
    MINOTAUR = 14
    CHIRON = 15
    MEDUSA = 16
    POLYPHEMUS = 17


FIRST_FIGURINE: Final = Creature.MINOTAUR
"""From this one on a creature is an island figurine (C9.2)."""
CREATURES: Final = tuple(creature for creature in Creature if creature)
FIGURINES: Final = tuple(creature for creature in CREATURES if creature >= FIRST_FIGURINE)


class Phase(IntEnum):
    """The part of a cycle that a match is in; creatures, gods and revenue need no choice."""

    OFFERINGS = 1
    """C6."""
    ACTIONS = 2
    """C7."""
    OVER = 3


class Ending(IntEnum):
    """What ended the match."""

    NONE = 0
    METROPOLISES = 1
    """Someone owned the winning number at the end of a cycle (C10.4)."""
    CAP = 2
    """The last cycle that is allowed (C10.5)."""
    LAST_PLAYER = 3
    """All others were eliminated (C7.12)."""


class CreatureStart(IntEnum):
    """The option `creature_start` (C3.2)."""

    FULL = 1
    GRADUAL = 2


class OverBuildings(IntEnum):
    """The option `metropolis_over_buildings` (C10.2)."""

    REMOVE = 1
    FORBID = 2


class TieBreak(IntEnum):
    """The option `tie_break` (C10.4)."""

    GOLD = 1
    METROPOLISES_THEN_GOLD = 2


class Todo(IntEnum):
    """What a step on the agenda is to do. Those from GOD on open a decision, where there is something to choose."""

    NONE = 0
    """The match is over."""
    BEGIN_CYCLE = 1
    """Phases 1 to 3 (C3 to C5)."""
    NEXT_MARKER = 2
    """Phase 4: go on with the next marker of the track, or let all pay (C6.2, C6.5)."""
    NEXT_TURN = 3
    """Phase 5: go on with the next god, or end the cycle (C7)."""
    END_TURN = 4
    """Put the marker on the track for the next cycle (C7.2)."""
    ROUND = 5
    """A round of the battle under way (C8.1)."""
    SETS = 6
    """Exchange a set for a Metropolis while there is one (C10.1)."""
    CARD_DONE = 7
    """Put the card `what` on the discard pile; after a Chimera shuffle that pile into the deck (C9)."""
    PUSH_NEXT = 8
    """Polyphemus: go on with the seas around the island `place`, of which `number` are done (C9.3)."""
    GOD = 9
    """The god for a marker; `what` is the god just lost, or 0 (C6.2)."""
    BID = 10
    """The amount on the god `what` (C6.6)."""
    TURN = 11
    """An action of the god turn, or its end (C7.2)."""
    PROSPER = 12
    """The island for Apollo's marker (C7.9)."""
    SAIL = 13
    """Go on from the sea `place`, for at most `number` more steps (C7.6)."""
    RETREAT = 14
    """Retreat or fight on (C8.3); `number` is 1 for the attacker."""
    GIVE = 15
    """The island on which the building `what` of a set is given up (C10.1)."""
    FOUND = 16
    """The island for a Metropolis (C10.1)."""
    RAZE = 17
    """A building under the frame on the island `place`, one of `number` still to go (C10.8)."""
    SIREN = 18
    """The fleet that goes."""
    SIREN_FROM = 19
    """The sea from which an own fleet comes to the sea `place`."""
    PEGASUS = 20
    GIANT = 21
    CHIMERA = 22
    CYCLOPS = 23
    SPHINX = 24
    """What is sold next; `number` is how much was sold."""
    SYLPH = 25
    """The next step; `number` is how many were made."""
    HARPY = 26
    GRIFFON = 27
    SATYR = 28
    DRYAD = 29
    KRAKEN = 30
    """The sea into which it is put."""
    KRAKEN_MOVE = 31
    """The next sea; `number` is how many it has entered."""
    FIGURINE = 32
    """The island for the figurine `what`."""
    PUSH = 33
    """Polyphemus: where the fleets of the sea `place` go (C9.3)."""
