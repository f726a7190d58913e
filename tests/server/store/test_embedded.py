"""The embedded server: its start and end, whatever an earlier run has left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.valkey import short_folder, until

from agon_server.store.connection import open_store
from agon_server.store.embedded import SOCKET_PATH_BYTES, EmbeddedServer, server_binary
from agon_server.store.errors import DataFolderError
from agon_server.store.folder import DataFolder


@pytest.fixture
def path() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder / "data"


@pytest.fixture
def folder(path: Path) -> Iterator[DataFolder]:
    with DataFolder.open(path) as opened:
        yield opened


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def files(folder: DataFolder) -> set[str]:
    return {path.name for path in (folder.path / "store").iterdir()}


async def test_it_listens_on_a_socket_of_its_user_and_on_no_port(folder: DataFolder) -> None:
    store = await open_store(None, folder)
    try:
        assert b"tcp_port:0\r\n" in await store.command("INFO", "server")
        assert store.embedded is not None
        assert stat.S_ISSOCK(store.embedded.socket.stat().st_mode)
        private = [folder.path / "store", *(folder.path / "store").rglob("*")]
        assert [path for path in private if path.stat().st_mode & 0o077] == []
    finally:
        await store.aclose()


async def test_it_keeps_its_data_over_a_restart_and_leaves_nothing_else(folder: DataFolder) -> None:
    store = await open_store(None, folder)
    await store.command("SET", "key", "value")
    assert store.embedded is not None
    pid = store.embedded.pid
    assert pid is not None
    await store.aclose()

    assert not is_alive(pid)
    assert {"aof", "valkey.conf", "valkey.log"} == files(folder)
    store = await open_store(None, folder)
    try:
        assert await store.command("GET", "key") == b"value"
    finally:
        await store.aclose()


async def test_it_is_in_a_session_of_its_own_so_that_ctrl_c_does_not_end_it_first(folder: DataFolder) -> None:
    server = EmbeddedServer(folder)
    await server.start()
    try:
        assert server.pid is not None
        assert server.pid == os.getsid(server.pid)
    finally:
        await server.stop()


async def test_stopping_what_does_not_run_does_nothing(folder: DataFolder) -> None:
    server = EmbeddedServer(folder)
    await server.stop()
    await server.start()
    await server.stop()
    await server.stop()


async def test_a_server_that_ends_by_itself_is_noticed(folder: DataFolder) -> None:
    server = EmbeddedServer(folder)
    await server.start()
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)

    assert await server.wait_exit() == -signal.SIGKILL
    await server.start()
    await server.stop()


async def test_a_hung_server_is_killed(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agon_server.store.embedded.STOP_SECONDS", 0.05)
    monkeypatch.setattr("agon_server.store.embedded.SHUTDOWN_SECONDS", 0.05)
    server = EmbeddedServer(folder)
    await server.start()
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)

    await server.stop()

    assert not is_alive(pid)
    assert {"aof", "valkey.conf", "valkey.log"} == files(folder)


PARENT = """
import asyncio, os, sys
from pathlib import Path
from agon_server.store.connection import open_store
from agon_server.store.folder import DataFolder

async def main():
    store = await open_store(None, DataFolder.open(Path(sys.argv[1])))
    await store.command("SET", "key", "value")
    await store.wait_durable()
    print(store.embedded.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def killed_parent(path: Path) -> int:
    """Open the store in another process, kill that one with -9, and return the process id of the server it leaves."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT, path], stdout=subprocess.PIPE)
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert is_alive(pid)
    return pid


@pytest.mark.parametrize("state", ["answers", "hangs"])
async def test_what_a_killed_parent_left_is_ended_and_its_data_taken_over(
    path: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = killed_parent(path)
    if state == "hangs":
        monkeypatch.setattr("agon_server.store.embedded.STOP_SECONDS", 0.05)
        monkeypatch.setattr("agon_server.store.embedded.SHUTDOWN_SECONDS", 0.05)
        os.kill(left, signal.SIGSTOP)

    with DataFolder.open(path) as folder:
        store = await open_store(None, folder)
        try:
            assert not is_alive(left)
            assert await store.command("GET", "key") == b"value"
        finally:
            await store.aclose()


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with us."""
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


async def test_a_process_that_got_the_number_of_an_ended_server_is_left_alone(
    folder: DataFolder, stranger: subprocess.Popen[bytes]
) -> None:
    (folder.sub("store") / "valkey.pid").write_text(f"{stranger.pid}\n")
    (folder.sub("store") / "socket").write_text(f"{folder.path}/store/valkey.sock")
    server = EmbeddedServer(folder)
    await server.start()
    await server.stop()

    assert stranger.poll() is None


async def test_a_folder_that_the_socket_file_names_is_only_removed_if_it_is_ours(
    folder: DataFolder, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (folder.sub("store") / "socket").write_text(f"{precious}/valkey.sock")

    server = EmbeddedServer(folder)
    await server.start()
    await server.stop()

    assert precious.is_dir()


async def test_a_deep_folder_has_its_socket_elsewhere_and_leaves_nothing_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = path.parent / "run"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with DataFolder.open(path / ("x" * 60) / ("y" * 60)) as folder:
        store = await open_store(None, folder)
        assert store.embedded is not None
        socket = store.embedded.socket
        assert runtime == socket.parent.parent
        assert len(os.fsencode(socket)) <= SOCKET_PATH_BYTES
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
        await store.aclose()

    assert list(runtime.iterdir()) == []


async def test_a_killed_parents_socket_folder_is_removed_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = path.parent / "run"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    deep = path / ("x" * 60) / ("y" * 60)
    killed_parent(deep)

    with DataFolder.open(deep) as folder:
        store = await open_store(None, folder)
        assert len(list(runtime.iterdir())) == 1
        await store.aclose()
    assert list(runtime.iterdir()) == []


async def test_a_folder_is_too_deep_where_no_socket_fits_anywhere(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = path / ("x" * 60) / ("y" * 60)
    deep.mkdir(parents=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    with DataFolder.open(deep) as folder, pytest.raises(DataFolderError, match="too deep for a socket"):
        await open_store(None, folder)


async def test_a_path_with_any_characters_is_written_into_the_configuration(path: Path) -> None:
    with DataFolder.open(path / 'a "b" \\ ü\n #') as folder:
        store = await open_store(None, folder)
        assert await store.command("PING")
        await store.aclose()


@pytest.mark.parametrize("name", ["*", "?ata", "[d]ata", "*[a] \\*", "[::1]:7420"])
async def test_a_path_that_could_be_a_pattern_names_one_folder(path: Path, name: str) -> None:
    """The server takes its argument for a pattern: it would read another folder's file, or none and open a port."""
    with DataFolder.open(path) as other:
        store = await open_store(None, other)
        await store.aclose()
    left = killed_parent(path.parent / name)

    with DataFolder.open(path.parent / name) as folder:
        store = await open_store(None, folder)
        try:
            assert not is_alive(left)
            assert await store.command("GET", "key") == b"value"
            assert b"tcp_port:0\r\n" in await store.command("INFO", "server")
            assert store.embedded is not None
            assert store.embedded.socket.exists()
        finally:
            await store.aclose()
    assert files(folder) == {"aof", "valkey.conf", "valkey.log"}


async def test_a_damaged_file_is_reported_with_what_the_server_says(folder: DataFolder) -> None:
    store = await open_store(None, folder)
    for number in range(20):
        await store.command("SET", f"key-{number}", "value")
    await store.aclose()
    (log,) = (folder.path / "store" / "aof").glob("*.incr.aof")
    content = bytearray(log.read_bytes())
    content[100:140] = b"?" * 40
    log.write_bytes(content)

    with pytest.raises(DataFolderError, match=r"did not start \(exit status 1\).*Bad file format"):
        await open_store(None, folder)
    assert {"aof", "valkey.conf", "valkey.log"} == files(folder)


async def test_a_file_cut_off_by_a_crash_is_read_as_far_as_it_goes(folder: DataFolder) -> None:
    store = await open_store(None, folder)
    await store.command("SET", "early", "value")
    await store.command("SET", "late", "value")
    await store.aclose()
    (log,) = (folder.path / "store" / "aof").glob("*.incr.aof")
    log.write_bytes(log.read_bytes()[:-5])

    store = await open_store(None, folder)
    assert await store.command("MGET", "early", "late") == [b"value", None]
    await store.aclose()


async def test_a_cancelled_start_leaves_no_process(folder: DataFolder) -> None:
    server = EmbeddedServer(folder)
    starting = asyncio.create_task(server.start())
    await until(lambda: _is_spawned(server))
    pid = server.pid
    assert pid is not None
    starting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not is_alive(pid)
    assert server.pid is None


async def _is_spawned(server: EmbeddedServer) -> bool:
    return server.pid is not None


async def test_a_server_that_never_answers_is_given_up_and_ended(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setattr("agon_server.store.embedded.ANSWER_WAIT_SECONDS", 0.05)
    monkeypatch.setattr("agon_server.store.embedded.server_binary", lambda: silent)
    server = EmbeddedServer(folder)

    with pytest.raises(DataFolderError, match="does not answer; see its log"):
        await server.start()
    assert server.pid is None


async def test_a_machine_without_the_binary_is_told_to_name_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.access(server_binary(), os.X_OK)
    monkeypatch.setattr("platform.machine", lambda: "vax")

    with pytest.raises(DataFolderError, match="--redis URL"):
        server_binary()


async def test_a_long_log_is_rolled(folder: DataFolder) -> None:
    (folder.sub("store") / "valkey.log").write_bytes(b"x" * (1 << 20))

    server = EmbeddedServer(folder)
    await server.start()
    await server.stop()

    assert (folder.path / "store" / "valkey.log.1").stat().st_size == 1 << 20
    assert (folder.path / "store" / "valkey.log").stat().st_size < 10_000
