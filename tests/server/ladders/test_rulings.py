"""Seasons and purges on a real store: each done once, folded where it stands in the results stream, so that the live
table is its rebuild, bit for bit (X4), and nothing is lost of what was purged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, score

from agon_engine.core import Chance
from agon_ladder.fold import LadderState
from agon_ladder.results import START, Position
from agon_ladder.rulings import Purge, Ruling, Season, Undo, purged_by, standing
from agon_ladder.standings import standings
from agon_server.archive.archive import Archive
from agon_server.ladders.fold import Fold
from agon_server.ladders.history import History
from agon_server.ladders.rebuild import Auditor
from agon_server.ladders.tables import RERATED, Change, Table, TableDamagedError, Tables
from agon_server.queue.ids import new_id
from agon_server.queue.reading import read_result
from agon_server.queue.results import Result
from agon_server.queue.rulings import Ruled, Rulings
from agon_server.store import keys
from agon_server.store.errors import StoreUnavailableError

NAME = "ephyran-3"
WHO: dict[str, Any] = {"position": START, "ladder": NAME, "actor": "ann", "why": "because"}


def season(label: str = "autumn", keep: int = 50, id_: str = "") -> Season:
    return Season(**{**WHO, "id": id_ or new_id()}, label=label, keep=keep)


def purge(id_: str = "", **facts: Any) -> Purge:
    return Purge(**{**WHO, "id": id_ or new_id(), **facts})


def undo(of: str) -> Undo:
    return Undo(**{**WHO, "id": new_id()}, purge=of)


async def rule(ladders: Ladders, ruling: Ruling) -> Position:
    answer = await Rulings(ladders.store).make(ruling)
    assert answer.ruled is Ruled.MADE
    return answer.position


@pytest.fixture
async def played(ladders: Ladders) -> Ladders:
    """A ladder with some dozens of results, some of them in blocks that go on."""
    await ladders.catalogue.create(ladder(3))
    await ladders.join("a", "b", "c", "d", slots=3)
    await ladders.lead()
    await ladders.play_rounds(5, by_chance(Chance(bytes(16))))
    return ladders


async def live(ladders: Ladders) -> LadderState:
    return (await ladders.tables.load(NAME, 3)).state


async def folded_by_hand(ladders: Ladders) -> LadderState:
    """Fold the whole stream without the code under test."""
    entries = (await ladders.results.after("0-0", 100_000)).entries
    purges = standing(entry for entry in entries if not isinstance(entry, Result))
    state = LadderState(NAME, 3)
    for entry in entries:
        if isinstance(entry, Season):
            state.begin_season(entry)
        elif isinstance(entry, Result):
            read = read_result(entry)
            state.apply(read, purged=purged_by(purges, read) is not None)
        else:
            state.pass_over(entry.position)
    return state


async def assert_true(ladders: Ladders) -> None:
    assert (await live(ladders)).canonical() == (await folded_by_hand(ladders)).canonical()
    assert (await ladders.auditor.audit(NAME)).findings == ()


# -- once --------------------------------------------------------------------------------------------------------


async def test_a_ruling_that_is_repeated_is_made_once(played: Ladders) -> None:
    rulings = Rulings(played.store)
    first, again = [await rulings.make(season(id_="s1")) for _ in range(2)]
    other = await rulings.make(season(id_="s2"))
    purged = await rulings.make(purge("p1", bot="a"))
    undone, twice = [await rulings.make(undo("p1")) for _ in range(2)]

    assert (first.ruled, again.ruled, first.position) == (Ruled.MADE, Ruled.REPEAT, again.position)
    assert (other.ruled, other.by, undone.ruled, twice.ruled) == (Ruled.TAKEN, "s1", Ruled.MADE, Ruled.TAKEN)
    listed = await rulings.list(NAME)
    assert [ruling.position for ruling in listed] == [first.position, purged.position, undone.position]
    assert listed == list((await played.results.after("0-0", 100_000)).rulings)
    assert await rulings.list("other") == []


# -- seasons -----------------------------------------------------------------------------------------------------


async def test_a_season_begins_in_the_live_table_as_in_a_rebuild(played: Ladders) -> None:
    """Results before and after it are folded in one batch with it; blocks go on over it."""
    await played.pairing.round()
    await played.play(by_chance(Chance(bytes(16))))
    position = await rule(played, season("autumn", 50))
    await played.pairing.round()
    await played.play(by_chance(Chance(bytes(16))))
    await played.take()
    await played.play_rounds(3, by_chance(Chance(b"another seed of 16 bytes"[:16])))

    await assert_true(played)
    state = await live(played)
    assert (state.season.label, state.season.position) == ("autumn", position)
    assert 0 < state.season_results < state.results
    (over,) = await played.tables.seasons(NAME)
    final = await played.tables.season(NAME, "first")
    assert final is not None
    assert (over.begun.label, over.results, over.bots) == ("first", state.season.results, 4)
    assert (over.ended.why, final.ended, final.table.results) == ("because", over.ended, over.results)
    assert [row.games for row in standings(final.table)] != []
    assert await played.tables.season(NAME, "autumn") is None


async def test_seasons_are_made_anew_by_a_rebuild(played: Ladders) -> None:
    for label in ("autumn", "winter"):
        await rule(played, season(label))
        await played.play_rounds(1, by_chance(Chance(bytes(16))))
    before = [await played.tables.season(NAME, label) for label in ("first", "autumn")]
    await played.store.command("HDEL", keys.SEASONS + NAME, "first")
    await played.store.command("SET", f"{keys.SEASON}{NAME}:stray", "{}")
    text = (await played.store.command("GET", f"{keys.SEASON}{NAME}:autumn")).replace(b'"games":', b'"games":1')
    await played.store.command("SET", f"{keys.SEASON}{NAME}:autumn", text)

    report = await played.auditor.rebuild(NAME)

    assert {finding.check for finding in report.findings} == {"seasons"}
    assert len(report.findings) == 2
    assert before == [await played.tables.season(NAME, label) for label in ("first", "autumn")]
    await assert_true(played)


async def test_a_season_that_cannot_be_read_needs_a_rebuild(played: Ladders) -> None:
    await rule(played, season())
    await played.take()
    await played.store.command("SET", f"{keys.SEASON}{NAME}:first", "{")

    with pytest.raises(TableDamagedError, match="season first of ladder ephyran-3 cannot be read"):
        await played.tables.season(NAME, "first")
    await played.auditor.rebuild(NAME)
    assert await played.tables.season(NAME, "first") is not None


# -- purges ------------------------------------------------------------------------------------------------------


async def test_a_purge_rates_the_ladder_again_and_undoing_it_gives_the_old_table_back(played: Ladders) -> None:
    before = await live(played)
    stored = await played.store.command("XLEN", keys.RESULTS)

    await rule(played, purge("p1", bot="a"))
    await played.take()
    purged = await live(played)
    await assert_true(played)
    assert "a" not in purged.bots
    assert purged.results < before.results
    assert await played.store.command("XLEN", keys.RESULTS) == stored + 1, "nothing is deleted"

    await played.play_rounds(1, by_chance(Chance(bytes(16))))
    assert "a" in (await live(played)).bots, "a purge is about what was before it"
    await assert_true(played)

    await rule(played, undo("p1"))
    await played.take()
    await assert_true(played)
    assert (await live(played)).results >= before.results


async def test_a_purge_reaches_into_seasons_that_are_over(played: Ladders) -> None:
    await rule(played, season())
    await played.play_rounds(1, by_chance(Chance(bytes(16))))
    before = await played.tables.season(NAME, "first")

    await rule(played, purge(server="server-1"))
    await played.take()

    after = await played.tables.season(NAME, "first")
    assert before is not None
    assert after is not None
    assert (before.results > 0, after.results, after.table.bots) == (True, 0, {})
    await assert_true(played)


async def test_results_after_a_purge_wait_until_the_ladder_is_rated_again(played: Ladders) -> None:
    """Others go on meanwhile; what came in between is folded when the table is there, and nobody leads twice."""
    gate = asyncio.Event()
    begun: list[tuple[str, Position]] = []

    async def rerate(name: str, until: Position) -> None:
        begun.append((name, until))
        await gate.wait()
        await played.auditor.rerate(name, until)

    woken = asyncio.Event()
    fold = Fold(played.store, played.catalogue, played.history, rerate=rerate)
    token = await played.lease.acquire()
    assert token is not None
    await fold.begin(token, woken.set)
    position = await rule(played, purge(bot="a"))
    await played.end(score(1, 2, 3), "a", "b", "c")
    await fold.take(await played.feed.after(str(await played.tables.cursor()), 1_000))
    await fold.go_on()

    table = await played.tables.load(NAME, 3)
    assert (table.failed, set(fold.failed)) == (RERATED, {NAME})
    assert (await played.auditor.audit(NAME)).findings == (), "what waits is true up to where it stands"
    await fold.retry_failed()
    await played.end(score(1, 2, 3), "a", "b", "c")
    await fold.take(await played.feed.after(str(position), 1_000))

    gate.set()
    await woken.wait()
    await fold.go_on()

    assert begun == [(NAME, position)]
    assert fold.failed == frozenset()
    assert (await live(played)).bots["a"].games == 2
    await assert_true(played)


async def test_a_fold_that_ends_while_a_ladder_is_rated_again_leaves_that_to_the_next(played: Ladders) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    fold = Fold(played.store, played.catalogue, played.history, rerate=never)
    token = await played.lease.acquire()
    assert token is not None
    await fold.begin(token)
    await rule(played, purge(bot="a"))
    await fold.take(await played.feed.after(str(await played.tables.cursor()), 1_000))
    await fold.stop()

    await played.lead()
    await played.fold.settle()
    await played.take()

    await assert_true(played)
    assert "a" not in (await live(played)).bots


async def test_what_ended_while_a_ladder_was_rated_again_is_folded_by_whoever_leads_next(played: Ladders) -> None:
    """X4: the process dies after the new table was written, and before that has caught up with the cursor."""
    woken = asyncio.Event()
    fold = Fold(played.store, played.catalogue, played.history)
    token = await played.lease.acquire()
    assert token is not None
    await fold.begin(token, woken.set)
    await played.pairing.begin(token)
    position = await rule(played, purge(bot="a"))
    await fold.take(await played.feed.after(str(await played.tables.cursor()), 1_000))
    await woken.wait()
    await played.end(score(1, 2, 3), "a", "b", "c")
    batch = await played.feed.after(str(position), 1_000)
    await fold.take(batch)
    await played.pairing.save(batch.cursor)
    await fold.stop()

    await played.lead()
    await played.take()

    assert (await live(played)).bots["a"].games == 1
    assert played.fold.failed == frozenset()
    await assert_true(played)


async def test_a_ladder_whose_catching_up_is_cut_off_is_caught_up_by_whoever_leads_next(
    played: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X4: the first of its steps is written, the next one is not."""
    before = (await live(played)).results
    token = await played.lead()
    await played.tables.set_failed(token, NAME, "it was damaged")
    for _ in range(4):
        await played.end(score(1, 2, 3), "a", "b", "c")
    await played.pairing.save((await played.results.before("", "0-0", 1)).results[0].id)
    monkeypatch.setattr("agon_server.ladders.history.CHUNK", 2)
    step = Tables.step
    steps = 0

    async def once(tables: Tables, token: int, table: Table, change: Change) -> None:
        nonlocal steps
        steps += 1
        if steps > 1:
            raise StoreUnavailableError("it is away")
        await step(tables, token, table, change)

    with monkeypatch.context() as cut:
        cut.setattr(Tables, "step", once)
        with pytest.raises(StoreUnavailableError):
            await played.lead()
    assert (await live(played)).results == before + 2

    await played.lead()

    assert (await live(played)).results == before + 4
    assert (await played.tables.load(NAME, 3)).failed == ""
    await assert_true(played)


@pytest.mark.parametrize("error", [ArithmeticError("secret"), TableDamagedError("it is damaged")])
async def test_a_ladder_that_cannot_be_rated_again_waits_and_is_tried_again(
    played: Ladders, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise error

    fold = Fold(played.store, played.catalogue, played.history, rerate=fail)
    token = await played.lease.acquire()
    assert token is not None
    await fold.begin(token)
    await rule(played, purge(bot="a"))
    await fold.take(await played.feed.after(str(await played.tables.cursor()), 1_000))
    await fold.settle()

    assert fold.failed == {NAME}
    assert "secret" not in caplog.text
    caplog.clear()
    fold._rerate = played.auditor.rerate
    await fold.retry_failed()
    await fold.settle()
    assert fold.failed == frozenset()
    await assert_true(played)


async def test_two_rebuilds_at_a_time_do_not_mix_their_rows(played: Ladders) -> None:
    await played.store.command("DEL", f"{keys.RATINGS}{NAME}:0")

    reports = await asyncio.gather(*[played.auditor.rebuild(NAME) for _ in range(2)], return_exceptions=True)

    assert any(not isinstance(report, Exception) for report in reports)
    await assert_true(played)
    left = await played.store.command("KEYS", f"{keys.RATINGS}*")
    assert left == [f"{keys.RATINGS}{NAME}:1".encode()]
    assert await played.store.command("PTTL", left[0]) == -1


async def test_how_many_matches_a_purge_takes_out_is_known_before(played: Ladders) -> None:
    rated = (await live(played)).results
    late = Position(2**53, 0)

    assert await played.auditor.covered(Purge(**{**WHO, "position": late, "id": "x", "server": "server-1"})) == rated
    assert await played.auditor.covered(Purge(**{**WHO, "position": late, "id": "x", "bot": "nobody"})) == 0
    await rule(played, purge(server="server-1"))
    assert await played.auditor.covered(Purge(**{**WHO, "position": late, "id": "x", "server": "server-1"})) == 0


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


# -- entries that are not what they should be ----------------------------------------------------------------------


async def put_again(ladders: Ladders, number: int, **changes: str) -> str:
    """Put an entry in the stream once more, with its record and other values in some fields; return its id."""
    result = (await ladders.results.after("0-0", 100)).results[number]
    ((_, flat),) = await ladders.store.command("XRANGE", keys.RESULTS, result.id, result.id)
    fields = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)} | changes
    put = await ladders.store.command("XADD", keys.RESULTS, "*", *(part for item in fields.items() for part in item))
    await ladders.store.command("SET", keys.RECORD + put.decode(), result.record)
    return str(put.decode())


async def set_aside(ladders: Ladders) -> dict[str, str]:
    """Return the reasons, by id."""
    flat = await ladders.store.command("HGETALL", keys.SET_ASIDE)
    return {name.decode(): json.loads(text)["reason"] for name, text in zip(flat[::2], flat[1::2], strict=True)}


async def test_a_second_result_of_a_match_is_refused_with_its_id_and_the_ladder_goes_on(played: Ladders) -> None:
    before = await live(played)
    at = next(number for number, each in enumerate((await played.results.after("0-0")).results) if each.rated)
    again = await put_again(played, at)
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()

    after = await live(played)
    assert after.results == before.results + 1
    assert "the match has a result already" in (await set_aside(played))[again]
    assert (await played.auditor.audit(NAME)).findings == ()


async def test_a_result_with_the_record_of_another_match_is_refused_with_its_id(played: Ladders) -> None:
    before = await live(played)
    at = next(number for number, each in enumerate((await played.results.after("0-0")).results) if each.rated)
    foreign = await put_again(played, at, match=new_id())
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()

    assert (await live(played)).results == before.results + 1
    assert "is another one's" in (await set_aside(played))[foreign]
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
    assert f"the record of match {match.match} is lost" in (await set_aside(played))[alone]
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


async def test_results_that_were_taken_out_unfolded_are_named_and_the_ladder_goes_on(played: Ladders) -> None:
    """Nobody has them any more."""
    before = await live(played)
    await played.end(score(1, 2, 3), "a", "b", "c")
    gone = (await played.results.before("", "0-0", 1)).cursor
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.store.command("XDEL", keys.RESULTS, gone)

    await played.lead()
    await played.take()

    assert (await live(played)).results == before.results + 1
    assert f"lacks results up to {gone}" in (await set_aside(played))[gone]


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
