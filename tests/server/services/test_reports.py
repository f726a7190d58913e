"""Reports on a ladder from all that a real store has: true where the table is, whole where a record is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, opened, unrated
from tests.support.valkey import GAME

from agon.codec import ladder as calls, ledger
from agon.codec.ledger import ReportFormat
from agon_engine.core import Chance
from agon_engine.core.policy import Termination
from agon_engine.core.record import By
from agon_server.ladders import inspection
from agon_server.operations import audits, ladders
from agon_server.operations.errors import NotFoundError
from agon_server.operations.installation import Installation
from agon_server.queue.ids import new_id
from agon_server.store import keys

LADDER = f"{GAME}-2"


async def files_of(installation: Installation, form: ReportFormat, name: str = LADDER) -> dict[str, str]:
    files: dict[str, str] = {}
    async for piece in audits.report_ladder(installation, ledger.ReportLadderRequest(name, form)):
        files[piece.file] = files.get(piece.file, "") + piece.text
    return files


async def told_of(installation: Installation) -> Any:
    return json.loads((await files_of(installation, ReportFormat.JSON))["report.json"])


async def test_ratings_and_scores_are_those_of_the_live_table(installation: Installation, arena: Ladders) -> None:
    await opened(arena, 2)
    await arena.join("a", "b", "c", slots=4)
    played = await arena.play_rounds(12, by_chance(Chance(bytes(16))))

    told = await told_of(installation)
    live = (await ladders.get_standings(installation, calls.GetStandingsRequest(LADDER))).standings

    assert told["matches"] == len(played)
    assert told["counted"] == live.results > 30
    assert [(row["rank"], row["bot"], row["rating"]) for row in told["standings"]] == [
        (row.rank, row.bot, row.rating / 1000) for row in live.rows
    ]
    for row, other in zip(told["standings"], live.rows, strict=True):
        assert row["matches"] == other.games
        assert row["blocks"] == other.blocks
        assert row["score"] == pytest.approx(other.score, abs=1e-3)
        assert row["strength_low"] <= row["strength"] <= row["strength_high"]
        lost = [item for item in told["faults"] if item["bot"] == row["bot"] and item["reason"] == "timeout"]
        assert sum(item["count"] for item in lost) == other.faults
    last = {row["bot"]: row["rating"] for row in told["history"]}
    assert last == {row["bot"]: row["rating"] for row in told["standings"]}


async def test_what_was_played_truly_has_its_times(installation: Installation, arena: Ladders) -> None:
    await opened(arena, 2)
    await arena.join("a", "b", slots=4)
    await arena.end(unrated(2), "a", "b")
    record = await arena.play_truly("a", "b")
    await arena.take()

    told = await told_of(installation)

    assert (told["matches"], told["counted"], told["blocks"]) == (2, 1, 0)
    answered = [sum(move.seat == seat and move.by is By.SEAT for move in record.moves) for seat in (0, 1)]
    assert [row["decisions"] for row in told["times"]] == answered
    assert "1 match does not count for scores, ratings and strengths." in told["notes"]
    assert {row["reason"] for row in told["faults"]} == {str(Termination.INFRASTRUCTURE)}
    assert told["standings"][0]["version"] == "=1.0"
    csv = await files_of(installation, ReportFormat.CSV)
    assert '"""=1.0"""' in csv["standings.csv"]


async def test_a_record_that_cannot_be_read_is_left_out_and_counted(installation: Installation, arena: Ladders) -> None:
    await opened(arena, 2)
    await arena.join("a", "b", slots=4)
    await arena.play_truly("a", "b")
    (entry,) = await arena.store.command("XRANGE", keys.RESULTS, "-", "+")
    other = new_id().encode()
    fields = [field.replace(entry[1][entry[1].index(b"match") + 1], other) for field in entry[1]]
    put = await arena.store.command("XADD", keys.RESULTS, "*", *fields)
    record = await arena.store.command("GET", keys.RECORD + entry[0].decode())
    later = record.replace(b'"format":2', b'"format":9')
    await arena.store.command("SET", keys.RECORD + put.decode(), later)

    told = await told_of(installation)

    assert told["matches"] == 1
    assert "Records that cannot be read, and are left out: 1." in told["notes"]


@pytest.mark.parametrize("form", ReportFormat)
async def test_a_new_ladder_has_a_report_in_every_form(
    installation: Installation, arena: Ladders, form: ReportFormat
) -> None:
    await arena.catalogue.create(ladder(2))

    files = await files_of(installation, form)

    assert all(text for text in files.values())
    assert ("pairs.csv" in files) == (form is ReportFormat.CSV)


async def test_a_long_report_comes_in_pieces(
    installation: Installation, arena: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    await arena.catalogue.create(ladder(2))
    whole = await files_of(installation, ReportFormat.HTML)
    monkeypatch.setattr(inspection, "PIECE", 100)
    request = ledger.ReportLadderRequest(LADDER, ReportFormat.HTML)
    pieces = [piece async for piece in audits.report_ladder(installation, request)]

    assert len(pieces) > 10
    assert {"report.html": "".join(piece.text for piece in pieces)} == whole


async def test_there_is_no_report_on_no_ladder(installation: Installation) -> None:
    with pytest.raises(NotFoundError):
        await files_of(installation, ReportFormat.TEXT, "none")
