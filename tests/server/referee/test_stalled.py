"""Deadlines while the clock stalls, since no choice can be stored."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.referee import Call, ManualClock

from agon_server.referee.clock import AGAIN, Deadline

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
