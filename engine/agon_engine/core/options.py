"""What is said of a game before any behaviour: its facts (`GameSpec`), the options that a match of it can have, and the
files that stand for an option's material. Pure values; games read files (`Game.with_file`), nothing here does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, NamedTuple, Self

from agon_engine.core.errors import OptionsError

OptionValue = bool | int | str

MAX_FILE: Final = 96 * 1024
"""Bytes of a file's text as a game writes it: it fits into one message of the contract, and into memory many times."""
_HASH_BYTES: Final = 16
_HEX: Final = frozenset("0123456789abcdef")


def option_text(value: OptionValue) -> str:
    """Return an option's value as it is typed, sent and committed to: `true`, `false`, a number or a word."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class GameFile(NamedTuple):
    """A file that stands for the material of an option, as its game writes it: all ways to write the same have one
    text, so that anybody can tell by the hash, whatever the language, that it is the file that was played with."""

    hash: str
    """BLAKE2b-128 over the text in UTF-8, in hex: the option's value."""
    text: str

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(blake2b(text.encode(), digest_size=_HASH_BYTES).hexdigest(), text)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: its default, what it may be, and what it does in one line."""

    name: str
    default: OptionValue
    allowed: tuple[OptionValue, ...]
    help: str
    read: Callable[[object], OptionValue] | None = None
    """Where more is allowed than can be listed: returns a value as it is kept, the same for all ways to write it, or
    raises OptionsError with what is allowed."""
    examples: tuple[OptionValue, ...] = ()
    """Values that it reads beyond those listed, for tests to draw from."""
    is_file: bool = False
    """It may also be a file, and its value is then the file's hash: `Game.with_file`."""

    def check(self, value: object) -> OptionValue:
        """Return a value as it is kept. Raise OptionsError when it is not allowed; the message lists what is.

        Does not ask whether anybody has the file of a hash: `Game.check_options` does.
        """
        for allowed in self.allowed:
            if value == allowed and type(value) is type(allowed):
                return allowed
        if self.is_file and isinstance(value, str) and len(value) == 2 * _HASH_BYTES and _HEX.issuperset(value):
            return value
        if self.read is not None:
            return self.read(value)

        choices = ", ".join(map(option_text, self.allowed)) + (" or a file, by its hash" if self.is_file else "")
        raise OptionsError(f"option {self.name} is one of {choices}, not {value!r}")

    def names_file(self, value: OptionValue) -> bool:
        """Tell whether a checked value is a file's hash."""
        return self.is_file and value not in self.allowed


@dataclass(frozen=True, slots=True)
class GameSpec:
    """The facts of a game, stated before any behaviour; the conformance suite checks them against play."""

    name: str
    version: int
    """Bumped by every change of the rules or data, since records and ratings of another version do not compare."""
    min_seats: int
    max_seats: int
    has_hidden_information: bool
    max_decisions: int
    """No match asks more often than this, whoever plays."""
    options: tuple[Option, ...] = ()

    @property
    def seat_counts(self) -> range:
        return range(self.min_seats, self.max_seats + 1)

    def check_seats(self, seats: int) -> int:
        """Return `seats`. Raise OptionsError when the game is not played by that many."""
        if type(seats) is not int or seats not in self.seat_counts:
            raise OptionsError(f"{self.name} has {self.min_seats} to {self.max_seats} seats, not {seats!r}")

        return seats

    def option(self, name: str) -> Option:
        """Return an option by its name. Raise OptionsError where there is none; the message lists all."""
        for option in self.options:
            if option.name == name:
                return option

        names = ", ".join(option.name for option in self.options) or "none"
        raise OptionsError(f"{self.name} has no option {name!r}; its options are {names}")

    def check_options(self, given: Mapping[str, Any]) -> dict[str, OptionValue]:
        """Return all options of the game, the given values over the defaults.

        Raise OptionsError for an unknown name or a value that is not allowed; the message lists what is.
        """
        checked = {name: self.option(name).check(value) for name, value in given.items()}
        return {option.name: checked.get(option.name, option.default) for option in self.options}

    def files_of(self, options: Mapping[str, OptionValue]) -> dict[str, str]:
        """Return the hashes of the files that checked options name, by option."""
        return {
            option.name: str(options[option.name])
            for option in self.options
            if option.name in options and option.names_file(options[option.name])
        }

    def parse_option(self, text: str) -> tuple[str, OptionValue]:
        """Parse `name=value` as typed on a command line. Raise OptionsError as `check_options` does."""
        name, separator, value = text.partition("=")
        if not separator:
            raise OptionsError(f"an option is written name=value, not {text!r}")

        option = self.option(name)
        for allowed in option.allowed:
            if option_text(allowed) == value:
                return name, allowed
        return name, option.check(value)
