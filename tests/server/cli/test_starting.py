"""Commands on a data folder that another process has, which does not answer there yet."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agon_server.cli import door as door_module, folder_door
from agon_server.cli.door import open_door
from agon_server.services.admin_file import write_admin_file
from agon_server.store.errors import FolderInUseError
from agon_server.store.folder import DataFolder


@asynccontextmanager
async def named(name: Any) -> AsyncIterator[Any]:
    yield name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One that is an installation."""
    with DataFolder.open(tmp_path) as folder:
        folder.server_name()
    return tmp_path


async def test_a_server_that_is_starting_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listening = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    monkeypatch.setattr(door_module, "_server_door", lambda address, _: named(f"server at {address}"))
    refused = asyncio.Event()

    @asynccontextmanager
    async def noted(settings: Any) -> AsyncIterator[Any]:
        try:
            with DataFolder.open(settings.data):
                yield "folder"
        finally:
            refused.set()

    monkeypatch.setattr(folder_door, "open_folder", noted)

    async def asked() -> Any:
        async with open_door(folder, environ={}) as door:
            return door

    with DataFolder.open(folder):
        asking = asyncio.create_task(asked())
        await refused.wait()
        write_admin_file(folder, f"127.0.0.1:{port}")

        assert await asking == f"server at 127.0.0.1:{port}"

    listening.close()


async def test_a_process_that_lets_the_folder_go_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with DataFolder.open(folder) as held:

        @asynccontextmanager
        async def opened_then(settings: Any) -> AsyncIterator[Any]:
            try:
                with DataFolder.open(settings.data):
                    yield "folder"
            finally:
                held.close()

        monkeypatch.setattr(folder_door, "open_folder", opened_then)
        async with open_door(folder, environ={}) as door:
            found: object = door

    assert found == "folder"


async def test_a_process_that_has_the_folder_and_says_nothing_is_named_with_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_module, "STARTING_SECONDS", 0.01)

    with DataFolder.open(folder), pytest.raises(FolderInUseError, match=r"answers nobody yet: .*; try again") as raised:
        async with open_door(folder, environ={}):
            pass

    assert raised.value.holder == os.getpid()
