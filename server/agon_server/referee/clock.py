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
COARSE: Microseconds = 1_000
"""How late a timer comes on a loop with nothing to do (selectors round up to milliseconds): no lag yet."""
AGAIN: Microseconds = 20_000
"""How soon a deadline that has come too early is looked at again: while the clock stalls all of them come too early."""
SETTLE: Microseconds = 10_000
"""How long a deadline that has come waits for what had already arrived to be read. gRPC hands over the messages of a
stream one by one, about 60 microseconds each."""
_NEVER: Microseconds = 1 << 60
_TURNS = 6
"""Loop turns that it waits after that, for the case that the loop was held up meanwhile."""


class Timer(Protocol):
    """A call that was asked for and can be called off."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Where the referee reads time, so that tests can bring their own."""

    def now(self) -> Microseconds:
        """Return monotonic time."""

    def host(self, at: Microseconds) -> Microseconds:
        """Return how long the loop was late or no choice could be stored, in all, as of a time of `now` that was read
        in this loop turn.

        The difference of two readings is the server's own part of the time between them, which no bot is charged;
        it is never more than that time.
        """

    def call_at(self, when: Microseconds, call: Callable[[], None]) -> Timer:
        """Call at a time of `now`, or as soon as possible after it."""

    def after_reads(self, call: Callable[[], None]) -> Timer:
        """Call, not at once, when everything that has already arrived has been read."""


class LoopClock:
    """The running event loop's clock. `start` begins to sample the loop's lag, `stop` ends it; while it stalls, since
    no choice can be stored, all time is the host's.

    A sample is asked for every `TICK`; what it comes late is lag, also while it is still outstanding, so a
    reading taken by a callback that was itself kept waiting already counts its wait. `on_lag` is told each sample's
    lag, in seconds.
    """

    def __init__(self, on_lag: Callable[[float], None] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._lag = 0
        self._due: Microseconds = 0
        self._stall: Microseconds = _NEVER
        """From when on it stalls."""
        self._timer: asyncio.TimerHandle | None = None
        self._on_lag = on_lag

    def start(self) -> None:
        self._ask_for_sample(self.now())

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def now(self) -> Microseconds:
        return time.monotonic_ns() // 1000

    def host(self, at: Microseconds) -> Microseconds:
        if self._timer is None:
            return self._lag

        # Both lag and stall last until now, so that the earlier one holds the other.
        late = at - (self._due if self._due < self._stall else self._stall)
        return self._lag + late if late > 0 else self._lag

    def stall_in(self, seconds: float) -> None:
        """Stall from so many seconds from now on, unless it does so earlier or `go_on` comes before."""
        self._stall = min(self._stall, self.now() + int(seconds * 1e6))

    def go_on(self) -> None:
        """End the stall, or let there be none."""
        stall, self._stall = self._stall, _NEVER
        self._lag += max(0, min(self.now(), self._due) - stall)

    def call_at(self, when: Microseconds, call: Callable[[], None]) -> asyncio.TimerHandle:
        return self._loop.call_later(max(0, when - self.now()) / 1e6, call)

    def after_reads(self, call: Callable[[], None]) -> Timer:
        return _AfterReads(self._loop, call)

    def _ask_for_sample(self, now: Microseconds) -> None:
        self._due = now + TICK + COARSE
        self._timer = self._loop.call_later(TICK / 1e6, self._tick)

    def _tick(self) -> None:
        now = self.now()
        late = max(0, now - self._due)
        self._lag += max(0, min(now, self._stall) - self._due)
        self._ask_for_sample(now)
        if self._on_lag is not None:
            self._on_lag(late / 1e6)


class _AfterReads:
    """A call after `SETTLE` and some more turns of the loop."""

    __slots__ = ("_call", "_handle", "_left", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self._loop = loop
        self._call = call
        self._left = _TURNS
        self._handle: asyncio.Handle = loop.call_later(SETTLE / 1e6, self._turn)

    def cancel(self) -> None:
        self._handle.cancel()

    def _turn(self) -> None:
        if self._left == 0:
            self._call()
        else:
            self._left -= 1
            self._handle = self._loop.call_soon(self._turn)


def _nothing() -> None:
    """What a closed deadline would call."""


class Deadline:
    """One deadline that moves often: setting it is an assignment, and its timer is only re-armed when it fires
    early. `fire` is called once the time has come, what the host took of it is given back, and everything that had
    arrived before is read."""

    __slots__ = ("_armed_at", "_clock", "_fire", "_host_at", "_timer", "_when")

    def __init__(self, clock: Clock, fire: Callable[[], None]) -> None:
        self._clock = clock
        self._fire = fire
        self._when: Microseconds | None = None
        self._timer: Timer | None = None
        self._armed_at: Microseconds = 0
        self._host_at: Microseconds = 0

    @property
    def when(self) -> Microseconds | None:
        return self._when

    @property
    def has_passed(self) -> bool:
        """True where it is set and its time has come, whether or not it has fired yet."""
        now = self._clock.now()
        return self._when is not None and now >= self._when + self._given_back(now)

    def set(self, when: Microseconds, host: Microseconds | None = None) -> None:
        """Let it fire at a time of the clock, instead of any earlier setting. `host`: what the clock reads now, for
        callers that have just read it."""
        clock = self._clock
        self._when = when
        self._host_at = clock.host(clock.now()) if host is None else host
        if self._timer is None:
            self._arm(when)
        elif when < self._armed_at:
            self._timer.cancel()
            self._arm(when)

    def clear(self) -> None:
        """Let it not fire; the timer may wake once more and find nothing to do."""
        self._when = None

    def close(self) -> None:
        """Clear it for good, and drop timer and call: nothing here leads back to the owner then."""
        self._when = None
        self._fire = _nothing
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, when: Microseconds) -> None:
        self._armed_at = when
        self._timer = self._clock.call_at(when, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if self._is_due():
            self._timer = self._clock.after_reads(self._settled)

    def _settled(self) -> None:
        self._timer = None
        if self._is_due():
            self._when = None
            self._fire()

    def _is_due(self) -> bool:
        """Tell whether it has to fire; where it only will have to, arm the timer for then."""
        if self._when is None:
            return False
        if self.has_passed:
            return True

        now = self._clock.now()
        again = self._when + self._given_back(now)
        self._arm(max(again, now + AGAIN) if now >= self._when else again)
        return False

    def _given_back(self, now: Microseconds) -> Microseconds:
        return self._clock.host(now) - self._host_at
