"""Time as the referee counts it: monotonic microseconds, the loop's own lag beside them, and deadlines.

What is charged, and how, is `agon_engine.core.timing`; here the readings come from. Nothing in the referee reads
a wall clock for anything but the text of a record.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

Microseconds = int

TICK: Microseconds = 10_000
"""How often the loop's lag is sampled."""
_SWEEP = 6
"""Loop turns that a deadline waits, so that what had already arrived is read before it fires."""


class Timer(Protocol):
    """A call that was asked for and can be called off."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Where the referee reads time, so that tests can bring their own."""

    def now(self) -> Microseconds:
        """Return monotonic time."""

    def host(self) -> Microseconds:
        """Return how long the loop has been late so far, in all. The difference of two readings is the server's
        own part of the time between them, which no bot is charged."""

    def call_at(self, when: Microseconds, call: Callable[[], None]) -> Timer:
        """Call at a time of `now`, or as soon as possible after it."""

    def after_reads(self, call: Callable[[], None]) -> None:
        """Call once everything that has already arrived has been read."""


class LoopClock:
    """The running event loop's clock. `start` begins to sample the loop's lag, `stop` ends it.

    A sample is asked for every `TICK`; what it comes late is lag, also while it is still outstanding, so a
    reading taken by a callback that was itself kept waiting already counts its wait.
    """

    def __init__(self, on_lag: Callable[[float], None] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._lag = 0
        self._due: Microseconds = 0
        self._timer: asyncio.TimerHandle | None = None
        self._on_lag = on_lag

    def start(self) -> None:
        self._due = self.now() + TICK
        self._timer = self._loop.call_later(TICK / 1e6, self._tick)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def now(self) -> Microseconds:
        return time.monotonic_ns() // 1000

    def host(self) -> Microseconds:
        if self._timer is None:
            return self._lag

        return self._lag + max(0, self.now() - self._due)

    def call_at(self, when: Microseconds, call: Callable[[], None]) -> asyncio.TimerHandle:
        return self._loop.call_later(max(0, when - self.now()) / 1e6, call)

    def after_reads(self, call: Callable[[], None]) -> None:
        self._hop(_SWEEP, call)

    def _hop(self, left: int, call: Callable[[], None]) -> None:
        if left == 0:
            call()
        else:
            self._loop.call_soon(self._hop, left - 1, call)

    def _tick(self) -> None:
        now = self.now()
        late = max(0, now - self._due)
        self._lag += late
        if self._on_lag is not None:
            self._on_lag(late / 1e6)
        self._due = now + TICK
        self._timer = self._loop.call_later(TICK / 1e6, self._tick)


class Deadline:
    """One deadline that moves often: setting it is an assignment, and its timer is only re-armed when it fires
    early. `fire` is called once the time has come and everything that had arrived before is read."""

    __slots__ = ("_armed_at", "_clock", "_fire", "_sweeping", "_timer", "_when")

    def __init__(self, clock: Clock, fire: Callable[[], None]) -> None:
        self._clock = clock
        self._fire = fire
        self._when: Microseconds | None = None
        self._timer: Timer | None = None
        self._armed_at: Microseconds = 0
        self._sweeping = False

    @property
    def when(self) -> Microseconds | None:
        return self._when

    def set(self, when: Microseconds) -> None:
        """Let it fire at a time of the clock, instead of any earlier setting."""
        self._when = when
        if self._timer is None:
            self._arm(when)
        elif when < self._armed_at:
            self._timer.cancel()
            self._arm(when)

    def clear(self) -> None:
        """Let it not fire; the timer may wake once more and find nothing to do."""
        self._when = None

    def close(self) -> None:
        """Clear it and drop the timer, and with it every reference back to the owner."""
        self._when = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, when: Microseconds) -> None:
        self._armed_at = when
        self._timer = self._clock.call_at(when, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if self._when is None or self._sweeping:
            return
        if self._clock.now() < self._when:
            self._arm(self._when)
            return

        self._sweeping = True
        self._clock.after_reads(self._swept)

    def _swept(self) -> None:
        self._sweeping = False
        when = self._when
        if when is None:
            return
        if self._clock.now() < when:
            if self._timer is None:
                self._arm(when)
            return

        self._when = None
        self._fire()
