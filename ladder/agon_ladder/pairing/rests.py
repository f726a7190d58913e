"""Bots that did not come to a match rest for a while. Else one that is broken, and so always has the fewest games,
would be seated first for ever and cost its company a slot each time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

FIRST_REST_MS: Final = 15_000
LONGEST_REST_MS: Final = 120_000
"""Each rest is twice the one before it, up to this."""


@dataclass(slots=True)
class Rests:
    """Who rests, and until when. Times are in milliseconds."""

    _missed: dict[str, int] = field(default_factory=dict)
    """By bot, the matches it missed since it last came."""
    _until: dict[str, int] = field(default_factory=dict)

    def missed(self, bot: str, now: int) -> None:
        """Note that a bot did not come: it rests, twice as long as the last time if it has not come since."""
        again = self._missed.get(bot, 0)
        self._missed[bot] = again + 1
        self._until[bot] = now + min(LONGEST_REST_MS, FIRST_REST_MS << min(again, 10))

    def came(self, bot: str) -> None:
        """Note that a bot has played."""
        self._missed.pop(bot, None)
        self._until.pop(bot, None)

    def rests(self, bot: str, now: int) -> bool:
        return now < self._until.get(bot, now)

    def resting(self, now: int) -> dict[str, int]:
        """Return who rests, and until when."""
        return {bot: until for bot, until in self._until.items() if now < until}

    def next_end(self, now: int) -> int | None:
        """Return when the next rest ends; None while nobody rests."""
        return min((until for until in self._until.values() if until > now), default=None)
