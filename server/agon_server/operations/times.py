"""Moments as people and records write them."""

from __future__ import annotations

from datetime import UTC, datetime


def rfc3339(milliseconds: int) -> str:
    """Return a moment given in milliseconds since 1970 as UTC text; empty for 0.

    >>> rfc3339(1_900_000_000_123)
    '2030-03-17T17:46:40.123Z'
    """
    if not milliseconds:
        return ""

    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
