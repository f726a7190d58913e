"""Tickets: what a Join must show. A keyed hash of match and seat, so that any process with the store's key can
check one without a look-up; good for one seat of one match, and worthless without the bot's token."""

from __future__ import annotations

import hmac
from hashlib import blake2b

_BYTES = 16


class Tickets:
    """Makes and checks tickets under one secret key (at least 16 bytes, at most 64)."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def issue(self, match: str, seat: int) -> str:
        """Return the ticket for a seat of a match, in hex."""
        return blake2b(
            f"{match}\x00{seat}".encode(), digest_size=_BYTES, key=self._key, person=b"agon ticket"
        ).hexdigest()

    def fits(self, ticket: str, match: str, seat: int) -> bool:
        """Tell whether the ticket is the one for that seat, in constant time."""
        return hmac.compare_digest(ticket.encode(), self.issue(match, seat).encode())
