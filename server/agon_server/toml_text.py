"""TOML as people write it, from the bytes of a file, or refused in one line. What its keys mean is not known here."""

from __future__ import annotations

import re
import tomllib
from typing import Any


class TomlError(ValueError):
    """The bytes are no TOML that can be read; the message says why."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line
        """Where, from 1; 0 where that is not known."""


class NoTextError(TomlError):
    """They are not even UTF-8."""


def text_of(data: bytes) -> str:
    """Return the text of a file, without the byte order mark that some editors write. Raise NoTextError."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NoTextError(f"not UTF-8 at byte {error.start}", line) from None


def parsed(text: str) -> dict[str, Any]:
    """Return what a text says. Raise TomlError for whatever cannot be read."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("not TOML that can be read: nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        hint = "; a text is in quotes" if what == "Invalid value" else ""
        raise TomlError(f"not TOML: {what[:1].lower()}{what[1:]}{hint}", int(line[1]) if line else 0) from None
    except ValueError:
        # Python's own: it makes no number of more than 4,300 digits.
        raise TomlError("not TOML that can be read: it has a number that is too long") from None
