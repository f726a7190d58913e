"""The entries of a match's journal, and the one line of JSON that each is in the store: strictly read, so that what was
cut, altered or put there by others is refused.

    [0,"t4zk","begin",1,1,"2030-01-31T12:00:00Z",["1.2",""]]     format, rules version, started, the bots' versions
    [1,"t4zk","choice",0,"bid ares 4",0,812000,20,300,500]       seat, action, unusable answers before it, timing
    [2,"t4zk","strike",1,"timeout",0,2250000,0,300,0]            seat, why, unusable answers before it, timing
    [3,"t4zk","fall",1,"resigned"]                               seat, why
    [4,"t4zk","end","cancelled",null]                            why, and each seat's why where that is known better

The first value is the entry's number, without gaps from 0; the second are the last letters of the match's id. Timing is
elapsed, host, latency and thought, in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from agon_engine.core.driver import UNTIMED, Timing
from agon_engine.core.game import Action, Notation, Seat
from agon_engine.core.policy import Termination
from agon_engine.core.record_values import check_moment

FORMAT: Final = 1
_TAG_LENGTH: Final = 4
_MAX_LINE: Final = 1 << 16


class Kind(Enum):
    """What a journal's entry is about."""

    BEGIN = "begin"
    """All seats were ready; the first decision is asked. Always the first entry, but in a match that never began."""
    CHOICE = "choice"
    STRIKE = "strike"
    """A decision without a usable answer; a substitute stands in."""
    FALL = "fall"
    """A seat is out for good."""
    END = "end"
    """The match ends without counting."""


class Entry(NamedTuple):
    """One thing that was accepted in a match: all that its consequences follow from."""

    number: int
    """Without gaps, from 0."""
    kind: Kind
    seat: Seat = -1
    """-1 for BEGIN and END."""
    action: Action = -1
    """Of a CHOICE."""
    why: Termination | None = None
    """Of STRIKE, FALL and END."""
    timing: Timing = UNTIMED
    """What the clock of the seat is charged by."""
    seats: Sequence[Termination] | None = None
    """Of an END: why each seat ended, where that is known better."""
    unusable: int = 0
    """Of CHOICE and STRIKE: how many unusable answers the decision had had."""


class Opening(NamedTuple):
    """What BEGIN says of the match."""

    version: int
    """Rules version."""
    started: str
    bot_versions: tuple[str, ...]
    """By seat, as the bots named them."""


class JournalError(ValueError):
    """A journal that cannot be followed. The message says where and why, and nothing of what is hidden."""


def tag_of(match: str) -> str:
    """Return what each line of the match's journal bears, so that another match's is known at sight."""
    return match[-_TAG_LENGTH:]


# -- writing -------------------------------------------------------------------------------------------------


def choice_line(number: int, tag: str, seat: Seat, code: str, unusable: int, timing: Timing) -> str:
    """Return the line of a CHOICE. Action codes need no escapes in JSON (`Notation`)."""
    elapsed, host, latency, thought = timing
    return f'[{number},"{tag}","choice",{seat},"{code}",{unusable},{elapsed},{host},{latency},{thought}]'


def opening_line(tag: str, opening: Opening) -> str:
    """Return the line of BEGIN."""
    return _line([0, tag, Kind.BEGIN.value, FORMAT, opening.version, opening.started, list(opening.bot_versions)])


def fault_line(tag: str, entry: Entry) -> str:
    """Return the line of a STRIKE, FALL or END."""
    values: list[Any] = [entry.number, tag, entry.kind.value]
    assert entry.why is not None
    if entry.kind is Kind.END:
        values += [entry.why.value, None if entry.seats is None else [why.value for why in entry.seats]]
    else:
        values += [entry.seat, entry.why.value]
    if entry.kind is Kind.STRIKE:
        values += [entry.unusable, *entry.timing]
    return _line(values)


def _line(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":"))


# -- reading -------------------------------------------------------------------------------------------------


class JournalReader:
    """Reads the lines of one match's journal, in their order."""

    def __init__(self, match: str, notation: Notation, seats: int) -> None:
        self._tag = tag_of(match)
        self._notation = notation
        self._seats = seats
        self._number = 0
        self.opening: Opening | None = None
        """Once BEGIN was read."""

    def read(self, raw: bytes) -> tuple[Entry, str]:
        """Return the next entry and its line. Raise JournalError for what cannot be the next one."""
        number = self._number
        line, values = self._values(raw)
        if values[0] != number or type(values[0]) is not int:
            raise JournalError(f"entry {number} has another number: {str(values[0])[:20]!r}")
        if values[1] != self._tag:
            raise JournalError(f"entry {number} is of another match")
        try:
            entry, again = self._entry(number, values)
        except JournalError:
            raise
        except (ValueError, TypeError, IndexError, KeyError):
            raise JournalError(f"entry {number} is not written as entries are") from None

        if again != line:
            raise JournalError(f"entry {number} is not written as entries are")
        if (entry.kind is Kind.BEGIN) != (number == 0) and not (number == 0 and entry.kind is Kind.END):
            raise JournalError(f"entry {number} cannot stand there: {entry.kind.value!r}")
        self._number += 1
        return entry, line

    def _values(self, raw: bytes) -> tuple[str, list[Any]]:
        number = self._number
        try:
            line = raw.decode("ascii") if len(raw) <= _MAX_LINE else ""
            values = json.loads(line)
        except (ValueError, RecursionError):
            raise JournalError(f"entry {number} is no line of JSON, or was cut") from None

        if type(values) is not list or len(values) < 4:
            raise JournalError(f"entry {number} is not written as entries are")
        return line, values

    def _entry(self, number: int, values: list[Any]) -> tuple[Entry, str]:
        """Read what follows number and tag; return it with the line that it must have been."""
        kind, tag = Kind(values[2]), self._tag
        if kind is Kind.BEGIN:
            return self._begin(values)
        if kind is Kind.END:
            seats = values[4]
            if seats is not None and len(seats) != self._seats:
                raise ValueError("one value a seat")
            whys = None if seats is None else tuple(Termination(why) for why in seats)
            entry = Entry(number, kind, why=Termination(values[3]), seats=whys)
            return entry, fault_line(tag, entry)

        seat = values[3]
        if type(seat) is not int or not 0 <= seat < self._seats:
            raise JournalError(f"entry {number} is about a seat that the match has not: {str(seat)[:20]!r}")
        if kind is Kind.FALL:
            entry = Entry(number, kind, seat, why=Termination(values[4]))
            return entry, fault_line(tag, entry)

        unusable, *times = values[5:]
        if len(times) != 4 or any(type(value) is not int for value in (unusable, *times)):
            raise ValueError("timing is four whole numbers")
        timing = Timing(*times)
        if kind is Kind.STRIKE:
            entry = Entry(number, kind, seat, why=Termination(values[4]), timing=timing, unusable=unusable)
            return entry, fault_line(tag, entry)

        action = self._notation.parse(values[4])
        entry = Entry(number, kind, seat, action, timing=timing, unusable=unusable)
        return entry, choice_line(number, tag, seat, values[4], unusable, timing)

    def _begin(self, values: list[Any]) -> tuple[Entry, str]:
        form, version, started, versions = values[3:]
        if form != FORMAT:
            raise JournalError(f"the journal is of another format than {FORMAT}: {str(form)[:20]!r}")
        if type(version) is not int or type(started) is not str or len(versions) != self._seats:
            raise ValueError("not an opening")
        if any(type(each) is not str for each in versions):
            raise ValueError("versions are texts")
        check_moment("started", started)
        self.opening = Opening(version, started, tuple(versions))
        return Entry(0, Kind.BEGIN), opening_line(self._tag, self.opening)
