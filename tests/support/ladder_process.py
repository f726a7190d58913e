"""A process that leads the ladders of a store and dies, or stands still, at one of its calls to the store: by SIGKILL
or SIGSTOP, which it sends to itself just before the call is sent or just after it was answered."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Coroutine
from enum import IntEnum
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.support.ladder_store import Ladders

from agon_server.ladders.lease import Lease
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError

LEASE_MS = 50
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__])


class Exit(IntEnum):
    """What the process ended with, where it was not killed."""

    DONE = 0
    FENCED = 3
    """Another process leads under a newer token."""
    NOT_LEADING = 4
    """Another process has the lease."""


class MortalStore(Store):
    """A connection whose process gets a signal at its `call`-th call."""

    def __init__(self, url: str, call: int, number: signal.Signals, *, answered: bool) -> None:
        super().__init__(url)
        self._left = call
        self._number = number
        self._answered = answered

    async def script(self, name: str, *args: str | bytes | int) -> Any:
        return await self._at(super().script(name, *args))

    async def command(self, *args: str | bytes | int) -> Any:
        return await self._at(super().command(*args))

    async def _at(self, call: Coroutine[Any, Any, Any]) -> Any:
        self._left -= 1
        its_turn = self._left == 0
        if its_turn and not self._answered:
            os.kill(os.getpid(), self._number)
        answer = await call
        if its_turn and self._answered:
            os.kill(os.getpid(), self._number)
        return answer


async def _lead(store: Store, *, pairs: bool) -> Exit:
    """Do what the ladder role does: take the lease, fold all results, pair, and fold again."""
    ladders = Ladders(store, server="mortal")
    ladders.lease = Lease(store, "mortal", LEASE_MS)
    token = await ladders.lease.acquire()
    if token is None:
        return Exit.NOT_LEADING
    try:
        await ladders.fold.begin(token)
        await ladders.pairing.begin(token)
        await ladders.fold.settle()
        await ladders.take()
        if pairs:
            while await ladders.pairing.round():
                pass
            await ladders.take()
    except FencedError:
        return Exit.FENCED
    return Exit.DONE


def _main(url: str, call: int, number: signal.Signals, answered: bool, pairs: bool) -> None:
    async def run() -> Exit:
        store = MortalStore(url, call, number, answered=answered)
        try:
            return await _lead(store, pairs=pairs)
        finally:
            await store.aclose()

    raise SystemExit(asyncio.run(run()))


class LadderProcess:
    """The process; use as an async context manager, which ends it if need be."""

    def __init__(self, url: str, call: int, number: signal.Signals, *, answered: bool, pairs: bool = True) -> None:
        """One that does not pair only folds."""
        self._process: BaseProcess = _FORKS.Process(target=_main, args=(url, call, number, answered, pairs))

    async def __aenter__(self) -> LadderProcess:
        await asyncio.to_thread(self._process.start)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process.exitcode is None:
            self._process.kill()
        await self.ended()
        self._process.close()

    @property
    def stands_still(self) -> bool:
        """Tell whether it has stopped; it has not where it has ended."""
        try:
            stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii")
        except (FileNotFoundError, ProcessLookupError):
            return False
        return stat.rpartition(")")[2].split()[0] == "T"

    @property
    def exit_code(self) -> int | None:
        """What it ended with; negative: the signal that ended it; None while it is there."""
        return self._process.exitcode

    def go_on(self) -> None:
        """Wake it up."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGCONT)

    async def ended(self) -> int:
        """Wait for its end; return its exit code."""
        await asyncio.to_thread(self._process.join)
        code = self._process.exitcode
        assert code is not None
        return code
