"""The data folder of an installation: its lock, and where things lie in it."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self


class DataFolder:
    """A data folder that this process holds the lock of."""

    path: Path

    @classmethod
    def open(cls, path: Path) -> Self:
        """Make the folder if need be (mode 0700) and lock it. Raise DataFolderError when it cannot be used."""
        raise NotImplementedError

    def close(self) -> None:
        """Release the lock."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
