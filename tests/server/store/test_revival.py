"""An embedded store that has ended by itself runs again, or is given up with a reason."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Iterator

import pytest
from tests.support.valkey import short_folder, until

from agon_server.store import revival
from agon_server.store.connection import Store, open_store
from agon_server.store.embedded import EmbeddedServer
from agon_server.store.errors import StoreError
from agon_server.store.folder import DataFolder
from agon_server.store.revival import keep_running
from agon_server.surroundings import SurroundingsError


@pytest.fixture(params=["short", "deep"])
def folder(request: pytest.FixtureRequest) -> Iterator[DataFolder]:
    """A data folder, also one whose socket lies elsewhere."""
    with short_folder() as short:
        path = short / ("x" * 120) if request.param == "deep" else short
        with DataFolder.open(path) as data:
            yield data


@pytest.fixture
async def store(folder: DataFolder) -> AsyncIterator[Store]:
    opened = await open_store(None, folder)
    yield opened
    await opened.aclose()


def embedded(store: Store) -> EmbeddedServer:
    assert store.embedded is not None
    return store.embedded


def kill(server: EmbeddedServer) -> int:
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


async def has_key(store: Store) -> bool:
    try:
        return bool(await store.command("GET", "key") == b"value")
    except StoreError:
        return False


async def test_a_store_that_was_killed_runs_again_on_its_data_and_socket(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    server = embedded(store)
    where = server.socket
    keeping = asyncio.create_task(keep_running(server))
    await store.command("SET", "key", "value")
    await store.wait_durable()
    for number in (1, 2):
        kill(server)

        async def runs_again(times: int = number) -> bool:
            return caplog.text.count("the embedded store runs again") == times and await has_key(store)

        await until(runs_again)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)

    assert server.socket == where
    ended = "the embedded store has ended by itself (killed by SIGKILL) and is started again"
    assert caplog.messages[-2:] == [ended, f"the embedded store runs again, as process {server.pid}"]


async def test_a_store_that_cannot_be_started_is_given_up_and_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(revival, "PAUSE_SECONDS", 0.0)
    server = embedded(store)
    for number in range(20):
        await store.command("SET", f"key-{number}", "value")
    (log,) = server.log.parent.glob("aof/*.incr.aof")
    content = bytearray(log.read_bytes())
    content[100:140] = b"?" * 40
    log.write_bytes(content)
    kill(server)

    with pytest.raises(SurroundingsError, match=r"cannot be started; when that is mended.*Bad file format"):
        await keep_running(server)
    await store.aclose()

    assert {path.name for path in server.log.parent.iterdir()} == {"aof", "valkey.conf", "valkey.log"}
    assert not server.socket.exists()
    assert sum("cannot be started, which is tried again" in message for message in caplog.messages) == 1


async def test_a_store_that_ends_again_and_again_is_given_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revival, "PAUSE_SECONDS", 0.0)
    server = embedded(store)
    starting = server.start_again
    starts = 0

    async def start_again() -> None:
        nonlocal starts
        starts += 1
        await starting()
        kill(server)

    monkeypatch.setattr(server, "start_again", start_again)
    kill(server)

    with pytest.raises(SurroundingsError, match=r"ends again and again \(killed by SIGKILL\); its log '.*valkey.log'"):
        await keep_running(server)
    assert starts == revival.ENDS


async def test_who_ends_while_it_is_started_again_leaves_no_process(store: Store, folder: DataFolder) -> None:
    server = embedded(store)
    before = kill(server)
    keeping = asyncio.create_task(keep_running(server))

    async def is_spawned() -> bool:
        return server.pid not in (None, before)

    await until(is_spawned)
    pid = server.pid
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    await store.aclose()

    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert {path.name for path in (folder.path / "store").iterdir()} == {"aof", "valkey.conf", "valkey.log"}
