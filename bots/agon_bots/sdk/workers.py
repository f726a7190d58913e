"""Local tournaments: matches of bots that are named by their specs, spread over worker processes.

A worker that hangs in a bot, or that a bot ends, is replaced; the match is lost for the seat that was thinking. Each
worker leads a session of its own, so that what bots have started ends with it.
"""

from __future__ import annotations

import mmap
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic_ns
from types import TracebackType
from typing import Any, Self

from agon_bots.sdk.errors import BotError, LoadError, SurroundingsError, UsageError
from agon_bots.sdk.faults import BotFault
from agon_bots.sdk.loading import load_bot
from agon_bots.sdk.local import Arena, LocalMatch, LocalRules
from agon_bots.sdk.messages import BOARD_BYTES, decode, encode, match_from_json, plan_to_json, read_board, rules_to_json
from agon_bots.sdk.schedule import PlannedMatch, plan_matches
from agon_engine.core import RecordError, RulesBug, Seat
from agon_engine.core.policy import Result, Termination
from agon_engine.core.record import Deals
from agon_engine.core.rotations import Rotations

GRACE = 2.0
"""Seconds over the ceiling after which a worker is ended from outside: its own alarm did not help."""
LOAD = 60.0
"""Seconds that a worker may take to start and to load the bots."""
GOODBYE = 2.0
"""Seconds that a worker may take to end by itself."""
_CHECK = 0.5
MAX_JOBS = 1_024
"""Worker processes of one command."""


def play_matches(
    rules: LocalRules,
    bots: Sequence[str],
    matches: int,
    *,
    deals: Deals = Deals.FRESH,
    rotations: Rotations = Rotations.CYCLIC,
    jobs: int = 1,
) -> Iterator[LocalMatch]:
    """Play at least so many matches, in whole blocks of all seat rotations, and yield each when it is over.

    `bots` are specs as `load_bot` takes them; `jobs` worker processes play at the same time, 0: this process does.
    With 2 and 3 seats a block may have all permutations as its `rotations`. With jobs, matches come in the order in
    which they end; what they are depends on the seed alone.
    Raise UsageError for numbers out of range, LoadError for a bot that cannot be loaded, SurroundingsError where a
    worker cannot be started. Closing the generator ends the workers.
    """
    plans = plan_matches(len(bots), rules.seats, matches, rules.seed, deals, rotations)
    with LocalPlayers(rules, bots, jobs=jobs) as players:
        yield from players.play(plans)


class LocalPlayers:
    """Bots that are loaded once and play whatever matches they are given, as `play_matches` does.

    Close them, or use them in a `with` statement.
    """

    def __init__(self, rules: LocalRules, bots: Sequence[str], names: Sequence[str] = (), *, jobs: int = 1) -> None:
        """`names` are what records call the bots; by default what `bot_labels` makes of the specs.

        Raise UsageError for a number of jobs out of range.
        """
        if not 0 <= jobs <= MAX_JOBS:
            raise UsageError(f"jobs is a number of processes from 0 to {MAX_JOBS}, not {jobs!r}")

        self._rules = rules
        self._specs = tuple(bots)
        self._names = tuple(names) or tuple(bot_labels(bots))
        self._crew = _Crew(rules, self._specs, self._names, jobs) if jobs else None
        self._arena: Arena | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, and what async bots have left running."""
        if self._crew is not None:
            self._crew.close()
        if self._arena is not None:
            self._arena.close()
            self._arena = None

    def play(self, plans: Iterable[PlannedMatch]) -> Iterator[LocalMatch]:
        """Play the matches and yield each when it is over; a plan is taken when somebody is free to play it.

        Raise LoadError for a bot that cannot be loaded, SurroundingsError where a worker cannot be started. Iterate to
        the end before the next call; closing the iterator before leaves matches unplayed that were begun.
        """
        if self._crew is not None:
            yield from self._crew.play(iter(plans))
            return

        if self._arena is None:
            self._arena = Arena(self._rules, [load_bot(spec) for spec in self._specs], self._names)
        for plan in plans:
            yield self._arena.play(plan)


def bot_labels(specs: Sequence[str]) -> list[str]:
    """Return a short name for each spec, all different: `mybot.py:MyBot` is MyBot, a second one MyBot#2."""
    labels: list[str] = []
    for spec in specs:
        place, _, name = spec.partition(":")
        label = name or Path(place).stem
        count = sum(label == taken.partition("#")[0] for taken in labels)
        labels.append(f"{label}#{count + 1}" if count else label)
    return labels


class _Worker:
    """A worker process, as its parent sees it."""

    def __init__(self, rules: LocalRules, specs: Sequence[str], names: Sequence[str]) -> None:
        self.plan: PlannedMatch | None = None
        """What it plays now."""
        self.is_ready = False
        self.began = monotonic_ns()
        self._buffer = bytearray()
        here, there = socket.socketpair()
        with there, tempfile.TemporaryFile() as file:
            file.truncate(BOARD_BYTES)
            self._board = mmap.mmap(file.fileno(), BOARD_BYTES)
            command = [sys.executable, "-P", "-m", "agon_bots.sdk.worker", str(there.fileno()), str(file.fileno())]
            try:
                # What bots print goes to stderr: stdout may be somebody's data.
                self.process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=2,
                    pass_fds=(there.fileno(), file.fileno()),
                    start_new_session=True,
                )
            except OSError as error:
                here.close()
                raise SurroundingsError(f"a worker process cannot be started: {error.strerror or error}") from error
        self.socket = here
        self.say({"rules": rules_to_json(rules), "specs": list(specs), "names": list(names)})

    def say(self, message: dict[str, Any]) -> None:
        # A worker that is gone is noticed where its answer is read.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(encode(message))

    def give(self, plan: PlannedMatch) -> None:
        self.plan = plan
        self.say(plan_to_json(plan))

    def read(self) -> list[bytes] | None:
        """Return the lines that have come; None when the process has hung up."""
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        if not data:
            return None

        self._buffer += data
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = bytearray(rest)
        return [bytes(line) for line in lines]

    def thinking(self) -> tuple[Seat | None, float]:
        """Return which seat is thinking, None where none is, and for how many seconds."""
        return read_board(self._board)

    def end(self, *, patience: float) -> int:
        """End the process and all it has started; return its exit code."""
        self.socket.close()
        with suppress(subprocess.TimeoutExpired):
            if patience:
                self.process.wait(patience)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        code = self.process.wait()
        self._board.close()
        return code


class _Crew:
    """The workers of one run."""

    def __init__(self, rules: LocalRules, specs: Sequence[str], names: Sequence[str], jobs: int) -> None:
        self._jobs = jobs
        self._rules = rules
        self._specs = specs
        self._names = names
        self._selector = selectors.DefaultSelector()
        self._workers: list[_Worker] = []

    def close(self) -> None:
        self._selector.close()
        for worker in self._workers:
            worker.socket.close()
        for worker in self._workers:
            # Nobody waits for one that still plays, since it was interrupted, or still loads the bots.
            worker.end(patience=GOODBYE if worker.is_ready and worker.plan is None else 0.0)

    def play(self, plans: Iterator[PlannedMatch]) -> Iterator[LocalMatch]:
        waiting = next(plans, None)
        if waiting is not None and not self._workers:
            # One worker first: where a bot cannot be loaded, that is said once.
            self._hire()
        while waiting is not None or any(worker.plan is not None for worker in self._workers):
            for worker in self._workers:
                if waiting is not None and worker.is_ready and worker.plan is None:
                    worker.give(waiting)
                    waiting = next(plans, None)
            # Where one still loads the bots, it takes what waits: so there are never more workers than matches.
            if waiting is not None and len(self._workers) < self._jobs and all(one.is_ready for one in self._workers):
                self._hire()
            for key, _ in self._selector.select(_CHECK):
                yield from self._hear(key.data)
            for worker in list(self._workers):
                yield from self._check(worker)

    def _hire(self) -> None:
        worker = _Worker(self._rules, self._specs, self._names)
        self._workers.append(worker)
        self._selector.register(worker.socket, selectors.EVENT_READ, worker)

    def _dismiss(self, worker: _Worker, *, patience: float) -> int:
        self._selector.unregister(worker.socket)
        self._workers.remove(worker)
        return worker.end(patience=patience)

    def _hear(self, worker: _Worker) -> Iterator[LocalMatch]:
        lines = worker.read()
        if lines is None:
            yield from self._lost(worker)
            return

        for line in lines:
            try:
                message = decode(line)
                if "error" in message:
                    raise _error(message)
                if worker.plan is None:
                    worker.is_ready = True
                    continue
                match = match_from_json(worker.plan, message)
            except (RecordError, LookupError, TypeError, ValueError) as error:
                raise SurroundingsError(f"a worker process said what is no match: {error}") from error

            worker.plan = None
            yield match

    def _lost(self, worker: _Worker) -> Iterator[LocalMatch]:
        """Answer the end of a process that nobody asked to end."""
        seat, _ = worker.thinking()
        plan = worker.plan
        code = self._dismiss(worker, patience=GOODBYE)
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        if plan is None:
            raise SurroundingsError(f"a worker process ended {how} before it was ready; the bots are {self._specs!r}")

        yield lost_match(plan, seat, Termination.DISCONNECT, f"the process ended {how}")

    def _check(self, worker: _Worker) -> Iterator[LocalMatch]:
        """End a worker in which a bot neither returns nor can be interrupted."""
        ceiling = self._rules.ceiling
        seat, seconds = worker.thinking()
        if not worker.is_ready:
            if (monotonic_ns() - worker.began) / 1e9 > LOAD:
                self._dismiss(worker, patience=0.0)
                raise LoadError(f"the bots were not loaded within {LOAD:g} s: {self._specs!r}")
        elif worker.plan is not None and seat is not None and seconds > ceiling + GRACE:
            plan = worker.plan
            self._dismiss(worker, patience=0.0)
            yield lost_match(plan, seat, Termination.TIMEOUT, f"it could not be stopped after {ceiling:g} s")


def lost_match(plan: PlannedMatch, seat: Seat | None, why: Termination, what: str) -> LocalMatch:
    """Return what is left of a match whose process is gone: lost for the seat whose doing it was, without a record."""
    count = len(plan.bots)
    if seat is None:
        gone = Termination.INFRASTRUCTURE
        return LocalMatch(plan, Result(gone, (1,) * count, (0,) * count, (gone,) * count), None)

    placements = tuple(count if other == seat else 1 for other in range(count))
    seats = tuple(why if other == seat else Termination.SCORE for other in range(count))
    return LocalMatch(plan, Result(why, placements, (0,) * count, seats), None, ((seat, BotFault(what, "", str(why))),))


_ERRORS: dict[str, type[BotError] | type[RulesBug]] = {
    "LoadError": LoadError,
    "UsageError": UsageError,
    "RulesBug": RulesBug,
}


def _error(message: dict[str, Any]) -> Exception:
    return _ERRORS.get(message["error"], SurroundingsError)(str(message.get("message", "")))
