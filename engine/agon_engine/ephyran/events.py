"""The events of Ephyran. What a match tells most often is made once and shared by all matches.

An event is a value, so sharing is safe. The codes are listed in README.md; a code is public, a secret is told to its
audience alone.
"""

from __future__ import annotations

from typing import Final

from agon_engine.core import Action, Event, Maker, Seat
from agon_engine.ephyran.data import CARD_NAMES, CARDS, DECK_SIZE, HALF_NAMES
from agon_engine.ephyran.enums import Colour, Ending, Item
from agon_engine.ephyran.notation import KIND, MAX_SEATS, NOTATION, Kind

_SEATS: Final = range(MAX_SEATS)
_TOLD_OTHERWISE: Final = frozenset({Kind.DRAW_DECK, Kind.DRAW_DISCARD, Kind.KEEP})

ACTED: Final = tuple(
    tuple(
        None if KIND[action] in _TOLD_OTHERWISE else Event(code, seat, Maker.SEAT)
        for action, code in enumerate(NOTATION.codes)
    )
    for seat in _SEATS
)
"""By seat and action: the action itself, told to all; None for those that have an event of their own."""

TURN: Final = tuple(Event("turn", seat, Maker.REFEREE) for seat in _SEATS)

DRAWN_FROM_DECK: Final = tuple(
    tuple(Event("draw deck", seat, Maker.SEAT, (seat,), f"draw deck {CARD_NAMES[card]}") for card in range(CARDS + 1))
    for seat in _SEATS
)
DRAWN_FROM_DISCARD: Final = tuple(
    tuple(Event(f"draw discard {CARD_NAMES[card]}", seat, Maker.SEAT) for card in range(CARDS + 1)) for seat in _SEATS
)
KEPT: Final = tuple(
    tuple(Event("keep", seat, Maker.SEAT, (seat,), f"keep {CARD_NAMES[card]}") for card in range(DECK_SIZE + 1))
    for seat in _SEATS
)
SPENT: Final = tuple(Event(f"spend {name}", None, Maker.SEAT) for name in CARD_NAMES)
"""By card: it goes to the second discard."""


def first(seat: Seat) -> Event:
    return Event("first", seat, Maker.CHANCE)


def god(seat: Seat, colour: Colour) -> Event:
    return Event(f"god {colour.name.lower()}", seat, Maker.CHANCE)


def dealt(seat: Seat, dionysos: int, cards: list[int]) -> Event:
    names = " ".join(CARD_NAMES[card] for card in cards)
    public = f"deal {CARD_NAMES[dionysos]} +{len(cards)}"
    return Event(public, seat, Maker.CHANCE, (seat,), f"deal {CARD_NAMES[dionysos]} {names}")


def looked_at_deck(seat: Seat, cards: list[int]) -> Event:
    names = " ".join(CARD_NAMES[card] for card in cards)
    return Event(f"look {len(cards)}", seat, Maker.SEAT, (seat,), f"look {names}")


def looked_at_token(seat: Seat, token: int, item: Item) -> Event:
    return Event(f"see {token}", seat, Maker.SEAT, (seat,), f"see {token} {item.name.lower()}")


def won_token(seat: Seat, token: int) -> Event:
    return Event(f"win {token}", seat, Maker.SEAT)


def lifted_token(seat: Seat, token: int) -> Event:
    return Event(f"lift {token}", seat, Maker.SEAT)


def token_gone(seat: Seat, token: int) -> Event:
    return Event(f"gone {token}", seat, Maker.SEAT)


def built(seat: Seat, action: Action) -> Event:
    """Tell of a zone that is built as part of an effect with the code of the action that builds it."""
    return Event(NOTATION.code(action), seat, Maker.SEAT)


def lost_zone(seat: Seat, half: int) -> Event:
    return Event(f"lose {HALF_NAMES[half]}", seat, Maker.SEAT)


def exchanged(seat: Seat, half: int) -> Event:
    return Event(f"drop {HALF_NAMES[half]}", seat, Maker.SEAT)


def stole_zone(seat: Seat, half: int) -> Event:
    return Event(f"steal {HALF_NAMES[half]}", seat, Maker.SEAT)


def ending(seat: Seat, cause: Ending) -> Event:
    return Event(f"last round {cause.name.lower()}", seat, Maker.REFEREE)


def shown_token(seat: Seat, token: int, item: Item) -> Event:
    return Event(f"show {token} {item.name.lower()}", seat, Maker.REFEREE)


def scored(seat: Seat, score: int) -> Event:
    return Event(f"score {score}", seat, Maker.REFEREE)


def over(cause: Ending) -> Event:
    return Event(f"over {cause.name.lower()}", None, Maker.REFEREE)
