"""All action codes of a card set, and what each number stands for. Codes are listed in README.md.

An action is an index into the notation. `kind` and `x` say what it is; the other attributes of `Actions` say which
number a move has. Nothing here depends on a state.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from itertools import permutations
from typing import Final

from agon_engine.core import Action, Event, Maker, Notation
from agon_engine.elysium.enums import COLOURS

MAX_SEATS: Final = 4
MAX_QUESTS: Final = 4
MAX_OPTIONS: Final = 9
MAX_PEEKED: Final = 3
MAX_LEGENDS: Final = 105
"""As many as cards in play: whatever happens, there is a code."""
LEVELS: Final = 3


class Kind(IntEnum):
    """The kinds of action; `x` is what follows."""

    TAKE = 0
    """Design, from the Agora."""
    TAKE_ORACLE = 1
    TAKE_DISCARD = 2
    KEEP = 3
    """Design of those looked at."""
    QUEST = 4
    """Its number."""
    CITIZEN = 5
    PASS = 6
    POWER = 7
    """Design in the own Domain."""
    END = 8
    SKIP = 9
    DISMISS = 10
    """Colour."""
    RETURN = 11
    """Colour."""
    TRANSFER = 12
    """Design in the own Domain; 0: a Citizen."""
    TRANSFER_AGORA = 13
    """Design."""
    PLACE = 14
    """Number of the own Legend, 0: a new one."""
    PLACE_FAMILY = 15
    """Number of the own Legend: a Citizen makes it a level Legend, in the place of another family."""
    PLACE_LEVEL = 16
    """Number of the own Legend * 4 + the level for which a Citizen stands in a family Legend."""
    CHOOSE = 17
    """Number of the option, from 1."""
    ACCEPT = 18
    PAY = 19
    SEAT = 20
    SACRIFICE = 21
    """Design in the own Domain; 0: a Citizen."""
    LOSE = 22
    """Design."""
    MOVE = 23
    """Design in the Agora."""
    MOVE_ORACLE = 24
    """Design."""
    RESERVE = 25
    """Design."""
    REUSE = 26
    """Design."""
    RECHARGE = 27
    """Design."""
    ORDER = 28
    """Index into ORDERS."""


def _orders() -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return all ways to put one to three cards back: those on top, the first uppermost, and those at the bottom."""
    return tuple(
        (order[:split], order[split:])
        for count in range(1, MAX_PEEKED + 1)
        for order in permutations(range(count))
        for split in range(count, -1, -1)
    )


ORDERS: Final = _orders()


def order_code(order: tuple[tuple[int, ...], tuple[int, ...]]) -> str:
    """Return the code of a way to put cards back, by their places from 1 as they were looked at."""
    top, bottom = (" ".join(str(place + 1) for place in part) for part in order)
    return " ".join(part for part in (f"top {top}" if top else "", f"bottom {bottom}" if bottom else "") if part)


class Actions:
    """The notation of a card set and its tables."""

    def __init__(self, ids: tuple[str, ...]) -> None:
        """`ids` are those of the designs, by number; the first is `citizen`."""
        self._codes: list[str] = []
        self._kinds: list[int] = []
        self._xs: list[int] = []
        designs = range(1, len(ids))
        self.take = self._of(Kind.TAKE, [f"take {ids[design]}" for design in designs])
        self.take_oracle = self._of(Kind.TAKE_ORACLE, [f"take {ids[design]} oracle" for design in designs])
        self.take_discard = self._of(Kind.TAKE_DISCARD, [f"take {ids[design]} discard" for design in designs])
        self.keep = self._of(Kind.KEEP, [f"keep {ids[design]}" for design in designs])
        self.quest = self._of(Kind.QUEST, [f"quest {number}" for number in range(1, MAX_QUESTS + 1)])
        self.citizen = self._one(Kind.CITIZEN, "citizen")
        self.pass_turn = self._one(Kind.PASS, "pass")
        self.power = self._of(Kind.POWER, [f"power {ids[design]}" for design in designs])
        self.end = self._one(Kind.END, "end")
        self.skip = self._one(Kind.SKIP, "skip")
        colours = [colour.name.lower() for colour in COLOURS]
        self.dismiss = self._of(Kind.DISMISS, [f"dismiss {colour}" for colour in colours])
        self.column_return = self._of(Kind.RETURN, [f"return {colour}" for colour in colours])
        self.transfer = self._from_0(Kind.TRANSFER, [f"transfer {name}" for name in ids])
        self.transfer_agora = self._of(Kind.TRANSFER_AGORA, [f"transfer {ids[design]} agora" for design in designs])
        legends = range(1, MAX_LEGENDS + 1)
        self.place = self._from_0(Kind.PLACE, ["place new", *(f"place legend {number}" for number in legends)])
        self.place_family = self._of(Kind.PLACE_FAMILY, [f"place legend {number} as family" for number in legends])
        levels = range(1, LEVELS + 1)
        self.place_level = tuple(
            tuple(
                self._add(Kind.PLACE_LEVEL, f"place legend {number} as level {level}", number * 4 + level)
                if number and level
                else -1
                for level in (0, *levels)
            )
            for number in (0, *legends)
        )
        """By number of the Legend and level."""
        self.choose = self._of(Kind.CHOOSE, [f"choose {number}" for number in range(1, MAX_OPTIONS + 1)])
        self.accept = self._one(Kind.ACCEPT, "accept")
        self.pay = self._one(Kind.PAY, "pay")
        self.seat = self._from_0(Kind.SEAT, [f"seat {seat}" for seat in range(MAX_SEATS)])
        self.sacrifice = self._from_0(Kind.SACRIFICE, [f"sacrifice {name}" for name in ids])
        self.lose = self._of(Kind.LOSE, [f"lose {ids[design]}" for design in designs])
        self.move = self._of(Kind.MOVE, [f"move {ids[design]}" for design in designs])
        self.move_oracle = self._of(Kind.MOVE_ORACLE, [f"move {ids[design]} oracle" for design in designs])
        self.reserve = self._of(Kind.RESERVE, [f"reserve {ids[design]}" for design in designs])
        self.reuse = self._of(Kind.REUSE, [f"reuse {ids[design]}" for design in designs])
        self.recharge = self._of(Kind.RECHARGE, [f"recharge {ids[design]}" for design in designs])
        self.order = self._from_0(Kind.ORDER, [order_code(order) for order in ORDERS])
        """By index into ORDERS."""

        self.notation = Notation("elysium", self._codes)
        self.kind: tuple[int, ...] = tuple(self._kinds)
        self.x: tuple[int, ...] = tuple(self._xs)
        self.acted: tuple[tuple[Event, ...], ...] = tuple(
            tuple(Event(code, seat, Maker.SEAT) for code in self._codes) for seat in range(MAX_SEATS)
        )
        """By seat and action: the action itself, told to all."""

    def _add(self, kind: Kind, code: str, x: int) -> Action:
        self._codes.append(code)
        self._kinds.append(int(kind))
        self._xs.append(x)
        return len(self._codes) - 1

    def _one(self, kind: Kind, code: str) -> Action:
        return self._add(kind, code, 0)

    def _from_0(self, kind: Kind, codes: list[str]) -> tuple[Action, ...]:
        return tuple(self._add(kind, code, x) for x, code in enumerate(codes))

    def _of(self, kind: Kind, codes: list[str]) -> tuple[Action, ...]:
        """Add codes for 1, 2, …; nothing has the number 0."""
        return (-1, *(self._add(kind, code, x) for x, code in enumerate(codes, 1)))


@lru_cache(maxsize=8)
def actions_of(ids: tuple[str, ...]) -> Actions:
    """Return the notation of sets with these ids: two sets with the same cards share one."""
    return Actions(ids)
