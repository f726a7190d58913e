"""A ladder that is rated again after a purge: others go on meanwhile, and whoever dies when, nothing is lost (X4)."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.ladder_store import Ladders, score
from tests.support.rulings import NAME, assert_true, live, purge, rule

from agon_ladder.results import Position
from agon_server.ladders.encoding import TableDamagedError
from agon_server.ladders.fold import Fold
from agon_server.ladders.tables import RERATED, Change, Table, Tables
from agon_server.store import keys
from agon_server.store.errors import StoreUnavailableError


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
