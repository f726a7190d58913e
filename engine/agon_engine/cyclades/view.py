"""What a seat may know, as parts: the types only. They are filled from the state in `viewing.py`.

Islands and seas are numbered from 1 as in the data of the map, which is that of the number of seats (`data.MAPS`); 0
stands for none, `NOBODY` (-1) for no seat. A part is always there, and one that has not changed since an earlier view
of the same match is the same object. All but `own` is the same for everybody.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from agon_engine.core import Seat
from agon_engine.cyclades.enums import (
    Creature,
    CreatureStart,
    Ending,
    God,
    OverBuildings,
    Phase,
    TieBreak,
    Todo,
)

NO_GOLD: Final = -1
"""In place of an amount: a spectator has none."""


class Deal(NamedTuple):
    """What was settled before the first cycle, the options; it never changes."""

    seats: int
    """How many there are, and so which map it is."""
    creature_start: CreatureStart
    two_player_gods: int
    """How many gods are up with two players: 4 or 3."""
    attacker_port_bonus: bool
    metropolis_over_buildings: OverBuildings
    tie_break: TieBreak
    max_cycles: int


class Table(NamedTuple):
    """Where the match stands."""

    cycle: int
    """From 1."""
    phase: Phase
    order: tuple[Seat, ...]
    """The markers on the turn track of this cycle, first to last; those of eliminated seats are gone."""
    placed: int
    """How many markers of `order` have been placed for good or may still be outbid: the next to come has this index."""
    next_order: tuple[Seat, ...]
    """The markers already on the track of the next cycle, first to last (C7.2)."""
    fallen: tuple[Seat, ...]
    """The eliminated seats, the first one first (C7.12)."""
    ending: Ending


class Offer(NamedTuple):
    """A god of this cycle and the bid that stands there."""

    god: God
    bidder: Seat
    """NOBODY: no bid."""
    amount: int
    """0: no bid."""


class Gods(NamedTuple):
    """The gods' row."""

    offers: tuple[Offer, ...]
    """The gods that are up, in the order in which they act; Apollo follows."""
    apollo: tuple[Seat, ...]
    """The markers on Apollo by arrival. Those of seats eliminated since stay, and have no turn any more."""
    out: tuple[God, ...]
    """The gods that are not in this cycle."""
    acted: int
    """Turns of `offers`, then of `apollo`, that have begun or were passed over, the one under way included."""


class Turn(NamedTuple):
    """The god turn under way; the counts limit and price what can still be done in it."""

    seat: Seat
    """NOBODY: none is under way."""
    god: God
    """NONE: no turn is under way."""
    recruited: int
    """Fleets, troops, priests or philosophers recruited so far, the free one included (C7.3)."""
    moves: int
    """Paid moves of fleets or troops (C7.14)."""
    changes: int
    """Creatures changed (C7.14)."""
    bought: tuple[Creature, ...]
    """Creatures bought, by number (C7.14)."""
    playing: tuple[Creature, ...]
    """The card whose effect is under way; after a Chimera the card that it plays too. It is on no pile."""
    fought: tuple[int, ...]
    """Seas that no fleet may leave any more by the Sylph that is being played."""


class Figurine(NamedTuple):
    """An island figurine in play; its card is with the owner (C9.2)."""

    creature: Creature
    owner: Seat
    island: int
    cycle: int
    """That in which it was placed."""


class Creatures(NamedTuple):
    """The creature cards, and where figurines stand."""

    spaces: tuple[Creature, ...]
    """Three: the cards for 4, 3 and 2 gold; NONE: no card."""
    deck: int
    """Cards in the deck; their order is hidden."""
    discard: tuple[Creature, ...]
    """The discard pile, as it grew."""
    gone: tuple[Creature, ...]
    """Cards that have left the game with their owner."""
    figurines: tuple[Figurine, ...]
    """By creature; on islands only."""
    kraken: int
    """The sea in which it is; 0: none."""


class Supply(NamedTuple):
    """What can still be built or taken (C1.2)."""

    buildings: tuple[int, ...]
    """Ports, fortresses, temples, universities."""
    metropolises: int
    prosperity: int
    priests: int
    philosophers: int


class Player(NamedTuple):
    """What everybody knows of a seat."""

    seat: Seat
    least_gold: int
    """The gold of the seat lies from this …"""
    most_gold: int
    """… to this amount, by all gains and payments told so far (C10.6)."""
    priests: int
    philosophers: int
    troops: int
    """In reserve; those in a battle as its attackers are nowhere else than in `battle`."""
    fleets: int
    """In reserve."""
    discounts_used: int
    """In this cycle (C7.13)."""


class Island(NamedTuple):
    """An island. What is printed on it says the map's data."""

    island: int
    owner: Seat
    troops: int
    """Of the owner."""
    buildings: tuple[int, ...]
    """Ports, fortresses, temples, universities."""
    metropolis: bool
    prosperity: int
    """Markers; printed horns come on top."""


class Fleet(NamedTuple):
    """The fleets in a sea."""

    sea: int
    owner: Seat
    fleets: int


class Seas(NamedTuple):
    """Where fleets are, by sea; seas without are left out."""

    fleets: tuple[Fleet, ...]


class Roll(NamedTuple):
    """The dice of a round of a battle."""

    attack: int
    defence: int


class Battle(NamedTuple):
    """The battle under way, or what is left to tell of the last one."""

    island: int
    """0: it is in a sea."""
    sea: int
    """0: it is on an island."""
    attacker: Seat
    attackers: int
    """Troops or fleets that are left; the defender's are on the island or in the sea. 0: no battle is under way."""
    defender: Seat
    rolls: tuple[Roll, ...]
    """Of the battle under way, else of the last one; the first round first."""


class Due(NamedTuple):
    """A step that is still to be done. What `place`, `what` and `number` are stands beside its `Todo`."""

    todo: Todo
    seat: Seat
    """Whose step it is; NOBODY: the table's."""
    place: int
    """An island or a sea, or 0."""
    what: int
    """A god, a building or a creature, or 0."""
    number: int


class Pending(NamedTuple):
    """The open choice and what is to be done after it."""

    todo: Todo
    """What is asked; NONE when the match is over."""
    seat: Seat
    """Who is asked; NOBODY when the match is over."""
    steps: tuple[Due, ...]
    """All that is to be done; the last one is what is asked, and those before it follow, the last of them first."""


class Own(NamedTuple):
    """What only the seat itself is shown."""

    gold: int
    """NO_GOLD for a spectator."""


class View(NamedTuple):
    """Everything that a seat (None: a spectator) may know."""

    seat: Seat | None
    deal: Deal
    table: Table
    gods: Gods
    turn: Turn
    creatures: Creatures
    supply: Supply
    players: tuple[Player, ...]
    """By seat."""
    islands: tuple[Island, ...]
    """By number, from 1."""
    seas: Seas
    battle: Battle
    pending: Pending
    own: Own
