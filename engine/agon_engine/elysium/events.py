"""The events of Elysium that are no player's action. The codes are listed in README.md; a code is public, a secret is
told to its audience alone. An event is a value, so those that come often are made once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from agon_engine.core import Event, Maker, Seat
from agon_engine.elysium.notation import MAX_SEATS
from agon_engine.elysium.tables import RESOURCES

TURN: Final = tuple(Event("turn", seat, Maker.REFEREE) for seat in range(MAX_SEATS))
WRITES: Final = tuple(Event("writes", seat, Maker.REFEREE) for seat in range(MAX_SEATS))
CITIZEN: Final = tuple(Event("gets citizen", seat, Maker.SEAT) for seat in range(MAX_SEATS))
NO_CITIZEN: Final = tuple(Event("gets nothing", seat, Maker.SEAT) for seat in range(MAX_SEATS))


@lru_cache(maxsize=4096)
def changed(seat: Seat, resource: int, n: int) -> Event:
    """Tell that a seat has more or less of a resource."""
    return Event(f"{RESOURCES[resource]} {n:+d}", seat, Maker.SEAT)


@lru_cache(maxsize=4096)
def about(word: str, name: str, seat: Seat | None) -> Event:
    """Tell something of one card: `discard zeus-io`."""
    return Event(f"{word} {name}", seat, Maker.SEAT)


@lru_cache(maxsize=4096)
def turned_up(row: str, name: str) -> Event:
    """Tell of a card that comes from the draw pile into a row: `agora zeus-io`."""
    return Event(f"{row} {name}", None, Maker.CHANCE)


def shuffled(count: int) -> Event:
    return Event(f"shuffle {count}", None, Maker.CHANCE)


def looked(seat: Seat, names: list[str]) -> Event:
    return Event(f"look {len(names)}", seat, Maker.SEAT, (seat,), f"look {' '.join(names)}")


def kept(seat: Seat, code: str) -> Event:
    """Tell that a seat has decided which of the cards it looked at it takes; which one shows later."""
    return Event("decides", seat, Maker.SEAT, (seat,), code)


def put(seat: Seat, top: int, bottom: int, code: str) -> Event:
    return Event(f"put {top} {bottom}", seat, Maker.SEAT, (seat,), code)


def first(seat: Seat) -> Event:
    return Event("first", seat, Maker.CHANCE)


def families(names: Iterable[str], side: str) -> Event:
    return Event(f"families {' '.join(names)} side {side}", None, Maker.CHANCE)


def epoch(number: int) -> Event:
    return Event(f"epoch {number}", None, Maker.REFEREE)


def order(seats: Iterable[Seat]) -> Event:
    return Event(f"order {' '.join(map(str, seats))}", None, Maker.REFEREE)


def left_over(seat: Seat, number: int) -> Event:
    return Event(f"incomplete {number}", seat, Maker.REFEREE)


def tile(seat: Seat, name: str) -> Event:
    return Event(f"tile {name}", seat, Maker.REFEREE)


def scored(seat: Seat, part: str, points: int) -> Event:
    return Event(f"{part} {points}", seat, Maker.REFEREE)


OVER: Final = Event("over", None, Maker.REFEREE)
