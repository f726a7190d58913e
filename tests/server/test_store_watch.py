"""Whether the store can be used, seen on a real one to which all is done that can be; and work that is repeated."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise

import pytest
from tests.support.lone_store import LoneStore
from tests.support.proxy import Proxy
from tests.support.valkey import until

from agon_server import store_watch
from agon_server.store import keys
from agon_server.store.checks import parse_info
from agon_server.store.connection import Store, open_store
from agon_server.store.errors import Away, StoreUnavailableError
from agon_server.store.state import Back
from agon_server.store_watch import StoreWatch, Told, forever


class Clock:
    """Remembers whether it was asked to stand still."""

    stalls = False

    def stall_in(self, _seconds: float) -> None:
        self.stalls = True

    def go_on(self) -> None:
        self.stalls = False


class Listener:
    """Remembers what it was told, and fails to answer as often as a test wants."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.told: list[Back | None] = []
        self.fail = 0
        self.saw: list[object] = []
        """What the store had when it was told to be back, and what others could ask meanwhile."""

    def store_away(self) -> None:
        self.told.append(None)

    async def store_back(self, how: Back) -> None:
        self.told.append(how)
        if self.fail:
            self.fail -= 1
            raise StoreUnavailableError("gone again")
        self.saw.append(await self._store.early.command("EXISTS", "something"))
        with pytest.raises(StoreUnavailableError):
            await self._store.command("PING")


class Watched:
    """A store of its own, a connection to it, and the watch."""

    def __init__(self, lone: LoneStore, store: Store, *, allow_volatile: bool = False) -> None:
        self.safe: list[bool] = []
        self.lone = lone
        self.store = store
        self.state = store.state
        self.clock = Clock()
        self.listener = Listener(store)
        self.state.listen(self.listener)
        self.watch = StoreWatch(
            store, self.clock, allow_volatile=allow_volatile, every=0.01, remind=60, show_safe=self.safe.append
        )
        self.task = asyncio.create_task(self.watch.run())

    async def away(self, why: Away) -> None:
        async def is_so() -> bool:
            return self.state.away is not None and self.state.away.why is why

        await until(is_so)

    async def back(self) -> None:
        await asyncio.wait_for(self.state.wait_here(), 30)


@asynccontextmanager
async def watched(*, allow_volatile: bool = False, appendfsync: str = "always") -> AsyncIterator[Watched]:
    async with LoneStore(appendfsync=appendfsync) as lone:
        store = await open_store(lone.url, None, allow_volatile=allow_volatile)
        await store.command("SET", keys.LADDERS_MADE, "1")
        await store.command("SET", "something", "x")
        made = Watched(lone, store, allow_volatile=allow_volatile)
        try:
            yield made
        finally:
            made.task.cancel()
            await asyncio.gather(made.task, return_exceptions=True)
            await store.aclose()


Way = Callable[[LoneStore], Awaitable[object]]


def now(act: Callable[[LoneStore], None]) -> Way:
    async def do(lone: LoneStore) -> None:
        act(lone)

    return do


async def leave_everybody_out(lone: LoneStore) -> None:
    await lone.ask("CONFIG", "SET", "requirepass", "another")
    store = Store(lone.url.replace("unix://", "unix://:another@"))
    await store.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    await store.aclose()


async def let_all_in(lone: LoneStore) -> None:
    store = Store(lone.url.replace("unix://", "unix://:another@"))
    await store.command("CONFIG", "SET", "requirepass", "")
    await store.aclose()


async def fill_up(lone: LoneStore) -> None:
    lone.fill_disk()


WAYS: dict[str, tuple[Way, Way, Away, str]] = {
    "held still": (now(LoneStore.hold_still), now(LoneStore.go_on), Away.NO_ANSWER, "does not answer"),
    "paused": (
        lambda lone: lone.ask("CLIENT", "PAUSE", 60_000, "WRITE"),
        lambda lone: lone.ask("CLIENT", "UNPAUSE"),
        Away.NO_ANSWER,
        "does not answer",
    ),
    "disk full": (fill_up, now(LoneStore.free_disk), Away.DISK, "cannot write to its disk.*make room there"),
    "memory full": (
        lambda lone: lone.ask("CONFIG", "SET", "maxmemory", 1),
        lambda lone: lone.ask("CONFIG", "SET", "maxmemory", 0),
        Away.MEMORY,
        "has no memory left.*raise its maxmemory",
    ),
    "a replica": (
        lambda lone: lone.ask("REPLICAOF", "127.0.0.1", 1),
        lambda lone: lone.ask("REPLICAOF", "NO", "ONE"),
        Away.REPLICA,
        "is a replica.*give the primary's URL",
    ),
    "another password": (leave_everybody_out, let_all_in, Away.LOGIN, "wants a password; give it in the URL"),
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_store_that_cannot_be_used_for_a_while_says_why_and_is_the_same_when_it_is_back(
    way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """X9, X10."""
    caplog.set_level(logging.INFO)
    begin, end, why, words = WAYS[way]
    # Held by `always`, a server whose disk is full ends.
    async with watched(appendfsync="everysec") as there:
        await begin(there.lone)
        if way == "disk full":
            await make_it_write(there)
        await there.away(why)
        with pytest.raises(StoreUnavailableError, match=words) as caught:
            await there.store.script("mark", "", "x")
        stalled = there.clock.stalls
        await end(there.lone)
        await there.back()
        exists = await there.store.command("EXISTS", "something")

        assert caught.value.why is why
        assert stalled
        assert not there.clock.stalls
        assert there.listener.told == [None, Back.SAME]
        assert there.listener.saw == [exists] == [1]
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(told) <= 2, told
    assert told[0].startswith("the store is away, and what needs it waits: ")
    assert caplog.messages[-1].startswith("the store is back after ")


async def make_it_write(there: Watched) -> None:
    """Write until the server has noticed that its disk takes nothing."""

    async def is_refused() -> bool:
        try:
            await there.store.command("SET", "more", "x")
        except StoreUnavailableError:
            return True
        return False

    await until(is_refused)


async def test_a_line_that_lets_nothing_through_any_more_is_noticed_and_a_new_one_taken() -> None:
    """X9: half open, so that neither end is told."""
    async with LoneStore() as lone, Proxy(str(lone.folder / "valkey.sock")) as line:
        store = await open_store(f"redis://{line.address}", None)
        others = line.connections
        there = Watched(lone, store)

        async def is_connected() -> bool:
            return line.connections > others

        await until(is_connected)
        line.fall_silent()
        await there.away(Away.NO_ANSWER)
        with pytest.raises(StoreUnavailableError, match="does not answer"):
            await store.command("PING")
        await line.cut()
        line.go_on()
        await there.back()

        assert there.listener.told == [None, Back.SAME]
        assert await store.command("PING") == b"PONG"
        there.task.cancel()
        await asyncio.gather(there.task, return_exceptions=True)
        await store.aclose()


async def test_a_store_that_was_started_again_is_told_of_before_anybody_reaches_it() -> None:
    """X9: what it may have lost is to be written first."""
    async with watched() as there:
        first = there.store.expected_run
        there.lone.kill()
        await there.away(Away.UNREACHABLE)
        await there.lone.start()
        await there.back()

        assert there.listener.told == [None, Back.RESTARTED]
        assert there.listener.saw == [1]
        assert there.store.expected_run not in ("", first)
        assert await there.store.command("PING") == b"PONG"


async def test_a_call_that_comes_before_the_watch_does_not_reach_a_store_that_was_started_again() -> None:
    """The client library makes broken connections anew without a word."""
    async with watched() as there:
        there.task.cancel()
        await asyncio.gather(there.task, return_exceptions=True)
        there.lone.kill()
        await there.lone.start()

        with pytest.raises(StoreUnavailableError, match="is just back"):
            await there.store.command("SET", "something", "y")
        assert await there.lone.ask("GET", "something") == b"x"


async def test_a_listener_that_cannot_finish_is_told_again_and_never_something_milder() -> None:
    async with watched() as there:
        there.listener.fail = 2
        there.lone.kill()
        await there.away(Away.UNREACHABLE)
        await there.lone.start()
        await there.back()

        assert there.listener.told == [None, Back.RESTARTED, Back.RESTARTED, Back.RESTARTED]


async def test_a_store_that_reads_its_data_is_away_until_it_has() -> None:
    async with watched() as there:
        for number in range(3_000):
            await there.store.command("SET", f"more:{number}", secrets.token_hex(1_000))
        await there.lone.ask("BGREWRITEAOF")
        await until(partial(is_rewritten, there.lone))
        there.lone.kill()
        await there.away(Away.UNREACHABLE)
        slowly = ("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024")
        await there.lone.start(*slowly, wait=False)
        await there.away(Away.LOADING)

        with pytest.raises(StoreUnavailableError, match="still reads its data"):
            await there.store.command("PING")
        await there.back()
        assert there.listener.told == [None, Back.RESTARTED]


async def is_rewritten(lone: LoneStore) -> bool:
    info = parse_info(await lone.ask("INFO", "persistence"))
    return info["aof_rewrite_in_progress"] == info["aof_rewrite_scheduled"] == "0" and any(
        lone.data.rglob("*.2.base.*")
    )


@pytest.mark.parametrize("way", ["flushed", "restarted empty"])
async def test_a_store_that_was_emptied_is_told_of_once_and_for_good(way: str) -> None:
    """X9."""
    async with watched() as there:
        if way == "flushed":
            await there.lone.ask("FLUSHALL")
        else:
            there.lone.kill()
            there.lone.empty()
            await there.lone.start()
        await asyncio.wait_for(there.task, 30)

        assert there.listener.told == [None, Back.EMPTIED]
        assert there.state.away is not None
        assert there.state.away.why is Away.EMPTIED
        with pytest.raises(StoreUnavailableError, match="was emptied"):
            await there.store.command("SET", "something", "x")
        assert there.clock.stalls


async def test_each_server_on_a_store_notices_that_it_was_emptied() -> None:
    """Also after another has begun anew on it."""
    async with watched() as there:
        other = await open_store(there.lone.url, None)
        await there.lone.ask("FLUSHALL")
        await asyncio.wait_for(there.task, 30)
        anew = await open_store(there.lone.url, None)
        await anew.command("SET", keys.LADDERS_MADE, "1")
        late = Watched(there.lone, other)
        await asyncio.wait_for(late.task, 30)

        assert late.listener.told == [None, Back.EMPTIED]
        for each in (anew, other):
            await each.aclose()


async def test_a_mark_that_was_evicted_alone_is_put_back(caplog: pytest.LogCaptureFixture) -> None:
    """As often as that happens; it is told now and then."""
    async with watched(allow_volatile=True) as there:

        async def is_back() -> bool:
            return bool(await there.lone.ask("GET", keys.INSTALLATION) == there.store.mark.encode())

        for _ in range(3):
            await there.lone.ask("DEL", keys.INSTALLATION)
            await until(is_back)
        assert there.listener.told == []
    assert caplog.text.count("the store has evicted the installation's mark") == 1


WEAKER = [
    ("appendonly", "no", "keeps no append-only file"),
    ("maxmemory-policy", "allkeys-lru", "set maxmemory-policy to noeviction"),
    ("maxmemory-policy", "volatile-ttl", "set maxmemory-policy to noeviction"),
]


@pytest.mark.parametrize(("setting", "value", "words"), WEAKER)
async def test_a_store_that_is_told_to_keep_less_while_it_runs_is_said(
    setting: str, value: str, words: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(store_watch, "LOOK_SECONDS", 0.0)

    def said(text: str) -> Callable[[], Awaitable[bool]]:
        async def is_said() -> bool:
            return text in caplog.text

        return is_said

    async with watched() as there:
        before = (await there.lone.ask("CONFIG", "GET", setting))[1]
        await there.lone.ask("CONFIG", "SET", setting, value)
        await until(said(words))
        await there.lone.ask("CONFIG", "SET", setting, before.decode())
        await until(said("the store keeps again what it takes"))

        assert there.state.is_here
    changes = [safe for before, safe in pairwise([False, *there.safe]) if safe is not before]
    assert changes == [True, False, True]
    assert caplog.text.count("what is stored from now on can be lost") == 1


async def test_keys_that_are_thrown_away_are_counted_in_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --allow-volatile: a memory limit with eviction."""
    monkeypatch.setattr(store_watch, "LOOK_SECONDS", 0.0)
    async with watched(allow_volatile=True) as there:
        for number in range(100):
            await there.store.command("SET", f"short-lived:{number}", "x" * 10_000, "EX", 1_000)
        await there.lone.ask("CONFIG", "SET", "maxmemory-policy", "volatile-ttl")
        used = dict(
            line.split(":", 1)
            for line in (await there.lone.ask("INFO", "memory")).decode().split("\r\n")
            if ":" in line
        )
        await there.lone.ask("CONFIG", "SET", "maxmemory", int(used["used_memory"]) - 200_000)

        async def is_said() -> bool:
            return "keys away to make room; raise its maxmemory" in caplog.text

        await until(is_said)


async def test_a_store_that_comes_and_goes_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    told = Told(60.0)
    for _ in range(1_000):
        told.away(StoreUnavailableError("gone"))
        told.still_away(StoreUnavailableError("gone"))
        told.back(Back.SAME)

    assert len(caplog.messages) == 2 * store_watch.CHANGES


async def test_a_store_that_stays_away_is_told_of_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    told = Told(0.0)
    told.away(StoreUnavailableError("gone"))
    told.still_away(StoreUnavailableError("gone"))

    assert caplog.messages == [
        "the store is away, and what needs it waits: gone",
        "the store has been away for 0 s: gone",
    ]


async def test_work_is_repeated_whatever_becomes_of_it(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(store_watch, "AWAY_SECONDS", 0.0)
    gone = StoreUnavailableError("it is gone")
    ends: list[BaseException | None] = [None, gone, gone, None, RuntimeError("secret"), gone, asyncio.CancelledError()]

    async def step() -> None:
        if (end := ends.pop(0)) is not None:
            raise end

    with pytest.raises(asyncio.CancelledError):
        await forever(step, "claiming", logging.getLogger("test"))

    assert ends == []
    told = [message.partition("\n")[0] for message in caplog.messages]
    assert told == [
        "claiming has to wait: it is gone",
        "claiming goes on",
        "claiming failed and begins anew:",
        "claiming has to wait: it is gone",
    ]
    assert "secret" not in caplog.text
