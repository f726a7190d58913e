"""The ids of matches and blocks: short, in the order of their making, safe in a key, a file name and a URL.

Twenty characters of Crockford's base 32 in lower case: ten of the time in milliseconds, ten random (50 bits). Nobody
gains anything by guessing one: a seat is entered with a ticket and a token.
"""

from __future__ import annotations

import re
import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_HALF = 10
_PATTERN = re.compile(rf"[{_ALPHABET}]{{{2 * _HALF}}}")
_ONE_OR_TWO = re.compile(rf"(?:{_PATTERN.pattern}){{1,2}}")


def new_id() -> str:
    """Make an id. Ids of one millisecond are in no order among themselves.

    >>> len(new_id())
    20
    """
    return _digits(time.time_ns() // 1_000_000) + _digits(secrets.randbits(5 * _HALF))


def is_id(text: object) -> bool:
    """Tell whether the value has the form of an id."""
    return isinstance(text, str) and _PATTERN.fullmatch(text) is not None


def are_ids(match: str, block: str) -> bool:
    """Tell whether both have the form of an id, or the first one and the second is empty: faster than one by one."""
    return len(match) == 2 * _HALF and _ONE_OR_TWO.fullmatch(match + block) is not None


def _digits(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(5 * (_HALF - 1), -1, -5))
