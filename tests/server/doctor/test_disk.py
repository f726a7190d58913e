"""Faults of an archive and of a data folder, each planted on a real disk."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.doctor.conftest import Look
from tests.support.ladder_store import Ladders, first_wins

from agon.codec.admin import Condition, Symptom
from agon_server.archive.archive import Archive
from agon_server.config import ServerConfig
from agon_server.operations.doctor import folder
from agon_server.operations.doctor.archive import check_archive, look_at_archive
from agon_server.operations.doctor.folder import check_folder, look_at_folder

INDEX = "index.sqlite"


def only(symptoms: list[Symptom], check: str) -> Symptom:
    assert [symptom.check for symptom in symptoms] == [check], symptoms
    return symptoms[0]


@pytest.fixture
def file(healthy: Ladders, archive: Archive) -> Path:
    """The archive's only file of records."""
    [found] = archive.folder.path.glob("*.jsonl.gz")
    return found


def tear(file: Path) -> int:
    """Leave half a record at the end of a file; return how long it was before."""
    whole = file.stat().st_size
    with file.open("ab") as end:
        end.write(b"torn")
    return whole


async def test_a_torn_last_line(file: Path, look: Look) -> None:
    whole = tear(file)

    symptom = only(await look(), "archive")
    assert (symptom.condition, symptom.where) == (Condition.ORPHANED, str(file))
    assert "a crash left 4 bytes behind the last record" in symptom.what
    assert f"truncate -s {whole}" in symptom.remedy


async def test_the_next_record_takes_the_place_of_a_torn_line(
    file: Path, look: Look, healthy: Ladders, archive: Archive
) -> None:
    tear(file)
    assert await healthy.play(first_wins)
    await archive.drain()

    assert await look() == []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.unlink(), "the file is missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "the file is cut off"),
        (lambda path: path.write_bytes(bytes(path.stat().st_size)), "its last part is damaged"),
    ],
)
async def test_files_that_are_not_what_the_index_says(file: Path, look: Look, damage: object, words: str) -> None:
    assert callable(damage)
    damage(file)

    symptom = only(await look(), "archive")
    assert (symptom.condition, symptom.where) == (Condition.INCONSISTENT, str(file))
    assert words in symptom.what


async def test_a_file_that_the_index_does_not_know(file: Path, look: Look) -> None:
    stranger = file.with_name("1999-01-01.jsonl.gz")
    stranger.write_bytes(b"")

    assert only(await look(), "archive").where == str(stranger)


async def test_an_index_that_lacks_records(file: Path, look: Look) -> None:
    with sqlite3.connect(file.with_name(INDEX)) as index:
        index.execute("DELETE FROM results")
    index.close()

    symptom = only(await look(), "archive")
    assert "the index lacks the records from byte 0" in symptom.what


def test_an_index_that_is_none(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / INDEX).write_bytes(b"no database at all, but long enough to be read as one" * 20)
    (copy / file.name).write_bytes(file.read_bytes())
    look = look_at_archive(copy)
    assert look is not None

    [suspicion] = check_archive(look, "0-0")
    assert "the index cannot be read" in suspicion.what


def test_an_index_that_is_gone(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / file.name).write_bytes(file.read_bytes())
    look = look_at_archive(copy)
    assert look is not None

    [suspicion] = check_archive(look, "0-0")
    assert "the index knows none of the 1 files of records" in suspicion.what


async def test_results_that_were_trimmed_before_the_archive_had_them(file: Path) -> None:
    look = look_at_archive(file.parent)
    assert look is not None

    assert check_archive(look, look.cursor) == []
    [suspicion] = check_archive(look, "99999999999999-0")
    assert suspicion.condition is Condition.INCONSISTENT


def test_reading_an_archive_leaves_nothing_behind(tmp_path: Path) -> None:
    from agon_server.archive.folder import ArchiveFolder

    ArchiveFolder(tmp_path / "records").close()
    before = sorted(path.name for path in (tmp_path / "records").iterdir())
    look = look_at_archive(tmp_path / "records")

    assert look is not None
    assert check_archive(look, "0-0") == []
    assert sorted(path.name for path in (tmp_path / "records").iterdir()) == before


def test_a_folder_without_archive_is_none(tmp_path: Path) -> None:
    assert look_at_archive(tmp_path / "records") is None


@pytest.mark.parametrize(("mode", "who"), [(0o640, "its group"), (0o604, "everybody")])
async def test_a_secret_that_others_can_read(healthy: Ladders, look: Look, tmp_path: Path, mode: int, who: str) -> None:
    secret = tmp_path / "admin.json"
    secret.write_text("{}")
    secret.chmod(mode)

    symptom = only(await look(), "secrets")
    assert (symptom.condition, symptom.where) == (Condition.UNSAFE, str(secret))
    assert symptom.what == f"a secret is open to {who}"
    secret.chmod(0o600)
    assert await look() == []


def test_a_key_that_everybody_can_read(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    for path in (key, certificate):
        path.write_text("")
    config = ServerConfig(data=tmp_path, tls_cert=certificate, tls_key=key)

    key.chmod(0o640)
    assert check_folder(look_at_folder(config, None)) == []
    key.chmod(0o644)
    [suspicion] = check_folder(look_at_folder(config, None))
    assert suspicion.remedy == f"chmod go-rwx {str(key)!r}"


def test_a_disk_that_is_full_soon(tmp_path: Path) -> None:
    look = look_at_folder(ServerConfig(data=tmp_path), None)

    assert not list(folder.disk_space(replace(look, free=folder.LOW_BYTES)))
    [suspicion] = folder.disk_space(replace(look, free=folder.LOW_BYTES - 1))
    assert suspicion.condition is Condition.UNSAFE
    [suspicion] = folder.disk_space(replace(look, free=folder.LOW_BYTES, store_bytes=folder.LOW_BYTES))
    assert "512 may be needed" in suspicion.what
