"""The archive as a reader of the results stream."""

from __future__ import annotations

import asyncio
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.queues import ended
from tests.support.valkey import GAMES, connect, entry, short_folder, until

from agon_server.archive import archive as archive_module
from agon_server.archive.archive import Archive
from agon_server.archive.folder import INDEX
from agon_server.queue.claim import Claim
from agon_server.queue.queue import Queue
from agon_server.queue.results import START, Result, Results
from agon_server.store import keys
from agon_server.store.connection import Store, open_store
from agon_server.store.folder import DataFolder


@pytest.fixture
def archive(store: Store, tmp_path: Path) -> Iterator[Archive]:
    opened = Archive(tmp_path / "records", store, Results(store), linger=0.0, keep=1)
    yield opened
    opened.close()


async def play(store: Store, count: int) -> list[Result]:
    """Finish some matches and return all results in the stream."""
    await connect(store, "a", "b")
    await Results(store).register("ladder:x")
    queue = Queue(store, server="one")
    for _ in range(count):
        await queue.enqueue(entry("a", "b"))
        claim = await queue.claim(GAMES)
        assert isinstance(claim, Claim)
        await queue.finish(claim, record=f'"{claim.entry.match}"', record_hash="h", result=ended(claim))
    results = list((await Results(store).after(START, 10_000)).results)
    await Results(store).advance("ladder:x", results[-1].id)
    return results


async def test_what_is_trimmed_is_first_in_the_archive(store: Store, archive: Archive) -> None:
    results = Results(store)
    played = await play(store, 5)
    assert await archive.drain() == 5
    played += (await play(store, 3))[5:]

    assert (await results.trim(keep=0)).went == 5
    assert played[:5] == list(archive.results())
    assert await archive.drain() == 3
    assert (await results.trim(keep=0)).went == 3
    assert played == list(archive.results())
    assert played[2] == archive.find(played[2].match)


async def test_it_takes_results_as_they_come_and_keeps_the_stream_short(store: Store, archive: Archive) -> None:
    running = asyncio.create_task(archive.run())

    async def has_all() -> bool:
        return len(list(archive.results())) == 3 and await store.command("XLEN", keys.RESULTS) == 1

    await play(store, 3)
    await until(has_all)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_an_entry_that_is_no_result_is_set_aside_whole_and_once_and_the_next_ones_are_taken(
    store: Store, archive: Archive, caplog: pytest.LogCaptureFixture
) -> None:
    """X15."""
    (first,) = await play(store, 1)
    strange = (await store.command("XADD", keys.RESULTS, "*", "what", b"ever \xff")).decode()
    last = (await play(store, 1))[-1]

    assert await archive.drain() == 2
    assert await archive.drain() == 0

    assert [first, last] == list(archive.results())
    assert caplog.text.count(f"entry {strange} of the results stream is set aside") == 1
    with closing(sqlite3.connect(archive.folder.path / INDEX)) as index:
        assert index.execute("SELECT id, fields FROM unread").fetchall() == [(strange, '["what", "ever \\\\xff"]')]


async def test_nothing_but_foreign_entries_moves_the_archive_too(store: Store, archive: Archive) -> None:
    strange = (await store.command("XADD", keys.RESULTS, "*", "what", "ever")).decode()

    assert await archive.drain() == 0

    assert archive.folder.cursor == strange
    assert (await Results(store).readers())[archive.folder.reader] == strange


async def test_only_what_is_on_disk_is_archived(
    store: Store, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the store could still lose must not be in the archive, where it would be for ever."""
    await play(store, 2)
    is_durable = asyncio.Event()
    monkeypatch.setattr(store, "wait_durable", is_durable.wait)
    draining = asyncio.create_task(archive.drain())
    for _ in range(50):
        await store.command("PING")
    assert list(archive.results()) == []

    is_durable.set()
    assert await draining == 2


async def test_nothing_is_trimmed_between_its_start_and_its_first_result(store: Store, archive: Archive) -> None:
    played = await play(store, 2)
    assert await archive.drain() == 2

    assert (await Results(store).readers())[archive.folder.reader] == played[-1].id


async def test_two_archives_have_all_results_each(store: Store, archive: Archive, tmp_path: Path) -> None:
    other = Archive(tmp_path / "other", store, Results(store))
    await archive.drain()
    await other.drain()
    played = await play(store, 4)
    await archive.drain()

    assert (await Results(store).trim(keep=0)).went == 0
    await other.drain()
    assert (await Results(store).trim(keep=0)).went == 4
    assert played == list(archive.results()) == list(other.results())
    other.close()


async def test_a_reader_that_lets_the_stream_grow_is_named_but_not_again_and_again(
    store: Store, archive: Archive, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "HELD_UP", 3)
    results = Results(store)
    await results.register("archive:gone")
    running = asyncio.create_task(archive.run())

    async def is_told() -> bool:
        return "since reader 'archive:gone' has not taken them" in caplog.text

    async def has_all() -> bool:
        return archive.folder.cursor == played[-1].id

    await play(store, 5)
    await until(is_told)
    played = await play(store, 1)
    await until(has_all)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert caplog.text.count("has not taken them") == 1
    assert re.search(r"has [34] results more than it needs", caplog.text)
    assert "run HDEL agon:readers archive:gone" in caplog.text


async def test_an_archive_that_can_be_the_only_one_forgets_earlier_ones(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with short_folder() as folder, DataFolder.open(folder) as data:
        store = await open_store(None, data)
        try:
            results = Results(store)
            await results.register("archive:earlier")
            with closing(Archive(tmp_path / "records", store, results)) as archive:
                await archive.drain()
                assert set(await results.readers()) == {archive.folder.reader}
        finally:
            await store.aclose()
    assert "the archive that was known as archive:earlier is gone" in caplog.text


async def test_an_archive_restored_from_an_old_copy_takes_what_it_lacks(
    store: Store, archive: Archive, tmp_path: Path
) -> None:
    """The store may believe that it has more; its own cursor is what counts."""
    played = await play(store, 4)
    await archive.drain()
    archive.close()
    old = Archive(tmp_path / "old", store, Results(store))
    old.folder.append(played[:1])

    assert await old.drain() == 3
    assert played == list(old.results())
    old.close()


async def test_a_gap_is_reported(store: Store, archive: Archive, caplog: pytest.LogCaptureFixture) -> None:
    played = await play(store, 3)
    results = Results(store)
    await results.advance("archive:gone", played[-1].id)
    await results.trim(keep=1)
    await archive.drain()

    assert [played[-1]] == list(archive.results())
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert f"lacks the results after 0-0 up to {played[1].id}" in record.getMessage()
    assert archive.lacks == played[1].id


async def test_a_gap_is_remembered(store: Store, tmp_path: Path) -> None:
    played = await play(store, 3)
    results = Results(store)
    await results.advance("archive:gone", played[-1].id)
    await results.trim(keep=1)
    for _ in range(2):
        late = Archive(tmp_path / "late", store, Results(store))
        await late.drain()

        assert late.lacks == played[1].id
        late.close()


async def test_a_failing_disk_is_tried_again(
    store: Store, archive: Archive, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await play(store, 1)
    monkeypatch.setattr("agon_server.archive.archive.RETRY_SECONDS", (0.0,))
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", _full)
        running = asyncio.create_task(archive.run())
        await until(lambda: _has_logged(caplog, "No space left on device"))

    async def has_all() -> bool:
        return len(list(archive.results())) == 1

    await until(has_all)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_bug_does_not_end_the_archive_and_is_told_by_its_place(
    store: Store, archive: Archive, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """X15."""
    await play(store, 1)
    monkeypatch.setattr("agon_server.archive.archive.RETRY_SECONDS", (0.0,))
    append, errors = archive.folder.append, [RuntimeError("hidden")]

    def fails_once(*results: Any) -> int:
        if errors:
            raise errors.pop()
        return append(*results)

    monkeypatch.setattr(archive.folder, "append", fails_once)
    running = asyncio.create_task(archive.run())

    async def has_all() -> bool:
        return len(list(archive.results())) == 1

    await until(has_all)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert "the archive failed and begins anew:\nRuntimeError\n  " in caplog.text
    assert "hidden" not in caplog.text


def _full(_: int) -> None:
    raise OSError(28, "No space left on device")


async def _has_logged(caplog: pytest.LogCaptureFixture, text: str) -> bool:
    return any("has to wait" in record.getMessage() and text in record.getMessage() for record in caplog.records)
