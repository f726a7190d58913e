"""When to try again: exponential back-off with jitter, and the delays that servers ask for. Pure; reads no clock.

The delays grow by half each time: a server that is away for a second or two, since it is started again, is found within
half as long again, and one that stays away is soon asked seldom.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

GROWTH = 1.5


@dataclass(slots=True)
class Backoff:
    """The delays between attempts, in seconds: half as long again each time, up to halved at random, never over
    `longest`."""

    first: float = 0.1
    longest: float = 15.0
    rng: random.Random = field(default_factory=random.Random)
    attempts: int = 0

    def next(self, asked: float = 0.0) -> float:
        """Return how long to wait now; at least what a server asked for (see `spread`).

        The jitter keeps a thousand bots from coming back to a restarted server in the same instant.
        """
        # The exponent is bounded so that a bot that waits for days does not overflow a float.
        delay = min(self.longest, self.first * GROWTH ** min(self.attempts, 64)) * self.rng.uniform(0.5, 1.0)
        self.attempts += 1
        return max(delay, self.spread(asked))

    def spread(self, asked: float) -> float:
        """Return a delay that a server asked for, with up to a quarter more at random."""
        return asked * self.rng.uniform(1.0, 1.25)

    def reset(self) -> None:
        """Begin anew, after an attempt that worked."""
        self.attempts = 0
