"""What the archive keeps of records for those who fold: the same as the records tell, without opening them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.ladder_store import record_of, score, unrated
from tests.support.valkey import entry

from agon_engine.core.policy import Result as End, Termination
from agon_engine.core.record import Deals
from agon_ladder.results import MatchResult, Position
from agon_ladder.rulings import Purge, Season
from agon_server.archive.folder import INDEX, ArchiveError, ArchiveFolder
from agon_server.queue.ids import new_id
from agon_server.queue.outcome import Outcome
from agon_server.queue.reading import Told, Unreadable, recorded
from agon_server.queue.results import Kind, Result

LADDER = "ephyran-3"
ENDS = (
    score(2, 1, 3),
    score(1, 1, 3),
    End(Termination.SCORE, (1, 2, 3), (0, 0, 0), (Termination.SCORE, Termination.RESIGNED, Termination.TIMEOUT)),
    unrated(3),
)
RULED: dict[str, Any] = {"ladder": LADDER, "actor": "ann", "why": "because"}
RULINGS = (
    Season(**RULED, position=Position(1_000, 5), id="s", label="second", keep=50),
    Purge(**RULED, position=Position(1_000, 6), id="p", server="server-2"),
    Purge(**{**RULED, "ladder": "other"}, position=Position(1_000, 7), id="q", bot="a"),
)


def played(number: int, end: End) -> Result:
    match = entry("a", "b", "c", ladder=LADDER, block=new_id(), block_size=3, index=number % 3, attempt=number // 3)
    servers = ("server-1", "server-2")
    record = replace(record_of(match, end), servers=servers).to_line()
    return Result(
        id=f"1000-{number}",
        kind=Kind.PLAYED,
        match=match.match,
        game=match.game,
        version=1,
        ladder=LADDER,
        block=match.block,
        index=match.index,
        attempt=match.attempt,
        rated=end.termination is Termination.SCORE,
        termination=end.termination,
        server="server-2",
        epoch=2,
        reason="",
        record_hash="h",
        record=record,
        plays_again=False,
        outcome=Outcome.of_record(record),
    )


def in_order() -> list[Result]:
    """Results of every kind; those that are numbered 8 and later come after the rulings."""
    first = [played(number, end) for number, end in enumerate(ENDS)]
    dead = replace(
        played(8, score(1, 2, 3)), kind=Kind.DEAD, record="", outcome=None, termination=Termination.INFRASTRUCTURE
    )
    damaged = replace(played(9, score(1, 2, 3)), record="{}")
    foreign = replace(played(10, score(1, 2, 3)), match=new_id())
    lost = replace(played(11, score(1, 2, 3)), record="")
    other = replace(played(12, score(1, 2, 3)), ladder="other")
    return [*first, dead, damaged, foreign, lost, other, played(13, score(3, 2, 1))]


@pytest.fixture
def results() -> list[Result]:
    return in_order()


@pytest.fixture
def folder(tmp_path: Path, results: list[Result]) -> Iterator[ArchiveFolder]:
    archive = ArchiveFolder(tmp_path)
    archive.append(results, (), RULINGS)
    yield archive
    archive.close()


def by_records(results: list[Result]) -> list[Told]:
    told = [recorded(result) for result in results if result.ladder == LADDER]
    return sorted([*without_deals(told), *RULINGS[:2]], key=lambda one: one.position)


def without_deals(told: list[Told]) -> list[Told]:
    """Leave out what no fold needs."""
    return [one._replace(deals=Deals.FRESH, commitment="") if isinstance(one, MatchResult) else one for one in told]


def test_it_is_what_the_records_tell_with_the_rulings_in_between(folder: ArchiveFolder, results: list[Result]) -> None:
    told = list(folder.told(LADDER))

    assert by_records(results) == told
    assert [one.match for one in told if isinstance(one, Unreadable)] == [one.match for one in results[5:8]]
    assert isinstance(told[0], MatchResult)
    assert told[0].servers == ("server-1", "server-2")


def test_it_is_read_from_any_position_over_many_pages(
    folder: ArchiveFolder, results: list[Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agon_server.archive.folder._TOLD_PAGE", 2)

    for number, one in enumerate(by_records(results)):
        assert by_records(results)[number + 1 :] == list(folder.told(LADDER, str(one.position)))


def test_no_record_is_opened_that_could_be_read_when_it_was_archived(tmp_path: Path) -> None:
    with closing(ArchiveFolder(tmp_path)) as folder:
        folder.append([played(number, end) for number, end in enumerate(ENDS)])
        for file in tmp_path.glob("*.gz"):
            file.write_bytes(b"damaged")

        assert len(list(folder.told(LADDER))) == len(ENDS)
        with pytest.raises(ArchiveError, match="cannot read the archive"):
            list(folder.entries())


def test_a_foreign_record_of_many_lines_shifts_no_other(tmp_path: Path) -> None:
    first, last = played(0, ENDS[0]), played(2, ENDS[1])
    foreign = replace(played(1, ENDS[0]), record=first.record.replace(",", ",\n"))
    with closing(ArchiveFolder(tmp_path)) as folder:
        folder.append([first, foreign, last])

        assert [first, last] == [folder.find(one.match) for one in (first, last)]
        assert isinstance(list(folder.told(LADDER))[1], Unreadable)


def test_an_index_that_has_not_kept_it_has_the_records_read(tmp_path: Path, results: list[Result]) -> None:
    with closing(ArchiveFolder(tmp_path)) as folder:
        folder.append(results, (), RULINGS)
    with closing(sqlite3.connect(tmp_path / INDEX, isolation_level=None)) as index:
        index.execute("ALTER TABLE results DROP COLUMN told")
        index.execute("PRAGMA user_version = 2")

    with closing(ArchiveFolder(tmp_path)) as folder:
        told = list(folder.told(LADDER))
        folder.append([more := played(20, score(1, 2, 3))])
        for file in tmp_path.glob("*.gz"):
            file.write_bytes(b"damaged")

        assert by_records(results) == without_deals(told)
        assert by_records([more])[-1:] == list(folder.told(LADDER, results[-1].id))


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[true,"b",0,0,["a"],[1],["luck"],"score",[]]', "[" * 100_000])
def test_what_is_damaged_is_said_with_its_place(folder: ArchiveFolder, results: list[Result], text: str) -> None:
    folder._index.execute("UPDATE results SET told = ? WHERE match = ?", (text, results[1].match))

    with pytest.raises(ArchiveError, match=r"the index of the archive is damaged .* at result 1000-1; bring"):
        list(folder.told(LADDER))
