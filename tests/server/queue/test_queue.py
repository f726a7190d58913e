"""The queue against a real store: enqueue, claim, renew, release."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.queues import claimed, finish, renew, server
from tests.support.valkey import GAMES, connect, entry, present, reserved, until

from agon_server.accounts import Accounts
from agon_server.presence import Presence
from agon_server.queue.claim import Claim, Dead, Finish, Lease
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.queue.queue import Queue
from agon_server.retirements import Retirements
from agon_server.store import keys
from agon_server.store.connection import Store, Value
from agon_server.store.errors import DuplicateMatchError

# -- enqueue -------------------------------------------------------------------------------------------------------


async def test_a_match_reserves_a_slot_of_each_of_its_bots(store: Store) -> None:
    await connect(store, "a", "b")

    assert await server(store).enqueue(entry("a", "b"))
    assert await reserved(store) == {"a/": 1, "b/": 1}


async def test_many_are_queued_in_one_call_each_by_itself(store: Store) -> None:
    await connect(store, "a", "b", slots=2)
    queue = server(store)
    before, place = entry("a", "b"), {"block": new_id(), "block_size": 2}
    again = entry("a", "b", **place)
    assert await queue.enqueue(before)

    queued = await queue.enqueue_many([before, entry("a", "c"), again, entry("b", "a", **place), entry("a", "b")])

    assert queued == [before.match, "", again.match, again.match, ""]
    assert await reserved(store) == {"a/": 2, "b/": 2}
    assert await queue.enqueue_many([]) == []


async def test_a_match_of_a_busy_bot_is_not_queued_and_reserves_nothing(store: Store) -> None:
    await connect(store, "a", slots=2)
    await connect(store, "b", slots=1)
    queue = server(store)
    assert await queue.enqueue(entry("a", "b"))

    assert not await queue.enqueue(entry("a", "b"))
    assert await reserved(store) == {"a/": 1, "b/": 1}


async def test_a_bot_that_sits_twice_needs_two_slots(store: Store) -> None:
    await connect(store, "a", slots=1)
    assert not await server(store).enqueue(entry("a", "a", rated=False))

    await connect(store, "a", slots=2)
    assert await server(store).enqueue(entry("a", "a", rated=False))
    assert await reserved(store) == {"a/": 2}


@pytest.mark.parametrize("absent", ["never seen", "gone", "expired", "suspended", "retired", "of a retired version"])
async def test_a_match_with_a_bot_that_cannot_play_is_not_queued(store: Store, absent: str) -> None:
    await connect(store, "a")
    if absent == "gone":
        await Presence(store).put(present("b", token="t"))
        assert await Presence(store).remove("b", "", "t")
    elif absent == "expired":
        await Presence(store, stale_ms=0).put(present("b"))
    elif absent == "suspended":
        await connect(store, "b")
        await Accounts(store).register("b")
        await Accounts(store).suspend("b", "tests")
    elif "retired" in absent:
        await connect(store, "b")
        await Accounts(store).register("b")
        version = "1.0" if "version" in absent else None
        await Retirements(store).retire("b", version, actor="priam", reason="tests")

    assert not await server(store).enqueue(entry("a", "b"))
    assert await reserved(store) == {}


async def test_a_match_is_queued_once(store: Store) -> None:
    """X2: the same id is refused while it waits, while it runs and after its end."""
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    assert await queue.enqueue(match)
    with pytest.raises(DuplicateMatchError):
        await queue.enqueue(match)
    claim = await claimed(queue)
    with pytest.raises(DuplicateMatchError):
        await queue.enqueue(match)
    await finish(queue, claim)
    with pytest.raises(DuplicateMatchError):
        await queue.enqueue(match)

    assert await reserved(store) == {}


async def test_a_place_of_a_block_is_queued_once_an_attempt(store: Store) -> None:
    """X2: a scheduler that repeats itself under another match id learns which match plays the place."""
    await connect(store, "a", "b")
    queue, block = server(store), new_id()
    first = entry("a", "b", block=block, block_size=2)
    assert await queue.enqueue(first)

    with pytest.raises(DuplicateMatchError) as refused:
        await queue.enqueue(entry("a", "b", block=block, block_size=2))
    assert first.match == refused.value.match
    assert await queue.enqueue(entry("b", "a", block=block, block_size=2, index=1))
    assert await queue.enqueue(first.again(seed=first.seed))


# -- claim ---------------------------------------------------------------------------------------------------------


async def test_a_claim_gives_the_entry_back_unchanged_with_the_first_epoch(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b", options={"cards": True, "rounds": 3, "map": "x"})
    await queue.enqueue(match)

    claim = await claimed(queue)

    assert match == claim.entry
    assert (claim.epoch, claim.deliveries) == (1, 1)
    assert await queue.claim(GAMES) is None


async def test_a_claim_waits_for_a_match_to_come(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    waiting = asyncio.create_task(queue.claim(GAMES, block_ms=20_000))
    await until(lambda: _is_blocked(store))

    await queue.enqueue(match)

    claim = await waiting
    assert isinstance(claim, Claim)
    assert match.match == claim.entry.match
    await queue.leave()


async def test_a_cancelled_wait_takes_nothing_along(store: Store) -> None:
    """A command that was given up must not leave its answer to the next caller."""
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    waiting = asyncio.create_task(queue.claim(GAMES, block_ms=20_000))
    await until(lambda: _is_blocked(store))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    await queue.enqueue(match)
    assert match == (await claimed(queue)).entry
    assert await queue.claim(GAMES, block_ms=5) is None
    await queue.leave()


async def test_a_look_that_left_nothing_is_repeated_only_when_a_match_has_come(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connect(store, "a", "b", slots=3)
    queue, (first, second, third) = server(store), (entry("a", "b") for _ in range(3))
    looks, script = [], store.script

    async def counted(name: str, *args: Value) -> Any:
        if name == "claim":
            looks.append(args)
        return await script(name, *args)

    monkeypatch.setattr(store, "script", counted)
    await queue.enqueue(first)
    assert [first] == _entries(await queue.claim_many(GAMES, 5))
    waiting = asyncio.create_task(queue.claim_many(GAMES, 5, block_ms=20_000))
    await until(lambda: _is_blocked(store))
    assert len(looks) == 1

    await queue.enqueue(second)
    assert [second] == _entries(await waiting)
    assert len(looks) == 2

    await queue.enqueue(third)  # before it waits again
    assert [third] == _entries(await queue.claim_many(GAMES, 5, block_ms=20_000))
    assert len(looks) == 3
    await queue.leave()


def _entries(taken: list[Claim | Dead]) -> list[MatchEntry | None]:
    return [one.entry for one in taken]


async def _is_blocked(store: Store) -> bool:
    return b"blocked_clients:1" in await store.command("INFO", "clients")


async def test_a_match_of_a_game_that_a_server_lacks_is_left_to_others(store: Store) -> None:
    await connect(store, "a", "b")
    newer = entry("a", "b", version=2)
    await server(store).enqueue(newer)

    assert await server(store).claim(GAMES) is None
    taken = await server(store, "two").claim({("ephyran", 2)})
    assert isinstance(taken, Claim)
    assert (newer, 1) == (taken.entry, taken.deliveries)


async def test_matches_of_several_games_are_claimed_in_turn(store: Store) -> None:
    await connect(store, "a", "b", slots=20)
    queue = server(store)
    for version in (1, 2) * 3:
        await queue.enqueue(entry("a", "b", version=version))

    versions = []
    for _ in range(4):
        taken = await queue.claim({("ephyran", 1), ("ephyran", 2)})
        assert isinstance(taken, Claim)
        versions.append(taken.entry.version)

    assert {version: versions.count(version) for version in (1, 2)} == {1: 2, 2: 2}


async def test_a_restarted_server_takes_its_matches_back_before_new_ones(store: Store) -> None:
    await connect(store, "a", "b", slots=20)
    before = server(store)
    old = []
    for _ in range(3):
        await before.enqueue(entry("a", "b"))
        old.append((await claimed(before)).entry.match)
    new = entry("a", "b")
    await before.enqueue(new)

    after = server(store)
    claims = [await claimed(after) for _ in range(4)]

    assert [*old, new.match] == [claim.entry.match for claim in claims]
    assert [claim.epoch for claim in claims] == [2, 2, 2, 1]
    assert await after.claim(GAMES) is None


async def test_a_server_never_takes_what_another_holds(store: Store) -> None:
    await connect(store, "a", "b")
    await server(store).enqueue(entry("a", "b"))
    await claimed(server(store))

    assert await server(store, "two").claim(GAMES) is None


async def test_an_expired_lease_is_taken_by_another_server(store: Store) -> None:
    """X8, C14: its first owner can neither renew nor finish afterwards."""
    await connect(store, "a", "b")
    one, two = server(store), server(store, "two", lease_ms=1)
    await one.enqueue(entry("a", "b"))
    lost = await claimed(one)
    await expire(store, lost)

    taken = await claimed(two)

    assert (taken.epoch, taken.deliveries) == (2, 2)
    assert await renew(one, lost, 5) is Lease.LOST
    assert await one.release_many([lost]) == [False]
    assert not await one.bury(lost, "late")
    assert (await finish(one, lost)).status is Finish.FENCED
    assert (await finish(two, taken)).status is Finish.DONE


async def test_a_lease_that_nobody_could_renew_while_the_store_was_away_is_not_taken_as_expired(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X9: the store's clock went on, and its owner is there as before."""
    await connect(store, "a", "b")
    one, two = server(store), server(store, "two", lease_ms=1_000)
    await one.enqueue(entry("a", "b"))
    held = await claimed(one)
    await expire(store, held)
    monkeypatch.setattr(store.state, "absent", lambda within: 3_600.0 if within == 1.0 else 0.0)

    assert await two.claim(GAMES) is None
    assert await renew(one, held, 5) is Lease.HELD


async def expire(store: Store, claim: Claim) -> None:
    """Let the lease of a claim look a minute old."""
    whereabouts = await Queue(store, server="x").whereabouts(claim.entry.match)
    await store.command(
        *("XCLAIM", claim.stream, keys.GROUP, whereabouts.owner, 0, claim.entry_id, "IDLE", 60_000, "JUSTID")
    )


async def test_a_renewed_lease_is_not_taken(store: Store) -> None:
    """X12: a match that outlasts its lease many times is delivered once."""
    await connect(store, "a", "b")
    one, two = server(store), server(store, "two", lease_ms=30_000)
    await one.enqueue(entry("a", "b"))
    claim = await claimed(one)
    for progress in range(20):
        await expire(store, claim)
        assert await renew(one, claim, progress) is Lease.HELD

        assert await two.claim(GAMES) is None


async def test_many_claims_are_renewed_in_one_call_each_with_its_own_answer(store: Store) -> None:
    await connect(store, "a", "b", slots=10)
    queue = server(store)
    for _ in range(3):
        await queue.enqueue(entry("a", "b"))
    claims = [await claimed(queue) for _ in range(3)]
    await finish(queue, claims[1])

    leases = await queue.renew_many([(claim, 3) for claim in claims])

    assert leases == [Lease.HELD, Lease.LOST, Lease.HELD]


async def test_a_released_match_goes_to_the_next_claim_and_counts_no_delivery(store: Store) -> None:
    """C20: a draining server hands its matches over."""
    await connect(store, "a", "b")
    one, two = server(store), server(store, "two")
    await one.enqueue(entry("a", "b"))
    claim = await claimed(one)

    assert await one.release_many([claim]) == [True]

    assert await one.running_of("a", "") == []
    taken = await claimed(two)
    assert (taken.epoch, taken.deliveries) == (2, 1)
    assert await renew(one, claim, 1) is Lease.LOST


async def test_many_matches_are_released_in_one_call_each_with_its_own_answer(store: Store) -> None:
    await connect(store, "a", "b", slots=10)
    queue = server(store)
    for _ in range(3):
        await queue.enqueue(entry("a", "b"))
    claims = [await claimed(queue) for _ in range(3)]
    await finish(queue, claims[1])

    assert await queue.release_many(claims) == [True, False, True]
    assert await queue.release_many(claims) == [False, False, False]
    assert await queue.release_many([]) == []


async def test_a_server_that_leaves_keeps_what_it_holds(store: Store) -> None:
    await connect(store, "a", "b")
    queue = server(store)
    await queue.enqueue(entry("a", "b"))
    claim = await claimed(queue)

    await queue.leave()
    assert await renew(queue, claim, 1) is Lease.HELD
    await finish(queue, claim)
    await queue.leave()

    assert await store.command("XINFO", "CONSUMERS", claim.stream, keys.GROUP) == []
