"""What a store is when a server starts on it: refused with what to change, away with what to do, or waited for."""

from __future__ import annotations

import asyncio
import secrets

import pytest
from tests.support.lone_store import LoneStore
from tests.support.valkey import until

from agon_server.store.checks import parse_info
from agon_server.store.connection import open_store
from agon_server.store.errors import Away, StoreRefusedError, StoreUnavailableError

EVICTING = (
    "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
)  # fmt: skip


async def opens(url: str, *, allow_volatile: bool = False) -> bool:
    store = await open_store(url, None, allow_volatile=allow_volatile)
    await store.aclose()
    return True


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [("maxmemory-policy", policy, f"set maxmemory-policy to noeviction, .*'{policy}'") for policy in EVICTING]
    + [("appendonly", "no", "set appendonly to yes, or allow that by --allow-volatile")],
)
async def test_a_store_that_does_not_keep_what_it_takes_is_refused_unless_that_is_asked_for(
    setting: str, value: str, words: str
) -> None:
    async with LoneStore() as lone:
        await lone.ask("CONFIG", "SET", setting, value)

        with pytest.raises(StoreRefusedError, match=words):
            await opens(lone.url)
        assert await opens(lone.url, allow_volatile=True)


async def test_a_replica_is_refused() -> None:
    async with LoneStore() as lone:
        await lone.ask("REPLICAOF", "127.0.0.1", 1)

        with pytest.raises(StoreRefusedError, match="must be a primary, which can be written to, not 'slave'"):
            await opens(lone.url, allow_volatile=True)


@pytest.mark.parametrize(
    ("way", "why", "words"),
    [
        ("no password", Away.LOGIN, "wants a password; give it in the URL, as unix://:PASSWORD@/"),
        ("wrong password", Away.LOGIN, "refuses the password of the URL; give the right one"),
        ("no rights", Away.LOGIN, "does not let its user do what Agon needs; give that user more rights"),
        ("memory full", Away.MEMORY, "has no memory left"),
        ("nobody there", Away.UNREACHABLE, "cannot be reached; does it run"),
    ],
)
async def test_a_store_that_cannot_be_used_at_the_start_says_why_and_shows_no_password(
    way: str, why: Away, words: str
) -> None:
    async with LoneStore() as lone:
        url = lone.url
        if way.endswith("password"):
            await lone.ask("CONFIG", "SET", "requirepass", "right")
        elif way == "no rights":
            await lone.ask("ACL", "SETUSER", "bob", "on", ">hidden", "~*", "+@read")
            url = url.replace("unix://", "unix://bob:hidden@")
        elif way == "memory full":
            await lone.ask("CONFIG", "SET", "maxmemory", 1)
        else:
            lone.kill()
        if way == "wrong password":
            url = url.replace("unix://", "unix://:hidden@")

        with pytest.raises(StoreUnavailableError, match=words) as caught:
            await opens(url)
    assert caught.value.why is why
    assert "hidden" not in str(caught.value)


async def test_a_store_that_still_reads_its_data_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    async with LoneStore() as lone:
        store = await open_store(lone.url, None)
        for number in range(1_500):
            await store.command("SET", f"more:{number}", secrets.token_hex(1_000))
        await store.command("BGREWRITEAOF")

        async def is_rewritten() -> bool:
            info = parse_info(await store.command("INFO", "persistence"))
            return info["aof_rewrite_in_progress"] == info["aof_rewrite_scheduled"] == "0" != info["aof_rewrites"]

        await until(is_rewritten)
        await store.aclose()
        lone.kill()
        await lone.start("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024", wait=False)

        async def is_loading() -> bool:
            try:
                await lone.ask("PING")
            except StoreUnavailableError as error:
                return error.why is Away.LOADING
            raise AssertionError("it has read its data too fast")

        async def listens() -> bool:
            return await asyncio.to_thread((lone.folder / "valkey.sock").exists)

        await until(listens)
        await until(is_loading)
        again = await open_store(lone.url, None)

        assert await again.command("EXISTS", "more:1499") == 1
        await again.aclose()
    assert sum("the start has to wait" in message for message in caplog.messages) == 1
