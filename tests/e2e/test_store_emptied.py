"""The store loses everything, while a server runs or while none does: what is lost is said, and all begins anew."""

from __future__ import annotations

import os
import re
import shutil
import signal
from functools import partial

import grpc
import pytest
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, two_servers
from tests.support.players import ended_well, held, playing
from tests.support.raw_bot import RawBot

from agon.codec import ladder as calls
from agon.codec.frames import Refused, RefusedCode
from agon_engine.registry import game_names, get_game
from agon_server.cli.door import open_door
from agon_server.store.connection import Store

EMPTIED = "was emptied, and this server begins anew|failed and begins anew"
"""In the moment before it is noticed anything may fail that meets the emptied store."""
FIRST = {f"{name}-{seats}" for name in game_names() for seats in get_game(name).spec.seat_counts}


def delete(server: ServerProcess) -> None:
    """Let the embedded store be killed, and find nothing where its data was."""
    shutil.rmtree(server.data / "store" / "aof")
    os.kill(int((server.data / "store" / "valkey.pid").read_text(encoding="ascii")), signal.SIGKILL)


async def flush(store: OwnStore) -> None:
    connection = Store(store.url)
    await connection.command("FLUSHALL")
    await connection.aclose()


async def open_ladders(server: ServerProcess) -> set[str]:
    async with open_door(server.data, environ={}) as door:
        answer = await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest(open_only=True))
    return {ladder.name for ladder in answer.ladders}


async def are_connected(server: ServerProcess, bots: int) -> bool:
    return (await server.samples()).sum("agon_connected_bots") == bots


def archived(server: ServerProcess, folder: str = "records") -> bool:
    return any(server.data.glob(f"{folder}/*.jsonl.gz"))


async def play_one(server: ServerProcess, one: RawBot, two: RawBot) -> None:
    """Let two bots play until a match is over and archived."""
    await one.play()
    await two.play()
    await until(server.matches, what="a match is over", every=CALL_SECONDS)
    await until(lambda: archived(server), what="its record is archived")


@pytest.mark.parametrize("way", ["flushed", "deleted"])
async def test_a_server_whose_store_was_emptied_says_what_is_lost_and_begins_anew(site: Site, way: str) -> None:
    """X9: on the same ports, with the first ladders; bots learn that their tokens are gone."""
    store = await OwnStore.started(site) if way == "flushed" else None
    server = await site.server("--house", "greedy", *(("--redis", store.url) if store else ()))
    server.expected_fault = EMPTIED
    await server.close_ladders("ephyran-2")
    tokens = [await server.register(name) for name in ("ajax", "briseis")]
    async with RawBot(server.address, tokens[0], slots=2) as one, RawBot(server.address, tokens[1], slots=2) as two:
        await play_one(server, one, two)
        await until(partial(are_connected, server, 3), what="the house bot is there too", every=CALL_SECONDS)
        if store is not None:
            await flush(store)
        else:
            delete(server)
        ended = [await one.ended(), await two.ended()]
        await until(partial(has_begun_anew, server), what="it begins anew")

        assert ended == [grpc.StatusCode.UNAUTHENTICATED] * 2
        ((_, refused),) = one.all(Refused)
        assert (refused.code, refused.message[:44]) == (
            RefusedCode.TOKEN,
            "the installation has lost all its data, toke",
        )
    await until(server.serving, what="it serves", every=CALL_SECONDS)
    lost = re.search(r"lost are all bots \((\d) were connected here\).* (\d+) matches that ran here", server.log)

    assert lost is not None
    assert lost[1] == "3"
    assert f"begun anew, at {server.address}, with the first ladders" in server.log
    assert "register the bot again" not in server.log
    assert await server.healthz() == 200
    assert (await server.samples()).by("agon_store_back_total", "how") == {"emptied": 1}
    assert await open_ladders(server) == FIRST
    assert await server.matches() == []
    assert archived(server, "records-until-*")
    assert not archived(server)
    async with RawBot(server.address, tokens[0], slots=2) as old:
        assert await old.ended() is grpc.StatusCode.UNAUTHENTICATED

    tokens = [await server.register(name) for name in ("ajax", "briseis")]
    async with RawBot(server.address, tokens[0], slots=2) as one, RawBot(server.address, tokens[1], slots=2) as two:
        await play_one(server, one, two)
        await server.close_ladders()
        await server.settled()
    assert await server.findings() == []


async def test_servers_that_share_a_store_that_was_emptied_all_begin_anew(site: Site) -> None:
    store = await OwnStore.started(site)
    servers = await two_servers(site, store)
    for server in servers:
        server.expected_fault = EMPTIED
    await flush(store)
    for server in servers:
        await until(partial(has_begun_anew, server), what="it begins anew")
        await until(server.serving, what="it serves", every=CALL_SECONDS)
    one, two = servers
    async with playing(one, "ajax", "briseis", at=(one.address, two.address)) as company:
        assert await held(one, company)
        assert await ended_well(one, company, store)


def has_begun_anew(server: ServerProcess) -> bool:
    return "this server has begun anew" in server.log


async def test_what_a_server_finds_emptied_when_it_starts_is_said_too(site: Site) -> None:
    first = await site.server()
    await first.close_ladders("ephyran-2")
    tokens = [await first.register(name) for name in ("ajax", "briseis")]
    async with RawBot(first.address, tokens[0]) as one, RawBot(first.address, tokens[1]) as two:
        await play_one(first, one, two)
        await first.close_ladders()
        await first.settled()
    first.signal(signal.SIGTERM)
    assert await first.wait() == 0
    shutil.rmtree(first.data / "store")
    second = await site.server()

    assert "was emptied, or is another one than before: the records of matches until then are kept in" in second.log
    assert archived(second, "records-until-*")
    assert await open_ladders(second) == FIRST
    assert await second.findings() == []


async def test_records_of_another_store_are_kept_apart_and_found_again(site: Site) -> None:
    """Where a server was started with the wrong store: it says how to undo that."""
    store = await OwnStore.started(site)
    right = await site.server("--redis", store.url)
    await right.close_ladders("ephyran-2")
    tokens = [await right.register(name) for name in ("ajax", "briseis")]
    async with RawBot(right.address, tokens[0]) as one, RawBot(right.address, tokens[1]) as two:
        await play_one(right, one, two)
        await right.close_ladders()
        await right.settled()
    played = {match.match for match in await right.matches()}
    right.signal(signal.SIGTERM)
    assert await right.wait() == 0
    wrong = await site.server()
    assert await wrong.matches() == []
    wrong.signal(signal.SIGTERM)
    assert await wrong.wait() == 0
    (aside,) = right.data.glob("records-until-*")
    shutil.rmtree(right.data / "records")
    aside.rename(right.data / "records")
    again = await site.server("--redis", store.url)

    assert "was emptied, or is another one" not in again.log
    assert {match.match for match in await again.matches()} == played
    assert await again.findings() == []
