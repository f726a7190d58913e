"""What a seat may know, as parts: the types only. They are filled from the state in `viewing.py`.

Numbers: a card is 1..100 (deck cards in the order of the data, then the four Dionysos), a half is `2 * card` for side
a and for a Dionysos, `2 * card + 1` for side b; tokens are numbered 1..12 in the order in which they were won, so that
a number says nothing about the hidden side. 0 stands for none, `NOBODY` (-1) for no seat. A part is always there, and
one that has not changed since an earlier view of the same match is the same object.
"""

from __future__ import annotations

from typing import NamedTuple

from agon_engine.core import Seat
from agon_engine.ephyran.enums import Colour, Ending, Item, Phase, Support, TieBreak


class Deal(NamedTuple):
    """What was settled before the first turn; it never changes."""

    first: Seat
    """Who began, and begins every round."""
    gods: tuple[Colour, ...]
    """The column that counts double, by seat."""
    defender_redraws: bool
    tie_break: TieBreak


class Table(NamedTuple):
    """Where the match stands."""

    round: int
    """From 1."""
    turn: Seat
    deck: int
    """Cards in the deck, those being looked at included."""
    under: tuple[Seat, ...]
    """Who put the lowest cards of the deck there and so knows them, from the bottom up (`DRAW_PICK_THREE`)."""
    tokens: int
    """Tokens that nobody has won yet."""
    ending: Ending
    quiet_rounds: int
    """Full rounds just past without a deck draw and without a change of zones (P7.2)."""
    stirred: bool
    """The round under way has had a deck draw or a change of zones."""
    closed: bool
    """The seat whose turn it is has put the top card of the first discard there this turn: closed to it (P3.7)."""


class Pending(NamedTuple):
    """The open choice, as far as everybody knows it."""

    phase: Phase
    seat: Seat
    """Who is asked; NOBODY when the match is over."""
    support: Support
    """The support that is being played or carried out."""
    card: int
    """The card in play: it has left a hand and is not yet anywhere else."""
    half: int
    """The half chosen in the first discard (`ATHENA_BUILD_FROM_DISCARD`), or that stands in for a Dionysos (P3.6)."""
    target: Seat
    """Whose zone, token or Dionysos was chosen."""
    colour: Colour
    """The column that was chosen: of the target, or of the own city for a half from the first discard."""
    token: int
    """The token that was chosen, or was just looked at and must be placed."""
    built: int
    """Zones built so far by `ATHENA_DOUBLE_BUILD`, as long as that goes on."""
    draws: int
    """In DRAW: draws due to the seat asked, this one included."""


class Pile(NamedTuple):
    """A discard pile: the first one from the bottom up (its last card is the top), the second as it grew."""

    cards: tuple[int, ...]


class Column(NamedTuple):
    """One territory of a city, zone 1 first; the last zone is the uncovered one."""

    zones: tuple[int, ...]
    """The half on each zone. A Dionysos stands for the zone on which it lies."""
    tokens: tuple[int, ...]
    """The token on each zone, or 0; as long as `zones`."""
    lock: int
    """The defence card that locks the column, or 0."""


class City(NamedTuple):
    """What a seat has built; public."""

    seat: Seat
    columns: tuple[Column, ...]
    """Blue, red, green, brown."""
    completed: int
    """0: not complete; of those complete, a lower number was completed earlier (P7.5)."""


class PublicHand(NamedTuple):
    """What everybody knows of a seat's hand."""

    seat: Seat
    size: int
    known: tuple[int, ...]
    """The cards that everybody knows to be in it (P8.1)."""


class TokenLore(NamedTuple):
    """What everybody knows of the tokens won so far, token 1 first; where they lie, the cities tell."""

    seen_by: tuple[int, ...]
    """Who has looked at each: bit s is set for seat s."""
    shown: tuple[Item, ...]
    """Empty during play; at the end the item of each token in a city, NONE for those that left the game."""


class OwnHand(NamedTuple):
    """The seat's own cards; empty for a spectator."""

    cards: tuple[int, ...]
    looking: tuple[int, ...]
    """In KEEP, for the seat asked: the top cards of the deck, the top one first."""


class KnownToken(NamedTuple):
    """A token that the seat has looked at."""

    token: int
    item: Item


class OwnTokens(NamedTuple):
    """The tokens that the seat has looked at, by number, those that left the game too; empty for a spectator."""

    tokens: tuple[KnownToken, ...]


class Sighting(NamedTuple):
    """Where a card is that the seat has seen in the deck."""

    card: int
    holder: Seat
    """In whose hand; NOBODY: in the deck."""
    place: int
    """In the deck: how many cards lie below it; in a hand 0."""


class OwnMemory(NamedTuple):
    """What the seat knows of hidden cards since it put them under the deck (P8.1); empty for a spectator.

    Exactly one of the accounts is true. There is one as a rule; several once another seat has looked at such a card
    and may have kept it; none when nothing is known.
    """

    accounts: tuple[tuple[Sighting, ...], ...]


class View(NamedTuple):
    """Everything that a seat (None: a spectator) may know."""

    seat: Seat | None
    deal: Deal
    table: Table
    pending: Pending
    first_discard: Pile
    second_discard: Pile
    cities: tuple[City, ...]
    hands: tuple[PublicHand, ...]
    token_lore: TokenLore
    own_hand: OwnHand
    own_tokens: OwnTokens
    own_memory: OwnMemory
