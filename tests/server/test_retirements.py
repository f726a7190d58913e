"""Retirement in the store: of a bot, of one of its versions, and what it says about their processes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.valkey import entry, present

from agon_server.accounts import Accounts
from agon_server.presence import Presence, Sign, newest_versions
from agon_server.queue.claim import Cancelled
from agon_server.queue.desk import Desk
from agon_server.queue.queue import Queue
from agon_server.retirements import Retirement, RetirementError, Retirements
from agon_server.store import keys
from agon_server.store.connection import Store


async def connect(store: Store, bot: str, *versions: str) -> None:
    """Register a bot and connect a process of each version, called as that."""
    await Accounts(store).register(bot)
    for version in versions:
        one = replace(present(bot, instance=version, token=version), bot_version=version)
        await Presence(store).put(one)


async def test_who_retired_what_and_why_is_kept_until_it_is_taken_back(store: Store) -> None:
    retirements = Retirements(store)
    await connect(store, "hector", "1", "")
    await connect(store, "ajax", "a/b")
    began = await store.now_ms()

    await retirements.retire("hector", "", actor="priam", reason="älter")
    await retirements.retire("ajax", "a/b", actor="priam", reason="crashes")
    await retirements.retire("ajax", "a/b", actor="helen", reason="crashes again")
    await retirements.retire("hector", None, actor="priam", reason="fell")
    listed = await retirements.list()
    bots = await retirements.bots()
    await retirements.unretire("hector", None)

    told = [(each.bot, each.version, each.actor, each.reason) for each in listed]
    assert told == [
        ("ajax", "a/b", "helen", "crashes again"),
        ("hector", None, "priam", "fell"),
        ("hector", "", "priam", "älter"),
    ]
    assert all(began <= each.at <= began + 60_000 for each in listed)
    assert bots == {"hector"}
    assert await retirements.of("hector") == listed[2:]
    assert await retirements.bots() == frozenset()


async def test_the_retirement_of_a_bot_goes_before_those_of_its_versions(store: Store) -> None:
    retirements = Retirements(store)
    await connect(store, "hector", "1", "2")
    await retirements.retire("hector", "1", actor="priam", reason="old")

    async def reasons() -> list[str]:
        found = [await retirements.standing("hector", version) for version in ("1", "2", "never seen")]
        return [each.told if isinstance(each, Retirement) else "" for each in found]

    assert await reasons() == ["version '1' of the bot is retired: old", "", ""]
    await retirements.retire("hector", None, actor="priam", reason="fell")
    assert await reasons() == ["the bot is retired: fell"] * 3
    await retirements.unretire("hector", None)
    assert await reasons() == ["version '1' of the bot is retired: old", "", ""]


async def test_what_cannot_be_retired_or_taken_back_is_said(store: Store) -> None:
    retirements = Retirements(store)
    await connect(store, "hector", "1.3", "1.2")
    await connect(store, "ajax")

    for bot, version, message in (
        ("helen", None, "there is no bot 'helen'"),
        ("hector", "1.4", "the versions that hector has connected with are '1.2', '1.3', not '1.4'"),
        ("ajax", "", "the versions that ajax has connected with are none yet, not ''"),
    ):
        with pytest.raises(RetirementError, match=message):
            await retirements.retire(bot, version, actor="priam", reason="x")
    assert await store.command("EXISTS", keys.RETIRED) == 0

    await retirements.retire("hector", "1.3", actor="priam", reason="x")
    with pytest.raises(RetirementError, match=r"hector is not retired; version '1\.3' of hector is"):
        await retirements.unretire("hector", None)
    with pytest.raises(RetirementError, match="version '' of ajax is not retired; none of it is"):
        await retirements.unretire("ajax", "")


async def test_processes_know_that_they_are_retired_and_the_newest_other_version_plays(store: Store) -> None:
    presence, retirements = Presence(store), Retirements(store)
    await connect(store, "hector", "1", "2", "3")
    await connect(store, "ajax", "1")
    before = await store.command("GET", keys.PRESENCE_CHANGES)

    async def retired() -> list[tuple[str, str]]:
        return [(one.bot, one.bot_version) for one in await presence.online() if one.retired]

    await retirements.retire("hector", "3", actor="priam", reason="crashes")
    assert await retired() == [("hector", "3")]
    assert newest_versions(await presence.online()) == {"ajax": 1, "hector": 2}
    assert await store.command("GET", keys.PRESENCE_CHANGES) > before

    await retirements.retire("hector", None, actor="priam", reason="fell")
    assert await retired() == [("hector", "1"), ("hector", "2"), ("hector", "3")]
    assert newest_versions(await presence.online()) == {"ajax": 1}

    # Who connects while it is retired, or has a version that nobody has seen yet, is retired too.
    await presence.put(replace(present("hector", instance="4", token="4"), bot_version="4"))
    assert ("hector", "4") in await retired()
    await retirements.unretire("hector", None)
    assert newest_versions(await presence.online()) == {"ajax": 1, "hector": 4}


async def test_a_sign_of_life_tells_who_has_to_leave_and_whether_matches_hold_it(store: Store) -> None:
    presence, retirements = Presence(store), Retirements(store)
    await Accounts(store).register("ajax")
    await presence.put(present("ajax", token="new"))
    await presence.put(present("hector", token="only"))
    match = entry("hector", "ajax")
    assert await Queue(store, server="one").enqueue(match)
    streams = [("hector", "", "only"), ("ajax", "", "new"), ("ajax", "", "older")]

    assert await presence.touch_many(streams) == [Sign.HERE, Sign.HERE, Sign.GONE]
    await retirements.retire("ajax", "1.0", actor="priam", reason="fell")
    assert await presence.touch_many(streams) == [Sign.HERE, Sign.LEAVING, Sign.GONE]
    assert await presence.reserved("ajax", "") == 1
    assert await Desk(store).cancel(match.match, "tests") is Cancelled.REMOVED
    assert await presence.touch_many(streams) == [Sign.HERE, Sign.DONE, Sign.GONE]
    assert await presence.reserved("ajax", "") == 0
