"""Where a bot's methods run: in place (`quick`), as tasks (`async`), or in threads, so that one that takes long holds
up no other match; and what its return value means. No network, no match.
"""

from __future__ import annotations

import asyncio
import inspect
import operator
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import perf_counter_ns
from typing import Any, NamedTuple

from agon_bots.sdk.errors import ChoiceError
from agon_bots.sdk.text import told


class Interruption(BaseException):
    """Base of what interrupts a bot's method from outside: it is never taken for an error of the bot."""


class Done(NamedTuple):
    """What came of a call."""

    value: Any
    error: BaseException | None
    took_us: int


def chosen_index(actions: tuple[str, ...], value: object) -> int:
    """Return the index that an answer means. Raise ChoiceError, naming the value, where it is not a listed action."""
    if isinstance(value, str):
        try:
            return actions.index(value)
        except ValueError:
            raise ChoiceError(f"choose returned an action that is not listed: {_short(value)}") from None

    try:
        # As a sequence would take it, so that numpy's integers count too; a bool is a slip, not an index.
        index = -1 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]  # refused below
    except TypeError:
        raise ChoiceError(f"choose returned neither a listed action nor its index: {_short(value)}") from None

    if not 0 <= index < len(actions):
        raise ChoiceError(f"choose returned an index outside 0 to {len(actions) - 1}: {_short(value)}")

    return index


def answer(actions: tuple[str, ...], done: Done) -> tuple[int, BaseException | None]:
    """Return the index that a call of `choose` answered, or, beside a 0, what went wrong."""
    if done.error is not None:
        return 0, done.error
    try:
        return chosen_index(actions, done.value), None
    except Exception as error:  # a value of the bot's own type may raise anything when it is looked at
        return 0, error


def _short(value: object) -> str:
    text = told(value)
    return text if len(text) <= 200 else text[:197] + "..."


def call_here(function: Callable[[Any], Any], argument: object) -> Done:
    """Call a plain method now, and catch what it raises, be it no Exception; Ctrl-C and an Interruption go on."""
    began = perf_counter_ns()
    error: BaseException | None
    try:
        value, error = function(argument), None
    except (KeyboardInterrupt, Interruption):
        raise
    except BaseException as raised:
        value, error = None, raised
    if inspect.iscoroutine(value):
        value.close()
        error = ChoiceError(f"a method that returns an awaitable must be async itself: {told(function)}")
    return Done(value, error, (perf_counter_ns() - began) // 1_000)


async def call_async(function: Callable[[Any], Any], argument: object) -> Done:
    """Await an async method as a task, and catch what it raises; its time counts from the call to the end.

    That it was cancelled by whoever called goes on; that something it waited for was cancelled is an error like others.
    """
    began = perf_counter_ns()
    error: BaseException | None
    try:
        value, error = await function(argument), None
    except (KeyboardInterrupt, Interruption, GeneratorExit):
        raise
    except BaseException as raised:
        task = asyncio.current_task()
        if isinstance(raised, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        value, error = None, raised
    return Done(value, error, (perf_counter_ns() - began) // 1_000)


class Thinker:
    """Runs methods of bots for the loop that made it. Only to be used on that loop."""

    def __init__(self, *, quick: bool) -> None:
        self._quick = quick
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[tuple[Callable[[Any], Any], object, Callable[[Done], None]]] = SimpleQueue()
        self._threads = 0
        self._in_threads = 0
        self._tasks: set[asyncio.Task[Done]] = set()

    def call(
        self, function: Callable[[Any], Any], argument: object, done: Callable[[Done], None]
    ) -> asyncio.Task[Done] | None:
        """Call a method with its one argument; `done` is called on the loop, at once for a quick bot.

        Return the task of an async method; where that is cancelled, `done` is not called.
        """
        if inspect.iscoroutinefunction(function):
            return self._call_async(function, argument, done)

        if self._quick:
            done(call_here(function, argument))
        else:
            # One a call: the caller makes no second call for a match before the first is done, so there are never
            # more threads than matches. They are daemons: a method that never returns must not keep the process.
            if self._in_threads == self._threads:
                self._threads += 1
                threading.Thread(target=self._work, name=f"bot-{self._threads}", daemon=True).start()
            self._in_threads += 1
            self._jobs.put((function, argument, done))
        return None

    def close(self) -> None:
        """Cancel what can be cancelled."""
        for task in self._tasks:
            task.cancel()

    def _call_async(
        self, function: Callable[[Any], Any], argument: object, done: Callable[[Done], None]
    ) -> asyncio.Task[Done]:
        task = self._loop.create_task(call_async(function, argument))
        self._tasks.add(task)

        def finished(task: asyncio.Task[Done]) -> None:
            self._tasks.discard(task)
            if not task.cancelled():
                done(task.result())

        task.add_done_callback(finished)
        return task

    def _work(self) -> None:
        while True:
            function, argument, done = self._jobs.get()
            try:
                result = call_here(function, argument)
            except BaseException as error:  # nobody interrupts a thread: it is the bot's own
                result = Done(None, error, 0)
            try:
                self._loop.call_soon_threadsafe(self._finished, done, result)
            except RuntimeError:
                return  # the loop has closed meanwhile: nobody waits for this any more

    def _finished(self, done: Callable[[Done], None], result: Done) -> None:
        self._in_threads -= 1
        done(result)
