"""Log lines that a server causes: printable, and not so many that a server could fill a disk with them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic

from agon_bots.sdk.text import printable

log = logging.getLogger("agon_bots")

BURST = 100
"""Lines that may come at once."""
LINES_A_SECOND = 1.0
"""Lines that may come in the long run."""


class ServerLines:
    """Logs what servers say, as long as it does not become too much; how much was left out is said too."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._may = float(BURST)
        self._since = clock()
        self._left_out = 0

    def tell(self, level: int, text: str) -> None:
        """Log a line, or leave it out."""
        now = self._clock()
        self._may = min(BURST, self._may + (now - self._since) * LINES_A_SECOND)
        self._since = now
        if self._may < 1.0:
            self._left_out += 1
            return

        self._may -= 1.0
        if self._left_out:
            log.warning("left out %d lines about what servers said", self._left_out)
            self._left_out = 0
        log.log(level, "%s", printable(text))
