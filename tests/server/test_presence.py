"""Presence: who is connected, who has replaced whom, and how offers find their process."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.support.valkey import connect, entry, present, until

from agon_server.presence import BotGame, Presence, Sign
from agon_server.queue.queue import Queue
from agon_server.store import keys
from agon_server.store.connection import Store


async def test_a_process_is_there_as_it_was_entered_until_it_is_removed(store: Store) -> None:
    presence = Presence(store)
    games = (BotGame("ephyran", 0, (2, 4)), BotGame("elysium", 3))
    one = replace(present("a", instance="x/y é", token="t", slots=3), games=games)
    await presence.put(one)

    assert replace(one, version_number=1) == await presence.get("a", "x/y é")
    assert [replace(one, version_number=1)] == await presence.online()
    assert await presence.remove("a", "x/y é", "t")
    assert await presence.get("a", "x/y é") is None
    assert await presence.online() == []


async def test_the_last_hello_wins_and_the_earlier_stream_changes_nothing_more(store: Store) -> None:
    presence = Presence(store)
    await presence.put(present("a", token="old"))
    new = present("a", token="new", slots=2)
    await presence.put(new)

    assert not await presence.set_slots("a", "", "old", 9)
    assert not await presence.remove("a", "", "old")
    assert await presence.touch_many([("a", "", "old"), ("a", "", "new")]) == [Sign.GONE, Sign.HERE]
    assert [replace(new, version_number=1)] == await presence.online()


async def test_processes_of_one_bot_are_told_apart(store: Store) -> None:
    presence = Presence(store)
    for instance in ("2", "", "1"):
        await presence.put(present("a", instance=instance))

    assert [found.instance for found in await presence.online()] == ["", "1", "2"]


async def test_versions_are_numbered_as_they_first_come_and_the_newest_64_are_known(store: Store) -> None:
    presence = Presence(store)

    async def number(version: str) -> int:
        await presence.put(replace(present("a"), bot_version=version))
        (found,) = await presence.online()
        return found.version_number

    assert [await number(version) for version in ("1", "2", "1", "")] == [1, 2, 1, 3]
    for named in range(64):
        assert 4 + named == await number(f"more-{named}")
    assert await number("more-63") == 3 + 64
    assert await store.command("HLEN", keys.VERSIONS + "a") == 64
    assert await number("1") == 4 + 64


async def test_a_silent_process_counts_as_gone_and_is_swept(store: Store) -> None:
    presence = Presence(store)
    await Presence(store, stale_ms=0).put(present("a", token="t"))
    await presence.put(present("b"))

    assert await presence.get("a", "") is None
    assert [found.bot for found in await presence.online()] == ["b"]
    assert await presence.touch_many([("a", "", "t")]) == [Sign.GONE]
    assert [keys.PRESENCE.encode() + b"b/"] == await store.command("KEYS", keys.PRESENCE + "*")


async def test_a_sign_of_life_keeps_a_process_there(store: Store) -> None:
    brief, presence = Presence(store, stale_ms=0), Presence(store)
    await brief.put(present("a", token="t"))

    assert await presence.touch_many([("a", "", "t")]) == [Sign.HERE]
    assert [found.bot for found in await presence.online()] == ["a"]
    assert await presence.touch_many([]) == []


async def test_slots_change_and_running_matches_hold_theirs(store: Store) -> None:
    presence = Presence(store)
    await presence.put(present("a", token="t", slots=2))
    await connect(store, "b")
    await Queue(store, server="one").enqueue(entry("a", "b"))
    (before,) = [found for found in await presence.online() if found.bot == "a"]
    assert await presence.set_slots("a", "", "t", 0)
    after = await presence.get("a", "")

    assert (before.slots, before.reserved, before.free) == (2, 1, 1)
    assert after is not None
    assert (after.slots, after.reserved, after.free) == (0, 1, 0)


async def test_a_process_that_comes_back_still_holds_the_slots_of_its_matches(store: Store) -> None:
    presence = Presence(store)
    await connect(store, "a", "b", slots=1)
    await Queue(store, server="one").enqueue(entry("a", "b"))
    await presence.put(present("a", slots=1))

    assert not await Queue(store, server="one").enqueue(entry("a", "b"))


@pytest.mark.parametrize(
    ("game", "plays"),
    [
        (BotGame("ephyran", 1), True),
        (BotGame("ephyran", 0), True),
        (BotGame("ephyran", 2), False),
        (BotGame("elysium", 1), False),
        (BotGame("ephyran", 1, (2, 3)), True),
        (BotGame("ephyran", 1, (4,)), False),
    ],
)
def test_a_bot_plays_what_its_hello_named(game: BotGame, plays: bool) -> None:
    assert plays is replace(present("a"), games=(game,)).plays("ephyran", 1, 3)


async def test_who_begins_to_hear_of_lobbies_reads_them_then_too(store: Store) -> None:
    """A change that came before it listened would else be missed until the next one."""
    changes = Presence(store).lobby_changes()
    await anext(changes)  # nothing has changed

    await Presence(store).list_lobby("there:7420")
    await anext(changes)
    await changes.aclose()


async def test_offers_reach_the_process_that_they_are_for(store: Store) -> None:
    presence = Presence(store)
    assert not await presence.publish_offer("lobby-1", "nobody listens")
    offers = presence.offers("lobby-1")
    first = asyncio.create_task(anext(offers))
    await until(lambda: presence.publish_offer("lobby-1", '{"ticket":"é"}'))
    assert not await presence.publish_offer("lobby-2", "elsewhere")

    assert await first == '{"ticket":"é"}'
    await presence.publish_offer("lobby-1", "again")
    assert await anext(offers) == "again"
    await offers.aclose()
