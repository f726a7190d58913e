"""Who of a match's seats is here: the limits for coming, getting ready and coming back, and who was lost together.

What it means that a seat is gone is the match's; streams are known here only as come and gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from agon_engine.core.timing import TimeControl
from agon_server.referee.clock import Clock, Deadline, Microseconds


class Attendance:
    """The seats of one match, first gathering, then playing."""

    def __init__(
        self, clock: Clock, time: TimeControl, seats: int, *, together: Microseconds, gone: Callable[[int], None]
    ) -> None:
        """Start the connect limits. `gone` is called with a seat whose limit has passed; seats that were lost within
        `together` of each other were lost together."""
        self._clock = clock
        self._time = time
        self._together = together
        self._gathering = True
        now = clock.now()
        self._gathered_by = now + time.connect + time.ready
        """When all must be ready, the host's time apart: who comes and goes meanwhile does not get the limits again and
        again."""
        self._host_at = clock.host(now)
        self._ready = [False] * seats
        self._left_at: list[Microseconds | None] = [None] * seats
        """When the seat's stream was lost; None while it has one, and before it had any."""
        self._limits = [Deadline(clock, partial(gone, seat)) for seat in range(seats)]
        for limit in self._limits:
            limit.set(now + time.connect)

    def resume(self, seats: Collection[int]) -> None:
        """Go on with a match that was taken over in play: these seats are to come back, and were lost together."""
        self._gathering = False
        now = self._clock.now()
        for seat, limit in enumerate(self._limits):
            if seat in seats:
                self._left_at[seat] = now
                limit.set(now + self._time.connect)
            else:
                limit.clear()

    def came(self, seat: int, *, anew: bool) -> None:
        """A stream has joined the seat; `anew`: not the one that it had before."""
        self._left_at[seat] = None
        self._limits[seat].clear()
        if self._gathering:
            if anew:
                self._ready[seat] = False
            if not self._ready[seat]:
                self._await(seat, self._time.ready)

    def got_ready(self, seat: int) -> bool:
        """A seat that is here is set up. Return True, once, when with it all are: play begins."""
        if not self._gathering or self._ready[seat]:
            return False

        self._ready[seat] = True
        self._limits[seat].clear()
        self._gathering = not all(self._ready)
        return not self._gathering

    def went(self, seat: int) -> None:
        """The seat's stream was lost."""
        self._left_at[seat] = self._clock.now()
        if self._gathering:
            self._ready[seat] = False  # whatever comes back may have lost its memory
        self._await(seat, self._time.connect)

    def overdue(self) -> set[int]:
        """Return the seats whose limit has passed."""
        return {seat for seat, limit in enumerate(self._limits) if limit.has_passed}

    def lost_together(self, seats: Collection[int]) -> bool:
        """Tell whether these seats, more than one, have all lost their streams, and within one ping interval: that
        is no bot's fault."""
        left = [self._left_at[seat] for seat in seats]
        times = [when for when in left if when is not None]
        return 1 < len(times) == len(left) and max(times) - min(times) <= self._together

    def close(self) -> None:
        """Wait for nobody any more, and leave no timer behind."""
        for limit in self._limits:
            limit.close()

    def _await(self, seat: int, limit: Microseconds) -> None:
        now = self._clock.now()
        when = now + limit
        if self._gathering:
            when = min(when, self._gathered_by + self._clock.host(now) - self._host_at)
        self._limits[seat].set(when)
