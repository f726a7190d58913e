"""Deadlines while the clock stalls, since no choice can be stored."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.referee import Call, ManualClock

from agon_server.referee.clock import AGAIN, Deadline
from agon_server.referee.pulse import Flat, Pulse

MS = 1_000


class StalledClock(ManualClock):
    """Stalls for a while, and counts the calls that it was asked for."""

    asked = 0
    stall = range(0)

    def host(self, at: int) -> int:
        return min(max(at, self.stall.start), self.stall.stop) - self.stall.start

    def call_at(self, when: int, call: Callable[[], None]) -> Call:
        self.asked += 1
        return super().call_at(when, call)


def test_a_deadline_that_comes_while_the_clock_stalls_waits_without_work() -> None:
    """X9: no busy loop, though each look finds that it is about to come."""
    clock = StalledClock()
    fired: list[int] = []
    deadline = Deadline(clock, lambda: fired.append(clock.now()))
    when = clock.now() + 100 * MS
    clock.stall = range(when - 1, when - 1 + 60_000 * MS)
    deadline.set(when)
    clock.advance(60)

    assert not fired
    assert clock.asked <= 60_000 * MS / AGAIN + 1

    clock.advance(1)

    assert len(fired) == 1
    assert 0 <= fired[0] - (when + 60_000 * MS) <= AGAIN


def test_a_silent_stream_is_not_looked_for_all_the_time_while_the_clock_stalls() -> None:
    """X9: its end is always about to come, since the time without a Pong is the host's."""
    clock = StalledClock()
    ends: list[Flat] = []
    pulse = Pulse(
        clock,
        interval=10_000 * MS,
        unused=10_000 * MS,
        is_used=lambda: True,
        send=lambda _: None,
        ended=ends.append,
    )
    pulse.start()
    silent = clock.now() + 20_000 * MS
    clock.stall = range(silent - 1, silent - 1 + 60_000 * MS)
    clock.advance(79)

    assert not ends
    # Two calls a look: one for the time, one for what has arrived by then.
    assert clock.asked <= 2 * (60_000 * MS / AGAIN + 10)

    clock.advance(2)

    assert ends == [Flat.SILENT]
