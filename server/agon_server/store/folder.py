"""The data folder of an installation: its lock, and where things lie in it. Knows no store and starts nothing."""

from __future__ import annotations

import asyncio
import fcntl
import itertools
import os
import re
import secrets
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from agon_server.store.errors import DataFolderError, FolderInUseError
from agon_server.surroundings import reason_of

_LOCK = "lock"
_NAME = "name"
_SERVER = "a server"
RECORDS = "records"
"""The folder of the archive, in the data folder."""
COMMAND_SECONDS = 10.0
"""How long a server that starts waits for a command that has its data folder."""
POLL_SECONDS = 0.1


def owner_of(socket_path: str) -> Path | None:
    """Return the data folder whose embedded store has its socket there; None: it is no folder's."""
    path = Path(socket_path)
    folder = path.parent.parent
    is_embedded = path.name == "valkey.sock" and path.parent.name == "store" and (folder / _LOCK).is_file()
    return folder if is_embedded else None


class DataFolder:
    """A data folder that this process holds the lock of."""

    def __init__(self, path: Path, lock: int, *, is_new: bool) -> None:
        self.path = path
        self.is_new = is_new
        """It was not there before."""
        self._lock: int | None = lock

    @classmethod
    def open(cls, path: Path, *, for_server: bool = False) -> Self:
        """Make the folder if need be (mode 0700) and lock it. Raise DataFolderError when it cannot be used.

        The lock says who holds it: the process, and the command or that it is a server.
        """
        path = path.expanduser().absolute()
        is_new = _make(path)
        try:
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise DataFolderError(f"the data folder is not writable ({reason_of(error)}): {str(path)!r}") from None

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder, command = _read_holder(lock)
            os.close(lock)
            if isinstance(error, BlockingIOError):
                who = f"process {holder or 'unknown'}{f' ({command})' if command else ''}"
                raise FolderInUseError(
                    f"the data folder is in use by {who}; end that one or choose another folder: {str(path)!r}",
                    holder,
                    who,
                    is_server=command == _SERVER,
                ) from None
            raise DataFolderError(f"the data folder cannot be locked ({reason_of(error)}): {str(path)!r}") from None

        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n{_SERVER if for_server else _command()}\n".encode("utf-8", "replace"), 0)
        return cls(path, lock, is_new=is_new)

    @classmethod
    async def open_for_server(cls, path: Path, tell: Callable[[str], None]) -> Self:
        """Open it for a server: a command that has it is waited for, and `tell` told so once. Raise FolderInUseError at
        once where a server has it, or where the command has it for longer than `COMMAND_SECONDS`; else as `open`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + COMMAND_SECONDS
        is_told = False
        while True:
            try:
                return cls.open(path, for_server=True)
            except FolderInUseError as error:
                if error.is_server or loop.time() > deadline:
                    raise
                if not is_told:
                    tell(f"waiting up to {COMMAND_SECONDS:g} s for {error.who}, which has the data folder")
                    is_told = True
            await asyncio.sleep(POLL_SECONDS)

    def sub(self, name: str) -> Path:
        """Return a folder in the data folder, made with mode 0700 when missing."""
        path = self.path / name
        _make(path)
        return path

    def server_name(self) -> str:
        """Return the name of the server with this data folder: made once, the same after each restart."""
        path = self.path / _NAME
        try:
            kept = path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().lower()).strip("-")[:30] or "server"
            kept = f"{host}-{secrets.token_hex(3)}"
            write_private(path, f"{kept}\n".encode())
        except (OSError, ValueError) as error:
            raise DataFolderError(f"cannot read the server's name ({error}): {str(path)!r}") from None
        return kept

    @property
    def identity(self) -> str:
        """A text that tells this folder from any other, a copy of it included."""
        lock = (self.path / _LOCK).stat()
        return f"{self.server_name()}:{lock.st_ino}"

    def remove(self) -> None:
        """Remove the folder with all that is in it, as far as that is possible, before the lock is released."""
        shutil.rmtree(self.path, ignore_errors=True)

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def is_installation(path: Path) -> bool:
    """Tell whether a folder is the data folder of an installation: each server or command that opens one names it."""
    return (path.expanduser() / _NAME).is_file()


def write_private(path: Path, content: bytes) -> None:
    """Write a file of mode 0600, whole or not at all. Raise DataFolderError when it cannot be written."""
    draft = path.with_name(f"{path.name}.new")
    try:
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise DataFolderError(f"cannot write a file ({reason_of(error)}): {str(path)!r}") from None


def _command() -> str:
    """Return what this process was called as, up to its first option: no value of one, which may be a secret."""
    program, *words = sys.argv or [""]
    known = itertools.takewhile(lambda word: not word.startswith("-"), words)
    return " ".join(" ".join((Path(program).name, *known)).split())[:100]


def _read_holder(lock: int) -> tuple[int | None, str]:
    """Return which process the lock names, None where it names none, and what that one is."""
    process, _, command = os.pread(lock, 500, 0).decode("utf-8", "replace").partition("\n")
    return (int(process) if process.isdecimal() else None), command.strip()


def _make(path: Path) -> bool:
    """Make the folder where it is missing; tell whether it was."""
    try:
        path.mkdir(mode=0o700, parents=True)
    except (FileExistsError, NotADirectoryError):
        if not path.is_dir():
            raise DataFolderError(f"the data folder is not a folder: {str(path)!r}") from None
        return False
    except OSError as error:
        raise DataFolderError(f"the data folder cannot be made ({reason_of(error)}): {str(path)!r}") from None
    return True
