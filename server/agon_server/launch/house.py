"""House bots beside a server: each a process of its own that connects like any remote bot. They are started again
when they end by themselves, and end with the server: by a signal, and, should the server be killed, by themselves."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)

END_SECONDS = 2.0
"""How long a bot process may take to end after it was told to, once for its matches' sake and once at once."""
FIRST_DELAY = 0.5
MAX_DELAY = 30.0
SILENCE_SECONDS = 60
"""A bot process that hears nothing for so long ends by itself."""


class HouseBots:
    """The bot processes of one server. `start` begins one, `stop` ends all and returns when they are gone."""

    def __init__(self, address: str, *, ca: Path | None = None, insecure: bool = False) -> None:
        """`address` is the server's HOST:PORT; `ca` a certificate to trust where it uses TLS."""
        self._address = address
        self._ca = ca
        self._insecure = insecure
        self._tasks: list[asyncio.Task[None]] = []
        self._processes: set[asyncio.subprocess.Process] = set()

    def start(self, spec: str, token: str, *, slots: int, instance: str = "") -> None:
        """Keep a process of the bot running: an entry point's name, or FILE.py:CLASS."""
        self._tasks.append(asyncio.create_task(self._keep(spec, token, slots, instance)))

    async def stop(self) -> None:
        """End all bot processes and return when they are gone."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    async def _keep(self, spec: str, token: str, slots: int, instance: str) -> None:
        delay = FIRST_DELAY
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            code = await self._run(spec, token, slots, instance)
            if loop.time() - began > MAX_DELAY:
                delay = FIRST_DELAY
            log.warning("house bot %s ended with exit code %s; it starts again in %.1f s", spec, code, delay)
            await asyncio.sleep(delay)
            delay = min(MAX_DELAY, delay * 2)

    async def _run(self, spec: str, token: str, slots: int, instance: str) -> int:
        arguments = ["-m", "agon_bots", "run", spec, "--server", self._address, "--slots", str(slots)]
        arguments += ["--silence", str(SILENCE_SECONDS)]
        if instance:
            arguments += ["--instance", instance]
        if self._ca is not None:
            arguments += ["--ca", str(self._ca)]
        if self._insecure:
            arguments += ["--insecure"]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            env={**os.environ, "AGON_TOKEN": token},
            stdin=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is the server's to handle; it ends its bots after their matches
        )
        self._processes.add(process)
        try:
            return await process.wait()
        except asyncio.CancelledError:
            await self._end(process)
            raise
        finally:
            self._processes.discard(process)

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is not None:
            return

        for end in (process.terminate, process.terminate, process.kill):
            with suppress(ProcessLookupError):
                end()
            with suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await process.wait()
                    return
