"""Faults of matches and of the queue, each planted in a real store: found, told with what to do, nothing changed."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

import pytest
from tests.server.doctor.conftest import Look
from tests.support.ladder_store import Ladders
from tests.support.valkey import GAME, entry

from agon.codec.admin import Condition, Symptom
from agon_engine.core.timing import TimeControl
from agon_server.operations.doctor import matches
from agon_server.operations.doctor.store_look import look_at_store
from agon_server.queue.desk import Desk
from agon_server.queue.ids import new_id
from agon_server.store import keys
from agon_server.store.connection import Store

STREAM = keys.queue_stream(GAME, 1)


async def match_of(store: Store, *, runs: bool = True) -> str:
    """Return a match that runs, or one that waits."""
    look = await look_at_store(store)
    return next(state.match for state in look.states if bool(state.owner) == runs)


def only(symptoms: list[Symptom], check: str) -> Symptom:
    assert [symptom.check for symptom in symptoms] == [check], symptoms
    return symptoms[0]


async def test_nothing_is_wrong_with_a_healthy_installation(healthy: Ladders, look: Look) -> None:
    assert await look() == []


async def test_an_entry_without_state(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("XADD", STREAM, "*", "match", "stray", "entry", "{}")

    symptom = only(await look(), "entry")
    assert symptom.condition is Condition.INCONSISTENT
    assert symptom.where.startswith("stray@")


async def test_a_state_without_entry(healthy: Ladders, look: Look, store: Store) -> None:
    """Its slots are held, so they are no second fault."""
    match = await match_of(store)
    await store.command("XDEL", STREAM, await store.command("HGET", keys.MATCH + match, "id"))

    symptom = only(await look(), "state")
    assert (symptom.condition, symptom.where) == (Condition.INCONSISTENT, match)
    assert symptom.remedy == f"`agon match cancel {match}`"


async def test_a_state_without_entry_whose_server_is_gone_has_to_lose_its_owner_first(
    healthy: Ladders, look: Look, store: Store
) -> None:
    match = await match_of(store)
    await store.command("XDEL", STREAM, await store.command("HGET", keys.MATCH + match, "id"))
    await store.command("HSET", keys.MATCH + match, "owner", "gone")

    symptom = next(symptom for symptom in await look() if symptom.check == "state")
    assert symptom.remedy == f"in the store HDEL agon:match:{match} owner, then `agon match cancel {match}`"
    await store.command("HDEL", keys.MATCH + match, "owner")
    await Desk(store).cancel(match, "tests")
    assert match not in {state.match for state in (await look_at_store(store)).states}


@pytest.mark.parametrize("seats", ["{", "[]", '["nobody"]'])
async def test_a_state_that_tells_no_seats(healthy: Ladders, look: Look, store: Store, seats: str) -> None:
    await store.command("HSET", keys.MATCH + await match_of(store), "seats", seats)

    assert "state" in {symptom.check for symptom in await look()}


async def test_a_lease_that_nobody_takes_up(healthy: Ladders, look: Look, store: Store) -> None:
    match = await match_of(store)
    entry_id = await store.command("HGET", keys.MATCH + match, "id")
    await store.command("XCLAIM", STREAM, keys.GROUP, healthy.server, 0, entry_id, "IDLE", 600_000, "JUSTID")

    symptom = only(await look(), "unclaimed")
    assert (symptom.condition, symptom.where) == (Condition.STUCK, match)
    assert "their leases have run out and no server has taken them" in symptom.what


async def test_a_match_of_rules_that_no_server_has(healthy: Ladders, look: Look, store: Store) -> None:
    await healthy.join("d", "e")
    odd = replace(entry("d", "e"), version=99)
    assert await healthy.queue.enqueue(odd)

    symptom = only(await look(), "unclaimed")
    assert symptom.where == odd.match
    assert "no server has ephyran in rules version 99" in symptom.what
    assert f"`agon match cancel {odd.match}`" in symptom.remedy


async def test_matches_that_wait_where_no_server_runs(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("DEL", keys.SERVER + healthy.server)

    found = {symptom.check: symptom for symptom in await look()}
    assert set(found) == {"owner", "unclaimed"}
    assert "no server runs" in found["unclaimed"].what
    assert found["owner"].condition is Condition.ORPHANED
    assert f"server {healthy.server} has 1 matches and is gone" in found["owner"].what


async def test_a_match_that_is_older_than_its_clocks_allow(healthy: Ladders, look: Look, store: Store) -> None:
    match = await match_of(store)
    await store.command("HSET", keys.MATCH + match, "queued", 1)

    symptom = only(await look(), "outlived")
    assert (symptom.condition, symptom.where) == (Condition.STUCK, match)


async def test_a_match_at_the_end_of_its_longest_life_is_not_too_old(healthy: Ladders, store: Store) -> None:
    look = await look_at_store(store)
    [item] = [item for item in look.queued if item.state.get("owner")]
    assert item.entry is not None
    life_ms = matches._longest_ms(item)
    assert life_ms is not None
    old = replace(item, state={**item.state, "queued": str(look.now_ms - life_ms)})

    assert not list(matches.outlived(replace(look, queued=[old]), lease_ms=10_000))
    patient = replace(item.entry, time=TimeControl(move=3_600_000_000))
    assert not list(matches.outlived(replace(look, queued=[replace(old, entry=patient)]), lease_ms=10_000))
    assert not list(matches.outlived(replace(look, queued=[replace(old, entry=None)]), lease_ms=10_000))


async def test_an_index_entry_without_match(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("HSET", f"{keys.RUNNING}a", f"/{new_id()}/0", "{}")

    symptom = only(await look(), "running")
    assert symptom.condition is Condition.ORPHANED
    assert symptom.remedy.startswith("in the store HDEL agon:running:a '/")


@pytest.mark.parametrize("change", ["gone", "epoch"])
async def test_a_match_that_its_bots_would_not_find(healthy: Ladders, look: Look, store: Store, change: str) -> None:
    match = await match_of(store)
    [place, _] = json.loads(await store.command("HGET", keys.MATCH + match, "seats"))
    key, name = keys.RUNNING + place.removesuffix("/"), f"/{match}/0"
    if change == "gone":
        await store.command("HDEL", key, name)
    else:
        await store.command("HSET", key, name, json.dumps({"owner": healthy.server, "epoch": 7}))

    symptom = only(await look(), "running")
    assert (symptom.condition, symptom.where) == (Condition.INCONSISTENT, match)
    assert "seats 0 " in symptom.what


@pytest.mark.parametrize(("by", "condition"), [(1, Condition.ORPHANED), (-1, Condition.INCONSISTENT)])
async def test_slots_that_no_match_holds_and_the_reverse(
    healthy: Ladders, look: Look, store: Store, by: int, condition: Condition
) -> None:
    place = json.loads(await store.command("HGET", keys.MATCH + await match_of(store), "seats"))[0]
    await store.command("HINCRBY", keys.RESERVED, place, by)

    symptom = only(await look(), "slots")
    assert (symptom.condition, symptom.where) == (condition, place)
    command, *arguments = symptom.remedy.removeprefix("in the store ").replace("'", "").split()
    await store.command(command, *arguments)
    assert await look() == []


async def test_nothing_of_a_seed_is_told(healthy: Ladders, look: Look, store: Store) -> None:
    """H1."""
    seed = secrets.token_hex(16)
    await healthy.join("d", "e")
    odd = replace(entry("d", "e"), version=99, seed=seed)
    assert await healthy.queue.enqueue(odd)
    await store.command("DEL", keys.MATCH + odd.match)

    symptoms = await look()
    assert symptoms
    assert seed not in repr(symptoms)


async def test_of_many_the_first_are_told_and_the_others_counted(healthy: Ladders, look: Look, store: Store) -> None:
    for number in range(30):
        await store.command("XADD", STREAM, "*", "match", f"stray-{number}", "entry", "{}")

    symptoms = await look()
    assert len(symptoms) == 20
    assert symptoms[-1].what == "11 more like this"


async def test_the_doctor_changes_nothing(healthy: Ladders, look: Look, store: Store) -> None:
    await store.command("XADD", STREAM, "*", "match", "stray", "entry", "{}")
    await store.command("HINCRBY", keys.RESERVED, "nobody/", 3)
    before = await dump(store)

    assert await look()
    assert await dump(store) == before


async def dump(store: Store) -> dict[bytes, object]:
    """Return all that is in the store; a hash as its sorted fields, since their order may change."""
    found: dict[bytes, object] = {}
    for name in sorted(await store.command("KEYS", "*")):
        if await store.command("TYPE", name) == b"hash":
            flat = await store.command("HGETALL", name)
            found[name] = sorted(zip(flat[::2], flat[1::2], strict=True))
        else:
            found[name] = await store.command("DUMP", name)
    return found
