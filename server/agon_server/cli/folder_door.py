"""The door through the data folder itself, with no server running."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

from agon.codec import admin
from agon.codec.calls import Method
from agon_server.config import ServerConfig
from agon_server.operations.doctor.diagnose import diagnose_folder
from agon_server.operations.installation import Installation
from agon_server.operations.opened import opened
from agon_server.operations.table import Watch, operation_of

Q = TypeVar("Q")
R = TypeVar("R")


class FolderDoor:
    """Calls are run here."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation

    async def call(self, method: Method[Q, R], request: Q) -> R:
        operation = operation_of(method)
        assert not isinstance(operation, Watch)
        answer: R = await operation.run(self._installation, request)
        return answer

    def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        operation = operation_of(method)
        assert isinstance(operation, Watch)
        return operation.run(self._installation, request)


class ClosedDoor:
    """Lets nobody in: the doctor looks from outside, as it opens what it can, and tells what it cannot."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config

    async def call(self, method: Method[Q, R], request: Q) -> R:
        assert method is admin.DIAGNOSE
        assert isinstance(request, admin.DiagnoseRequest)
        answer: Any = await diagnose_folder(self._config, request)
        return cast("R", answer)

    def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        raise AssertionError(method.path, request)


@asynccontextmanager
async def open_folder(config: ServerConfig) -> AsyncIterator[FolderDoor]:
    """Open the data folder of the settings, under its lock."""
    async with opened(config) as installation:
        yield FolderDoor(installation)
