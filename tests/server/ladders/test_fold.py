"""The fold on a real store: once each, in the stream's order, whoever dies or is overtaken where (X2, X4, X5, E10)."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, record_of, score, unrated
from tests.support.valkey import entry

from agon_engine.core import Chance
from agon_engine.core.policy import Termination
from agon_ladder.errors import MissingLibraryError
from agon_ladder.fold import LadderState
from agon_ladder.ratings import get_system
from agon_ladder.results import Position
from agon_server.ladders.tables import Change, MovedError, TableDamagedError
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.queue.reading import read_result
from agon_server.queue.results import Batch, Unread
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError, StoreUnavailableError

TWO, THREE = "ephyran-2", "ephyran-3"


@pytest.fixture
async def open_ladders(ladders: Ladders) -> Ladders:
    """Two ladders and four connected bots, with this process leading."""
    for seats in (2, 3):
        await ladders.catalogue.create(ladder(seats))
    await ladders.join("a", "b", "c", "d")
    await ladders.lead()
    return ladders


async def folded_from_the_start(ladders: Ladders, name: str, seats: int) -> LadderState:
    """Fold the whole stream without the code under test."""
    state = LadderState(name, seats)
    for result in (await ladders.results.after("0-0", 100_000)).results:
        if result.ladder == name:
            state.apply(read_result(result))
    return state


async def stored(ladders: Ladders, name: str, seats: int = 2) -> LadderState:
    return (await ladders.tables.load(name, seats)).state


async def test_rated_results_reach_the_table_and_unrated_ones_do_not(open_ladders: Ladders) -> None:
    """X6, E6."""
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.end(unrated(2), "a", "b")
    await open_ladders.end(unrated(2, Termination.NO_SHOW), "a", "b")

    assert await open_ladders.take() == 3

    state = await stored(open_ladders, TWO)
    assert (state.results, state.bots["a"].games, state.bots["a"].rating) == (1, 1, (1512_000,))
    assert open_ladders.ratings == 2


async def test_each_ladder_folds_its_own_results_in_the_order_of_the_stream(open_ladders: Ladders) -> None:
    """E10."""
    await open_ladders.play_rounds(12, by_chance(Chance(bytes(16))))

    for name, seats in ((TWO, 2), (THREE, 3)):
        state = await stored(open_ladders, name, seats)
        assert state.results > 20
        assert (await folded_from_the_start(open_ladders, name, seats)).canonical() == state.canonical()


async def test_results_of_many_workers_at_once_equal_the_serial_order(open_ladders: Ladders) -> None:
    """X5: eight workers finish matches of the same bots at once, while the fold runs."""
    for bot in ("a", "b"):
        await open_ladders.come_back(bot, slots=40)
    matches = [await open_ladders.enqueue("a", "b", index=0) for _ in range(40)]
    claims = await open_ladders.claim_all()
    assert len(claims) == len(matches)
    chance = Chance(bytes(16))

    async def work(worker: int) -> None:
        for claim in claims[worker::8]:
            await open_ladders.finish(claim, score(*chance.choice("who", ((1, 2), (2, 1), (1, 1)))))

    workers = asyncio.gather(*(work(worker) for worker in range(8)))
    while not workers.done():
        await open_ladders.take()
    await workers
    await open_ladders.take()

    state = await stored(open_ladders, TWO)
    assert state.results == 40
    assert (await folded_from_the_start(open_ladders, TWO, 2)).canonical() == state.canonical()


async def test_every_rated_match_has_one_rating_row_a_seat(open_ladders: Ladders) -> None:
    """X2."""
    await open_ladders.play_rounds(6, by_chance(Chance(bytes(16))))
    rated = [
        read for one in (await open_ladders.results.after("0-0", 10_000)).results if (read := read_result(one)).rated
    ]

    for name, seats in ((TWO, 2), (THREE, 3)):
        table = await open_ladders.tables.load(name, seats)
        rows = [row async for row in open_ladders.tables.rows(name, 0, table.state.position)]
        wanted = [(one, seat, bot) for one in rated if one.ladder == name for seat, bot in enumerate(one.bots)]
        assert [(one.position, one.match, seat, bot) for one, seat, bot in wanted] == [
            (row.position, row.match, row.seat, row.bot) for row in rows
        ]


async def test_a_batch_that_is_told_twice_counts_once(open_ladders: Ladders) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    batch = await open_ladders.feed.after("0-0", 9)

    await open_ladders.fold.take(batch)
    await open_ladders.fold.take(batch)
    await open_ladders.lead()
    await open_ladders.fold.take(batch)

    assert (await stored(open_ladders, TWO)).results == 1


# -- dying and being overtaken ---------------------------------------------------------------------------------


class DyingStore(Store):
    """A connection that loses its process at one of the calls to it: before it is sent, or before it answers."""

    def die_at(self, call: int, *, answered: bool) -> None:
        self.calls, self.dies_at, self.answered = 0, call, answered

    async def script(self, name: str, *args: str | bytes | int) -> Any:
        return await self._dying(super().script(name, *args))

    async def command(self, *args: str | bytes | int) -> Any:
        return await self._dying(super().command(*args))

    async def _dying(self, call: Coroutine[Any, Any, Any]) -> Any:
        self.calls += 1
        if self.calls == self.dies_at and not self.answered:
            call.close()
            raise StoreUnavailableError("died before the call")
        answer = await call
        if self.calls == self.dies_at:
            raise StoreUnavailableError("died after the call")
        return answer


@pytest.mark.parametrize("answered", [False, True])
async def test_dying_at_any_call_loses_nothing_and_doubles_nothing(
    open_ladders: Ladders, valkey_url: str, *, answered: bool
) -> None:
    """X4, X12: the process is killed at each of its calls to the store in turn, and another one goes on."""
    dying = DyingStore(valkey_url)
    victim = Ladders(dying)
    calls = 1
    while True:
        await open_ladders.end(score(1, 2), "a", "b")
        await open_ladders.end(score(2, 1, 3), "c", "a", "d")
        dying.die_at(calls, answered=answered)
        try:
            await victim.lead()
            await victim.take()
        except StoreUnavailableError:
            calls += 1
        else:
            break
        await open_ladders.lead()
        await open_ladders.take()
        for name, seats in ((TWO, 2), (THREE, 3)):
            state = await stored(open_ladders, name, seats)
            assert state.results == calls - 1
            assert (await folded_from_the_start(open_ladders, name, seats)).canonical() == state.canonical()
    await dying.aclose()

    assert calls > 8
    assert (await open_ladders.auditor.audit(TWO)).findings == ()
    assert (await open_ladders.auditor.audit(THREE)).findings == ()


async def test_a_process_with_an_older_token_changes_nothing(open_ladders: Ladders, store: Store) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    batch = await open_ladders.feed.after("0-0", 9)
    await Ladders(store).lead()

    with pytest.raises(FencedError):
        await open_ladders.fold.take(batch)
    with pytest.raises(FencedError):
        await open_ladders.pairing.save(batch.cursor)

    assert (await stored(open_ladders, TWO)).results == 0
    assert await open_ladders.tables.cursor() == Position(0, 0)


async def test_an_overtaken_process_cannot_write_over_what_its_successor_did(
    open_ladders: Ladders, store: Store
) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    slow = await open_ladders.feed.after("0-0", 9)
    successor = Ladders(store)
    await successor.lead()
    await successor.end(score(2, 1), "a", "b")
    await successor.take()
    before = (await stored(successor, TWO)).canonical()

    with pytest.raises(FencedError):
        await open_ladders.fold.take(Batch([*slow.results, *(await open_ladders.feed.after(slow.cursor, 9)).results]))

    assert before == (await stored(successor, TWO)).canonical()


async def test_a_table_that_was_replaced_under_the_fold_is_read_again(open_ladders: Ladders) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    await open_ladders.store.command("HSET", keys.TABLE + TWO, "failed", "by hand")
    await open_ladders.auditor.rebuild(TWO)
    assert (await open_ladders.tables.load(TWO, 2)).generation == 1

    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()

    assert (await stored(open_ladders, TWO)).results == 2
    assert (await open_ladders.auditor.audit(TWO)).findings == ()


async def test_a_step_from_the_wrong_place_is_refused(open_ladders: Ladders) -> None:
    token = await open_ladders.lead()
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    table = await open_ladders.tables.load(TWO, 2)
    with pytest.raises(MovedError):
        await open_ladders.tables.step(token, table, Change(Position(1, 0), frozenset(), frozenset(), ()))


# -- what goes wrong with one entry or one ladder --------------------------------------------------------------


async def set_aside(store: Store) -> dict[str, dict[str, str]]:
    flat = await store.command("HGETALL", keys.SET_ASIDE)
    return {name.decode(): json.loads(text) for name, text in zip(flat[::2], flat[1::2], strict=True)}


async def test_an_entry_that_nobody_understands_is_set_aside_and_the_fold_goes_on(open_ladders: Ladders) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    strange = (await open_ladders.store.command("XADD", keys.RESULTS, "*", "what", "ever")).decode()
    await open_ladders.end(score(1, 2), "a", "b")

    assert await open_ladders.take() == 2

    assert (await stored(open_ladders, TWO)).results == 2
    aside = await set_aside(open_ladders.store)
    assert set(aside) == {strange}
    assert "no result can be read from it" in aside[strange]["reason"]


async def write_old(ladders: Ladders, match: MatchEntry, record: str) -> None:
    """Write a result as versions did that stored no outcome beside the record."""
    facts = {name: getattr(match, name) for name in ("game", "version", "ladder", "block", "index", "attempt")}
    fields = {
        "kind": "played",
        "match": match.match,
        "facts": json.dumps(facts),
        "termination": "score",
        "rated": "1",
        "again": "0",
        "server": "server-1",
        "epoch": "1",
        "reason": "",
        "hash": "h",
        "record": record,
    }
    await ladders.store.command("XADD", keys.RESULTS, "*", *(part for field in fields.items() for part in field))


async def test_a_result_of_an_earlier_version_is_folded_from_its_record(open_ladders: Ladders) -> None:
    match = entry("a", "b", ladder=TWO, block=new_id(), block_size=2)
    await write_old(open_ladders, match, record_of(match, score(2, 1)).to_line())

    await open_ladders.take()

    state = await stored(open_ladders, TWO)
    assert state.bots["b"].half_points == 2
    assert (await open_ladders.auditor.audit(TWO)).findings == ()


async def test_a_damaged_record_and_an_unknown_ladder_are_set_aside_with_their_matches(open_ladders: Ladders) -> None:
    damaged = entry("a", "b", ladder=TWO, block=new_id(), block_size=2)
    await write_old(open_ladders, damaged, "{}")
    unknown = await open_ladders.end(score(1, 2), "a", "b", ladder="nowhere")
    await open_ladders.end(score(1, 2), "a", "b")

    await open_ladders.take()

    aside = {kept["match"]: kept for kept in (await set_aside(open_ladders.store)).values()}
    assert set(aside) == {damaged.match, unknown.match}
    assert "cannot be read" in aside[damaged.match]["reason"]
    assert "not 'nowhere'" in aside[unknown.match]["reason"]
    assert (await stored(open_ladders, TWO)).results == 1


async def test_a_match_of_no_ladder_is_passed_over(open_ladders: Ladders) -> None:
    await open_ladders.end(score(1, 2), "a", "b", ladder="", block="", rated=False, block_size=1)

    await open_ladders.take()

    assert await set_aside(open_ladders.store) == {}


async def damage(ladders: Ladders, name: str) -> None:
    await ladders.store.command("HSET", keys.STANDING + name, "a", "{}")


async def test_a_ladder_that_fails_does_not_stop_the_others_and_catches_up_after_a_rebuild(
    open_ladders: Ladders, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """X15."""
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    await damage(open_ladders, TWO)
    broken = Ladders(store)
    await broken.lead()
    await broken.end(score(1, 2), "a", "b")
    await broken.end(score(1, 2, 3), "a", "b", "c")

    await broken.take()

    assert broken.fold.failed == {TWO}
    assert (await stored(broken, THREE, 3)).results == 1
    with pytest.raises(TableDamagedError):
        await broken.tables.load(TWO, 2)
    assert "ladder ephyran-2 cannot be folded and is left out until a restart or a rebuild: the table of" in caplog.text

    await broken.auditor.rebuild(TWO)
    await broken.end(score(2, 1), "a", "b")
    await broken.take()
    await broken.fold.retry_failed()

    assert broken.fold.failed == frozenset()
    assert (await stored(broken, TWO)).results == 3
    assert (await broken.tables.load(TWO, 2)).failed == ""
    assert (await broken.auditor.audit(TWO)).findings == ()


async def test_a_ladder_whose_rating_systems_library_is_gone_says_what_is_missing_and_the_others_go_on(
    open_ladders: Ladders, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X15. It goes on where it stood when the library is back."""
    await open_ladders.catalogue.create(ladder(2, name="bayes", system="weng-lin"))
    await open_ladders.end(score(1, 2), "a", "b", ladder="bayes")
    await open_ladders.take()
    get_system.cache_clear()
    monkeypatch.setitem(sys.modules, "openskill", None)
    without = Ladders(store)
    await without.lead()
    await without.end(score(2, 1), "a", "b", ladder="bayes")
    await without.end(score(1, 2, 3), "a", "b", "c")

    await without.take()

    assert without.fold.failed == {"bayes"}
    assert (await stored(without, THREE, 3)).results == 1
    assert b"pip install 'agon-arena[rate]'" in await store.command("HGET", keys.TABLE + "bayes", "failed")
    with pytest.raises(MissingLibraryError):
        await without.standings.read("bayes")

    monkeypatch.undo()
    await without.fold.retry_failed()

    assert without.fold.failed == frozenset()
    assert (await stored(without, "bayes")).results == 2
    assert (await without.auditor.audit("bayes")).findings == ()


async def test_a_failed_ladder_stays_failed_over_a_restart_until_it_can_be_read(
    open_ladders: Ladders, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    whole = await store.command("HGET", keys.STANDING + TWO, "a")
    await damage(open_ladders, TWO)
    first = Ladders(store)
    await first.lead()
    await first.end(score(1, 2), "a", "b")
    await first.take()

    second = Ladders(store)
    await second.lead()
    assert second.fold.failed == {TWO}

    await store.command("HSET", keys.STANDING + TWO, "a", whole)
    third = Ladders(store)
    await third.lead()
    assert third.fold.failed == frozenset()
    assert (await stored(third, TWO)).results == 2
    assert "cannot be folded" in caplog.text


async def test_of_a_bug_that_stops_a_ladder_its_place_is_told_and_not_its_words(
    open_ladders: Ladders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They could name a card of a deal that is still played."""

    def fails(*_: object) -> None:
        raise RuntimeError("hidden")

    monkeypatch.setattr(LadderState, "apply", fails)
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()

    assert (await open_ladders.tables.load(TWO, 2)).failed == "RuntimeError"
    assert "left out until a restart or a rebuild: RuntimeError\nRuntimeError\n  " in caplog.text
    assert "hidden" not in caplog.text


async def test_the_books_of_blocks_survive_in_the_store(open_ladders: Ladders) -> None:
    """R15: an incomplete block counts only when its last place is rated, restart or not."""
    block = new_id()
    await open_ladders.end(score(1, 2), "a", "b", block=block, index=0)
    await open_ladders.take()
    assert set((await stored(open_ladders, TWO)).partial) == {block}

    await open_ladders.lead()
    await open_ladders.end(score(2, 1), "b", "a", block=block, index=1)
    await open_ladders.take()

    state = await stored(open_ladders, TWO)
    assert (state.partial, state.bots["a"].blocks) == ({}, {4: 1})


async def test_a_batch_of_unreadable_entries_moves_the_cursor(open_ladders: Ladders) -> None:
    await open_ladders.fold.take(Batch([], [Unread("5-0", "why")], "5-0"))
    await open_ladders.pairing.save("5-0")

    assert await open_ladders.tables.cursor() == Position(5, 0)
    assert (await set_aside(open_ladders.store))["5-0"]["reason"] == "why"
