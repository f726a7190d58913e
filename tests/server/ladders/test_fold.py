"""The fold on a real store: once each, in the stream's order, whoever dies or is overtaken where (X2, X4, X5, E10)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.support.folds import folded_by_hand, stored
from tests.support.ladder_store import Ladders, by_chance, score, unrated

from agon_engine.core import Chance
from agon_engine.core.policy import Termination
from agon_ladder.results import Position
from agon_server.ladders.tables import Change, MovedError
from agon_server.queue.reading import read_result
from agon_server.queue.results import Batch
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError, StoreUnavailableError

TWO, THREE = "ephyran-2", "ephyran-3"


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
        assert (await folded_by_hand(open_ladders, name, seats)).canonical() == state.canonical()


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
    assert (await folded_by_hand(open_ladders, TWO, 2)).canonical() == state.canonical()


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
            assert (await folded_by_hand(open_ladders, name, seats)).canonical() == state.canonical()
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
