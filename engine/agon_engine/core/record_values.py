"""How the values of a record are checked, whoever wrote them: each check raises RecordError with the value's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from agon_engine.core.errors import RecordError

MAX_INT = 1 << 53
"""Beyond this many languages read a JSON number as another one."""
_MAX_TEXT = 200
_HEX = re.compile(r"[0-9a-f]+")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")

E = TypeVar("E", bound=StrEnum)


def to_object(what: str, data: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return a copy of a JSON object that must have just these keys."""
    found: dict[str, Any] = typed(what, data, dict)
    if missing := [key for key in keys if key not in found]:
        raise RecordError(f"{what} lacks {missing!r}")
    if unknown := [key for key in found if key not in keys]:
        raise RecordError(f"{what} has no {unknown[:5]!r}")

    return dict(found)


def to_row(what: str, data: Any, columns: tuple[str, ...]) -> list[Any]:
    """Return a JSON array that must have one value a column."""
    row: list[Any] = typed(what, data, list)
    if len(row) != len(columns):
        raise RecordError(f"{what} has {len(columns)} columns, not {len(row)!r}")

    return row


def typed(what: str, value: Any, kind: type) -> Any:
    """Return a JSON object or array that must be one."""
    if type(value) is not kind:
        raise RecordError(f"{what} is a JSON {'object' if kind is dict else 'array'}, not {type(value).__name__}")

    return value


def to_enum(what: str, kind: type[E], value: Any) -> E:
    """Return the member that a text names."""
    try:
        return kind(value)
    except ValueError:
        raise RecordError(f"{what} is one of {', '.join(kind)}, not {value!r}") from None


def check_text(what: str, value: Any, lowest: int) -> None:
    """Accept printable text only: records are shown on terminals and pages."""
    if type(value) is not str or not lowest <= len(value) <= _MAX_TEXT or not value.isprintable():
        raise RecordError(f"{what} is printable text of {lowest} to {_MAX_TEXT} characters, not {_short(value)}")


def check_int(what: str, value: Any, lowest: int) -> None:
    """Accept a whole number from `lowest` to the greatest that all languages read alike."""
    if type(value) is not int or not lowest <= value <= MAX_INT:
        raise RecordError(f"{what} is a whole number of {lowest} to {MAX_INT}, not {_short(value)}")


def check_texts(what: str, values: Sequence[Any], lowest: int) -> None:
    """Accept what `check_text` does, of all values together, which is much faster."""
    if set(map(type, values)) == {str} and "".join(values).isprintable():
        lengths = set(map(len, values))
        if lowest <= min(lengths) and max(lengths) <= _MAX_TEXT:
            return
    for value in values:
        check_text(what, value, lowest)


def check_ints(what: str, values: Sequence[Any], lowest: int) -> None:
    """Accept what `check_int` does, of all values together: much faster, since records are made while matches run."""
    if values and (set(map(type, values)) != {int} or min(values) < lowest or max(values) > MAX_INT):
        for value in values:
            check_int(what, value, lowest)


def check_hex(what: str, value: Any, digits: int) -> None:
    """Accept so many hex digits in lower case."""
    if type(value) is not str or len(value) != digits or not _HEX.fullmatch(value):
        raise RecordError(f"{what} is {digits} hex digits in lower case, not {_short(value)}")


def check_moment(what: str, value: Any) -> None:
    """Accept a time of day in UTC."""
    try:
        if type(value) is not str or not _MOMENT.fullmatch(value):
            raise ValueError
        datetime.fromisoformat(value)
    except ValueError:
        raise RecordError(f"{what} is a UTC time as 2030-01-31T12:00:00Z, not {_short(value)}") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
