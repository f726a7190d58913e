"""House bots beside a server: each a process of its own that connects like any remote bot. They are started again
when they end by themselves, unless they are retired. They end with the server: by a signal, and, should the server be
killed, by themselves.

What they print goes through the server's log, under their names; at its debug level alone they tell of every match.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from hashlib import blake2b

from agon_server.child import Child, start_child
from agon_server.names import MAX_BOT_NAME
from agon_server.surroundings import reason_of

log = logging.getLogger(__name__)

END_SECONDS = 2.0
"""How long a bot process may take to end after it was told to, once for its matches' sake and once at once."""
FIRST_DELAY = 0.5
MAX_DELAY = 30.0
SILENCE_SECONDS = 60
"""A bot process that hears nothing for so long ends by itself."""
LINE_BYTES = 16 * 1024
"""A longer line of what a bot process prints is left out."""

_LOG_LINE = re.compile(r"(?:\S+ )?\d\d:\d\d:\d\d\S* (DEBUG|INFO|WARNING|ERROR|CRITICAL) +(.*)", re.DOTALL)
"""A log line of the SDK; the server's own log has the time."""


class HouseBots:
    """The bot processes of one server. `start` begins one, `stop` ends all and returns when they are gone."""

    def __init__(self, address: str, *, insecure: bool = False) -> None:
        """`address` is where the server takes plain text, as HOST:PORT; `insecure` where that is not this machine."""
        self._address = address
        self._insecure = insecure
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, spec: str, token: str, *, slots: int, is_sent_away: Callable[[], Awaitable[bool]]) -> None:
        """Keep a process of the bot running: an entry point's name, or FILE.py:CLASS. While it `is_sent_away` none is
        started."""
        self._tasks.append(asyncio.create_task(self._keep(spec, token, slots, is_sent_away)))

    async def stop(self) -> None:
        """End all bot processes and return when they are gone."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    async def _keep(self, spec: str, token: str, slots: int, is_sent_away: Callable[[], Awaitable[bool]]) -> None:
        delay = FIRST_DELAY
        loop = asyncio.get_running_loop()
        is_told = False
        while True:
            if await is_sent_away():
                if not is_told:
                    log.warning("house bot %s is retired; it starts again when that is taken back", spec)
                is_told = True
                await asyncio.sleep(MAX_DELAY)
                continue

            is_told, began = False, loop.time()
            try:
                became = f"ended with exit code {await self._run(spec, token, slots)}"
            except OSError as error:
                became = f"cannot be started ({reason_of(error)})"  # no process or memory is free now
            if loop.time() - began > MAX_DELAY:
                delay = FIRST_DELAY
            if await is_sent_away():
                continue
            log.warning("house bot %s %s; it starts again in %.1f s", spec, became, delay)
            await asyncio.sleep(delay)
            delay = min(MAX_DELAY, delay * 2)

    async def _run(self, spec: str, token: str, slots: int) -> int:
        arguments = ["-m", "agon_bots", "run", spec, "--server", self._address, "--slots", str(slots)]
        arguments += ["--silence", str(SILENCE_SECONDS)]
        arguments += ["--log", "debug" if log.isEnabledFor(logging.DEBUG) else "warning"]
        if self._insecure:
            arguments += ["--insecure"]
        process = await start_child(
            sys.executable,
            *arguments,
            env=environment(os.environ, token),
            with_errors=True,
            line_bytes=LINE_BYTES,
            own_session=True,  # a Ctrl-C is the server's to handle; it ends its bots after their matches
        )
        told = asyncio.create_task(_pass_on(spec, process.output))
        try:
            return await process.wait()
        except asyncio.CancelledError:
            await self._end(process)
            raise
        finally:
            # What it said last is still to be read; whatever else holds its end of the pipe is not waited for.
            await asyncio.wait({told}, timeout=END_SECONDS)
            told.cancel()
            process.close()

    async def _end(self, process: Child) -> None:
        if process.has_ended:
            return

        for end in (process.terminate, process.terminate, process.kill):
            end()
            with suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await process.wait()
                    return


def environment(server: Mapping[str, str], token: str) -> dict[str, str]:
    """Return the environment of a bot process: the server's, without its own settings, which may hold passwords."""
    others = {name: value for name, value in server.items() if not name.startswith("AGON_")}
    return {**others, "AGON_TOKEN": token}


async def _pass_on(name: str, output: asyncio.StreamReader) -> None:
    """Log what a bot process prints, line by line, until it closes its end."""
    level = logging.INFO
    while True:
        try:
            line = await output.readline()
        except ValueError:
            log.log(level, "%s: a line of over %d bytes is left out", name, LINE_BYTES)
            continue

        if not line:
            return
        text = line.decode("utf-8", "replace").rstrip()
        found = _LOG_LINE.fullmatch(text)
        if found is not None:
            level, text = logging.getLevelNamesMapping()[found[1]], found[2]
        # What has no level of its own, as a traceback, goes on with that of the line before.
        log.log(level, "%s: %s", name, text)


def house_account(spec: str, server: str) -> str:
    """Return the name of a house bot's account on a store that servers share: another one for each server, also where
    their names are too long to stand in it whole."""
    name = f"{spec}.{server}"
    if len(name) <= MAX_BOT_NAME:
        return name

    mark = blake2b(name.encode(), digest_size=4).hexdigest()
    return f"{name[: MAX_BOT_NAME - len(mark) - 1]}-{mark}"
