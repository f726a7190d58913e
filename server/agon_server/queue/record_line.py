"""A record's line read in parts: its head and its end are parsed, the moves between them, which are most of it, are
not. For ratings, lists and indexes; whether a whole record is sound is `MatchRecord.from_line`'s question.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

# Inside a JSON string a quote has a backslash before it, so these can only be found between two values. An option of a
# game may be called like one of them, but its value is no object and no list.
_MOVES = ',"moves":'
_SEATS = '{"seats":['
_RESULT = ',"result":{"termination":'
# Who answered, of a move's row as format 1 had them. A quote after a comma or a letter is never an escaped one, and
# what stands after a text's end is no letter: so this is a whole text that follows a whole text, as in such a row only.
_ANSWERED = ('","seat",', '","substitute",')


class Parts(NamedTuple):
    """What a line says before and after its moves, by its own keys, unchecked."""

    head: dict[str, Any]
    moves: int
    """How many moves there are."""
    end: dict[str, Any]


def read_parts(line: str) -> Parts:
    """Return the parts of a line. Raise ValueError (or RecursionError) where it is no record's line."""
    moves, result = _find_moves(line), line.rindex(_RESULT)
    number = _count_moves(line, moves + len(_MOVES), result)
    return Parts(_object(line[:moves] + "}"), number, _object("{" + line[result + 1 :]))


def _find_moves(line: str) -> int:
    moves = line.find(_MOVES + "{")
    return moves if moves >= 0 else line.index(_MOVES + "[")  # as format 1 had them


def _count_moves(line: str, start: int, end: int) -> int:
    if not line.startswith(_SEATS, start):
        return sum(line.count(by, start, end) for by in _ANSWERED)

    seats = line[start + len(_SEATS) : line.index("]", start)]
    return seats.count(",") + 1 if seats else 0


def _object(text: str) -> dict[str, Any]:
    data = json.loads(text)
    if type(data) is not dict:
        raise ValueError(f"not a JSON object: {text[:200]!r}")

    return data
