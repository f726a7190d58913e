"""Asking the tables of a TOML file for what they say: each key is read by a function that says what is allowed, and all
that is wrong is collected, with its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Final, TypeVar

from agon_engine.core.timing import MICROSECONDS
from agon_server.tournaments.toml_lines import Path

T = TypeVar("T")
D = TypeVar("D")
E = TypeVar("E", bound=StrEnum)

MAX_TEXT: Final = 1_000
MAX_SHOWN: Final = 60
"""Characters of a value that a message shows."""


class WrongError(ValueError):
    """A value cannot be; the message says what can."""


class Mistakes:
    """What is wrong with a file, each with its line where that is known."""

    def __init__(self, lines: Mapping[Path, int]) -> None:
        self._lines = lines
        self._found: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, path: Path, text: str) -> None:
        """Add a mistake at a key, or, where the path is a table's, in that table."""
        where = ".".join(str(part) for part in path if isinstance(part, str))
        self._found.append((self.line(path), f"{shortened(where)}: {text}" if where else text))

    def line(self, path: Path) -> int:
        """Return the line of a path, or of what it stands in; 0 where that is not known."""
        return next((self._lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self._lines), 0)

    def told(self) -> list[str]:
        """Return one line a mistake, in the order of the file."""
        return [
            f"line {line}: {text}" if line else text for line, text in sorted(self._found, key=lambda item: item[0])
        ]


class Asked:
    """One table of a file. What was not asked for when `done` is called is an unknown key."""

    def __init__(self, values: Mapping[str, Any], path: Path, mistakes: Mistakes, what: str) -> None:
        """`what` is the table in words, for messages: `a bot`."""
        self.path = path
        self.mistakes = mistakes
        self._values = values
        self._what = what
        self._known: list[str] = []

    def has(self, key: str) -> bool:
        return key in self._values

    def get(self, key: str, read: Callable[[Any], T], default: D) -> T | D:
        """Return what a key says; the default where it is absent, or wrong, which is a mistake."""
        self._known.append(key)
        if key not in self._values:
            return default
        try:
            return read(self._values[key])
        except WrongError as error:
            self.mistakes.add((*self.path, key), str(error))
            return default

    def need(self, key: str, read: Callable[[Any], T], example: str) -> T | None:
        """Return what a key says; None where it is absent or wrong, which both are mistakes."""
        if key not in self._values:
            self.mistakes.add(self.path, f"{key} is missing: {example}")
        return self.get(key, read, None)

    def table(self, key: str, what: str) -> Asked:
        """Return a table in this one; an empty one where it is absent or none."""
        return Asked(self.get(key, _table, {}), (*self.path, key), self.mistakes, what)

    def tables(self, key: str, what: str) -> list[Asked]:
        """Return an array of tables in this one; none where it is absent or no such array."""
        found = []
        for number, item in enumerate(self.get(key, _array, ())):
            path = (*self.path, key, number)
            if isinstance(item, dict):
                found.append(Asked(item, path, self.mistakes, what))
            else:
                self.mistakes.add(path, f"expected a table, [[{key}]], not {shown(item)}")
        return found

    def items(self) -> Iterable[tuple[str, Any]]:
        """Iterate over all keys, which are then known."""
        self._known += self._values
        return self._values.items()

    def done(self, what: str = "", elsewhere: Mapping[str, str] | None = None) -> None:
        """Note all keys that were not asked for as unknown. `what` is the table in other words than before, and
        `elsewhere` says of keys where they belong."""
        for key in self._values:
            if key not in self._known:
                belongs = (elsewhere or {}).get(key)
                meant = f"it is for {belongs}" if belongs else did_you_mean(key, self._known)
                has = f"{what or self._what} has {', '.join(self._known)}"
                self.mistakes.add((*self.path, key), f"unknown key; {meant + '; ' if meant else ''}{has}")


# -- what messages show ----------------------------------------------------------------------------------------


def shown(value: object) -> str:
    """Return a value as a message ends with it, never long."""
    try:
        return shortened(repr(value))
    except (ValueError, RecursionError):
        # Python writes no number of more than 4,300 digits, though it reads such hexadecimal ones.
        return "a value too long to show"


def shortened(text: str, most: int = MAX_SHOWN) -> str:
    """Return the beginning of a text, on one line that a terminal can show."""
    printable = "".join(character if character.isprintable() else "?" for character in text[: most + 1])
    return printable if len(printable) <= most else printable[:most] + "…"


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a question for the word that is most like it; empty where none is."""
    close = get_close_matches(word[:MAX_TEXT], list(words), 1)
    return f"did you mean {close[0]}?" if close else ""


# -- reading values --------------------------------------------------------------------------------------------


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongError(f"expected a table, not {shown(value)}")
    return value


def _array(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise WrongError(f"expected an array of tables, not {shown(value)}")
    return value


def text(value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > MAX_TEXT or "\0" in value:
        raise WrongError(f"expected a text of 1 to {MAX_TEXT} characters, not {shown(value)}")
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongError(f"expected true or false, not {shown(value)}")
    return value


def whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise WrongError(f"expected a whole number from {low} to {high}, not {shown(value)}")
        return value

    return read


def share(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise WrongError(f"expected a number from 0 to 1, not {shown(value)}")
    return float(value)


def microseconds(value: Any) -> int:
    """Read seconds."""
    if type(value) not in (int, float) or not 0 <= value <= 86_400:
        raise WrongError(f"expected 0 to 86400 seconds, not {shown(value)}")
    whole_ones: int = round(value * MICROSECONDS)
    return whole_ones


def name_of(pattern: re.Pattern[str], rule: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise WrongError(f"a name is {rule}, not {shown(value)}")
        return value

    return read


def one_of(words: type[E]) -> Callable[[Any], E]:
    def read(value: Any) -> E:
        return words(word(list(words))(value))

    return read


def word(words: Iterable[str]) -> Callable[[Any], str]:
    listed = list(words)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in listed:
            meant = did_you_mean(value, listed) if isinstance(value, str) else ""
            raise WrongError(f"expected one of {', '.join(listed)}, not {shown(value)}{'; ' + meant if meant else ''}")
        return value

    return read


def list_of(read_item: Callable[[Any], T], what: str) -> Callable[[Any], tuple[T, ...]]:
    def read(value: Any) -> tuple[T, ...]:
        if not isinstance(value, list) or not value:
            raise WrongError(f"expected a list of {what}, not {shown(value)}")
        return tuple(map(read_item, value))

    return read
