"""Work that has to wait, mostly for the store: said once for each reason, and once when it goes on, however often it is
tried between. And work that fails by a bug of ours: said at once, but not again and again."""

from __future__ import annotations

import asyncio
import logging

from agon_server.trace import places

FAILURES = 5
FAILURES_SECONDS = 60.0
"""So many failures of one kind of work are told within so many seconds; more are counted."""
_REASONS = 5
"""How many are said; an error that reads differently each time fills no log."""


class Waiting:
    """One kind of work, as the log tells of it."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        """`what` begins the sentence: "the archive"."""
        self._log = log
        self._what = what
        self._reasons: set[object] = set()

    def because(self, error: Exception) -> None:
        """Note that it could not be done now. Errors with the same `why` are one reason, however they read."""
        reason = getattr(error, "why", None) or str(error)
        if reason not in self._reasons and len(self._reasons) < _REASONS:
            self._log.warning("%s has to wait: %s", self._what, error)
            self._reasons.add(reason)

    def over(self) -> None:
        """Note that it was done."""
        if self._reasons:
            self._log.info("%s goes on", self._what)
            self._reasons.clear()


class Failing:
    """One kind of work that begins anew after each failure, as the log tells of it."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        """`what` begins the sentence: "the archive"."""
        self._log = log
        self._what = what
        self._told: list[float] = []
        self._untold = 0

    def because(self, error: Exception) -> None:
        """Tell of a failure, with the places that it came through, unless many were told of late."""
        now = asyncio.get_running_loop().time()
        self._told = [when for when in self._told if now - when < FAILURES_SECONDS]
        if len(self._told) >= FAILURES:
            self._untold += 1
            return

        often = f" (after {self._untold} failures that were not told)" if self._untold else ""
        self._told.append(now)
        self._untold = 0
        self._log.error("%s failed and begins anew%s:\n%s", self._what, often, places(error))
