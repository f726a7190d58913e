"""Work that has to wait, mostly for the store: said once for each reason, and once when it goes on, however often it is
tried between."""

from __future__ import annotations

import logging

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
