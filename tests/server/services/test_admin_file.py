"""admin.json: readable by its owner only, replaced in one step, its token kept over restarts."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from agon_server.services.admin_file import AdminFile, read_admin_file, write_admin_file
from agon_server.store.errors import DataFolderError


def test_the_file_is_for_its_owner_alone_whatever_the_umask_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_admin_file(tmp_path, "127.0.0.1:7420")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "admin.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["admin.json"]


def test_the_token_is_made_once_and_the_address_follows_the_server(tmp_path: Path) -> None:
    first = write_admin_file(tmp_path, "127.0.0.1:1", "127.0.0.1:2")
    second = write_admin_file(tmp_path, "")

    assert (first.address, first.metrics) == ("127.0.0.1:1", "127.0.0.1:2")
    assert second == AdminFile("", first.token) == read_admin_file(tmp_path)
    assert len(first.token) >= 32
    assert first.token not in repr(first)


def test_each_folder_has_a_token_of_its_own(tmp_path: Path) -> None:
    tokens = set()
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        tokens.add(write_admin_file(tmp_path / name, "").token)

    assert len(tokens) == 2


def test_no_file_is_no_error(tmp_path: Path) -> None:
    assert read_admin_file(tmp_path) is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"address": ""}', '{"address": 1, "token": "x"}', json.dumps({"address": "", "token": "x"})],
)
def test_a_damaged_file_is_told_with_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "admin.json").write_text(text, encoding="utf-8")

    with pytest.raises(DataFolderError, match="is damaged; stop the server, remove the file and start again"):
        read_admin_file(tmp_path)


def test_a_half_written_file_of_a_killed_server_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "admin.json.new").write_text("half", encoding="utf-8")

    write_admin_file(tmp_path, "127.0.0.1:1")

    assert read_admin_file(tmp_path) is not None
