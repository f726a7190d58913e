"""On which line of a TOML text each key and each array's item stands, which the standard library does not tell.

Reads only texts that `tomllib` has read. Whatever it does not follow has no line; it never fails and never judges.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

Path = tuple[str | int, ...]
"""Where a value stands: keys, and the numbers of items of arrays and arrays of tables."""

MAX_PARTS: Final = 64
"""Of a dotted key. No tournament needs a longer one, and what a path costs grows with the square of its length."""
MAX_ITEMS: Final = 10_000
"""Of an array: further ones have its line."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_KEY = re.compile(
    r"""
    (?: [A-Za-z0-9_-]+ | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' )
    (?: [ \t]*\.[ \t]* (?: [A-Za-z0-9_-]+ | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' ) )*
    """,
    re.VERBOSE,
)
_TEXT = re.compile(
    r"""
      \"\"\" (?:[^"\\]|\\.|"(?!""))* \"{3,5}
    | ''' (?:[^']|'(?!''))* '{3,5}
    | " (?:[^"\\\n]|\\.)* "
    | ' [^'\n]* '
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\n]*")


def line_numbers(text: str) -> Mapping[Path, int]:
    """Return the line, from 1, of each table's head, each key and each item of an array."""
    scanner = _Scanner(text)
    # What was found until it was lost is right.
    with suppress(_LostError, RecursionError):
        scanner.document()
    return scanner.lines


class _LostError(Exception):
    """The text is not what this scanner follows."""


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._text = text
        self._at = 0
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._items: dict[Path, int] = {}
        """By the path of an array of tables, how many it has."""

    def document(self) -> None:
        table: Path = ()
        while self._skip(_BLANK) < len(self._text):
            if self._text.startswith("[", self._at):
                table = self._head()
            else:
                self._pair(table)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        assert match is not None, "all skipped patterns match nothing too"
        self._at = match.end()
        return self._at

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None or match.end() == self._at:
            raise _LostError

        self._at = match.end()
        return match.group()

    def _expect(self, mark: str) -> None:
        if not self._text.startswith(mark, self._at):
            raise _LostError

        self._at += len(mark)

    def _note(self, path: Path, at: int) -> None:
        line = bisect_left(self._breaks, at) + 1
        # A key can be named again, as a part of a longer one; it stands where it was named first.
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                break
            self.lines[path[:length]] = line

    # -- tables ------------------------------------------------------------------------------------------------

    def _head(self) -> Path:
        start = self._at
        mark = "[[" if self._text.startswith("[[", start) else "["
        self._expect(mark)
        self._skip(_SPACES)
        *outer, last = self._key()
        self._skip(_SPACES)
        self._expect("]" * len(mark))
        path: Path = ()
        for name in outer:
            path = self._newest((*path, name))
        path = (*path, last)
        if mark == "[[":
            self._items[path] = self._items.get(path, 0) + 1
        self._note(path, start)
        path = self._newest(path)
        self._note(path, start)
        return path

    def _newest(self, path: Path) -> Path:
        """Return the table that a path stands for: the last one of an array of tables."""
        count = self._items.get(path)
        return path if count is None else (*path, count - 1)

    def _pair(self, table: Path) -> None:
        start = self._at
        path = (*table, *self._key())
        self._note(path, start)
        self._skip(_SPACES)
        self._expect("=")
        self._skip(_SPACES)
        self._value(path)

    def _key(self) -> Path:
        raw = self._take(_KEY)
        if _BARE_KEY.fullmatch(raw):
            return (raw,)

        if raw.count(".") >= MAX_PARTS:
            raise _LostError
        try:
            inner: Any = tomllib.loads(f"{raw} = 0")
        except tomllib.TOMLDecodeError:
            raise _LostError from None

        path: Path = ()
        while isinstance(inner, dict):
            ((name, inner),) = inner.items()
            path = (*path, name)
        return path

    # -- values ------------------------------------------------------------------------------------------------

    def _value(self, path: Path) -> None:
        if self._text.startswith("[", self._at):
            self._array(path)
        elif self._text.startswith("{", self._at):
            self._inline(path)
        elif self._text.startswith(('"', "'"), self._at):
            self._take(_TEXT)
        else:
            self._take(_PLAIN)

    def _array(self, path: Path) -> None:
        self._expect("[")
        number = 0
        self._skip(_BLANK)
        while not self._text.startswith("]", self._at):
            if number < MAX_ITEMS:
                self._note((*path, number), self._at)
            self._value((*path, number))
            number += 1
            self._skip(_BLANK)
            if not self._text.startswith("]", self._at):
                self._expect(",")
                self._skip(_BLANK)
        self._expect("]")

    def _inline(self, path: Path) -> None:
        self._expect("{")
        self._skip(_BLANK)
        while not self._text.startswith("}", self._at):
            self._pair(path)
            self._skip(_BLANK)
            if not self._text.startswith("}", self._at):
                self._expect(",")
                self._skip(_BLANK)
        self._expect("}")
