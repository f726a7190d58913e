"""Moments as people and records write them."""

from __future__ import annotations

from agon_server.moments import moment


def rfc3339(milliseconds: int) -> str:
    """Return a moment given in milliseconds since 1970 as UTC text; empty for 0.

    >>> rfc3339(1_900_000_000_123)
    '2030-03-17T17:46:40.123Z'
    """
    if not milliseconds:
        return ""

    return moment(milliseconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")
