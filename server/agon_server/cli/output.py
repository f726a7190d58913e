"""What the commands print: tables on a terminal, tab-separated lines in a pipe, one JSON value with `--json`.

Text that came from bots or other people is shown without control characters. Errors are `failures`'.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from enum import Enum
from time import monotonic
from typing import Any, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from agon_server.cli.streams import has_all_letters
from agon_server.cli.tables import MARKS, fitted


def printable(text: str) -> str:
    """Return the text with everything that a terminal could take for a command made visible.

    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(item if item.isprintable() else ascii(item)[1:-1] for item in text)


DRAW_SECONDS = 0.1
"""A progress line is drawn at most so often."""


class ReaderGone(Exception):
    """Whoever reads what is printed has enough; the command ends, and that is no failure."""


class Output:
    """Where a command prints, in the form that was asked for."""

    def __init__(self, *, as_json: bool = False, stream: TextIO | None = None) -> None:
        self.as_json = as_json
        self._stream = stream if stream is not None else sys.stdout
        self._console = Console(file=self._stream, highlight=False, markup=False, emoji=False, soft_wrap=True)

    @property
    def is_terminal(self) -> bool:
        return self._console.is_terminal and not self.as_json

    def line(self, text: str = "") -> None:
        """Print a line for people; nothing with `--json`."""
        if not self.as_json:
            self._write(text)

    def hint(self, text: str) -> None:
        """Print a line that only a person at a terminal has use for."""
        if self.is_terminal:
            self._write(text)

    def raw(self, text: str) -> None:
        """Print a piece of a file as it is."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError:
            raise ReaderGone from None

    def text(self, text: str) -> None:
        """Print lines whose only special character is the line feed; nothing with `--json`."""
        for line in text.split("\n"):
            self.line(printable(line))

    def json(self, value: object) -> None:
        """Print the value as one line of JSON, with `--json` only."""
        if self.as_json:
            escaped = not has_all_letters(self._stream.encoding)
            self._write(json.dumps(to_json(value), ensure_ascii=escaped, separators=(", ", ": ")))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
        """Print rows: a table on a terminal, tab-separated lines in a pipe.

        Columns named with `#` at their end are numbers; where a terminal is too narrow, words in those with `~` are
        broken, those with `?` are left out, and texts in those with `!` are wrapped only after that.
        """
        if self.as_json:
            return
        cells = [[_cell(value) for value in row] for row in rows]
        if not self.is_terminal:
            for row in [[name.rstrip(MARKS) for name in columns], *cells]:
                self._write("\t".join(row))
            return

        # soft_wrap would let a wide table run over; a table is fitted to the terminal instead.
        self._console.print(fitted(columns, cells, title, self._console.width), soft_wrap=False, crop=False)

    @contextmanager
    def live(self) -> Iterator[Progress]:
        """Keep one line up to date while something runs; it is drawn on a terminal only, and then removed.

        That is where the output goes, or, where that is a file or a pipe, stderr.
        """
        with Progress(self) as progress:
            yield progress

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except BrokenPipeError:
            raise ReaderGone from None


class Progress:
    """One line that changes while something runs."""

    def __init__(self, output: Output) -> None:
        self._output = output
        console = output._console if output.is_terminal else Console(stderr=True)
        self._live = (
            Live(
                Text(""),
                console=console,
                transient=True,
                auto_refresh=False,
                redirect_stdout=output.is_terminal,
                redirect_stderr=output.is_terminal,
            )
            if console.is_terminal
            else None
        )
        self._shown = -DRAW_SECONDS

    def __enter__(self) -> Progress:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def print(self, text: str) -> None:
        """Print a line for people where the output goes, as `Output.line` does; above the progress line."""
        if self._live is not None and self._output.is_terminal:
            self._live.console.print(Text(printable(text)))
        else:
            self._output.line(text)

    def note(self, text: str) -> None:
        """Print a line that stays, on stderr or, where the progress line is drawn, above it."""
        if self._live is not None:
            self._live.console.print(Text(printable(text)))
        else:
            sys.stderr.write(printable(text) + "\n")

    def show(self, text: str) -> None:
        """Change the line; not more often than eyes can follow, since drawing takes its time."""
        if self._live is not None and monotonic() - self._shown >= DRAW_SECONDS:
            self._shown = monotonic()
            self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)


def to_seconds(moment: str) -> str:
    """Return a moment, as records and answers write it, without what is below a second.

    >>> to_seconds("2030-03-17T17:46:40.123Z")
    '2030-03-17T17:46:40Z'
    """
    return re.sub(r"\.\d+Z$", "Z", moment)


def to_json(value: object) -> Any:
    """Return the value as JSON types: dataclasses as objects, enums by name in lower case, bytes refused."""
    if isinstance(value, Enum):
        return value.value if isinstance(value.value, str) else value.name.lower()
    if is_dataclass(value) and not isinstance(value, type):
        return {name: to_json(item) for name, item in asdict(value).items()}
    if isinstance(value, Mapping):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"no JSON for {value!r}")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(to_json(value))
    return printable(str(value))
