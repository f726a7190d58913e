"""The time control of a match and the formula of its clocks, in integer microseconds. Pure: nothing here reads a
clock; who does (the referee, local play) passes the readings in.

    allowed = move + bank
    charge  = min(allowed, read - asked - host)
    bank'   = bank - max(0, charge - move) + increment
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from agon_engine.core.errors import OptionsError

MICROSECONDS = 1_000_000
_DAY = 86_400 * MICROSECONDS


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The limits of a match, all in microseconds. One formula covers three modes: per move (bank 0), clock and
    increment (move 0), and time per move with a bank for overruns."""

    connect: int = 30 * MICROSECONDS
    """From Offer to Join, and how long a seat may be without a stream later."""
    ready: int = 10 * MICROSECONDS
    """From Start to Ready."""
    move: int = 2 * MICROSECONDS
    """For each decision, free of charge to the bank."""
    bank: int = 30 * MICROSECONDS
    """For all overruns of a seat together."""
    increment: int = 0
    """Added to the bank after each decision."""
    grace: int = MICROSECONDS // 4
    """How far over the allowed time an answer still counts (it is late, and charged all that was allowed)."""

    def __post_init__(self) -> None:
        for name in LIMITS:
            _check_limit(name, getattr(self, name))
        if self.move + self.bank == 0:
            raise OptionsError(f"a time control gives some time: move and bank cannot both be {0!r}")
        for name in ("connect", "ready"):
            if getattr(self, name) == 0:
                raise OptionsError(f"{name} is at least 1 microsecond, not {0!r}")

    def longest_life(self, seats: int, max_decisions: int) -> int:
        """Return the longest that a match can last, pauses apart, in microseconds."""
        return self.connect + self.ready + seats * self.bank + max_decisions * (self.move + self.increment + self.grace)

    def bank_after(self, bank: int, charge: int) -> int:
        """Return what is left of a bank once a decision was charged so much."""
        return bank - max(0, charge - self.move) + self.increment

    def to_json(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in LIMITS}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TimeControl:
        """Read what `to_json` wrote; absent limits have their defaults. Raise OptionsError for anything else."""
        if unknown := data.keys() - LIMITS:
            raise OptionsError(f"a time control has no {sorted(unknown)!r}")
        for name, value in data.items():
            _check_limit(name, value)

        return cls(**data)


def _check_limit(name: str, value: object) -> None:
    if type(value) is not int or not 0 <= value <= _DAY:
        raise OptionsError(f"{name} is 0 to {_DAY} microseconds, not {value!r}")


LIMITS = tuple(item.name for item in fields(TimeControl))
"""The names of the limits, in their order."""


@dataclass(slots=True)
class Account:
    """One seat's clock: its bank, and the last charge with its parts. All in microseconds."""

    control: TimeControl
    bank: int = -1
    last_charge: int = 0
    last_elapsed: int = 0
    """From asked to read, host time included."""
    last_host: int = 0
    last_late: bool = False

    def __post_init__(self) -> None:
        if self.bank < 0:
            self.bank = self.control.bank

    @property
    def allowed(self) -> int:
        """What the next decision may take before it is late."""
        return self.control.move + self.bank

    def charge(self, elapsed: int, host: int) -> int:
        """Charge an answer read `elapsed` after it was asked, `host` of it the server's own; return the charge."""
        allowed = self.allowed
        self.last_late = elapsed - host > allowed
        charged = min(allowed, max(0, elapsed - host))
        self.last_charge, self.last_elapsed, self.last_host = charged, elapsed, host
        self.bank = self.control.bank_after(self.bank, charged)
        return charged

    def charge_timeout(self, elapsed: int, host: int) -> int:
        """Charge a decision whose deadline fired: all that was allowed."""
        return self.charge(max(elapsed, self.allowed + host + 1), host)
