"""The archive on disk: every result once, in order, whatever a crash left behind."""

from __future__ import annotations

import gzip
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agon_engine.core.policy import Termination
from agon_server.archive.folder import ArchiveError, ArchiveFolder
from agon_server.queue.ids import new_id
from agon_server.queue.outcome import Outcome
from agon_server.queue.results import START, Kind, Result

DAY_MS = 86_400_000


def result(number: int, *, kind: Kind = Kind.PLAYED, ms: int = 1_000) -> Result:
    """A result as the stream gives it."""
    return Result(
        id=f"{ms}-{number}",
        kind=kind,
        match=f"{number:020}",
        game="ephyran",
        version=1,
        ladder="ephyran-2",
        block=new_id(),
        index=0,
        attempt=0,
        rated=kind is Kind.PLAYED,
        termination=Termination.SCORE,
        server="one",
        epoch=1,
        reason="" if kind is Kind.PLAYED else "tests",
        record_hash=f"hash {number}" if kind is Kind.PLAYED else "",
        record=f'{{"number":{number},"name":"é\u2028"}}' if kind is Kind.PLAYED else "",
        plays_again=False,
        outcome=Outcome(("a", "b"), (1, 2), (Termination.SCORE,) * 2) if kind is Kind.PLAYED else None,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ArchiveFolder]:
    opened = ArchiveFolder(tmp_path / "records")
    yield opened
    opened.close()


def lines(path: Path) -> list[str]:
    """What any reader of gzipped lines finds in the folder."""
    found = []
    for file in sorted(path.glob("*.jsonl.gz")):
        found += gzip.decompress(file.read_bytes()).decode().split("\n")[:-1]
    return found


def test_results_come_back_as_they_were_in_their_order(folder: ArchiveFolder) -> None:
    results = [result(number, kind=kind) for number, kind in enumerate((Kind.PLAYED, Kind.DEAD, Kind.PLAYED) * 4)]
    for start in range(0, 12, 5):
        folder.append(results[start : start + 5])

    assert results == list(folder.results())
    assert results[7:] == list(folder.results(results[6].id))
    assert results == [folder.find(each.match) for each in results]
    assert folder.find(new_id()) is None
    assert results[-1].id == folder.cursor


def test_files_hold_the_records_lines_and_nothing_else(folder: ArchiveFolder) -> None:
    results = [result(number) for number in range(5)]
    folder.append(results[:2])
    folder.append([*results[2:], result(5, kind=Kind.CANCELLED)])

    assert [each.record for each in results] == lines(folder.path)


def test_a_new_archive_is_empty_and_its_users_alone(folder: ArchiveFolder) -> None:
    assert (folder.cursor, list(folder.results())) == (START, [])
    folder.append([result(1)])

    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.path.iterdir()} == {0o600}


def test_what_is_there_already_is_not_doubled(folder: ArchiveFolder) -> None:
    results = [result(number) for number in range(6)]
    assert folder.append(results[:4]) == 4

    assert folder.append(results[:4]) == 0
    assert folder.append(results[2:]) == 2
    assert results == list(folder.results())
    assert [each.record for each in results] == lines(folder.path)


def test_each_day_has_its_file_and_a_long_day_several(tmp_path: Path) -> None:
    folder = ArchiveFolder(tmp_path, file_bytes=1)
    folder.append([result(1), result(2), result(3, ms=DAY_MS + 1)])
    folder.append([result(4, ms=DAY_MS + 2)])

    files = [path.name for path in sorted(tmp_path.glob("*.gz"))]
    assert files == ["1970-01-01.jsonl.gz", "1970-01-02-2.jsonl.gz", "1970-01-02.jsonl.gz"]
    assert [each.match for each in folder.results()] == [f"{number:020}" for number in (1, 2, 3, 4)]
    folder.close()


def test_an_archive_goes_on_where_it_was_closed(tmp_path: Path) -> None:
    results = [result(number) for number in range(4)]
    first = ArchiveFolder(tmp_path)
    first.append(results[:2])
    name = first.reader
    first.close()
    second = ArchiveFolder(tmp_path)

    assert (name, results[1].id) == (second.reader, second.cursor)
    second.append(results[2:])
    assert results == list(second.results())
    second.close()


def test_what_a_crash_wrote_without_the_index_is_cut_off(folder: ArchiveFolder) -> None:
    results = [result(number) for number in range(4)]
    folder.append(results[:2])
    with (folder.path / "1970-01-01.jsonl.gz").open("ab") as file:
        file.write(gzip.compress(b"half a mem")[:-3])
    folder.append(results[2:])

    assert results == list(folder.results())
    assert [each.record for each in results] == lines(folder.path)


WRITER = """
import sys
from pathlib import Path
from agon_server.archive.folder import ArchiveFolder
from tests.server.archive.test_folder import result

folder = ArchiveFolder(Path(sys.argv[1]))
print("open", flush=True)
for number in range(int(folder.cursor.partition("-")[2]) + 1, 100_000):
    folder.append([result(number)])
"""


def test_a_writer_killed_at_any_moment_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """X12, for the archive: whatever its cursor says it has, it has once."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)}
    for round_number in (1, 2, 3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, tmp_path], stdout=subprocess.PIPE, env=environment
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            while len(list_of_numbers(tmp_path)) < round_number * 20:
                assert writer.poll() is None
            writer.send_signal(signal.SIGKILL)

    folder = ArchiveFolder(tmp_path)
    count = int(folder.cursor.partition("-")[2])
    folder.append([result(count + 1)])
    found = [each.record for each in folder.results()]
    folder.close()
    assert [result(number).record for number in range(1, count + 2)] == found == lines(tmp_path)


def list_of_numbers(path: Path) -> list[int]:
    index = sqlite3.connect(path / "index.sqlite")
    try:
        return [row[0] for row in index.execute("SELECT number FROM results")]
    finally:
        index.close()


@pytest.mark.parametrize("damage", ["missing", "cut off"])
def test_a_lost_file_is_named_when_the_archive_is_opened(tmp_path: Path, damage: str) -> None:
    folder = ArchiveFolder(tmp_path)
    folder.append([result(1)])
    folder.close()
    file = tmp_path / "1970-01-01.jsonl.gz"
    if damage == "missing":
        file.unlink()
    else:
        os.truncate(file, 10)

    with pytest.raises(ArchiveError, match=r"missing or cut off; bring it back from a copy: '.*1970-01-01.jsonl.gz'"):
        ArchiveFolder(tmp_path)


def test_a_damaged_member_is_named_when_it_is_read(folder: ArchiveFolder) -> None:
    folder.append([result(1)])
    file = folder.path / "1970-01-01.jsonl.gz"
    file.write_bytes(b"x" * file.stat().st_size)

    with pytest.raises(ArchiveError, match=r"cannot read the archive .* at byte 0 of '1970-01-01.jsonl.gz'"):
        folder.find(result(1).match)


def test_an_index_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").write_bytes(b"no database" * 1_000)

    with pytest.raises(
        ArchiveError, match=r"is damaged \(file is not a database\); bring index.sqlite back from a copy"
    ):
        ArchiveFolder(tmp_path)


def test_what_is_asked_of_a_closed_archive_is_an_error_of_the_archive(folder: ArchiveFolder) -> None:
    folder.close()

    with pytest.raises(ArchiveError, match="cannot use the archive"):
        folder.find("m")


def test_an_archive_of_another_format_is_refused(tmp_path: Path) -> None:
    ArchiveFolder(tmp_path).close()
    index = sqlite3.connect(tmp_path / "index.sqlite")
    index.execute("UPDATE about SET value = '99' WHERE name = 'format'")
    index.commit()
    index.close()

    with pytest.raises(ArchiveError, match="its files have another format than '1': '99'"):
        ArchiveFolder(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(ArchiveError, match="cannot use the archive"):
        ArchiveFolder(Path("/proc/agon/records"))


def test_what_fails_leaves_the_archive_as_it_was(folder: ArchiveFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    results = [result(number) for number in range(4)]
    folder.append(results[:2])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(ArchiveError, match="No space left on device"):
            folder.append(results[2:])

    assert (results[:2], results[1].id) == (list(folder.results()), folder.cursor)
    folder.append(results[2:])
    assert [each.record for each in results] == lines(folder.path)
