"""Results that go from the stream to the archive while they are read, and rebuilds by what the archive has kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, score

from agon_engine.core import Chance
from agon_ladder.results import Position
from agon_ladder.rulings import Purge, Season
from agon_server.archive.archive import Archive
from agon_server.queue.ids import new_id
from agon_server.queue.results import Batch, Result
from agon_server.queue.rulings import Rulings
from agon_server.store import keys
from agon_server.store.connection import Store

NAME = "ephyran-3"
WHO: dict[str, Any] = {"position": Position(0, 0), "ladder": NAME, "actor": "ann", "why": "because"}


@pytest.fixture
def archive(store: Store, ladders: Ladders, tmp_path: Path) -> Iterator[Archive]:
    opened = Archive(tmp_path / "records", store, ladders.results, keep=0)
    yield opened
    opened.close()


@pytest.fixture
async def archived(store: Store, archive: Archive) -> Ladders:
    """A ladder whose history the archive has."""
    ladders = Ladders(store, archive)
    await ladders.catalogue.create(ladder(3))
    await ladders.join("a", "b", "c", "d", slots=3)
    await ladders.results.register(keys.LADDER_READER)
    await ladders.lead()
    await ladders.play_rounds(5, by_chance(Chance(bytes(16))))
    return ladders


async def trim(ladders: Ladders, archive: Archive) -> None:
    """Archive all results, and take them out of the stream."""
    await archive.drain()
    await ladders.results.advance(keys.LADDER_READER, archive.cursor)
    assert (await ladders.results.trim(keep=0)).went > 0
    assert await ladders.store.command("KEYS", f"{keys.RECORD}*") == []


@pytest.mark.parametrize("is_told", [False, True])
async def test_what_is_archived_and_trimmed_while_the_stream_is_read_is_read_from_the_archive(
    archived: Ladders, archive: Archive, monkeypatch: pytest.MonkeyPatch, *, is_told: bool
) -> None:
    after = archived.results.after
    await archive.drain()
    for _ in range(3):
        await archived.end(score(1, 2, 3), "a", "b", "c")
    await archived.take()
    all_entries = list((await after("0-0", 1_000)).entries)
    trimmed = False

    async def trimmed_before(cursor: str, count: int) -> Batch[Result]:
        nonlocal trimmed
        if not trimmed:
            trimmed = True
            await trim(archived, archive)
        return await after(cursor, count)

    monkeypatch.setattr(archived.results, "after", trimmed_before)
    if is_told:
        found = [entry.position async for chunk in archived.history.told(NAME) for entry in chunk]
    else:
        found = [Position(*entry.order) async for chunk in archived.history.of_ladder(NAME) for entry in chunk]

    assert [entry.order for entry in all_entries] == found
    assert trimmed


async def test_a_rebuild_by_what_the_archive_has_kept_opens_no_record_and_equals_live(
    archived: Ladders, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X4, over a season and a purge by server, with more results than rating rows are kept of."""
    rulings = Rulings(archived.store)
    await rulings.make(Season(**WHO, id=new_id(), label="second", keep=50))
    await archived.play_rounds(2, by_chance(Chance(bytes(16))))
    match = await archived.end(score(1, 2, 3), "a", "b", "c")
    await rulings.make(Purge(**WHO, id=new_id(), server="server-1", match=match.match))
    await archived.play_rounds(2, by_chance(Chance(bytes(16))))
    await trim(archived, archive)
    live = await archived.tables.load(NAME, 3)
    for part in (archived.fold, archived.auditor):
        monkeypatch.setattr(part._tables, "rows_kept", 10)
    for file in archive.folder.path.glob("*.gz"):
        file.write_bytes(b"")
    await archived.store.command("HDEL", keys.STANDING + NAME, "a")

    report = await archived.auditor.rebuild(NAME)

    assert "a" in {finding.subject for finding in report.findings}
    table = await archived.tables.load(NAME, 3)
    assert (table.generation, table.state.canonical()) == (live.generation + 1, live.state.canonical())
    assert await archived.store.command("XLEN", f"{keys.RATINGS}{NAME}:{table.generation}") == 10
    assert (await archived.auditor.rebuild(NAME)).findings == ()
