"""A server put together: what runs in which process."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support.patience import PATIENCE

from agon.address import Address
from agon.codec import ledger
from agon_server.app import Server
from agon_server.config import ServerConfig
from agon_server.held_name import HeldName
from agon_server.ladders.rebuild import Auditor
from agon_server.operations import audits
from agon_server.operations.opened import opened
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import StoreRefusedError
from agon_server.surroundings import SurroundingsError


async def test_a_server_audits_and_rebuilds_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit reads everything there ever was; nothing longer than 5 ms runs on a loop that plays."""

    async def here(*_: Any) -> Any:
        raise AssertionError("it runs in the process that plays")

    monkeypatch.setattr(Auditor, "audit", here)
    monkeypatch.setattr(Auditor, "rebuild", here)
    local = Address("127.0.0.1", 0)
    # Short, since the store's socket lies in it.
    with tempfile.TemporaryDirectory(prefix="agon-") as folder:
        async with Server(ServerConfig(data=Path(folder), listen=local, metrics=local)) as server:
            audit = await audits.audit_ladder(server.installation, ledger.AuditLadderRequest("ephyran-2"))
            rebuild = await audits.rebuild_ladder(server.installation, ledger.RebuildLadderRequest("ephyran-2"))

    assert audit == ledger.AuditLadderResponse((), 0)
    assert rebuild == ledger.RebuildLadderResponse((), 0)


async def test_a_server_whose_store_was_emptied_says_why_it_does_not_serve(store: Store, valkey_url: str) -> None:
    """Until its successor serves, that before it has started too."""
    local = Address("127.0.0.1", 0)
    with tempfile.TemporaryDirectory(prefix="agon-") as folder:
        config = ServerConfig(data=Path(folder), name="one", redis=valkey_url, listen=local, metrics=local)
        async with Server(config) as server:
            assert server.why_not == ""
            await store.command("FLUSHALL")
            async with asyncio.timeout(PATIENCE):
                await server.ending.wait()
            while_it_ends = server.why_not
        anew = Server(config, emptied=True)
        before_it_serves = anew.why_not
        async with anew:
            assert anew.why_not == ""
        afterwards = anew.why_not

    assert while_it_ends == before_it_serves
    assert "the store was emptied, and the server begins anew" in while_it_ends
    assert afterwards == "the server starts or ends"


async def test_of_two_servers_with_one_name_on_one_store_the_second_does_not_start(
    store: Store, valkey_url: str
) -> None:
    """Each would take the other's running matches for its own from before a restart."""
    local = Address("127.0.0.1", 0)
    with tempfile.TemporaryDirectory(prefix="agon-") as folder:
        first = ServerConfig(data=Path(folder) / "1", name="one", redis=valkey_url, listen=local, metrics=local)
        second = replace(first, data=Path(folder) / "2")
        async with Server(first) as server:
            with pytest.raises(SurroundingsError, match=f"runs at {server.address}; choose another by --name"):
                await Server(second).start()
        assert await store.command("KEYS", keys.SERVER + "*") == []

        async with Server(second) as server:
            assert server.name == "one"


async def test_a_server_whose_name_another_one_took_ends(
    store: Store, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agon_server.app.HeldName", partial(HeldName, hold_ms=300))
    local = Address("127.0.0.1", 0)
    with tempfile.TemporaryDirectory(prefix="agon-") as folder:
        config = ServerConfig(data=Path(folder), name="one", redis=valkey_url, listen=local, metrics=local)
        async with Server(config) as server:
            await store.command("HSET", keys.SERVER + "one", "run", "another", "address", "there:7420")
            async with asyncio.timeout(PATIENCE):
                await server.ending.wait()
            assert "another server, at there:7420, has taken this one's name: 'one'" in str(server.failure)


async def test_a_volatile_store_is_used_where_the_setting_allows_it(store: Store, valkey_url: str) -> None:
    await store.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    local = Address("127.0.0.1", 0)
    try:
        with tempfile.TemporaryDirectory(prefix="agon-") as folder:
            config = ServerConfig(data=Path(folder), redis=valkey_url, listen=local, metrics=local)
            with pytest.raises(StoreRefusedError, match="--allow-volatile"):
                await Server(config).start()
            with pytest.raises(StoreRefusedError, match="--allow-volatile"):
                async with opened(config):
                    raise AssertionError("opened")
            allowed = replace(config, allow_volatile=True)
            async with opened(allowed) as installation:
                assert await installation.desk.dead() == []
            async with Server(allowed) as server:
                assert server.address.port
    finally:
        await store.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
