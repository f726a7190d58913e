"""A store of a test's own without a server of ours: all that can become of it, done to a real Valkey process."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.memory import temporary_folder
from tests.support.valkey import until

from agon_server.store.connection import Store
from agon_server.store.embedded import server_binary
from agon_server.store.errors import StoreError

_CONFIG = """\
port 0
unixsocket {folder}/valkey.sock
dir {data}
appendonly yes
appendfsync always
maxmemory-policy noeviction
save ""
"""


class LoneStore:
    """A Valkey that writes each change to its disk at once. Use as an async context manager."""

    def __init__(self, *, appendfsync: str = "always") -> None:
        self._folder = temporary_folder("agon-lone-")
        self._appendfsync = appendfsync
        self.folder = Path(self._folder.name)
        self.data = self.folder / "data"
        self.url = f"unix://{self.folder}/valkey.sock"
        self.process: subprocess.Popen[bytes]

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._folder.cleanup()

    async def start(self, *arguments: str, wait: bool = True) -> None:
        """Start it on the data that it has, and wait until it answers."""
        self.data.mkdir(exist_ok=True)
        config = self.folder / "valkey.conf"
        text = _CONFIG.replace("always", self._appendfsync)
        config.write_text(text.format(folder=self.folder, data=self.data), encoding="ascii")
        self.process = self._spawn(str(server_binary()), str(config), *arguments)
        if wait:
            await until(self.answers)

    def _spawn(self, *command: str) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                restore_signals=False,  # a file that may not grow gives an error then, and kills nobody
                start_new_session=True,
            )

    async def answers(self) -> bool:
        try:
            return bool(await self.ask("PING"))
        except StoreError:
            return False

    async def ask(self, *command: str | int) -> Any:
        """Run one command on a connection that nobody else has."""
        store = Store(self.url)
        try:
            return await store.command(*command)
        finally:
            await store.aclose()

    def kill(self) -> None:
        """Kill it, without a chance to say or write anything."""
        self.process.kill()
        self.process.wait()

    def empty(self) -> None:
        """Take all that it has on its disk; it must not run."""
        shutil.rmtree(self.data)

    def hold_still(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def fill_disk(self) -> None:
        """Let it write nothing more to its disk."""
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))

    def free_disk(self) -> None:
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
