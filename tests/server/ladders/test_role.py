"""The ladder role as it runs: woken by events, led by one process at a time, and not ended by what goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, score
from tests.support.patience import PATIENCE
from tests.support.valkey import until

from agon_engine.core import Chance
from agon_ladder.results import Position
from agon_ladder.rulings import Purge
from agon_server.ladders import role
from agon_server.ladders.fold import BATCH
from agon_server.ladders.lease import Lease
from agon_server.queue.claim import Depth
from agon_server.queue.desk import Desk
from agon_server.queue.feed import Ended
from agon_server.queue.results import START, Batch, Unread
from agon_server.queue.rulings import Rulings
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import StoreUnavailableError

NAME = "ephyran-2"


@asynccontextmanager
async def running(*all_ladders: Ladders) -> AsyncIterator[None]:
    """Run roles beside the test, and end them."""
    tasks = [asyncio.create_task(ladders.role.run()) for ladders in all_ladders]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def results(ladders: Ladders) -> int:
    return (await ladders.tables.load(NAME, 2)).state.results


async def waiting(ladders: Ladders) -> int:
    depth: Depth = await Desk(ladders.store).depth()
    return depth.waiting


async def newest(ladders: Ladders) -> str:
    """Return the id of the newest result."""
    return (await ladders.results.before("", START, 1)).cursor or START


async def _has_told_all(ladders: Ladders) -> bool:
    """Tell whether the role has taken every result there is, and said so to those who trim the stream."""
    return (await ladders.results.readers())[keys.LADDER_READER] == await newest(ladders)


@pytest.fixture
async def two(ladders: Ladders) -> Ladders:
    await ladders.catalogue.create(ladder(2))
    await ladders.join("a", "b", slots=2)
    return ladders


async def test_matches_are_made_rated_and_made_again_by_themselves(two: Ladders) -> None:
    end = by_chance(Chance(bytes(16)))
    async with running(two):
        async with asyncio.timeout(PATIENCE):
            while await results(two) < 30:
                await two.play(end)
        await until(lambda: _has_told_all(two))

    assert (await two.auditor.audit(NAME)).findings == ()
    assert two.ratings == 2 * await results(two)


async def test_a_ladder_is_rated_again_by_itself_when_a_purge_comes(two: Ladders) -> None:
    """While it plays on: what ends meanwhile waits, and is folded then."""
    end = by_chance(Chance(bytes(16)))
    async with running(two):
        async with asyncio.timeout(PATIENCE):
            while await results(two) < 6:
                await two.play(end)
            purge = Purge(position=Position(0, 0), id="p", ladder=NAME, actor="ann", why="because", server="server-1")
            made = await Rulings(two.store).make(purge)
            while (await two.tables.load(NAME, 2)).state.position < made.position or await results(two) < 3:
                await two.play(end)
        await until(lambda: _has_told_all(two))

    table = await two.tables.load(NAME, 2)
    assert (table.generation, table.failed) == (1, "")
    report = await two.auditor.audit(NAME)
    assert report.findings == ()
    assert report.counts.purged >= 6


async def test_a_bot_that_comes_gets_its_first_match_at_once(ladders: Ladders, monkeypatch: pytest.MonkeyPatch) -> None:
    """M3: told by an event; the next look on its own would be an hour away."""
    monkeypatch.setattr(role, "LOOK_MS", 3_600_000)
    await ladders.catalogue.create(ladder(2))
    await ladders.join("a")
    async with running(ladders):
        await until(lambda: _leads(ladders))
        assert await waiting(ladders) == 0

        await ladders.join("b")

        await until(lambda: _has_matches(ladders))


async def _leads(ladders: Ladders) -> bool:
    return ladders.role.token is not None


async def _has_matches(ladders: Ladders) -> bool:
    return await waiting(ladders) > 0


class CountingStore(Store):
    """A connection that counts the calls made through it."""

    calls = 0

    async def script(self, name: str, *args: str | bytes | int) -> object:
        self.calls += 1
        return await super().script(name, *args)

    async def command(self, *args: str | bytes | int) -> object:
        self.calls += 1
        return await super().command(*args)


@pytest.fixture
async def counting(valkey_url: str) -> AsyncIterator[CountingStore]:
    opened = CountingStore(valkey_url)
    yield opened
    await opened.aclose()


async def test_an_idle_role_makes_next_to_no_calls(counting: CountingStore, two: Ladders) -> None:
    """Slots are full: the calls of one second are those of the lease and of a round now and then."""
    ladders = Ladders(counting)
    ladders.lease.ttl_ms = 1_000
    async with running(ladders):
        await until(lambda: _full(two))
        await until(lambda: _settled(counting))
        before = counting.calls
        await asyncio.wait_for(_renewals(two, 4), 10)

        assert counting.calls - before < 20


async def _full(ladders: Ladders) -> bool:
    return await waiting(ladders) == 2


async def _settled(store: CountingStore) -> bool:
    before = store.calls
    await asyncio.sleep(0.05)
    return store.calls == before


async def _renewals(ladders: Ladders, count: int) -> None:
    """Wait until the lease was renewed so many times, as its remaining life shows."""
    left = await ladders.store.command("PTTL", keys.LADDER_LEASE)
    while count:
        now = await ladders.store.command("PTTL", keys.LADDER_LEASE)
        count -= now > left
        left = now
        await asyncio.sleep(0.005)


@pytest.fixture
async def second_store(valkey_url: str) -> AsyncIterator[Store]:
    opened = Store(valkey_url)
    yield opened
    await opened.aclose()


async def test_of_two_processes_one_leads_and_the_other_takes_over_when_it_ends(
    two: Ladders, second_store: Store
) -> None:
    other = Ladders(second_store, server="server-2")
    for ladders in (two, other):
        ladders.lease.ttl_ms = 4_000
    end = by_chance(Chance(bytes(16)))

    async def play_until(count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while await results(two) < count:
                await two.play(end)

    async with running(two):
        await until(lambda: _leads(two))
        first = two.role.token
        assert first is not None
        async with running(other):
            await play_until(6)
            assert other.role.token is None

    async with running(other):
        await play_until(12)
        assert two.role.token is None
        assert await _token(other) > first

    assert (await two.auditor.audit(NAME)).findings == ()


async def _token(ladders: Ladders) -> int:
    return ladders.role.token or 0


async def test_a_process_that_lost_its_lease_stops_and_begins_anew(
    two: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    two.lease.ttl_ms = 400
    async with running(two):
        await until(lambda: _leads(two))
        first = two.role.token
        assert first is not None

        await two.store.command("DEL", keys.LADDER_LEASE)

        await until(lambda: _leads_under_more_than(two, first))
    assert "no longer leading the ladders: the lease was lost" in caplog.text


async def test_a_process_whose_call_was_not_answered_in_time_says_so_too_where_another_leads_then(
    two: Ladders, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """X2: one that stood still meets its own time limit first, and never the fence."""
    monkeypatch.setattr(role, "AWAY_SECONDS", 0.0)

    async def round_that_stood_still() -> bool:
        await store.command("DEL", keys.LADDER_LEASE)
        assert await Lease(store, "server-2").acquire() is not None
        raise StoreUnavailableError("no answer")

    monkeypatch.setattr(two.pairing, "round", round_that_stood_still)
    async with running(two):
        await until(lambda: _has_said(caplog, "no longer leading the ladders: another server leads them now"))

    assert two.role.token is None
    assert caplog.text.count("no longer leading") == 1


async def _has_said(caplog: pytest.LogCaptureFixture, words: str) -> bool:
    return words in caplog.text


async def _leads_under_more_than(ladders: Ladders, token: int) -> bool:
    return await _token(ladders) > token


async def test_a_server_that_was_restarted_under_its_name_leads_again_at_once(two: Ladders, store: Store) -> None:
    await two.lead()
    again = Ladders(store)
    stranger = Lease(store, "server-2")

    assert await stranger.acquire() is None
    async with running(again):
        await until(lambda: _leads(again))


async def test_a_lease_that_is_given_back_is_free_and_an_old_token_cannot_renew_it(store: Store) -> None:
    one, other = Lease(store, "server-1"), Lease(store, "server-2")
    token = await one.acquire()
    assert token is not None
    assert await one.renew(token)

    await one.release(token)
    newer = await other.acquire()

    assert newer is not None
    assert newer > token
    assert not await one.renew(token)


@pytest.mark.parametrize("cut_off", ["ladder_acquire", "ladder_renew"])
async def test_a_lease_is_given_back_though_the_call_that_took_it_or_gave_it_back_was_cut_off(
    store: Store, monkeypatch: pytest.MonkeyPatch, cut_off: str
) -> None:
    """A server that is told twice to end: another one leads at once, however long the lease is."""
    one, other = Lease(store, "server-1", 3_600_000), Lease(store, "server-2")
    script = store.script

    async def cut(name: str, *arguments: str | int) -> object:
        if name == "ladder_renew" == cut_off:
            raise asyncio.CancelledError
        await script(name, *arguments)
        raise asyncio.CancelledError

    if cut_off == "ladder_acquire":
        monkeypatch.setattr(store, "script", cut)
        with pytest.raises(asyncio.CancelledError):
            await one.acquire()
    else:
        token = await one.acquire()
        assert token is not None
        monkeypatch.setattr(store, "script", cut)
        with pytest.raises(asyncio.CancelledError):
            await one.release(token)
    monkeypatch.setattr(store, "script", script)
    assert await other.acquire() is None

    await one.leave()

    assert await other.acquire() is not None
    await one.leave()
    assert await Lease(store, "server-3").acquire() is None, "what another has is left to it"


async def test_who_waits_to_lead_asks_again_soon_though_leases_are_long(
    two: Ladders, second_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(role, "NEXT_TRY_MS", 10)
    other = Ladders(second_store, server="server-2")
    for ladders in (two, other):
        ladders.lease.ttl_ms = 3_600_000
    asked, acquire = asyncio.Event(), other.lease.acquire

    async def acquiring() -> int | None:
        token = await acquire()
        asked.set()
        return token

    monkeypatch.setattr(other.lease, "acquire", acquiring)
    async with running(two):
        await until(lambda: _leads(two))
        waits = asyncio.create_task(other.role.run())
        await asyncio.wait_for(asked.wait(), PATIENCE)
    try:
        await until(lambda: _leads(other))
    finally:
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)


async def test_a_failure_of_pairing_or_store_is_survived(
    two: Ladders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(role, "AWAY_SECONDS", 0.0)
    errors = [StoreUnavailableError("away"), RuntimeError("a bug")]
    whole_round = two.pairing.round

    async def round_that_fails() -> bool:
        if errors:
            raise errors.pop(0)
        return await whole_round()

    monkeypatch.setattr(two.pairing, "round", round_that_fails)
    async with running(two):
        await until(lambda: _full(two))

    assert "the work on the ladders has to wait: away" in caplog.text
    assert "the ladder role failed and begins anew:\nRuntimeError\n  " in caplog.text
    assert "a bug" not in caplog.text


class Told:
    """Results that come in these batches, and then no more."""

    def __init__(self, *sizes: int) -> None:
        unread = Unread("1-0", "")
        self.left: list[Batch[Ended]] = [
            Batch((), [unread] * size, f"{number}-0") for number, size in enumerate(sizes, 1)
        ]

    async def wait_after(self, *_: object, **__: object) -> Batch[Ended]:
        if not self.left:
            await asyncio.Event().wait()
        return self.left.pop(0)


async def test_what_ends_soon_after_another_is_read_with_what_comes_then(
    ladders: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each of many matches that end would cost a step and a round; a backlog is read without a pause."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(ladders.role, "_feed", Told(BATCH, BATCH, 1, BATCH))
    monkeypatch.setattr(asyncio, "sleep", pause)
    reading = asyncio.create_task(ladders.role._read(START))
    read = [(await ladders.role._batches.get()).size for _ in range(4)]
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)

    assert read == [BATCH, BATCH, 1, BATCH]
    assert len(pauses) == 1
    assert pauses[0] <= role.GATHER_MS / 1000


# -- reading the table -----------------------------------------------------------------------------------------


async def test_the_table_is_read_with_its_ladder_and_again_when_it_has_changed(two: Ladders) -> None:
    await two.lead()
    made = await two.catalogue.get(NAME)
    empty = await two.standings.read(NAME)
    version = await two.standings.version(NAME)
    assert (empty.ladder, empty.rows, empty.results, empty.position) == (made, (), 0, "0-0")

    await two.end(score(1, 2), "a", "b")
    await two.take()

    read = await two.standings.read(NAME)
    assert version != await two.standings.version(NAME)
    assert [(row.rank, row.bot, row.rating, row.games) for row in read.rows] == [
        (1, "a", 1_512_000, 1),
        (2, "b", 1_488_000, 1),
    ]
    assert (read.results, read.position) == (1, await newest(two))
    assert read is await two.standings.read(NAME)

    await two.catalogue.close(NAME)
    assert (await two.standings.read(NAME)).ladder == replace(made, open=False)


async def test_a_table_that_is_not_folded_says_why(two: Ladders) -> None:
    await two.tables.set_failed(await two.lead(), NAME, "why")

    assert (await two.standings.read(NAME)).failed == "why"
