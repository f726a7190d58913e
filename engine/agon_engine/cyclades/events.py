"""The events of Cyclades. All are public; the codes are listed in README.md.

An event is a value, so those of actions are made once and shared by all matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agon_engine.core import Event, Maker, Seat
from agon_engine.cyclades.data import ISLAND_NAMES, MAX_SEATS
from agon_engine.cyclades.enums import Creature, Ending, God
from agon_engine.cyclades.notation import NOTATION

_SEATS: Final = range(MAX_SEATS)
_NAMES: Final = tuple(creature.name.lower() for creature in Creature)
_GODS: Final = tuple(god.name.lower() for god in God)

ACTED: Final = tuple(tuple([Event(code, seat, Maker.SEAT) for code in NOTATION.codes]) for seat in _SEATS)
"""By seat and action: the action itself."""
TURN: Final = tuple(tuple([Event(f"turn {god}", seat, Maker.REFEREE) for god in _GODS]) for seat in _SEATS)
"""By seat and god."""
TOOK: Final = tuple(tuple([Event(f"take {island}", seat, Maker.SEAT) for island in ISLAND_NAMES]) for seat in _SEATS)
"""By seat and island: it is the seat's now, with all that is on it."""
SHUFFLED: Final = Event("shuffle", None, Maker.CHANCE)
LOST_SET: Final = tuple(Event("no metropolis", seat, Maker.REFEREE) for seat in _SEATS)
ELIMINATED: Final = tuple(Event("eliminated", seat, Maker.REFEREE) for seat in _SEATS)


def cycle(number: int) -> Event:
    return Event(f"cycle {number}", None, Maker.REFEREE)


def order(seats: Sequence[Seat], maker: Maker) -> Event:
    return Event(f"order {' '.join(map(str, seats))}", None, maker)


def gods(up: Sequence[God], out: Sequence[God]) -> Event:
    names = [_GODS[god] for god in up]
    if out:
        names += ["out", *(_GODS[god] for god in out)]
    return Event(f"gods {' '.join(names)}", None, Maker.CHANCE)


def revealed(creature: Creature, price: int) -> Event:
    return Event(f"reveal {_NAMES[creature]} {price}", None, Maker.CHANCE)


def slid(creature: Creature, price: int) -> Event:
    return Event(f"slide {_NAMES[creature]} {price}", None, Maker.REFEREE)


def discarded(creature: Creature) -> Event:
    return Event(f"discard {_NAMES[creature]}", None, Maker.REFEREE)


def lifted(creature: Creature, island: int) -> Event:
    """Tell that a figurine leaves its island."""
    return Event(f"lift {_NAMES[creature]} {ISLAND_NAMES[island]}", None, Maker.REFEREE)


def revenue(amounts: Sequence[int]) -> Event:
    """Tell what each seat gains at the beginning of a cycle (C5.1)."""
    return Event(f"revenue {' '.join(map(str, amounts))}", None, Maker.REFEREE)


def offerings(amounts: Sequence[int]) -> Event:
    """Tell what each seat pays for its bids (C6.5)."""
    return Event(f"offerings {' '.join(map(str, amounts))}", None, Maker.REFEREE)


def gained(seat: Seat, amount: int) -> Event:
    return Event(f"gain {amount}", seat, Maker.REFEREE)


def paid(seat: Seat, amount: int) -> Event:
    return Event(f"pay {amount}", seat, Maker.REFEREE)


def lost_troops(seat: Seat, island: int, count: int) -> Event:
    return Event(f"lose troop {ISLAND_NAMES[island]} x{count}", seat, Maker.REFEREE)


def lost_fleets(seat: Seat, sea: str, count: int) -> Event:
    return Event(f"lose fleet {sea} x{count}", seat, Maker.REFEREE)


def rolled(dice: tuple[int, int], on_top: tuple[int, int]) -> Event:
    """Tell a round of a battle: of attacker and defender the die and what comes on top."""
    return Event(f"roll {dice[0]}+{on_top[0]} {dice[1]}+{on_top[1]}", None, Maker.CHANCE)


def pushed(seat: Seat, sea: str, target: str) -> Event:
    """Tell where the fleets go that Polyphemus drives away."""
    return Event(f"drive {sea}>{target}", seat, Maker.REFEREE)


def scored(seat: Seat, score: int) -> Event:
    return Event(f"score {score}", seat, Maker.REFEREE)


def over(ending: Ending) -> Event:
    return Event(f"over {ending.name.lower()}", None, Maker.REFEREE)
