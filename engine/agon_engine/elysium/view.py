"""What a seat may know, as parts: the types only. They are filled from the state in `viewing.py`.

Numbers: a *design* is a card's number from 1 in the order of the card set (`GAME.tables.ids`), 0 a Citizen, since
players cannot tell copies apart; a *node* is the number of a step of a card's effect. Colours are bits, 1 for red to
8 for blue. `NOBODY` (-1) is no seat. A part is always there, and one that has not changed since an earlier view of
the same match is the same object.
"""

from __future__ import annotations

from typing import NamedTuple

from agon_engine.core import Seat
from agon_engine.elysium.enums import Family, LegendKind, Phase, Side, Todo


class Deal(NamedTuple):
    """What was settled before the first turn; it never changes."""

    families: tuple[Family, ...]
    """The five in play."""
    side: Side
    """Of the pediment."""
    first: Seat
    """Who had disc 1 in the first epoch."""
    quest_columns: tuple[int, ...]
    """By quest, from quest 1: the colours, a column of one of which it takes."""


class Sighting(NamedTuple):
    """A card of the draw pile that somebody knows."""

    place: int
    """How many cards lie below it."""
    seats: int
    """Bit s is set for seat s."""


class Lot(NamedTuple):
    """Cards that were shuffled together under the draw pile (D1): a base lot. Those of them that still lie face down,
    and those that were looked at with cards of other lots, until all can tell that they have turned up."""

    number: int
    cards: tuple[int, ...]
    """Designs, in their order."""
    marks: int
    """What they are marked with, as all have seen before the shuffle (T1)."""


class Share(NamedTuple):
    """A part of a mixed lot."""

    lot: int
    """Where the cards came from: a lot with a lower number."""
    cards: int
    """How many of them may still lie face down."""


class Mixed(NamedTuple):
    """Cards of several lots that a seat has looked at together (D2): nobody else knows which of them lies where."""

    number: int
    seat: Seat
    """Who looked; NOBODY: it was a shuffle, of which some cards had marks (T1)."""
    shares: tuple[Share, ...]
    """By lot."""


class Shown(NamedTuple):
    """A card of a mixed lot that all have seen since, as long as not all can tell where it came from."""

    lot: int
    """The mixed lot."""
    design: int
    lots: tuple[int, ...]
    """The base lots it may be of, where marks tell; else empty."""


class Layer(NamedTuple):
    """Cards of the draw pile that are of another lot than those beneath them."""

    place: int
    """How many cards lie below them."""
    lot: int


class Table(NamedTuple):
    """Where the match stands."""

    epoch: int
    """1 to 5."""
    phase: Phase
    round: int
    """Of the turns of Phase II: 1 to 4."""
    order: tuple[Seat, ...]
    """The seats by disc."""
    turn: Seat
    """Whose turn or transfer step it is; NOBODY at the end."""
    took: bool
    """The turn's take has been made."""
    written: int
    """Transfers made with the quest in the step under way."""
    oracle_open: bool
    """The take of this turn may be from the Oracle."""
    leave_out: tuple[int, ...]
    """Nodes of the `acquire_mod`s of this turn."""
    moved_level: int
    """The level of the card that last left a row by the effect under way."""
    deck: int
    """Cards in the draw pile, those being looked at included."""
    sightings: tuple[Sighting, ...]
    """Which places of it somebody knows."""
    gone: tuple[int, ...]
    """Designs that have left the game; 0: a Citizen."""
    gone_known: tuple[int, ...]
    """As long as `gone`: who knows the Citizen's face, bit s for seat s."""
    gone_lots: tuple[int, ...]
    """As long as `gone`: the Citizen's lot; empty where all are of lot 0."""
    lots: tuple[Lot, ...]
    """The base lots but lot 0, the deal: this has all other cards that lie face down or are listed in `shown`."""
    mixes: tuple[Mixed, ...]
    """By number: cards of a lot went into mixed lots of higher numbers only."""
    shown: tuple[Shown, ...]
    """As they turned up."""
    deck_lot: int
    """The lot of the draw pile's lowest card, and of those above it up to the first of `layers`."""
    layers: tuple[Layer, ...]
    """From below."""


class Pending(NamedTuple):
    """The open choice and what is to be done after it, as far as everybody knows."""

    todo: Todo
    """What is asked; NONE when the match is over."""
    seat: Seat
    """Who is asked; NOBODY when the match is over."""
    steps: tuple[Due, ...]
    """All that is to be done; the last one is what is asked, and those before it follow, the last of them first."""


class Due(NamedTuple):
    """A task on the agenda."""

    todo: Todo
    node: int
    """The step of a card, or 0."""
    owner: Seat
    subject: Seat
    source: int
    """The design whose power it is, or 0."""
    x: int
    """PLACE: the design. PICK: 1 where it can be declined. EACH: how many opponents had their turn. MOVED: a level.
    Of choices and looks: how many."""
    y: int
    """CHOOSE: bits of the options picked. PLACE: 1 from the Agora."""


class Row(NamedTuple):
    """Cards face up: the Agora, the Oracle, the discard pile."""

    cards: tuple[int, ...]
    """Designs, as they came."""
    marks: tuple[int, ...]
    """As long as `cards`: 4 its power was resolved in this turn, 8 it was used by `reuse` in this turn, 16 times the
    uses of its `on` in this epoch."""
    reserved: tuple[Reservation, ...]
    """In the Agora: by seat."""


class Reservation(NamedTuple):
    """A card of the Agora that is for one seat alone."""

    seat: Seat
    at: int
    """In the row's cards."""


class Tiles(NamedTuple):
    """The bonus tiles: of level 1, 2, 3, then by family in play the first and the second."""

    tiles: tuple[Tile, ...]


class Tile(NamedTuple):
    """A bonus tile."""

    family: Family
    """NONE: a tile of a level."""
    level: int
    """0: a tile of a family."""
    vp: int
    holder: Seat
    """NOBODY: it is still to be had."""


class Discount(NamedTuple):
    """Gold less for transfers of this epoch."""

    minus: int
    uses: int
    """How many of the next transfers; 0: all."""


class Player(NamedTuple):
    """What a seat has but for its cards; public."""

    seat: Seat
    gold: int
    vp: int
    pp: int
    columns: int
    """Bits of the columns that stand."""
    quest: int
    """The tile taken in this epoch, or 0."""
    incomplete: bool
    """It lies on its incomplete side."""
    taken: int
    """Cards and Citizens taken in turns of this epoch, 0 to 3."""
    extra: int
    """Transfers over what the quest allows."""
    transferred: int
    """Cards transferred in this Phase III."""
    discounts: tuple[Discount, ...]
    scored: tuple[int, ...]
    """Empty during play; at the end the parts of the score, in the order of the game's README."""
    lost: tuple[int, ...]
    """As long as `scored`: what a part takes away where it is below 0."""


class Domain(NamedTuple):
    """Cards that a seat has taken; public."""

    seat: Seat
    cards: tuple[int, ...]
    """Designs, as they came; 0: a Citizen. Of several Citizens the first one leaves first."""
    marks: tuple[int, ...]
    """As long as `cards`: 1 turned, 2 has its ring, and as in rows."""
    known: tuple[int, ...]
    """As long as `cards`: who knows the Citizen's face, bit s for seat s."""
    lots: tuple[int, ...]
    """As long as `cards`: the Citizen's lot; empty where all are of lot 0."""


class Group(NamedTuple):
    """A Legend, or a lone card that may become one."""

    kind: LegendKind
    family: Family
    """NONE for a level Legend."""
    level: int
    """0 for a family Legend."""
    cards: tuple[int, ...]
    """Designs; 0: a Citizen."""
    held: int
    """Bits of the levels that a family Legend holds, Citizens included, or of the families of a level Legend."""
    marks: tuple[int, ...]
    """As in rows."""
    known: tuple[int, ...]
    """As in Domains."""
    lots: tuple[int, ...]
    """As in Domains."""


class Elysium(NamedTuple):
    """What a seat has transferred; public."""

    seat: Seat
    legends: tuple[Group, ...]
    """In the order in which they were begun: the first is `legend 1`."""


class Known(NamedTuple):
    """A card of the draw pile that the seat knows."""

    place: int
    """How many cards lie below it."""
    design: int
    lots: tuple[int, ...]
    """The base lots it may be of, where that tells it from a copy with other marks (T1); else empty."""


class Face(NamedTuple):
    """A Citizen whose face the seat knows."""

    owner: Seat
    """NOBODY: it has left the game."""
    legend: int
    """The number of the Legend; 0: the Domain."""
    at: int
    """In its cards, or in those that are gone."""
    design: int
    lots: tuple[int, ...]
    """As of cards in the draw pile."""


class Origin(NamedTuple):
    """A card that the seat has seen go into a mixed lot."""

    lot: int
    """The mixed lot."""
    parent: int
    """The lot that it was of before."""
    design: int


class Own(NamedTuple):
    """What the seat alone knows (D2); empty for a spectator."""

    deck: tuple[Known, ...]
    """By place, from below."""
    faces: tuple[Face, ...]
    looking: tuple[int, ...]
    """The designs it is looking at, the top one first."""
    kept: int
    """The design it has chosen of them, or 0."""
    origins: tuple[Origin, ...]
    """All cards of the mixed lots that its own looks have made."""


class View(NamedTuple):
    """Everything that a seat (None: a spectator) may know."""

    seat: Seat | None
    deal: Deal
    table: Table
    pending: Pending
    tiles: Tiles
    agora: Row
    oracle: Row
    discard: Row
    players: tuple[Player, ...]
    domains: tuple[Domain, ...]
    elysiums: tuple[Elysium, ...]
    own: Own
