"""Looking for matches in the archive: the latest first, in pages, by ladder, bot and block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.matches import played_record

from agon_engine.core.policy import Termination
from agon_server.archive.folder import ArchiveFolder
from agon_server.queue.outcome import Outcome
from agon_server.queue.results import Kind, Result

RECORD = played_record(seats=2)


def result_of(number: int, **changes: Any) -> Result:
    record = replace(RECORD, match=f"match-{number}")
    facts: dict[str, Any] = {
        "id": f"{1_900_000_000_000 + number // 3}-{number % 3}",
        "kind": Kind.PLAYED,
        "match": record.match,
        "game": record.game,
        "version": record.version,
        "ladder": "toy-2" if number % 2 else "toy-3",
        "block": f"block-{number // 2}",
        "index": number % 2,
        "attempt": 0,
        "rated": True,
        "termination": record.result.termination,
        "server": "server-1",
        "epoch": 1,
        "reason": "",
        "record_hash": record.hash(),
        "record": record.to_line(),
        "plays_again": False,
    }
    facts |= changes
    return Result(**facts, outcome=Outcome.stored(None, facts["record"]))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ArchiveFolder]:
    archive = ArchiveFolder(tmp_path / "records")
    archive.append([result_of(number) for number in range(20)])
    yield archive
    archive.close()


def matches(results: list[Result]) -> list[int]:
    return [int(result.match.removeprefix("match-")) for result in results]


def test_the_latest_come_first(folder: ArchiveFolder) -> None:
    assert matches(folder.latest(5)) == [19, 18, 17, 16, 15]
    assert folder.latest(1)[0].record == replace(RECORD, match="match-19").to_line()


def test_pages_follow_one_another_without_gap_or_repeat(folder: ArchiveFolder) -> None:
    seen: list[int] = []
    before = ""
    while page := folder.latest(3, before=before):
        seen += matches(page)
        before = page[-1].id

    assert seen == list(range(19, -1, -1))


def test_a_ladder_and_a_block_are_found(folder: ArchiveFolder) -> None:
    assert matches(folder.latest(3, ladder="toy-2")) == [19, 17, 15]
    assert matches(folder.latest(3, ladder="toy-2", before=folder.find("match-15").id)) == [13, 11, 9]  # type: ignore[union-attr]  # it is there
    assert matches(folder.of_block("block-3")) == [6, 7]
    assert folder.latest(3, ladder="none") == folder.of_block("none") == []


def test_a_bot_is_found_wherever_it_sat(folder: ArchiveFolder) -> None:
    other = replace(RECORD, match="match-20", seats=(RECORD.seats[0], RECORD.seats[1]._replace(bot="hector")))
    folder.append([result_of(20, record=other.to_line())])

    assert matches(folder.latest(9, bot="hector")) == [20]
    assert matches(folder.latest(3, bot="bot-0")) == [20, 19, 18]
    assert matches(folder.latest(3, bot="bot-1", ladder="toy-3")) == [18, 16, 14]
    assert folder.latest(3, bot="hector", ladder="toy-2") == []


def test_matches_that_were_never_played_are_listed_too(folder: ArchiveFolder) -> None:
    never = {"kind": Kind.DEAD, "termination": Termination.INFRASTRUCTURE, "record": "", "record_hash": ""}
    folder.append([result_of(20, **never, reason="nobody understands it")])

    assert matches(folder.latest(2)) == [20, 19]
    assert folder.latest(1)[0].reason == "nobody understands it"


def test_a_record_that_cannot_be_read_is_kept_and_hinders_nobody(folder: ArchiveFolder) -> None:
    folder.append([result_of(20, record="not a record"), result_of(21)])

    assert matches(folder.latest(2)) == [21, 20]
    assert matches(folder.latest(1, bot="bot-0")) == [21]
