"""The time of a match's open decision: since when it runs, how long it may take, and what an answer has taken of it.

Whose decision that is, and what it means when the time is over, is the match's; what is charged is the table's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agon_engine.core.driver import Timing
from agon_server.referee.clock import Clock, Deadline, Microseconds

if TYPE_CHECKING:
    from agon_server.referee.seat import SeatPlay

_new = tuple.__new__  # half the time of calling a NamedTuple, on the path that every choice takes


class AnswerClock:
    """Runs while a decision waits for its seat, of one match: never for two at a time."""

    def __init__(self, clock: Clock, late: Callable[[], None]) -> None:
        """`late` is called once the time is over, and all that had arrived by then is read."""
        self._clock = clock
        self._deadline = Deadline(clock, late)
        self._limit: Microseconds = 0
        """How long the open decision may take: what is allowed, and the grace."""

    def start(self, play: SeatPlay, limit: Microseconds) -> None:
        """Let the seat's open decision have so much time from now on."""
        play.asked_at = now = self._clock.now()
        play.host_at = host = self._clock.host(now)
        self._limit = limit
        self._deadline.set(now + limit, host)

    def timing(self, play: SeatPlay, at: Microseconds, thought: Microseconds) -> Timing:
        """Return what an answer has taken that was read at that time. `thought`: what its bot says."""
        elapsed = at - play.asked_at
        latency = play.stream.latency if play.stream is not None else 0
        return _new(Timing, (elapsed, self._clock.host(at) - play.host_at, latency, min(thought, elapsed)))

    def is_late(self, timing: Timing) -> bool:
        return timing.elapsed - timing.host > self._limit

    def stop(self) -> None:
        """The decision is answered."""
        self._deadline.clear()

    def close(self) -> None:
        """The match is over: leave no timer behind."""
        self._deadline.close()
