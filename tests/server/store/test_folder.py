"""The data folder: its lock, its modes, and what it says when it cannot be used."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from agon_server.store.errors import DataFolderError, FolderInUseError
from agon_server.store.folder import DataFolder, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_and_all_in_it_is_its_users_alone(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / "deep" / "data") as folder:
        sub = folder.sub("store")
        folder.server_name()

        assert [mode(folder.path), mode(sub)] == [0o700, 0o700]
        assert {0o600} == {mode(path) for path in folder.path.iterdir() if path.is_file()}


def test_a_folder_in_use_is_refused_with_the_process_that_has_it(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path), pytest.raises(DataFolderError, match=rf"in use by process {os.getpid()} \("):
        DataFolder.open(tmp_path)


async def test_a_server_waits_for_a_command_that_has_the_folder_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not the values of its options, which may be secret."""
    monkeypatch.setattr("sys.argv", ["/usr/bin/agon", "match", "show", "01ab", "--server", "secret"])
    held, told = DataFolder.open(tmp_path), list[str]()

    def tell(text: str) -> None:
        told.append(text)
        held.close()

    with await DataFolder.open_for_server(tmp_path, tell) as opened:
        assert tmp_path == opened.path

    assert [f"waiting up to 10 s for process {os.getpid()} (agon match show 01ab), which has the data folder"] == told


async def test_a_server_does_not_wait_for_a_server(tmp_path: Path) -> None:
    with (
        await DataFolder.open_for_server(tmp_path, pytest.fail),
        pytest.raises(FolderInUseError, match=r"\(a server\); end that one or choose"),
    ):
        await DataFolder.open_for_server(tmp_path, pytest.fail)


async def test_a_server_does_not_wait_for_ever_for_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agon_server.store.folder.COMMAND_SECONDS", 0.0)

    with DataFolder.open(tmp_path), pytest.raises(FolderInUseError, match="in use by process"):
        await DataFolder.open_for_server(tmp_path, lambda _: None)


def test_a_closed_folder_can_be_opened_again(tmp_path: Path) -> None:
    DataFolder.open(tmp_path).close()

    with DataFolder.open(tmp_path) as folder:
        assert tmp_path == folder.path


@pytest.mark.parametrize("below", ["", "/data"])
def test_a_file_is_no_data_folder(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DataFolderError, match="is not a folder"):
        DataFolder.open(Path(f"{tmp_path}/file{below}"))


def test_a_folder_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(DataFolderError, match=r"cannot be made \(.+\): '/proc/"):
        DataFolder.open(Path("/proc/agon/data"))


def test_a_folder_that_cannot_be_written_to_is_refused() -> None:
    with pytest.raises(DataFolderError, match=r"is not writable \(.+\): '/proc/"):
        DataFolder.open(Path(f"/proc/{os.getpid()}"))


def test_a_link_in_the_locks_place_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    data = tmp_path / "data"
    data.mkdir()
    (data / "lock").symlink_to(victim)

    with pytest.raises(DataFolderError, match="not writable"):
        DataFolder.open(data)
    assert victim.read_text() == "precious"


def test_a_servers_name_is_kept(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / "one") as one, DataFolder.open(tmp_path / "two") as two:
        name = one.server_name()
        assert name != two.server_name()
    with DataFolder.open(tmp_path / "one") as again:
        assert name == again.server_name()


def test_a_folder_is_the_same_after_a_restart_and_a_copy_of_it_is_another(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / "one") as one:
        identity = one.identity
    shutil.copytree(tmp_path / "one", tmp_path / "copy")

    with DataFolder.open(tmp_path / "one") as again, DataFolder.open(tmp_path / "copy") as copy:
        assert identity == again.identity
        assert identity != copy.identity


def test_a_private_file_is_replaced_whole_whatever_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a long old text")
    path.chmod(0o644)
    (tmp_path / "file.new").write_bytes(b"left by a crash")

    write_private(path, b"new")

    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)
    assert [path] == list(tmp_path.iterdir())
