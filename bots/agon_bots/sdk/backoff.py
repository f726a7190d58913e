"""When to try again: exponential back-off with jitter, and the delays that servers ask for. Pure; reads no clock."""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass(slots=True)
class Backoff:
    """The delays between attempts, in seconds: doubled each time, halved at random, never over `longest`."""

    first: float = 0.1
    longest: float = 15.0
    rng: random.Random = field(default_factory=random.Random)
    attempts: int = 0

    def next(self, asked: float = 0.0) -> float:
        """Return how long to wait now; at least what a server asked for (see `spread`).

        The jitter keeps a thousand bots from coming back to a restarted server in the same instant.
        """
        # The exponent is bounded so that a bot that waits for days does not overflow a float.
        delay = min(self.longest, self.first * 2.0 ** min(self.attempts, 32)) * self.rng.uniform(0.5, 1.0)
        self.attempts += 1
        return max(delay, self.spread(asked))

    def spread(self, asked: float) -> float:
        """Return a delay that a server asked for, with up to a quarter more at random."""
        return asked * self.rng.uniform(1.0, 1.25)

    def reset(self) -> None:
        """Begin anew, after an attempt that worked."""
        self.attempts = 0
