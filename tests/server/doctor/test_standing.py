"""Faults of results, ladders, dead letters and presence, each planted in a real store."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.server.doctor.conftest import LOBBY, Look
from tests.support.ladder_store import Ladders, first_wins
from tests.support.valkey import GAME, present

from agon.codec import admin, tournament
from agon.codec.admin import Condition, DiagnoseRequest, Symptom
from agon_server.ladders.tables import RERATED
from agon_server.operations.doctor import diagnose, standing
from agon_server.operations.doctor.store_look import look_at_store
from agon_server.operations.installation import Installation
from agon_server.operations.tournaments import create_tournament
from agon_server.queue import results
from agon_server.store import keys
from agon_server.store.connection import Store

LADDER = f"{GAME}-2"


def only(symptoms: list[Symptom], check: str) -> Symptom:
    assert [symptom.check for symptom in symptoms] == [check], symptoms
    return symptoms[0]


async def test_a_dead_letter(healthy: Ladders, look: Look) -> None:
    """X7."""
    await healthy.join("d", "e")
    match = (await healthy.enqueue("d", "e")).match
    for claim in await healthy.claim_all():
        if claim.entry.match == match:
            await healthy.queue.bury(claim, "cannot be set up")

    symptom = only(await look(), "dead letter")
    assert (symptom.condition, symptom.where) == (Condition.STUCK, match)
    assert "cannot be set up" in symptom.what
    assert f"`agon queue requeue {match}`" in symptom.remedy


async def test_a_result_that_is_set_aside(healthy: Ladders, look: Look, store: Store) -> None:
    note = {"match": "m", "ladder": LADDER, "reason": "no such ladder"}
    await store.command("HSET", keys.SET_ASIDE, "1-1", json.dumps(note))

    symptom = only(await look(), "set aside")
    assert symptom.where == "1-1"
    assert "`agon queue discard 1-1`" in symptom.remedy


async def test_a_reader_that_holds_up_trimming(
    healthy: Ladders, look: Look, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.command("HSET", keys.READERS, "archive:gone", results.START)
    assert await look() == []  # so many results are kept anyway

    monkeypatch.setattr(standing, "KEEP", 0)
    symptom = only(await look(), "reader")
    assert (symptom.condition, symptom.where) == (Condition.STUCK, "archive:gone")
    assert "in the store HDEL agon:readers archive:gone" in symptom.remedy


async def test_no_server_leads_the_ladders(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("DEL", keys.LADDER_LEASE)

    assert only(await look(), "ladder lease").condition is Condition.STUCK


async def test_the_server_that_leads_the_ladders_is_gone(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("SET", keys.LADDER_LEASE, "7 gone", "PX", 9_000)

    symptom = only(await look(), "ladder lease")
    assert symptom.condition is Condition.ORPHANED
    assert "led by server gone" in symptom.what
    assert "in 9 s" in symptom.remedy


async def test_results_that_nobody_folds(healthy: Ladders, look: Look, store: Store) -> None:
    """A result is not late at once, and not where the cursor moves."""
    assert await healthy.play(first_wins)
    assert await look() == []

    found = await look_at_store(store)
    late = replace(found, standing=replace(found.standing, now_ms=found.standing.now_ms + 60_000))
    [suspicion] = standing.check_standing(late)
    assert (suspicion.check, suspicion.condition) == ("ladder cursor", Condition.STUCK)
    assert suspicion.mark == found.standing.cursor


@pytest.mark.parametrize("what", ["cursor", "table", "reader"])
async def test_what_is_ahead_of_the_results(healthy: Ladders, look: Look, store: Store, what: str) -> None:
    """The store was put back to an earlier copy of its files."""
    future = "99999999999999-0"
    if what == "cursor":
        await store.command("SET", keys.LADDER_CURSOR, future)
    elif what == "table":
        await store.command("HSET", keys.TABLE + LADDER, "position", future)
    else:
        await store.command("HSET", keys.READERS, "archive:x", future)

    check = {"cursor": "ladder cursor"}.get(what, what)
    assert only(await look(), check).condition is Condition.INCONSISTENT


async def test_a_table_that_failed(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("HSET", keys.TABLE + LADDER, "failed", "a result contradicts it")

    symptom = only(await look(), "table")
    assert (symptom.condition, symptom.where) == (Condition.STUCK, LADDER)
    assert symptom.remedy == f"`agon ladder rebuild {LADDER}`"


async def test_a_table_without_ladder(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("HSET", f"{keys.TABLE}nowhere", "position", "0-0")

    assert only(await look(), "table").condition is Condition.ORPHANED


async def test_a_definition_that_cannot_be_read(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("HSET", keys.LADDERS, "odd", "{}")

    symptom = only(await look(), "ladder")
    assert (symptom.condition, symptom.where) == (Condition.INCONSISTENT, "odd")


async def test_presence_of_a_bot_that_no_lobby_has(healthy: Ladders, look: Look) -> None:
    await healthy.presence.put(replace(present("a", instance="two"), process="gone"))

    symptom = only(await look(), "presence")
    assert (symptom.condition, symptom.where) == (Condition.ORPHANED, "a/two")
    assert "connected to gone" in symptom.what


async def test_what_is_left_of_a_bot_that_is_gone(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("HSET", f"{keys.PRESENCE}a/old", "process", LOBBY)

    symptom = only(await look(), "presence")
    assert symptom.remedy == "in the store DEL agon:presence:a/old"


@pytest.mark.parametrize(
    ("setting", "value", "must_be", "words"),
    [
        ("appendonly", "no", "yes", "keeps no append-only file"),
        ("maxmemory-policy", "allkeys-lru", "noeviction", "would throw results away when its memory is full"),
    ],
)
async def test_a_store_that_is_told_to_keep_less_while_it_runs(
    healthy: Ladders, look: Look, store: Store, setting: str, value: str, must_be: str, words: str
) -> None:
    await store.command("CONFIG", "SET", setting, value)
    try:
        symptom = only(await look(), "keeping")
    finally:
        await store.command("CONFIG", "SET", setting, must_be)
    assert (symptom.condition, symptom.where) == (Condition.UNSAFE, store.shown_url)
    assert words in symptom.what
    assert f"in the store CONFIG SET {setting} {must_be}" in symptom.remedy
    assert await look() == []


async def test_a_store_that_may_keep_less_is_not_told(
    healthy: Ladders, installation: Installation, look: Look, store: Store
) -> None:
    config = replace(installation.config, allow_volatile=True)
    await store.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        answer = await diagnose.diagnose(replace(installation, config=config), DiagnoseRequest())
    finally:
        await store.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    assert answer.symptoms == ()


async def test_nothing_is_told_of_servers_that_are_gone(
    healthy: Ladders, installation: Installation, store: Store
) -> None:
    before = (await diagnose.diagnose(installation, DiagnoseRequest())).vitals
    await store.command("DEL", keys.SERVER + healthy.server)
    after = (await diagnose.diagnose(installation, DiagnoseRequest())).vitals

    assert before is not None
    assert after is not None
    assert (before.leader, before.bots) == (healthy.server, 3)
    assert (after.servers, after.leader, after.bots) == ((), "", 0)


async def test_a_table_that_is_rated_again_is_none_while_there_is_a_server(
    healthy: Ladders, look: Look, store: Store
) -> None:
    await store.command("HSET", keys.TABLE + LADDER, "failed", RERATED)

    assert await look() == []


async def test_a_tournament_that_waits_for_a_suspended_bot(
    healthy: Ladders, look: Look, installation: Installation
) -> None:
    schedule = tournament.Schedule(kind="round-robin", bots=("a", "b", "c"), seed="7")
    ladder = admin.CreateLadderRequest(name="cup", game=GAME, seats=2)
    await create_tournament(installation, tournament.CreateTournamentRequest(ladder, schedule))
    assert await look() == []

    await healthy.accounts.suspend("c", "copied")

    symptom = only(await look(), "tournament")
    assert (symptom.condition, symptom.where) == (Condition.STUCK, "cup")
    assert (symptom.what, symptom.remedy) == (
        "it waits for c, suspended (copied)",
        "`agon bot resume c` lets it play",
    )
