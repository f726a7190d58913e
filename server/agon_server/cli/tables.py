"""Tables on a terminal: fitted to its width without ever breaking a word, so that an id can be copied at any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

MARKS: Final = "#?~!"
"""What can stand at the end of a column's name, and is not shown."""
_GAP: Final = 2
_BROKEN: Final = 8
"""Words that may be broken get no less than this."""


@dataclass(slots=True)
class _Column:
    """One column, with the texts in it."""

    name: str
    cells: list[str]
    is_number: bool
    is_optional: bool
    is_breakable: bool
    is_whole: bool
    """Its texts are not wrapped while there is something to leave out."""

    @classmethod
    def of(cls, name: str, cells: list[str]) -> _Column:
        marks = name[len(name.rstrip(MARKS)) :]
        return cls(name.rstrip(MARKS), cells, "#" in marks, "?" in marks, "~" in marks, "!" in marks)

    @property
    def widest(self) -> int:
        return max(cell_len(text) for text in (self.name, *self.cells))

    @property
    def narrowest(self) -> int:
        """The width of its longest word: a number is one, and so is an id. Of its longest text where that is whole."""
        if self.is_whole:
            return self.widest

        words = [word for text in (self.name, *([] if self.is_number else self.cells)) for word in text.split()]
        longest = max(cell_len(text) for text in (*words, *(self.cells if self.is_number else []), ""))
        return min(longest, _BROKEN) if self.is_breakable else longest


def fitted(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str, width: int) -> RenderableType:
    """Return rows as a table for a terminal of that width.

    Where they do not fit, texts are wrapped between words; where that is not enough, columns marked `?` are left out,
    as few as suffice, of equals the last, and said so; where not even that is enough, each row is a list of its values.
    Texts of a column marked `!` are wrapped only when no column is left to leave out. Print it uncropped.
    """
    made = [_Column.of(name, [row[at] for row in rows]) for at, name in enumerate(columns)]
    left_out: list[str] = []
    while (over := _total([column.narrowest for column in made]) - width) > 0:
        optional = [column for column in reversed(made) if column.is_optional]
        whole = [column for column in made if column.is_whole]
        if not optional and not whole:
            return _listed(made, title)

        if not optional:
            for column in whole:
                column.is_whole = False
            continue

        enough = [column for column in optional if column.narrowest + _GAP >= over]
        drop = min(enough, key=_narrowest) if enough else max(optional, key=_narrowest)
        made.remove(drop)
        left_out.append(drop.name)
    table = _table(made, _widths(made, width), title)
    if not left_out:
        return table

    hint = f"left out, since the terminal is narrow: {', '.join(left_out)}; --json has all"
    return Group(table, Padding(Text(hint, style="dim"), (1, 0, 0, 0)))


def _narrowest(column: _Column) -> int:
    return column.narrowest


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """Return what each column gets: all it wants, or less of the widest ones."""
    widths = [column.widest for column in columns]
    least = [column.narrowest for column in columns]
    while _total(widths) > width:
        at = max((at for at in range(len(widths)) if widths[at] > least[at]), key=widths.__getitem__)
        widths[at] -= 1
    return widths


def _table(columns: Sequence[_Column], widths: Sequence[int], title: str) -> Table:
    table = Table(title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column, wide in zip(columns, widths, strict=True):
        table.add_column(
            column.name,
            justify="right" if column.is_number else "left",
            header_style="dim",
            width=wide,
            overflow="fold",
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    return table


def _listed(columns: Sequence[_Column], title: str) -> RenderableType:
    """Return each row as lines of a name and a value, which run over the width if they have to."""
    indent = max(cell_len(column.name) for column in columns) + _GAP
    parts: list[RenderableType] = [Text(title, style="bold", no_wrap=True, overflow="ignore")] if title else []
    for row in zip(*(column.cells for column in columns), strict=True):
        lines = [
            Text.assemble((column.name.ljust(indent), "dim"), text, no_wrap=True, overflow="ignore")
            for column, text in zip(columns, row, strict=True)
            if text
        ]
        parts += [*lines, Text("")]
    return Group(*parts)
