"""Ephyran positions for tests: laid out by the names of cards and zones, played by action codes, read back by names.

`lay_out` makes any position, `random_match` plays one. Nothing here decides what is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from agon_engine.core import Chance, Event, run_agenda
from agon_engine.ephyran import GAME, EphyranState, View, moves, turn
from agon_engine.ephyran.data import (
    CARD_NAMES,
    CARDS,
    CELL_NAMES,
    COLOUR_NAMES,
    DECK_SIZE,
    HALF_CELL,
    HALF_NAMES,
)
from agon_engine.ephyran.enums import COLOURS, Ending, Item, TieBreak
from agon_engine.ephyran.play import STEPS

NUMBER = {name: card for card, name in enumerate(CARD_NAMES)}
HALF = {HALF_NAMES[half]: half for half in range(2 * CARDS + 1, 1, -1)}
CELL = {name: cell for cell, name in enumerate(CELL_NAMES)}


def seed(number: int) -> Chance:
    return Chance(number.to_bytes(16, "little"))


def cards(names: str) -> list[int]:
    return [NUMBER[name] for name in names.split()]


def names(numbers: Sequence[int]) -> str:
    return " ".join(CARD_NAMES[card] for card in numbers)


class Table:
    """A match with the words of a test."""

    def __init__(self, state: EphyranState) -> None:
        self.state = state

    def do(self, *codes: str) -> Self:
        """Play action codes one after the other."""
        for code in codes:
            self.state.apply(GAME.notation.parse(code))
        return self

    @property
    def seat(self) -> int | None:
        return None if self.state.decision is None else self.state.decision.seat

    @property
    def prompt(self) -> str:
        return "" if self.state.decision is None else self.state.decision.prompt

    @property
    def codes(self) -> list[str]:
        decision = self.state.decision
        return [] if decision is None else [GAME.notation.code(action) for action in decision.actions]

    def codes_of(self, verb: str) -> list[str]:
        return [code for code in self.codes if code.split()[0] == verb]

    def hand(self, seat: int) -> str:
        return names(self.state.hands[seat])

    def known(self, seat: int) -> str:
        return names(self.state.known[seat])

    def city(self, seat: int) -> dict[str, str]:
        """Return what lies where: zone name to half name."""
        return {CELL_NAMES[cell]: HALF_NAMES[half] for cell, half in enumerate(self.state.zones[seat]) if half}

    def tokens(self, seat: int) -> dict[str, int]:
        return {CELL_NAMES[cell]: token for cell, token in enumerate(self.state.zone_tokens[seat]) if token}

    def lock(self, seat: int, colour: str) -> str:
        return CARD_NAMES[self.state.locks[seat][COLOUR_NAMES.index(colour) - 1]]

    @property
    def deck(self) -> str:
        """The deck, the top card first."""
        return names(self.state.deck[::-1])

    @property
    def first(self) -> str:
        """The first discard, the top card first."""
        return names(self.state.first_discard[::-1])

    @property
    def second(self) -> str:
        return names(self.state.second_discard)

    def view(self, seat: int | None) -> View:
        return self.state.view(seat)

    def told(self, seat: int | None, since: int = 0) -> list[str]:
        return [told for event in self.state.events_since(since) if (told := event.told_to(seat))]

    def events(self, since: int = 0) -> Sequence[Event]:
        return self.state.events_since(since)


def lay_out(
    seats: int = 2,
    *,
    on_turn: int = 0,
    first: int = 0,
    hands: Mapping[int, str] | None = None,
    known: Mapping[int, str] | None = None,
    cities: Mapping[int, str] | None = None,
    tokens: Mapping[tuple[int, str], str] | None = None,
    seen: Mapping[int, Sequence[int]] | None = None,
    locks: Mapping[tuple[int, str], str] | None = None,
    gods: str = "blue red green brown",
    deck: str | None = None,
    first_discard: str = "",
    next_tokens: str = "",
    ending: Ending = Ending.NONE,
    defender_redraws: bool = False,
    tie_break: TieBreak = TieBreak.SHARED,
) -> Table:
    """Lay a position out and ask the seat on turn.

    Zones of a city are listed bottom up, separated by commas: `TT01 a, D1 blue 2`. Decks and piles are listed from the
    top. Cards that are not named lie under the deck, or, where a whole deck is given, on the second discard.
    """
    state = EphyranState(seats, defender_redraws, tie_break)
    state.first_seat, state.turn, state.ending = first, on_turn, ending
    state.gods = [COLOURS[COLOUR_NAMES.index(god)] for god in gods.split()[:seats]]
    for seat, held in (hands or {}).items():
        state.hands[seat] = cards(held)
    for seat, held in (known or {}).items():
        state.known[seat] = cards(held)
    for seat, zones in (cities or {}).items():
        for zone in filter(None, zones.split(", ")):
            _lay(state, seat, zone)
    for (seat, colour), card in (locks or {}).items():
        state.locks[seat][COLOUR_NAMES.index(colour) - 1] = NUMBER[card]
    state.first_discard = cards(first_discard)[::-1]

    items: list[str] = [*(tokens or {}).values(), *next_tokens.split()]
    left = [item.name.lower() for item in (Item.THUNDERBOLT,) * 2 + (Item.TRIDENT,) * 3 + (Item.OWL,) * 4]
    left += ["helmet"] * 3
    for item in items:
        left.remove(item)
    state.token_items = [Item.NONE, *(Item[item.upper()] for item in items + left)]
    for token, (seat, zone) in enumerate(tokens or {}, 1):
        state.zone_tokens[seat][CELL[zone]] = token
    state.tokens_won = len(tokens or {})
    for token, seats_that_looked in (seen or {}).items():
        state.token_seen[token] = sum(1 << seat for seat in seats_that_looked)

    used = {*state.first_discard, *(card for hand in state.hands for card in hand)}
    used |= {half // 2 for row in state.zones for half in row} | {lock for row in state.locks for lock in row}
    top = cards(deck or "")
    rest = [card for card in range(1, DECK_SIZE + 1) if card not in used and card not in top]
    state.deck = top[::-1] if deck is not None else rest
    if deck is not None:
        state.second_discard = rest
    state.stirred = False
    turn.begin_turn(state)
    run_agenda(state, STEPS)
    return Table(state)


def _lay(state: EphyranState, seat: int, zone: str) -> None:
    parts = zone.split()
    half = HALF[parts[0]] if parts[0].startswith("D") else HALF[zone]
    cell = CELL[" ".join(parts[1:])] if parts[0].startswith("D") else HALF_CELL[half]
    assert cell % 4 == state.heights[seat][cell // 4], f"zones are listed bottom up: {zone!r}"
    moves.lay_zone(state, seat, cell, half, 0)


def full_city(without: str = "") -> str:
    """Return a city of 16 zones from the plain two-zone cards, those of the named zones left out."""
    picked: dict[int, str] = {}
    used: set[int] = set()
    for half, cell in enumerate(HALF_CELL):
        if cell >= 0 and cell not in picked and half // 2 not in used:
            picked[cell] = HALF_NAMES[half]
            used.add(half // 2)
    left_out = {CELL[zone] for zone in filter(None, without.split(", "))}
    return ", ".join(picked[cell] for cell in sorted(picked) if cell not in left_out)


class Dice:
    """A cheap stream of numbers for tests that play at random."""

    def __init__(self, start: int) -> None:
        self._state = start * 2_654_435_761 % 2**32

    def below(self, bound: int) -> int:
        self._state = (self._state * 1_103_515_245 + 12_345) % 2**31
        return (self._state >> 8) % bound


def random_match(seats: int, number: int, *, supports: bool = False, **options: bool | str) -> Iterator[EphyranState]:
    """Play a match at random and yield its state at each decision and at the end.

    With `supports` the moves that few random matches have are preferred: supports, reactions, taking a Dionysos.
    """
    dice = Dice(number)
    state = GAME.start(seats, seed(number), options)
    while (decision := state.decision) is not None:
        yield state
        actions = decision.actions
        if supports and dice.below(3):
            rare = [action for action in actions if GAME.notation.code(action).startswith(("play", "cancel", "take"))]
            actions = tuple(rare) or actions
        state.apply(actions[dice.below(len(actions))])
    yield state
