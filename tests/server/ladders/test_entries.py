"""The entries that are folded: those that only the archive has, and those that are not what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.folds import set_aside
from tests.support.ladder_store import Ladders, by_chance, ladder, score
from tests.support.rulings import NAME, live, purge, rule, season

from agon_engine.core import Chance
from agon_ladder.results import Position
from agon_server.archive.archive import Archive
from agon_server.ladders.fold import Fold
from agon_server.ladders.history import History
from agon_server.ladders.rebuild import Auditor
from agon_server.queue.ids import new_id
from agon_server.queue.results import Batch, Result
from agon_server.store import keys

# -- in the archive ----------------------------------------------------------------------------------------------


@pytest.fixture
def archive(played: Ladders, tmp_path: Path) -> Iterator[Archive]:
    with closing(Archive(tmp_path / "archive", played.store, played.results, keep=0)) as archive:
        yield archive


async def test_what_the_stream_has_lost_of_rulings_comes_from_the_archive(played: Ladders, archive: Archive) -> None:
    await rule(played, season())
    await played.play_rounds(1, by_chance(Chance(bytes(16))))
    await rule(played, purge("p1", bot="b"))
    await played.take()
    entries = (await played.results.after("0-0", 1_000)).entries
    await archive.drain()
    await played.results.trim(0)
    await rule(played, purge("p2", bot="c"))
    await played.take()

    assert list(archive.entries()) == list(entries)
    assert [ruling.id for ruling in archive.rulings()][1:] == ["p1"]
    auditor = Auditor(played.store, played.catalogue, History(played.results, archive))
    report = await auditor.audit(NAME)
    assert [finding.check for finding in report.findings] != []
    await auditor.rebuild(NAME)
    assert (await auditor.audit(NAME)).findings == ()
    assert set((await live(played)).bots) <= {"a", "d"}


async def test_entries_come_in_their_order_over_many_pages(
    played: Ladders, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        await rule(played, season(f"s{number}"))
        await played.end(score(1, 2, 3), "a", "b", "c")
    await archive.drain()
    monkeypatch.setattr("agon_server.archive.folder._PAGE", 3)
    entries = list((await played.results.after("0-0", 1_000)).entries)

    assert entries == list(archive.entries())
    assert entries[5:] == list(archive.entries(str(Position(*entries[4].order))))


async def test_what_is_told_of_one_ladder_reads_no_record_of_others(
    played: Ladders, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played.catalogue.create(ladder(2))
    await played.end(score(1, 2), "a", "b")
    await rule(played, season())
    await played.end(score(1, 2, 3), "a", "b", "c")
    await archive.drain()
    read: list[str] = []
    of_row = archive.folder._result

    def noted(row: tuple[Any, ...]) -> Result:
        read.append(of_row(row).ladder)
        return of_row(row)

    monkeypatch.setattr(archive.folder, "_result", noted)
    history = History(played.results, archive)
    entries = [entry async for chunk in history.of_ladder(NAME) for entry in chunk]

    assert set(read) == {NAME}
    assert entries == [entry for entry in archive.entries() if entry.ladder == NAME]
    assert any(not isinstance(entry, Result) for entry in entries)


# -- entries that are not what they should be ----------------------------------------------------------------------


async def put_again(ladders: Ladders, number: int, **changes: str) -> str:
    """Put an entry in the stream once more, with its record and other values in some fields; return its id."""
    result = (await ladders.results.after("0-0", 100)).results[number]
    ((_, flat),) = await ladders.store.command("XRANGE", keys.RESULTS, result.id, result.id)
    fields = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)} | changes
    put = await ladders.store.command("XADD", keys.RESULTS, "*", *(part for item in fields.items() for part in item))
    await ladders.store.command("SET", keys.RECORD + put.decode(), result.record)
    return str(put.decode())


async def test_a_second_result_of_a_match_is_refused_with_its_id_and_the_ladder_goes_on(played: Ladders) -> None:
    before = await live(played)
    at = next(number for number, each in enumerate((await played.results.after("0-0")).results) if each.rated)
    again = await put_again(played, at)
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()

    after = await live(played)
    assert after.results == before.results + 1
    assert "the match has a result already" in (await set_aside(played))[again]["reason"]
    assert (await played.auditor.audit(NAME)).findings == ()


@pytest.mark.parametrize("rated", ["1", "0"])
@pytest.mark.parametrize("first", ["in the stream", "in both", "in the archive"])
async def test_a_second_result_is_refused_also_when_the_store_has_forgotten_the_first(
    played: Ladders, archive: Archive, first: str, rated: str
) -> None:
    """X4: it remembers each for a day; a rebuild takes the first one for ever."""
    at = next(number for number, each in enumerate((await played.results.after("0-0")).results) if each.rated)
    match = (await played.results.after("0-0")).results[at].match
    history = History(played.results, None if first == "in the stream" else archive)
    if first != "in the stream":
        await archive.drain()
    again = await put_again(played, at, rated=rated)
    await played.store.command("DEL", keys.RESULT + match)
    if first == "in the archive":
        await played.store.command("XTRIM", keys.RESULTS, "MINID", again)
    fold = Fold(played.store, played.catalogue, history)
    token = await played.lease.acquire()
    assert token is not None
    before = await live(played)
    await fold.begin(token)

    await fold.take(await played.feed.after(str(await played.tables.cursor()), 100))

    assert await live(played) == before
    assert "the match has a result already" in (await set_aside(played))[again]["reason"]
    assert (await Auditor(played.store, played.catalogue, history).audit(NAME)).findings == ()


async def test_a_backlog_that_the_store_has_forgotten_is_looked_through_once(
    played: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands between: a batch of rulings alone does not begin the look anew."""
    monkeypatch.setattr("agon_server.ladders.history.CHUNK", 2)
    first = (await played.results.after("0-0")).results[0]
    again = await put_again(played, 0)
    for name in await played.store.command("KEYS", keys.RESULT + "*"):
        await played.store.command("DEL", name)
    after = played.results.after
    read: list[str] = []

    async def noted(cursor: str, count: int) -> Batch[Result]:
        batch = await after(cursor, count)
        read.extend(result.id for result in batch.results)
        return batch

    monkeypatch.setattr(played.results, "after", noted)
    history, cursor = History(played.results, None), "0-0"
    repeats: dict[str, str] = {}
    while (batch := await played.feed.after(cursor, 2)).cursor:
        cursor = batch.cursor
        repeats |= await history.repeats(batch.results)
        assert await history.repeats(()) == {}

    assert repeats == {again: first.id}
    assert len(read) == len(set(read)) > 10


async def test_a_first_result_that_is_archived_and_trimmed_between_two_batches_is_still_the_first(
    played: Ladders, archive: Archive
) -> None:
    first = (await played.results.after("0-0")).results[0]
    batch = await played.feed.after("0-0", 100)
    for name in await played.store.command("KEYS", keys.RESULT + "*"):
        await played.store.command("DEL", name)
    history = History(played.results, archive)
    assert await history.repeats(batch.results) == {}

    await archive.drain()
    again = await put_again(played, 0)
    await played.store.command("XTRIM", keys.RESULTS, "MINID", again)
    later = await played.feed.after(batch.cursor, 100)

    assert [again] == [result.id for result in later.results]
    assert await history.repeats(later.results) == {again: first.id}
    assert await History(played.results, archive).repeats(later.results) == {again: first.id}


async def test_an_entry_whose_id_no_archive_can_hold_is_set_aside_and_stops_nothing(
    played: Ladders, archive: Archive
) -> None:
    """X15: who puts it there by hand sends all that follow behind it, and that is told of each."""
    before = await live(played)
    known = len((await played.results.after("0-0", 1_000)).results)
    far = f"{2**63}-0"
    await played.store.command("XADD", keys.RESULTS, far, "kind", "played")
    behind = await put_again(played, 0, match=new_id())
    await played.take()

    assert await archive.drain() == known
    assert archive.cursor == behind
    for each in (far, behind):
        assert "greater than an archive can hold" in (await set_aside(played))[each]["reason"]
    assert await live(played) == before


@pytest.mark.parametrize("is_remembered", [True, False])
async def test_a_ladder_that_catches_up_takes_no_repeat_of_what_it_had_folded(
    played: Ladders, *, is_remembered: bool
) -> None:
    """X4: the first result stands before what it catches up with, and in no archive."""
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()
    results = (await played.results.after("0-0", 1_000)).results
    before = await live(played)
    assert before.position == Position(*results[-1].order)
    played.fold._failed.add(NAME)
    again = await put_again(played, len(results) - 1)
    if not is_remembered:
        await played.store.command("DEL", keys.RESULT + results[-1].match)
    await played.take()
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()
    await played.fold.retry_failed()

    after = await live(played)
    assert after.results == before.results + 1
    assert after.position > Position.parse(again)
    assert "the match has a result already" in (await set_aside(played))[again]["reason"]
    assert (await played.auditor.audit(NAME)).findings == ()


async def test_a_result_with_the_record_of_another_match_is_refused_with_its_id(played: Ladders) -> None:
    before = await live(played)
    at = next(number for number, each in enumerate((await played.results.after("0-0")).results) if each.rated)
    foreign = await put_again(played, at, match=new_id())
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()

    assert (await live(played)).results == before.results + 1
    assert "is another one's" in (await set_aside(played))[foreign]["reason"]
    (finding,) = (await played.auditor.audit(NAME)).findings
    assert finding.check == "records"


async def test_a_result_without_a_record_is_refused_with_its_id(played: Ladders) -> None:
    before = await live(played)
    match = await played.end(score(1, 2, 3), "a", "b", "c")
    alone = (await played.results.before("", "0-0", 1)).cursor
    await played.store.command("DEL", keys.RECORD + alone)
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()

    assert (await live(played)).results == before.results + 1
    assert f"the record of match {match.match} is lost" in (await set_aside(played))[alone]["reason"]
    assert [finding.check for finding in (await played.auditor.audit(NAME)).findings] == ["records"]


async def test_a_result_that_says_something_else_than_its_record_is_found(played: Ladders) -> None:
    """Live has counted what the result says. A rebuild takes the record for true."""
    match = await played.end(score(1, 2, 3), "a", "b", "c")
    entry_id = (await played.results.before("", "0-0", 1)).cursor
    record = await played.store.command("GET", keys.RECORD + entry_id)
    other = record.replace(b'"placements":[1,2,3]', b'"placements":[3,2,1]')
    await played.store.command("SET", keys.RECORD + entry_id, other)
    await played.take()

    first, *others = (await played.auditor.audit(NAME)).findings
    assert (first.check, first.subject) == ("records", match.match)
    assert "(1, 2, 3)" in first.text.partition("its record has")[0]
    assert {finding.check for finding in others} == {"rows", "table"}
    await played.auditor.rebuild(NAME)
    assert [finding.check for finding in (await played.auditor.audit(NAME)).findings] == ["records"]


@pytest.mark.parametrize("when", ["before it leads", "while it leads"])
async def test_results_that_were_taken_out_unfolded_are_named_and_the_ladder_goes_on(
    played: Ladders, when: str
) -> None:
    """Nobody has them any more."""
    before = await live(played)
    await played.end(score(1, 2, 3), "a", "b", "c")
    gone = (await played.results.before("", "0-0", 1)).cursor
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.store.command("XDEL", keys.RESULTS, gone)

    if when == "before it leads":
        await played.lead()
    await played.take()

    assert (await live(played)).results == before.results + 1
    assert f"lacks results up to {gone}" in (await set_aside(played))[gone]["reason"]


async def test_results_that_only_the_archive_has_are_folded_from_there(played: Ladders, archive: Archive) -> None:
    before = await live(played)
    await played.end(score(1, 2, 3), "a", "b", "c")
    await archive.drain()
    await played.store.command("XDEL", keys.RESULTS, archive.cursor)
    await played.end(score(1, 2, 3), "a", "b", "c")
    fold = Fold(played.store, played.catalogue, History(played.results, archive))
    token = await played.lease.acquire()
    assert token is not None

    await fold.begin(token)

    assert fold.failed == frozenset()
    assert (await live(played)).results == before.results + 2
    assert await set_aside(played) == {}
