"""Processes that a command starts and ends: a server on a folder of its own, and bots that connect to it.

Each leads a session of its own, so that Ctrl-C reaches the command alone, which then ends them in the right order.
Where the command is killed they end by themselves.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from agon_server.child import Child, start_child
from agon_server.services.admin_file import AdminFile, read_admin_file
from agon_server.surroundings import SurroundingsError

START_SECONDS = 30.0
END_SECONDS = 10.0
AT_ONCE_SECONDS = 0.5
AT_ONCE_TRIES = 10
POLL_SECONDS = 0.05
LOG_BYTES = 4_096
_PROGRAM = """\
import os, runpy, signal, sys, threading, time

def hold_on():
    os.read(0, 1)
    while True:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.5)

threading.Thread(target=hold_on, daemon=True).start()
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Runs a module as `python -m` does, and ends it, at once by the second signal, when its standard input is closed: that
is when the command is gone, be it killed."""


_COMMAND = """\
import os, signal, subprocess, sys, threading, time

def hold_on():
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(2)
    os.killpg(os.getpid(), signal.SIGKILL)

def end(*_):
    child.terminate()

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
signal.signal(signal.SIGTERM, end)
threading.Thread(target=hold_on, daemon=True).start()
code = child.wait()
sys.exit(code if code >= 0 else 128 - code)
"""
"""The same for any program: it ends when the command is gone, and what it has started with it."""


class Processes:
    """The processes of one command; leaving the `async with` ends those that still run: all bots, then the server."""

    def __init__(self, folder: Path) -> None:
        """Their output goes to files in the folder."""
        self._folder = folder
        self._running: list[Child] = []
        self._reads, self._holds = os.pipe()
        """Nothing is ever written; the second end is this process's alone, and closed when it is gone."""

    async def __aenter__(self) -> Processes:
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            # The server was started first.
            await asyncio.gather(*(end(bot) for bot in self._running[1:]))
            await asyncio.gather(*(end(server) for server in self._running[:1]))
        finally:
            # Also where ending was itself interrupted: nothing is left.
            await asyncio.gather(*(_end_at_once(process) for process in self._running))
            os.close(self._holds)
            os.close(self._reads)

    async def start_server(self, data: Path, arguments: Sequence[str]) -> AdminFile:
        """Start `agon serve` on the data folder; return where it is once it answers.

        Raise SurroundingsError, with the last line that it said, when it does not come up.
        """
        process = await self._start("server", ["agon_server", "serve", "--data", str(data), *arguments], {})
        deadline = asyncio.get_running_loop().time() + START_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            if process.exit_code is not None:
                raise SurroundingsError(f"the server did not start: {self.last_line('server')}")
            admin = read_admin_file(data)
            if admin is not None and admin.address:
                return admin
            await asyncio.sleep(POLL_SECONDS)
        raise SurroundingsError(f"the server did not come up within {START_SECONDS:g} s: {self.last_line('server')}")

    async def start_bot(self, name: str, spec: str, token: str, address: str, slots: int) -> None:
        """Start a bot that plays on the server, by the SDK's own program."""
        arguments = ["agon_bots", "run", spec, "--server", address, "--slots", str(slots)]
        await self._start(name, arguments, {"AGON_TOKEN": token})

    async def start_command(self, name: str, command: Sequence[str], env: Mapping[str, str], folder: Path) -> Child:
        """Start a program of somebody's in a folder, its output added to its log. Who starts it ends it, by `end`."""
        with (self._folder / f"{name}.log").open("ab") as log:
            # -P: nothing that lies there is taken for a module.
            return await self._start_child(["-P", "-c", _COMMAND, *command], env, log, folder)

    def check(self) -> None:
        """Raise SurroundingsError when a process has ended by itself."""
        for process in self._running:
            if process.exit_code is not None:
                raise SurroundingsError(
                    f"a process ended by itself, with exit code {process.exit_code}; see {str(self._folder)!r}"
                )

    async def _start(self, name: str, arguments: Sequence[str], env: Mapping[str, str]) -> Child:
        with (self._folder / f"{name}.log").open("wb") as log:
            process = await self._start_child(["-c", _PROGRAM, *arguments], env, log)
        self._running.append(process)
        return process

    async def _start_child(
        self, arguments: Sequence[str], env: Mapping[str, str], log: IO[bytes], folder: Path | None = None
    ) -> Child:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("AGON_")}
        return await start_child(
            sys.executable,
            *arguments,
            env={**clean, **env},
            given=self._reads,
            printed=log,
            with_errors=True,
            own_session=True,
            folder=folder,
        )

    def log(self, name: str) -> Path:
        """Return where what a process says is kept."""
        return self._folder / f"{name}.log"

    def last_line(self, name: str) -> str:
        """Return the last that a process said."""
        text = (self._folder / f"{name}.log").read_bytes()[-LOG_BYTES:].decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"


async def end(process: Child) -> None:
    """End a process, and with it whatever it has started: politely first."""
    if process.exit_code is None:
        process.terminate()
        try:
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
        except TimeoutError:
            pass
    await _end_at_once(process)


async def _end_at_once(process: Child) -> None:
    """End a process by one more signal, and by force only where that is no use: a server that is killed leaves its
    store behind, which has a session of its own."""
    for _ in range(AT_ONCE_TRIES):
        if process.exit_code is not None:
            break
        process.terminate()
        try:
            async with asyncio.timeout(AT_ONCE_SECONDS):
                await process.wait()
        except TimeoutError:
            pass
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
