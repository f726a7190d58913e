"""A server's name on a real store: one process has it at a time."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.patience import PATIENCE
from tests.support.valkey import until

from agon_server.held_name import HeldName
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.surroundings import SurroundingsError


def run(store: Store, folder: str = "here", *, hold_ms: int = 15_000) -> HeldName:
    """A run of the server `one`."""
    return HeldName(store, "one", folder=folder, address=f"{folder}:7420", hold_ms=hold_ms)


async def test_a_second_server_of_the_same_name_is_told_where_the_first_one_is(store: Store) -> None:
    await run(store).take()

    with pytest.raises(SurroundingsError, match=r"runs at here:7420; choose another by --name.+: 'one'"):
        await run(store, "there").take()


async def test_a_name_that_was_given_back_is_free_at_once(store: Store) -> None:
    first = run(store)
    await first.take()
    await first.free()

    await run(store, "there").take()


async def test_a_server_that_was_killed_comes_back_with_its_data_folder_at_once(store: Store) -> None:
    killed, again = run(store, hold_ms=3_000), run(store)
    await killed.take()

    await again.take()

    # Whatever is left of the first run takes nothing back.
    await killed.free()
    with pytest.raises(SurroundingsError, match="at here:7420, has taken this one's name: 'one'"):
        async with asyncio.timeout(PATIENCE):
            await killed.keep()
    with pytest.raises(SurroundingsError):
        await run(store, "there").take()


async def test_a_name_is_held_for_a_while_and_renewed_for_as_long_as_its_server_runs(store: Store) -> None:
    name, key = run(store, hold_ms=300), keys.SERVER + "one"
    await name.take()
    await store.command("PERSIST", key)
    keeping = asyncio.create_task(name.keep())

    async def is_renewed() -> bool:
        return bool(0 < await store.command("PTTL", key) <= 300)

    await until(is_renewed)
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping


async def test_a_server_that_stood_still_has_its_name_again_unless_another_one_took_it(store: Store) -> None:
    name = run(store, hold_ms=30)
    await name.take()
    await store.command("DEL", keys.SERVER + "one")
    keeping = asyncio.create_task(name.keep())

    async def has_it() -> bool:
        return bool(await store.command("EXISTS", keys.SERVER + "one"))

    await until(has_it)
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping


async def test_a_store_that_fails_for_a_while_does_not_end_the_server(store: Store) -> None:
    name = run(store, hold_ms=30)
    await store.command("SET", keys.SERVER + "one", "of another type")
    keeping = asyncio.create_task(name.keep())
    for _ in range(50):
        await store.command("PING")
    await store.command("DEL", keys.SERVER + "one")

    async def has_it() -> bool:
        return bool(await store.command("EXISTS", keys.SERVER + "one"))

    await until(has_it)
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping
