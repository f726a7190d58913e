"""Where the referee reads time: the loop's lag as the host's part, and deadlines that move and leave nothing behind."""

from __future__ import annotations

import ast
import asyncio
import gc
import weakref
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.support.referee import ManualClock

from agon_server import referee
from agon_server.referee import clock as clock_module
from agon_server.referee.clock import _NEVER, COARSE, TICK, Clock, Deadline, LoopClock

MS = 1_000


class FakeLoop:
    """An event loop that runs its timers when the test says so, with a monotonic clock of its own."""

    def __init__(self) -> None:
        self.now = 5_000_000
        self.timers: list[tuple[int, Callable[[], None]]] = []

    def call_later(self, delay: float, call: Callable[[], None]) -> FakeLoop:
        self.timers.append((self.now + round(delay * 1e6), call))
        return self

    def cancel(self) -> None:
        self.timers.clear()

    def run(self) -> None:
        """Run what is due, as a loop does that has been held up until now."""
        due = [call for when, call in self.timers if when <= self.now]
        self.timers = [(when, call) for when, call in self.timers if when > self.now]
        for call in due:
            call()


class SteppedClock(LoopClock):
    """A LoopClock on a FakeLoop."""

    def __init__(self, loop: FakeLoop, on_lag: Callable[[float], None] | None = None) -> None:
        self.loop = loop
        self._loop: Any = loop
        self._lag = 0
        self._due = 0
        self._stall = _NEVER
        self._timer = None
        self._on_lag = on_lag

    def now(self) -> int:
        return self.loop.now


# -- the host's part -----------------------------------------------------------------------------------------


def test_a_loop_that_is_on_time_takes_nothing() -> None:
    """T8."""
    loop = FakeLoop()
    clock = SteppedClock(loop)
    clock.start()
    for _ in range(200):
        loop.now += TICK + COARSE
        loop.run()

        assert clock.host(clock.now()) == 0


def test_what_a_timer_comes_late_by_is_the_hosts() -> None:
    """T8."""
    loop = FakeLoop()
    told: list[float] = []
    clock = SteppedClock(loop, told.append)
    clock.start()
    loop.now += TICK + COARSE + 70 * MS
    waiting = clock.host(clock.now())
    loop.run()

    assert waiting == 70 * MS
    assert clock.host(clock.now()) == 70 * MS
    assert told == [0.07]


def test_the_hosts_part_is_read_as_of_the_time_that_is_named() -> None:
    """What the host takes to work through a message after it was read is no time of the bot's to win."""
    loop = FakeLoop()
    clock = SteppedClock(loop)
    clock.start()
    loop.now += TICK + COARSE + 5 * MS
    read_at = clock.now()
    loop.now += 80 * MS

    assert clock.host(read_at) == 5 * MS
    assert clock.host(clock.now()) == 85 * MS


def test_all_time_is_the_hosts_while_no_choice_can_be_stored() -> None:
    """X9: the clock stands still."""
    loop = FakeLoop()
    clock = SteppedClock(loop)
    clock.start()
    clock.stall_in(0.05)
    for _ in range(20):
        loop.now += 10 * MS
        loop.run()
    clock.stall_in(0.05)  # it stalls already
    held = clock.host(clock.now())
    loop.now += 10 * MS
    clock.go_on()
    loop.run()
    after = clock.host(clock.now())
    for _ in range(20):
        loop.now += 10 * MS
        loop.run()

    assert held == 150 * MS
    assert 160 * MS == after == clock.host(clock.now())


def test_a_question_that_is_answered_soon_stalls_nothing() -> None:
    loop = FakeLoop()
    clock = SteppedClock(loop)
    clock.start()
    for _ in range(20):
        clock.stall_in(0.05)
        loop.now += 10 * MS
        loop.run()
        clock.go_on()

    assert clock.host(clock.now()) == 0


STEP = st.tuples(st.integers(0, 60 * MS), st.sampled_from(["waits", "turns", "may stall", "stalls", "goes on"]))


@given(st.lists(STEP, max_size=60))
def test_the_hosts_part_of_a_time_is_never_more_than_the_time(steps: list[tuple[int, str]]) -> None:
    """So a charge is never below nothing, and never lowered by more than the host took; and all of a stall is the
    host's."""
    loop = FakeLoop()
    clock = SteppedClock(loop)
    clock.start()
    readings = [(clock.now(), clock.host(clock.now()), False)]
    stalls = False
    for step, what in steps:
        loop.now += step
        readings.append((clock.now(), clock.host(clock.now()), stalls))
        if what == "turns":
            loop.run()
        elif what == "may stall":
            clock.stall_in(0.03)
        elif what == "stalls":
            clock.stall_in(0.0)
            stalls = True
        elif what == "goes on":
            clock.go_on()
            stalls = False
        readings.append((clock.now(), clock.host(clock.now()), stalls))

    for (then, before, _), (now, after, stalled) in pairwise(readings):
        assert 0 <= after - before <= now - then
        if stalled and now > then:
            assert after - before == now - then


async def test_a_loop_that_is_held_up_counts_it_before_and_after_its_next_turn() -> None:
    """T8, on a real loop and real time."""
    told: list[float] = []
    sampled = asyncio.Event()

    def on_lag(lag: float) -> None:
        told.append(lag)
        sampled.set()

    clock = LoopClock(on_lag)
    clock.start()
    began, host = clock.now(), clock.host(clock.now())
    while clock.now() < began + 60 * MS:
        pass
    held = clock.host(clock.now()) - host
    took = clock.now() - began
    await sampled.wait()
    later = clock.host(clock.now()) - host
    clock.stop()

    assert 60 * MS - TICK - 2 * COARSE <= held <= took
    assert held <= later <= clock.now() - began
    assert max(told) * 1e6 >= 60 * MS - TICK - 2 * COARSE


async def test_a_clock_that_is_stopped_leaves_no_timer_and_keeps_what_it_counted() -> None:
    clock = LoopClock()
    clock.start()
    began = clock.now()
    while clock.now() < began + 30 * MS:
        pass
    await asyncio.sleep(0)
    clock.stop()
    counted = clock.host(clock.now())
    while clock.now() < began + 60 * MS:
        pass

    assert clock.host(clock.now()) == counted
    assert clock._timer is None


WALL_CLOCKS = {"time", "time_ns", "localtime", "gmtime", "ctime", "now", "utcnow", "today", "fromtimestamp"}


@pytest.mark.parametrize("path", sorted(Path(referee.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_the_referee_reads_no_wall_clock_but_for_the_text_of_a_record(path: Path) -> None:
    """A jump of it can change nothing."""
    readings = [
        f"{call.func.value.id}.{call.func.attr}"
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in {"time", "datetime", "date"}
        and call.func.attr in WALL_CLOCKS
    ]

    assert readings == (["datetime.now"] if path.stem == "referee" else [])


# -- deadlines -----------------------------------------------------------------------------------------------


class Fired:
    """Counts, and holds the clock's time of, the calls of a deadline."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.times: list[int] = []

    def __call__(self) -> None:
        self.times.append(self.clock.now())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def fired(clock: ManualClock) -> Fired:
    return Fired(clock)


def test_a_deadline_fires_once_at_its_time(clock: ManualClock, fired: Fired) -> None:
    deadline = Deadline(clock, fired)
    when = clock.now() + 500 * MS
    deadline.set(when)
    clock.advance(0.499)

    assert not fired.times

    clock.advance(5)

    assert fired.times == [when]
    assert deadline.when is None


@pytest.mark.parametrize("moves", [(900, 200), (200, 900), (200, 900, 500), (900, 500, 200, 700)])
def test_the_last_setting_is_the_one_that_counts(clock: ManualClock, fired: Fired, moves: tuple[int, ...]) -> None:
    deadline = Deadline(clock, fired)
    began = clock.now()
    for move in moves:
        deadline.set(began + move * MS)
    clock.advance(5)

    assert fired.times == [began + moves[-1] * MS]


def test_a_deadline_that_moves_at_every_decision_has_one_timer(clock: ManualClock, fired: Fired) -> None:
    deadline = Deadline(clock, fired)
    for _ in range(1_000):
        deadline.set(clock.now() + 2_000 * MS)
        clock.advance(0.01)

        assert clock.pending == 1

    assert not fired.times


def test_a_deadline_that_is_cleared_does_not_fire_and_can_be_set_again(clock: ManualClock, fired: Fired) -> None:
    deadline = Deadline(clock, fired)
    deadline.set(clock.now() + 100 * MS)
    deadline.clear()
    clock.advance(1)

    assert not fired.times

    deadline.set(clock.now() + 100 * MS)
    clock.advance(1)

    assert len(fired.times) == 1


@pytest.mark.parametrize("seconds", [0, 0.05, 0.1])
def test_a_deadline_that_is_closed_leaves_no_timer_and_no_reference(fired: Fired, seconds: float) -> None:
    """Also while it waits for reads."""
    clock = ManualClock()
    deadline = Deadline(clock, fired)
    deadline.set(clock.now() + 100 * MS)
    clock.arriving.append(deadline.close)
    clock.advance(seconds)
    deadline.close()

    assert clock.pending == 0
    assert not fired.times


def test_the_hosts_time_moves_a_deadline(clock: ManualClock, fired: Fired) -> None:
    """T8."""
    deadline = Deadline(clock, fired)
    began = clock.now()
    deadline.set(began + 100 * MS)
    clock.advance(0.1, host=0.07)

    assert not fired.times

    clock.advance(0.07, host=0.03)

    assert not fired.times

    clock.advance(1)

    assert fired.times == [began + 200 * MS]


def test_what_the_host_took_before_is_not_given_again(clock: ManualClock, fired: Fired) -> None:
    clock.lag = 70 * MS
    deadline = Deadline(clock, fired)
    deadline.set(clock.now() + 900 * MS)
    clock.advance(0.5, host=0.4)
    when = clock.now() + 100 * MS
    deadline.set(when)
    clock.advance(2)

    assert fired.times == [when]


def test_what_had_arrived_is_read_before_a_deadline_fires(clock: ManualClock, fired: Fired) -> None:
    """T17: who answers in time has answered, whichever the loop handles first."""
    deadline = Deadline(clock, fired)
    deadline.set(clock.now() + 100 * MS)
    clock.arriving.append(deadline.clear)
    clock.advance(1)

    assert not fired.times


@pytest.mark.parametrize("later", [50, 5_000])
def test_a_deadline_that_is_moved_while_it_waits_for_reads_fires_at_its_new_time(
    clock: ManualClock, fired: Fired, later: int
) -> None:
    deadline = Deadline(clock, fired)
    began = clock.now()
    deadline.set(began + 100 * MS)
    clock.arriving.append(lambda: deadline.set(began + (100 + later) * MS))
    clock.advance(10)

    assert fired.times == [began + (100 + later) * MS]
    assert clock.pending == 0


def test_a_deadline_can_be_set_by_what_it_calls(clock: ManualClock) -> None:
    times: list[int] = []

    def fire() -> None:
        times.append(clock.now())
        if len(times) < 3:
            deadline.set(clock.now() + 100 * MS)

    deadline = Deadline(clock, fire)
    began = clock.now()
    deadline.set(began + 100 * MS)
    clock.advance(5)

    assert times == [began + 100 * MS, began + 200 * MS, began + 300 * MS]


# -- on a real loop ------------------------------------------------------------------------------------------


class StrictClock(LoopClock):
    """Gives no time back, so that a deadline fires as early as it can."""

    def host(self, _at: int) -> int:
        return 0


async def test_a_read_that_takes_some_turns_comes_before_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """T17: gRPC hands messages over one by one, each some turns of the loop after the one before."""
    monkeypatch.setattr(clock_module, "SETTLE", 200 * MS)  # for machines that have other things to do
    clock = StrictClock()
    clock.start()
    order: list[str] = []
    over = asyncio.Event()

    async def read() -> None:
        for number in range(20):
            await asyncio.sleep(0)
            order.append(f"message {number}")

    def fire() -> None:
        order.append("deadline")
        over.set()

    deadline = Deadline(clock, fire)
    deadline.set(clock.now() + 20 * MS)
    began = clock.now()
    while clock.now() < began + 40 * MS:  # both are due when the loop is free again
        pass
    reading = asyncio.create_task(read())
    await over.wait()
    await reading
    deadline.close()
    clock.stop()

    assert order[-1] == "deadline"
    assert len(order) == 21


async def test_a_wait_for_reads_can_be_called_off() -> None:
    clock: Clock = LoopClock()
    called: list[bool] = []
    for turns in (0, 1, 4):
        waiting = clock.after_reads(lambda: called.append(True))
        for _ in range(turns):
            await asyncio.sleep(0)
        waiting.cancel()
    last = asyncio.Event()
    clock.after_reads(last.set)
    await last.wait()

    assert not called


async def test_nothing_keeps_a_closed_deadline_alive() -> None:
    class Owner:
        def __init__(self, clock: Clock) -> None:
            self.deadline = Deadline(clock, self.fire)

        def fire(self) -> None:
            raise AssertionError("it was closed")

    clock = LoopClock()
    owner = Owner(clock)
    owner.deadline.set(clock.now())
    await asyncio.sleep(0)
    owner.deadline.close()
    gone = weakref.ref(owner)
    del owner
    gc.collect()

    assert gone() is None
