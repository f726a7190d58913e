"""Moments of the store as dates. Ids of its streams can lie behind all dates, where a clock or a foreign entry was
wrong, and so do all that follow on such a one: they get the last date that there is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_LAST_MS: Final = 253_402_300_799_999


def moment(milliseconds: int) -> datetime:
    """Return a moment given in milliseconds since 1970.

    >>> moment(1_900_000_000_123).isoformat()
    '2030-03-17T17:46:40.123000+00:00'
    >>> moment(10**18).year
    9999
    """
    return datetime.fromtimestamp(min(milliseconds, _LAST_MS) / 1000, UTC)
