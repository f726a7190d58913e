"""The state of a match: its fields, and the small moves of cards, zones and tokens that every rule is made of.

Each move keeps the counts, drops the view parts that it makes stale and tells memories of what was revealed. When a
move is due is for `turn.py` and `supports.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Self

from agon_engine.core import Action, Chance, Decision, Outcome, Seat, State, Step
from agon_engine.ephyran import events, memory, play, scoring, viewing
from agon_engine.ephyran.data import CELLS, COLUMNS, MATERIAL, TOKENS, ZONES, is_dionysos
from agon_engine.ephyran.enums import NOBODY, Colour, Ending, Item, Phase, Support, TieBreak
from agon_engine.ephyran.notation import NOTATION
from agon_engine.ephyran.view import (
    City,
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

NOT_BUILT: Final = -1
"""In `dionysos_at`: the card lies in no city."""

LOOKED: Final = 3
"""How many cards `DRAW_PICK_THREE` looks at."""

_TURN: Final = Phase.TURN
_KEEP: Final = Phase.KEEP
_NO_SUPPORT: Final = Support.NONE
_NO_COLOUR: Final = Colour.NONE
_NO_ENDING: Final = Ending.NONE


class EphyranState(State[View]):
    """A running match."""

    __slots__ = (
        "accounts",
        "agenda",
        "built",
        "card",
        "cities_part",
        "city_parts",
        "closed",
        "colour",
        "completed",
        "deal_part",
        "deck",
        "defender_redraws",
        "dionysos_at",
        "draws",
        "ending",
        "first_discard",
        "first_part",
        "first_seat",
        "gods",
        "half",
        "hand_parts",
        "hands",
        "hands_part",
        "heights",
        "known",
        "locks",
        "lore_part",
        "memory_parts",
        "own_parts",
        "own_token_parts",
        "pending_part",
        "phase",
        "quiet_rounds",
        "round",
        "seats",
        "second_discard",
        "second_part",
        "stirred",
        "support",
        "table_part",
        "target",
        "tie_break",
        "token",
        "token_items",
        "token_seen",
        "tokens_gone",
        "tokens_won",
        "turn",
        "under",
        "zone_tokens",
        "zones",
    )

    FIELDS = (
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
    CACHES = (
        "deal_part",
        "table_part",
        "pending_part",
        "first_part",
        "second_part",
        "city_parts",
        "cities_part",
        "hand_parts",
        "hands_part",
        "lore_part",
        "own_parts",
        "own_token_parts",
        "memory_parts",
    )

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

    # -- asking ----------------------------------------------------------------------------------------------

    def ask(self, phase: Phase, seat: Seat, prompt: str, actions: tuple[Action, ...]) -> None:
        """Open a decision."""
        self.phase = phase
        self.pending_part = None
        self.decision = Decision(seat, prompt, actions)

    def settle(self) -> None:
        """Forget what the support, or the taking of a Dionysos, was about: it is over."""
        self.support = _NO_SUPPORT
        self.half = 0
        self.target = NOBODY
        self.colour = _NO_COLOUR
        self.token = 0
        self.built = 0

    # -- cards -----------------------------------------------------------------------------------------------

    def leave_hand(self, seat: Seat, card: int) -> None:
        """Take a card out of a hand, openly; the caller puts it where it goes."""
        hand = self.hands[seat]
        hand.remove(card)
        known = self.known[seat]
        if card in known:
            known.remove(card)
        self.hand_parts[seat] = self.own_parts[seat] = self.hands_part = None
        for other, accounts in enumerate(self.accounts):
            if accounts and other != seat:
                self.remember(other, memory.after_reveal(accounts, seat, card, len(hand) - len(known)))

    def join_hand(self, seat: Seat, card: int) -> None:
        self.hands[seat].append(card)
        self.hand_parts[seat] = self.own_parts[seat] = self.hands_part = None

    def take_from_first(self, seat: Seat, card: int) -> None:
        """Move a card of the first discard, any one, to a hand; everybody knows that it is there."""
        self.leave_first(card)
        self.known[seat].append(card)
        self.join_hand(seat, card)

    def leave_first(self, card: int) -> None:
        self.first_discard.remove(card)
        self.first_part = None

    def put_on_first(self, card: int) -> None:
        """Put a card of the seat whose turn it is on the first discard, which is closed to it from now on (P3.7)."""
        self.first_discard.append(card)
        self.first_part = None
        self.closed = True
        self.table_part = None

    def put_on_second(self, card: int) -> None:
        self.second_discard.append(card)
        self.second_part = None

    def take_from_deck(self, seat: Seat) -> None:
        """Move the top card of the deck to a hand."""
        card = self.deck.pop()
        self.join_hand(seat, card)
        self._events.append(events.DRAWN_FROM_DECK[seat][card])
        place = len(self.deck)
        for other, accounts in enumerate(self.accounts):
            if accounts:
                if other == seat:
                    self.remember(other, memory.after_own_draw(accounts, card, place))
                else:
                    self.remember(other, memory.after_draw(accounts, seat, place))
        if len(self.under) > place:
            self.under.pop()
        self.deck_was_drawn()

    def cards_looked_at(self) -> list[int]:
        """Return the cards that the seat asked in KEEP is looking at, the top one first; else none."""
        return self.deck[-1 : -1 - LOOKED : -1] if self.phase is _KEEP else []

    def look_at_deck(self, seat: Seat) -> list[int]:
        """Show the top cards of the deck to a seat; return them, the top one first."""
        self.phase = _KEEP
        self.own_parts[seat] = None
        cards = self.cards_looked_at()
        self.remember(seat, memory.after_look(self.accounts[seat], cards, len(self.deck)))
        return cards

    def keep_from_deck(self, seat: Seat, card: int) -> None:
        """Move one of the cards being looked at to a hand and the others under the deck, the last seen lowest."""
        looked = self.cards_looked_at()
        size = len(self.deck)
        for other, accounts in enumerate(self.accounts):
            if other == seat:
                self.remember(other, memory.after_own_pick(accounts, looked, card))
            elif accounts:
                self.remember(other, memory.after_pick(accounts, seat, size, len(looked)))
        rest = self.deck[: size - len(looked)]
        back = [other for other in reversed(looked) if other != card]
        self.deck[:] = back + rest
        self.under[:] = [seat] * len(back) + self.under[: len(rest)]
        self.join_hand(seat, card)
        self._events.append(events.KEPT[seat][card])
        self.deck_was_drawn()

    def deck_was_drawn(self) -> None:
        self.stirred = True
        self.table_part = None
        if not self.deck:
            self.begin_ending(Ending.DECK)

    def remember(self, seat: Seat, accounts: memory.Accounts) -> None:
        if accounts != self.accounts[seat]:
            self.accounts[seat] = accounts
            self.memory_parts[seat] = None

    # -- zones -----------------------------------------------------------------------------------------------

    def add_zone(self, seat: Seat, cell: int, half: int, token: int = 0) -> None:
        """Lay a half on the next zone of a column; completing a city begins the last round (P7.1)."""
        self.lay_zone(seat, cell, half, token)
        heights = self.heights[seat]
        if cell % ZONES == ZONES - 1 and sum(heights) == CELLS:
            self.completed[seat] = 1 + max(self.completed)
            self.begin_ending(Ending.CITY)

    def lay_zone(self, seat: Seat, cell: int, half: int, token: int) -> None:
        """Lay a half on the next zone of a column, with no consequence."""
        self.heights[seat][cell // ZONES] += 1
        self._set_zone(seat, cell, half, token)

    def remove_zone(self, seat: Seat, column: int) -> tuple[int, int]:
        """Lift the uncovered zone of a column; return its half and token."""
        heights = self.heights[seat]
        heights[column] -= 1
        cell = column * ZONES + heights[column]
        lifted = self.zones[seat][cell], self.zone_tokens[seat][cell]
        self._set_zone(seat, cell, 0, 0)
        self.completed[seat] = 0
        return lifted

    def replace_zone(self, seat: Seat, cell: int, half: int) -> tuple[int, int]:
        """Lay a half in the place of another, at once and without its token; return what was there."""
        lifted = self.zones[seat][cell], self.zone_tokens[seat][cell]
        self._set_zone(seat, cell, half, 0)
        return lifted

    def _set_zone(self, seat: Seat, cell: int, half: int, token: int) -> None:
        zones = self.zones[seat]
        for lying, at in ((zones[cell], NOT_BUILT), (half, seat * CELLS + cell)):
            if is_dionysos(lying // 2):
                self.dionysos_at[lying // 2 - MATERIAL.deck_size - 1] = at
        zones[cell] = half
        self.zone_tokens[seat][cell] = token
        self.city_parts[seat] = self.cities_part = None
        if not self.stirred:
            self.stirred = True
            self.table_part = None

    def set_lock(self, seat: Seat, column: int, card: int) -> int:
        """Lay a defence card (0: none) on a column; return what lay there."""
        before = self.locks[seat][column]
        self.locks[seat][column] = card
        self.city_parts[seat] = self.cities_part = None
        return before

    def begin_ending(self, cause: Ending) -> None:
        """Begin the last round, unless it has begun."""
        if self.ending is _NO_ENDING:
            self.ending = cause
            self.table_part = None
            self._events.append(events.ending(self.turn, cause))

    # -- tokens ----------------------------------------------------------------------------------------------

    def win_token(self) -> int:
        self.tokens_won += 1
        self.table_part = self.lore_part = None
        return self.tokens_won

    def set_token(self, seat: Seat, cell: int, token: int) -> None:
        self.zone_tokens[seat][cell] = token
        self.city_parts[seat] = self.cities_part = None

    def look_at_token(self, seat: Seat, token: int) -> None:
        """Let a seat know a token from now on (P4.3)."""
        bit = 1 << seat
        if not self.token_seen[token] & bit:
            self.token_seen[token] |= bit
            self.lore_part = self.own_token_parts[seat] = None
        self._events.append(events.looked_at_token(seat, token, self.token_items[token]))

    def drop_token(self, seat: Seat, token: int) -> None:
        """Let a token leave the game, unshown (P4.4)."""
        self.tokens_gone += 1
        self._events.append(events.token_gone(seat, token))

    def tell(self, event: events.Event) -> None:
        self._events.append(event)
