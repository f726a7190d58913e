"""The state of a match: its fields, the parts of views that are kept while they hold, and what the engine asks of it.

Nothing here moves a card: the small moves are in `moves.py`, and when one is due says `play.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Self

from agon_engine.core import Action, Chance, Decision, Event, Outcome, Seat, State, Step
from agon_engine.core.compiled import mypyc_attr
from agon_engine.ephyran import memory, play, scoring, viewing
from agon_engine.ephyran.data import CELLS, COLUMNS, MATERIAL, TOKENS, is_dionysos
from agon_engine.ephyran.enums import NOBODY, NOT_BUILT, Colour, Ending, Item, Phase, Support, TieBreak
from agon_engine.ephyran.notation import NOTATION
from agon_engine.ephyran.view import (
    City,
    Column,
    Deal,
    OwnHand,
    OwnMemory,
    OwnTokens,
    Pending,
    Pile,
    PublicHand,
    Table,
    TokenLore,
    View,
)

LOOKED: Final = 3
"""How many cards `DRAW_PICK_THREE` looks at."""

_TURN: Final = Phase.TURN
_KEEP: Final = Phase.KEEP
_NO_SUPPORT: Final = Support.NONE
_NO_COLOUR: Final = Colour.NONE
_NO_ENDING: Final = Ending.NONE


@mypyc_attr(allow_interpreted_subclasses=True)
class EphyranState(State[View]):
    """A running match."""

    FIELDS: ClassVar[tuple[str, ...]] = (
        "seats",
        "first_seat",
        "gods",
        "defender_redraws",
        "tie_break",
        "deck",
        "under",
        "first_discard",
        "second_discard",
        "hands",
        "known",
        "accounts",
        "zones",
        "zone_tokens",
        "heights",
        "locks",
        "completed",
        "dionysos_at",
        "token_items",
        "token_seen",
        "tokens_won",
        "tokens_gone",
        "round",
        "turn",
        "ending",
        "quiet_rounds",
        "stirred",
        "closed",
        "phase",
        "support",
        "card",
        "half",
        "target",
        "colour",
        "token",
        "built",
        "draws",
        "agenda",
    )
    CACHES: ClassVar[tuple[str, ...]] = (
        "deal_part",
        "table_part",
        "pending_part",
        "first_part",
        "second_part",
        "column_parts",
        "city_parts",
        "cities_part",
        "hand_parts",
        "hands_part",
        "lore_part",
        "own_parts",
        "own_token_parts",
        "memory_parts",
    )
    __slots__ = FIELDS + CACHES

    notation = NOTATION

    def __init__(self, seats: int, defender_redraws: bool, tie_break: TieBreak) -> None:
        """Make an empty table: no card, god or token is anywhere yet."""
        super().__init__()
        self.seats = seats
        self.first_seat: Seat = 0
        self.gods: list[Colour] = [Colour.NONE] * seats
        self.defender_redraws = defender_redraws
        self.tie_break = tie_break

        self.deck: list[int] = []
        """The top card is the last one, so that an index is a card's place from below."""
        self.under: list[Seat] = []
        """Who put the lowest cards of the deck there, from below."""
        self.first_discard: list[int] = []
        """The top card is the last one."""
        self.second_discard: list[int] = []
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.known: list[list[int]] = [[] for _ in range(seats)]
        """The cards of each hand that everybody knows to be there."""
        self.accounts: list[memory.Accounts] = [()] * seats

        self.zones: list[list[int]] = [[0] * CELLS for _ in range(seats)]
        """By seat and cell: the half, or 0."""
        self.zone_tokens: list[list[int]] = [[0] * CELLS for _ in range(seats)]
        self.heights: list[list[int]] = [[0] * COLUMNS for _ in range(seats)]
        """By seat and column: how many zones it has."""
        self.locks: list[list[int]] = [[0] * COLUMNS for _ in range(seats)]
        self.completed: list[int] = [0] * seats
        """0, or a number that is lower the earlier the city was completed."""
        self.dionysos_at: list[int] = [NOT_BUILT] * MATERIAL.dionysos
        """By Dionysos: seat * CELLS + cell."""

        self.token_items: list[Item] = [Item.NONE] * (TOKENS + 1)
        """By number, the order in which they are won: the hidden side."""
        self.token_seen: list[int] = [0] * (TOKENS + 1)
        """By number: bit s is set when seat s has looked at it."""
        self.tokens_won = 0
        self.tokens_gone = 0

        self.round = 1
        self.turn: Seat = 0
        self.ending = _NO_ENDING
        self.quiet_rounds = 0
        self.stirred = False
        self.closed = False

        self.phase = _TURN
        self.support = _NO_SUPPORT
        self.card = 0
        self.half = 0
        self.target: Seat = NOBODY
        self.colour = _NO_COLOUR
        self.token = 0
        self.built = 0
        self.draws = 0
        self.agenda: list[Step] = []

        self.deal_part: Deal | None = None
        self.table_part: Table | None = None
        self.pending_part: Pending | None = None
        self.first_part: Pile | None = None
        self.second_part: Pile | None = None
        self.column_parts: list[Column | None] = [None] * (seats * COLUMNS)
        self.city_parts: list[City | None] = [None] * seats
        self.cities_part: tuple[City, ...] | None = None
        self.hand_parts: list[PublicHand | None] = [None] * seats
        self.hands_part: tuple[PublicHand, ...] | None = None
        self.lore_part: TokenLore | None = None
        self.own_parts: list[OwnHand | None] = [None] * seats
        self.own_token_parts: list[OwnTokens | None] = [None] * seats
        self.memory_parts: list[OwnMemory | None] = [None] * seats

    # -- the contract ----------------------------------------------------------------------------------------

    def _play(self, decision: Decision, action: Action) -> None:
        play.perform(self, decision.seat, action)

    def view(self, seat: Seat | None) -> View:
        return viewing.build_view(self, seat)

    def outcome(self) -> Outcome | None:
        return None if self.decision is not None else scoring.final_outcome(self)

    def standing(self) -> Outcome:
        return scoring.final_outcome(self)

    def inventory(self) -> Mapping[str, int]:
        cards = [*self.deck, *self.first_discard, *self.second_discard]
        for seat in range(self.seats):
            cards += self.hands[seat]
            cards += [half // 2 for half in self.zones[seat] if half]
            cards += [lock for lock in self.locks[seat] if lock]
        if self.card:
            cards.append(self.card)
        in_cities = sum(1 for row in self.zone_tokens for token in row if token)
        to_place = 1 if self.phase is Phase.PLACE else 0
        return {
            "cards": len(cards),
            "different cards": len(set(cards)),
            "dionysos": sum(is_dionysos(card) for card in cards),
            "tokens": TOKENS - self.tokens_won + in_cities + to_place + self.tokens_gone,
        }

    def clone(self, lookahead: Chance | None = None) -> Self:
        """Return an independent copy; with `lookahead` the deck and the tokens that nobody knows are shuffled anew."""
        copy = super().clone(lookahead)
        if lookahead is not None:
            looked = len(self.cards_looked_at())
            unknown = copy.deck[len(copy.under) : len(copy.deck) - looked]
            lookahead.shuffle("deck", unknown)
            copy.deck[len(copy.under) : len(copy.deck) - looked] = unknown
            tokens = copy.token_items[copy.tokens_won + 1 :]
            lookahead.shuffle("tokens", tokens)
            copy.token_items[copy.tokens_won + 1 :] = tokens
        return copy

    # -- used all over the rules -----------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        self._events.append(event)

    def cards_looked_at(self) -> list[int]:
        """Return the cards that the seat asked in KEEP is looking at, the top one first; else none."""
        return self.deck[-1 : -1 - LOOKED : -1] if self.phase is _KEEP else []
