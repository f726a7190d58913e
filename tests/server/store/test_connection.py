"""The connection to a store: what it refuses, what it survives, and what its waits promise."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
from pathlib import Path

import pytest
from tests.support.patience import PATIENCE
from tests.support.valkey import short_folder, until

from agon_server.store import keys
from agon_server.store.checks import check_keeping, check_server, parse_info
from agon_server.store.connection import Store, open_store
from agon_server.store.errors import StoreError, StoreRefusedError, StoreUnavailableError
from agon_server.store.folder import DataFolder
from agon_server.store.lua import script_text

GOOD = {
    "redis_version": "7.2.4",
    "redis_mode": "standalone",
    "role": "master",
    "maxmemory_policy": "noeviction",
    "aof_enabled": "1",
}


def check(info: dict[str, str]) -> None:
    check_server(info, "x")
    check_keeping(info, "x")


@pytest.mark.parametrize("version", ["7.0.0", "7.2.4", "8.1.0", "10.0.0"])
def test_redis_from_seven_on_is_accepted(version: str) -> None:
    check({**GOOD, "redis_version": version})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"redis_version": "6.2.14"}, "Redis 7 or newer, or Valkey, not '6.2.14'"),
        ({"redis_version": "unstable"}, "not 'unstable'"),
        ({"redis_mode": "cluster"}, "single server.*not 'cluster'"),
        ({"server_mode": "sentinel"}, "single server.*not 'sentinel'"),
        ({"role": "slave"}, "primary.*not 'slave'"),
        ({"maxmemory_policy": "allkeys-lru"}, "maxmemory-policy to noeviction.*'allkeys-lru'"),
        ({"aof_enabled": "0"}, "set appendonly to yes"),
    ],
)
def test_a_server_that_cannot_be_relied_on_is_refused_with_what_to_change(wrong: dict[str, str], message: str) -> None:
    with pytest.raises(StoreRefusedError, match=message):
        check({**GOOD, **wrong})


def test_info_is_read_whatever_it_holds() -> None:
    assert parse_info(b"# Server\r\na:1\r\n\r\nb:x:y\r\nnothing\r\nc:\r\n") == {"a": "1", "b": "x:y", "c": ""}


async def test_a_volatile_server_is_used_only_where_allowed(store: Store, valkey_url: str) -> None:
    await store.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        with pytest.raises(StoreRefusedError, match=r"by --allow-volatile \(AGON_ALLOW_VOLATILE=true\): 'allkeys-lru'"):
            await open_store(valkey_url, None)
        allowed = await open_store(valkey_url, None, allow_volatile=True)
        await allowed.aclose()
    finally:
        await store.command("CONFIG", "SET", "maxmemory-policy", "noeviction")


async def test_a_server_without_file_has_nothing_to_wait_for(store: Store, valkey_url: str) -> None:
    await store.command("CONFIG", "SET", "appendonly", "no")
    try:
        allowed = await open_store(valkey_url, None, allow_volatile=True)
        await asyncio.wait_for(allowed.wait_durable(), 1)
        await allowed.aclose()
    finally:
        await store.command("CONFIG", "SET", "appendonly", "yes")


@pytest.mark.parametrize("url", ["localhost", "http://localhost", "redis://localhost:port", ""])
async def test_a_wrong_url_is_refused(url: str) -> None:
    with pytest.raises(StoreRefusedError, match=r"a store's URL is redis://"):
        await open_store(url, None)


async def test_a_store_needs_a_url_or_a_folder() -> None:
    with pytest.raises(StoreRefusedError, match="URL or a data folder"):
        await open_store(None, None)


async def test_a_server_that_is_not_there_is_unavailable_and_the_message_has_no_password(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError) as refused:
        await open_store(f"unix://:secret@{tmp_path}/none.sock", None)

    assert "secret" not in str(refused.value)


async def test_a_scripts_text_is_sent_again_when_the_server_has_forgotten_it(store: Store) -> None:
    await store.script("depth")
    await store.command("SCRIPT", "FLUSH")

    assert await store.script("depth") == [0, 0, 0, 0]


def test_every_script_says_what_it_takes() -> None:
    """Each begins with a comment, and uses no key's name that the table does not have."""
    folder = Path(keys.__file__).parent / "scripts"
    for path in folder.glob("*.lua"):
        own = path.read_text()
        assert own.startswith("-- "), path.name
        assert "agon:" not in own, path.name
        if path.name != "shared.lua":
            assert own in script_text(path.stem)


async def test_a_refused_call_is_no_absence(store: Store) -> None:
    with pytest.raises(StoreError) as refused:
        await store.command("HGET", "key")

    assert not isinstance(refused.value, StoreUnavailableError)


async def test_a_full_server_cannot_be_used_now(store: Store) -> None:
    await store.command("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(StoreUnavailableError, match=r"OOM|maxmemory"):
            await store.command("SET", "key", "value")
    finally:
        await store.command("CONFIG", "SET", "maxmemory", "0")


async def test_cancelled_calls_leave_no_answer_to_the_next_caller(store: Store) -> None:
    """Each caller gets the answer to its own question, however many others gave up."""

    async def ask(number: int) -> None:
        while True:
            assert f"{number}".encode() == await store.command("ECHO", number)

    for _ in range(30):
        tasks = [asyncio.create_task(ask(number)) for number in range(40)]
        for _ in range(20):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert {asyncio.CancelledError} == {type(end) for end in ends}

    assert await store.command("ECHO", "last") == b"last"


async def test_many_calls_at_once_share_few_connections(store: Store) -> None:
    answers = await asyncio.gather(*(store.command("ECHO", number) for number in range(500)))

    assert [f"{number}".encode() for number in range(500)] == answers
    connected = parse_info(await store.command("INFO", "clients"))["connected_clients"]
    assert int(connected) < 100


async def test_a_cancelled_wait_drops_its_connection(store: Store) -> None:
    waiter = store.waiter()
    waiting = asyncio.create_task(waiter.command("BLPOP", "list", 5))
    await until(lambda: _blocked(store, 1))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    # Until the store has seen that the connection is gone, it may give the item to it.
    await until(lambda: _blocked(store, 0))
    await store.command("RPUSH", "list", "item")
    assert await waiter.command("BLPOP", "list", 5) == [b"list", b"item"]
    await waiter.aclose()


async def _blocked(store: Store, count: int) -> bool:
    return parse_info(await store.command("INFO", "clients"))["blocked_clients"] == str(count)


async def test_secrets_are_made_once_and_differ(store: Store, valkey_url: str) -> None:
    other = Store(valkey_url)
    made = await asyncio.gather(*(each.secret("tickets") for each in (store, other) * 5))

    assert len(set(made)) == 1
    assert len(made[0]) == 32
    assert made[0] != await store.secret("seeds")
    await other.aclose()


async def test_subscribers_get_what_is_published_while_they_listen(store: Store) -> None:
    messages = store.subscribe("channel")
    assert await anext(messages) is None
    first = asyncio.create_task(anext(messages))
    await until(lambda: _publish(store, "one"))

    assert await first == b"one"
    await store.command("PUBLISH", "channel", b"\xff two")
    assert await anext(messages) == b"\xff two"
    await messages.aclose()
    await until(lambda: _has_no_subscriber(store))


async def test_a_subscriber_comes_back_after_its_connection_was_cut(store: Store) -> None:
    messages = store.subscribe("channel")
    assert await anext(messages) is None
    first = asyncio.create_task(anext(messages))
    await until(lambda: _publish(store, "one"))
    await first
    second = asyncio.create_task(anext(messages))
    await store.command("CLIENT", "KILL", "TYPE", "pubsub")

    assert await second is None  # what was published meanwhile is lost
    await _publish(store, "two")
    assert await anext(messages) == b"two"
    await messages.aclose()


async def test_a_quiet_subscriber_stays_as_long_as_the_server_answers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silence is no reason to reconnect while pings are answered: then nothing would be lost for nothing."""
    monkeypatch.setattr("agon_server.store.connection.ANSWER_SECONDS", 0.01)
    messages = store.subscribe("channel")
    assert await anext(messages) is None
    await store.command("CONFIG", "RESETSTAT")
    first = asyncio.create_task(anext(messages))

    await until(lambda: _has_pinged(store, 3))
    await _publish(store, "late")

    assert await first == b"late"
    assert (await _subscribers(store)).count("cmd=ping") == 1
    await messages.aclose()


async def test_a_subscriber_whose_connection_went_silent_reconnects(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agon_server.store.connection.ANSWER_SECONDS", 0.05)
    messages = store.subscribe("channel")
    assert await anext(messages) is None
    first = asyncio.create_task(anext(messages))
    await until(lambda: _publish(store, "one"))
    await first
    before = _id(await _subscribers(store))
    second = asyncio.create_task(anext(messages))
    await store.command("CLIENT", "PAUSE", 1_000, "ALL")

    assert await second is None
    assert _id(await _subscribers(store)) != before
    await messages.aclose()


async def _subscribers(store: Store) -> str:
    listed = await store.command("CLIENT", "LIST", "TYPE", "pubsub")
    return str(listed.decode())


def _id(listed: str) -> str:
    return listed.partition(" ")[0]


async def _has_pinged(store: Store, count: int) -> bool:
    stats = parse_info(await store.command("INFO", "commandstats"))
    return int(stats.get("cmdstat_ping", "calls=0,").split(",")[0].removeprefix("calls=")) >= count


async def _publish(store: Store, message: str) -> bool:
    return bool(await store.command("PUBLISH", "channel", message))


async def _has_no_subscriber(store: Store) -> bool:
    return not await _publish(store, "none")


async def test_what_was_written_before_a_durable_wait_survives_the_servers_kill_and_the_store_comes_back() -> None:
    """The wait covers the writes of all connections, and calls work again once the server does."""
    with short_folder() as path, DataFolder.open(path) as folder:
        store = await open_store(None, folder)
        embedded = store.embedded
        assert embedded is not None
        assert embedded.pid is not None
        await asyncio.gather(*(store.command("SET", f"key-{number}", number) for number in range(200)))
        await asyncio.gather(*(store.wait_durable() for _ in range(20)))
        os.kill(embedded.pid, signal.SIGKILL)
        await embedded.wait_exit()

        with pytest.raises(StoreUnavailableError):
            await store.command("PING")
        with pytest.raises(StoreUnavailableError):
            await store.wait_durable()
        await embedded.start()
        assert await store.command("EXISTS", *(f"key-{number}" for number in range(200))) == 200
        await store.aclose()


async def test_nobody_waits_for_the_disk_of_a_store_that_was_told_to_keep_no_file() -> None:
    """Its matches end and their bots are told; once it keeps a file again, waits are for the disk again."""
    with short_folder() as path, DataFolder.open(path) as folder:
        store = await open_store(None, folder)
        await store.command("CONFIG", "SET", "appendonly", "no")
        await asyncio.wait_for(store.wait_durable(), PATIENCE)
        await store.command("CONFIG", "SET", "appendonly", "yes")
        await store.command("SET", "key", 1)
        await store.wait_durable()

        assert store.embedded is not None
        assert store.embedded.pid is not None
        os.kill(store.embedded.pid, signal.SIGKILL)
        await store.embedded.wait_exit()
        await store.embedded.start()
        assert await store.command("EXISTS", "key") == 1
        await store.aclose()


async def test_durable_waits_at_once_share_their_rounds(store: Store) -> None:
    if not await _has_waitaof(store):
        pytest.skip("this server has no WAITAOF")
    await store.command("CONFIG", "RESETSTAT")

    await asyncio.gather(*(store.wait_durable() for _ in range(100)))

    stats = parse_info(await store.command("INFO", "commandstats"))
    assert stats["cmdstat_waitaof"].startswith(("calls=1,", "calls=2,"))


async def _has_waitaof(store: Store) -> bool:
    return bool(await store.command("COMMAND", "INFO", "WAITAOF") != [None])


async def test_a_server_without_waitaof_is_waited_for_by_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    real_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real_sleep(0)

    async def command(*args: str | bytes | int) -> object:
        if args[0] == "WAITAOF":
            raise StoreError("unknown command 'WAITAOF'")
        return await real_command(*args)

    real_command = store.command
    monkeypatch.setattr(store, "command", command)
    await store.check()
    monkeypatch.setattr(asyncio, "sleep", sleep)

    await store.wait_durable()

    assert slept == [2.0]


def test_all_scripts_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that has run out of file descriptors still uses one that it has not used before."""
    names = [path.stem for path in (Path(keys.__file__).parent / "scripts").glob("*.lua")]
    script_text(next(name for name in names if name != "shared"))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    for name in names:
        if name != "shared":
            assert script_text(name)


async def test_what_was_written_before_a_restart_is_not_taken_for_durable_after_it(store: Store) -> None:
    """X9: the wait itself may be made, and answered, by the run that came after."""
    store.expected_run = store.run
    async with store._durable_lock:
        waiting = asyncio.create_task(store.wait_durable())
        await asyncio.sleep(0)
        store.expected_run = "another"

    with pytest.raises(StoreUnavailableError, match="was started again before all was on its disk"):
        await waiting
