"""Whether a Play stream is alive and of use: its Pings, what they measure, and for how long it may be silent or unused.

What then becomes of the stream is its own.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from agon.codec import down
from agon_server.referee.clock import AGAIN, Clock, Microseconds, Timer


def _nothing(_: object) -> None:
    """What a stopped pulse would call."""


class Flat(Enum):
    """Why a pulse has ended."""

    SILENT = "silent"
    """No Pong has come for two intervals."""
    UNUSED = "unused"
    """Nothing can come on the stream."""


class Pulse:
    """The Pings of one stream, from `start` to `stop`."""

    def __init__(
        self,
        clock: Clock,
        *,
        interval: Microseconds,
        unused: Microseconds,
        is_used: Callable[[], bool],
        send: Callable[[bytes], None],
        ended: Callable[[Flat], None],
    ) -> None:
        """`unused`: how long `is_used` may be false; `ended` is called once, when the stream is no good any more."""
        self._clock = clock
        self._interval = interval
        self._unused = unused
        self._is_used = is_used
        self._send = send
        self._ended = ended
        self._pings: dict[int, Microseconds] = {}
        """When each Ping was sent that has no Pong yet, by its id."""
        self._ping_id = 0
        self._ping_at: Microseconds = 0
        self._timer: Timer | None = None
        self._alive_at: Microseconds = 0
        self._alive_host: Microseconds = 0
        self._used_at: Microseconds = 0
        self._used_host: Microseconds = 0

    @property
    def waiting(self) -> int:
        """How many Pings have no Pong yet."""
        return len(self._pings)

    def start(self) -> None:
        """Send the first Ping."""
        now = self._clock.now()
        self._note_alive(now)
        self._note_used(now)
        self._beat()

    def stop(self) -> None:
        """Send no more, and drop timer and calls: nothing here leads back to the stream then."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._is_used, self._send, self._ended = bool, _nothing, _nothing

    def got_pong(self, number: int, read_at: Microseconds) -> Microseconds | None:
        """Return the round trip that a Pong shows; None where no such Ping waits for one."""
        sent = self._pings.get(number)
        if sent is None:
            return None

        # Those before it will not be answered any more: nothing is kept for a bot that skips some.
        self._pings = {other: when for other, when in self._pings.items() if other > number}
        self._note_alive(read_at)
        return read_at - sent

    def _note_alive(self, at: Microseconds) -> None:
        self._alive_at = at
        self._alive_host = self._clock.host(at)

    def _note_used(self, at: Microseconds) -> None:
        self._used_at = at
        self._used_host = self._clock.host(at)

    def _is_due(self) -> None:
        self._timer = self._clock.after_reads(self._beat)

    def _beat(self) -> None:
        """Send a Ping where one is due; end where two intervals have passed without a Pong, or the stream is unused."""
        now = self._clock.now()
        host = self._clock.host(now)
        # While the host itself stood still no Pong could be read.
        silent_at = self._alive_at + 2 * self._interval + host - self._alive_host
        if now >= silent_at:
            self._ended(Flat.SILENT)
            return
        if self._is_used():
            self._note_used(now)
        elif now >= self._used_at + self._unused + host - self._used_host:
            self._ended(Flat.UNUSED)
            return

        if now >= self._ping_at:
            self._ping_id += 1
            self._pings[self._ping_id] = now
            self._ping_at = now + self._interval
            self._send(down.ping(self._ping_id))
        # Not a Deadline: pings go on while no choice can be stored, or bots would think that the line is dead.
        # Meanwhile the end of a silent stream is always about to come, and is not looked for all the time.
        self._timer = self._clock.call_at(max(min(self._ping_at, silent_at), now + AGAIN), self._is_due)
