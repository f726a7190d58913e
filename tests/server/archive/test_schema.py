"""Indexes of other versions: earlier ones are brought up to date with nothing lost, later ones are refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.support.ladder_store import record_of, score
from tests.support.valkey import entry

from agon_engine.core.policy import Termination
from agon_server.archive.folder import INDEX, ArchiveError, ArchiveFolder
from agon_server.archive.schema import VERSION
from agon_server.queue.outcome import Outcome
from agon_server.queue.results import Kind, Result, Unread

FIRST = ("DROP TABLE unread", "DROP TABLE seats", "DROP INDEX by_ladder", "DROP INDEX by_block")
"""What the first version did not have yet."""
BEFORE_UNREAD = ("DROP TABLE unread",)


def result(number: int) -> Result:
    match = entry("a", "b")
    record = record_of(match, score(1, 2)).to_line()
    return Result(
        id=f"1000-{number}",
        kind=Kind.PLAYED,
        match=match.match,
        game=match.game,
        version=1,
        ladder=match.ladder,
        block="block",
        index=number,
        attempt=0,
        rated=True,
        termination=Termination.SCORE,
        server="one",
        epoch=1,
        reason="",
        record_hash="h",
        record=record,
        plays_again=False,
        outcome=Outcome.of_record(record),
    )


@contextmanager
def index_of(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path / INDEX, isolation_level=None)) as index:
        yield index


@pytest.mark.parametrize("lacks", [(), BEFORE_UNREAD, FIRST])
def test_an_index_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path, lacks: tuple[str, ...]) -> None:
    results = [result(number) for number in range(3)]
    with closing(ArchiveFolder(tmp_path)) as folder:
        folder.append(results)
        name = folder.reader
    with index_of(tmp_path) as index:
        for statement in (
            *lacks,
            "UPDATE results SET facts = json_remove(facts, '$.outcome')",
            "PRAGMA user_version = 0",
        ):
            index.execute(statement)

    with closing(ArchiveFolder(tmp_path)) as folder:
        assert (folder.reader, folder.cursor) == (name, results[-1].id)
        assert list(folder.results()) == results
        assert folder.latest(9, bot="b") == results[::-1]
        assert folder.of_block("block") == results
        assert folder.append([more := result(3)], [Unread("1000-4", "strange", ("what", "ever"))]) == 1
        assert folder.latest(1, ladder=more.ladder) == [more]
    with index_of(tmp_path) as index:
        assert index.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert index.execute("SELECT id FROM unread").fetchall() == [("1000-4",)]


def test_an_index_of_a_later_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    ArchiveFolder(tmp_path).close()
    with index_of(tmp_path) as index:
        index.execute(f"PRAGMA user_version = {VERSION + 1}")

    with pytest.raises(ArchiveError, match=rf"of a later version of Agon \({VERSION + 1}, .*install that one"):
        ArchiveFolder(tmp_path)

    with index_of(tmp_path) as index:
        assert index.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)


def test_records_without_their_index_are_not_written_over(tmp_path: Path) -> None:
    """The order of results and their ids stand in the index alone."""
    with closing(ArchiveFolder(tmp_path)) as folder:
        folder.append([result(0)])
    for file in tmp_path.glob(f"{INDEX}*"):
        file.unlink()
    file = tmp_path / "1970-01-01.jsonl.gz"
    before = file.read_bytes()

    with pytest.raises(ArchiveError, match=r"has 1 file of records but lacks the index: bring index\.sqlite back"):
        ArchiveFolder(tmp_path)

    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == before
