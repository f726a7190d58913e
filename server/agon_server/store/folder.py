"""The data folder of an installation: its lock, and where things lie in it. Knows no store and starts nothing."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from agon_server.store.errors import DataFolderError, FolderInUseError
from agon_server.surroundings import reason_of

_LOCK = "lock"
_NAME = "name"
RECORDS = "records"
"""The folder of the archive, in the data folder."""


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
    def open(cls, path: Path) -> Self:
        """Make the folder if need be (mode 0700) and lock it. Raise DataFolderError when it cannot be used."""
        path = path.expanduser().absolute()
        is_new = _make(path)
        try:
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise DataFolderError(f"the data folder is not writable ({reason_of(error)}): {str(path)!r}") from None

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(lock, 32, 0).decode("ascii", "replace").strip()
            os.close(lock)
            if isinstance(error, BlockingIOError):
                raise FolderInUseError(
                    f"the data folder is in use by process {holder or 'unknown'}; end that one or choose another "
                    f"folder: {str(path)!r}",
                    int(holder) if holder.isdecimal() else None,
                ) from None
            raise DataFolderError(f"the data folder cannot be locked ({reason_of(error)}): {str(path)!r}") from None

        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        return cls(path, lock, is_new=is_new)

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
