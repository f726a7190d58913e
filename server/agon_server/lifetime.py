"""The life of a server process: a Server until a signal, then it drains; and a new one where its store was emptied."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from agon_server.app import Server, is_told
from agon_server.config import ServerConfig
from agon_server.garbage import collect_seldom
from agon_server.store.errors import StoreUnavailableError
from agon_server.surroundings import SurroundingsError

log = logging.getLogger(__name__)

TELL_SECONDS = 10.0
"""How often a server that drains says what it waits for."""
ANEW_SECONDS = 1.0
ANEW_TRIES = 60
"""A server that begins anew tries so often, with so much time between, to reach a store that goes away once more."""


async def serve(config: ServerConfig) -> int:
    """Run a server until SIGTERM or Ctrl-C, then drain it; a second signal ends it at once. Return the exit code."""
    signals = Signals()
    server = Server(config)
    await server.start()
    is_first = True
    while True:
        try:
            if is_first:
                _announce(server)
                is_first = False
            collect_seldom()
            await _until_it_ends(server, signals)
        finally:
            await server.stop()
        if signals.came or not server.was_emptied:
            break
        # Where bots and scrapers know it, also where the ports were any.
        again = replace(config, listen=server.address, metrics=server.metrics_address)
        server = await _begun_anew(again, signals)
    if (error := server.failure) is not None:
        why = str(error) if is_told(error) else f"{type(error).__name__}; its log says where"
        raise SurroundingsError(f"the server had to end: {why}") from error
    return 0


def _announce(server: Server) -> None:
    """Say where it is. Raise OSError when nobody reads that."""
    sys.stdout.write(f"agon {server.name}: bots at {server.address}, metrics at {server.metrics_address}/metrics\n")
    sys.stdout.flush()


class Signals:
    """SIGTERM and SIGINT, as they come."""

    def __init__(self) -> None:
        self.came = 0
        self._next = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._note)

    def _note(self) -> None:
        self.came += 1
        self._next.set()

    async def wait(self, count: int) -> None:
        """Return when so many have come in all."""
        while self.came < count:
            self._next.clear()
            await self._next.wait()


async def _first(*works: Coroutine[Any, Any, object], seconds: float | None = None) -> list[bool]:
    """Return which of the works are done as soon as one is; the others are cancelled."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return [task.done() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until_it_ends(server: Server, signals: Signals) -> None:
    """Return when the server has drained after a signal, or has to be stopped at once."""
    await _first(signals.wait(1), server.ending.wait())
    if server.was_emptied:
        return

    drain = server.config.drain
    log.info(
        "draining: no new matches, %d that run have %g seconds to end (--drain); a second signal ends at once",
        server.referee.running,
        drain,
    )
    # Without its store no match can end.
    patience = 0.0 if isinstance(server.failure, SurroundingsError) else drain
    drained, *_ = await _first(
        server.drain(), signals.wait(signals.came + 1), _tell_what_is_left(server, drain), seconds=patience
    )
    if not drained and (left := server.referee.running):
        log.warning("%d matches are not over; a server that takes them goes on with them", left)


async def _begun_anew(config: ServerConfig, signals: Signals) -> Server:
    """Start a server on a store that was emptied, also where that goes away meanwhile."""
    tries = 0
    while True:
        server = Server(config, emptied=True)
        try:
            await server.start()
        except StoreUnavailableError as error:
            tries += 1
            if tries == ANEW_TRIES or signals.came:
                raise
            if tries == 1:
                log.warning("this server has to wait before it begins anew: %s", error)
            await _first(signals.wait(1), seconds=ANEW_SECONDS)
        else:
            log.warning("this server has begun anew, at %s, with the first ladders and no bots", server.address)
            return server


async def _tell_what_is_left(server: Server, seconds: float) -> None:
    """Say now and then what a server that drains waits for; cancel to end."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while True:
        await asyncio.sleep(TELL_SECONDS)
        log.info("draining: %d matches run, for %.0f seconds at most", server.referee.running, until - loop.time())
