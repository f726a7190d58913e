"""The queue against a real store: enqueue, claim, renew, release, finish."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.valkey import GAMES, connect, entry, present, reserved, until

from agon_engine.core.policy import Termination
from agon_engine.core.record import Deals
from agon_server.accounts import Accounts
from agon_server.lobby.presence import Presence
from agon_server.queue.claim import Claim, Dead, Finish, Finished, Lease, Phase
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.queue.queue import Queue
from agon_server.queue.results import START, Results
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import DuplicateMatchError


def server(store: Store, name: str = "one", *, lease_ms: int = 60_000, max_deliveries: int = 5) -> Queue:
    return Queue(store, server=name, address=f"{name}:7420", lease_ms=lease_ms, max_deliveries=max_deliveries)


async def claimed(queue: Queue) -> Claim:
    taken = await queue.claim(GAMES)
    assert isinstance(taken, Claim)
    return taken


async def finish(queue: Queue, claim: Claim, record: str = "{}", why: Termination = Termination.SCORE) -> Finished:
    return await queue.finish(claim, record=record, record_hash=f"hash of {record}", termination=why)


# -- enqueue -------------------------------------------------------------------------------------------------------


async def test_a_match_reserves_a_slot_of_each_of_its_bots(store: Store) -> None:
    await connect(store, "a", "b")

    assert await server(store).enqueue(entry("a", "b"))
    assert await reserved(store) == {"a/": 1, "b/": 1}


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


@pytest.mark.parametrize("absent", ["never seen", "gone", "expired", "suspended"])
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
    assert await one.renew(lost, 5) is Lease.LOST
    assert not await one.release(lost)
    assert not await one.bury(lost, "late")
    assert (await finish(one, lost)).status is Finish.FENCED
    assert (await finish(two, taken)).status is Finish.DONE


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
        assert await one.renew(claim, progress) is Lease.HELD

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

    assert await one.release(claim)

    assert await one.running_of("a", "") == []
    taken = await claimed(two)
    assert (taken.epoch, taken.deliveries) == (2, 1)
    assert await one.renew(claim, 1) is Lease.LOST


async def test_a_server_that_leaves_keeps_what_it_holds(store: Store) -> None:
    await connect(store, "a", "b")
    queue = server(store)
    await queue.enqueue(entry("a", "b"))
    claim = await claimed(queue)

    await queue.leave()
    assert await queue.renew(claim, 1) is Lease.HELD
    await finish(queue, claim)
    await queue.leave()

    assert await store.command("XINFO", "CONSUMERS", claim.stream, keys.GROUP) == []


# -- deliveries and dead letters -----------------------------------------------------------------------------------


async def test_a_match_without_progress_is_a_dead_letter_after_its_deliveries(store: Store) -> None:
    """X7: its slots are free, its seats can be told, and the ladder learns of it in the results."""
    await connect(store, "a", "b")
    match = entry("a", "b")
    await server(store).enqueue(match)
    for delivery in (1, 2, 3):
        assert delivery == (await claimed(server(store, max_deliveries=3))).deliveries

    dead = await server(store, max_deliveries=3).claim(GAMES)

    assert Dead(match.match, "delivered 3 times without progress", 4, match) == dead
    assert await reserved(store) == {}
    assert await server(store).running_of("a", "") == []
    assert (await server(store).whereabouts(match.match)).phase is Phase.DEAD
    (result,) = await Results(store).after(START)
    assert ("dead", match.match, Termination.INFRASTRUCTURE, False) == (
        result.kind,
        result.match,
        result.termination,
        result.rated,
    )


async def test_progress_begins_the_count_of_deliveries_anew(store: Store) -> None:
    await connect(store, "a", "b")
    await server(store).enqueue(entry("a", "b"))
    for round_number in range(1, 6):
        queue = server(store, max_deliveries=2)
        claim = await claimed(queue)
        assert claim.deliveries == 1
        await queue.renew(claim, progress=round_number)

    assert (await claimed(server(store, max_deliveries=2))).epoch == 6


async def test_decisions_played_before_are_no_progress(store: Store) -> None:
    """A match that dies at the same point each time is a dead letter too."""
    await connect(store, "a", "b")
    await server(store).enqueue(entry("a", "b"))
    for _ in range(3):
        queue = server(store, max_deliveries=2)
        await queue.renew(await claimed(queue), progress=10)

    assert isinstance(await server(store, max_deliveries=2).claim(GAMES), Dead)


BROKEN = {
    "no JSON": b"{",
    "no UTF-8": b"\xff\xfe",
    "no object": b"[]",
    "deep": b"[" * 100_000,
    "unknown field": b'{"colour":"red"}',
    "empty": b"",
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_an_entry_that_nobody_understands_does_not_block_the_rest(store: Store, kind: str) -> None:
    await connect(store, "a", "b")
    queue, broken, good = server(store), entry("a", "b"), entry("a", "b")
    await queue.enqueue(broken)
    await _overwrite(store, broken, BROKEN[kind])
    await queue.enqueue(good)

    dead = await queue.claim(GAMES)

    assert isinstance(dead, Dead)
    assert (broken.match, None) == (dead.match, dead.entry)
    assert dead.reason.startswith("not understood: ")
    assert good == (await claimed(queue)).entry
    assert await reserved(store) == {"a/": 1, "b/": 1}


async def _overwrite(store: Store, match: MatchEntry, content: bytes) -> None:
    """Put another text in the place of a queued entry."""
    stream = keys.queue_stream(match.game, match.version)
    await store.command("XDEL", stream, await store.command("HGET", keys.MATCH + match.match, "id"))
    entry_id = await store.command("XADD", stream, "*", "match", match.match, "entry", content)
    await store.command("HSET", keys.MATCH + match.match, "id", entry_id)


@pytest.mark.parametrize("fields", [("colour", "red"), ("match", "m"), ("match", "m", "entry", "{}")])
async def test_an_entry_that_the_queue_did_not_put_there_is_a_dead_letter(
    store: Store, fields: tuple[str, ...]
) -> None:
    await connect(store, "a", "b")
    queue, good = server(store), entry("a", "b")
    await store.command("XADD", keys.queue_stream("ephyran", 1), "*", *fields)
    await queue.enqueue(good)

    assert isinstance(await queue.claim(GAMES), Dead)
    assert good == (await claimed(queue)).entry
    assert await queue.claim(GAMES) is None


async def test_a_copy_of_an_entry_harms_no_running_match(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    await queue.enqueue(match)
    claim = await claimed(queue)
    await store.command("XADD", claim.stream, "*", "match", match.match, "entry", match.to_json())

    assert isinstance(await queue.claim(GAMES), Dead)
    assert (await finish(queue, claim)).status is Finish.DONE


async def test_an_entry_under_the_name_of_another_match_is_a_dead_letter(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    await queue.enqueue(match)
    await _overwrite(store, match, entry("a", "b").to_json().encode())

    assert isinstance(await queue.claim(GAMES), Dead)
    assert await reserved(store) == {}


# -- finish --------------------------------------------------------------------------------------------------------


async def test_a_finish_stores_the_record_and_takes_the_match_off_the_queue(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    await queue.enqueue(match)
    claim = await claimed(queue)

    finished = await finish(queue, claim, '{"moves":[]}')

    assert Finished(Finish.DONE, deal_over=True) == finished
    (result,) = await Results(store).after(START)
    assert ("played", match.match, "ephyran-2", True, '{"moves":[]}', 'hash of {"moves":[]}', "one", 1) == (
        *(result.kind, result.match, result.ladder, result.rated, result.record, result.record_hash),
        *(result.server, result.epoch),
    )
    assert await Results(store).find(match.match) == result
    assert await reserved(store) == {}
    assert await queue.running_of("a", "") == []
    assert await store.command("XLEN", claim.stream) == 0
    assert await store.command("EXISTS", keys.MATCH + match.match) == 0
    assert (await queue.whereabouts(match.match)).phase is Phase.PLAYED


async def test_the_first_result_wins_whoever_comes_later(store: Store) -> None:
    """R4, R5: the same record again is the same success, another one a conflict for ever."""
    await connect(store, "a", "b")
    queue = server(store)
    await queue.enqueue(entry("a", "b"))
    claim = await claimed(queue)
    await finish(queue, claim, "first")

    assert (await finish(queue, claim, "first")).status is Finish.REPEAT
    assert (await finish(queue, claim, "second")).status is Finish.CONFLICT
    assert (await finish(server(store, "two"), claim, "second")).status is Finish.CONFLICT
    assert (await finish(queue, claim, "first")).stored
    assert [result.record for result in await Results(store).after(START)] == ["first"]


@pytest.mark.parametrize(
    ("rated", "why", "counts"),
    [
        (True, Termination.SCORE, True),
        (True, Termination.TIMEOUT, True),
        (True, Termination.INFRASTRUCTURE, False),
        (True, Termination.NO_SHOW, False),
        (True, Termination.CANCELLED, False),
        (False, Termination.SCORE, False),
    ],
)
async def test_only_rated_ends_of_rated_matches_count(
    store: Store, rated: bool, why: Termination, counts: bool
) -> None:
    """X6: a result by infrastructure fault is never rated."""
    await connect(store, "a", "b")
    queue = server(store)
    await queue.enqueue(entry("a", "b", rated=rated))
    await finish(queue, await claimed(queue), why=why)

    (result,) = await Results(store).after(START)
    assert counts is result.rated


async def test_a_place_without_result_is_played_again_a_bounded_number_of_times(store: Store) -> None:
    """C7: no-contest and requeue, bounded."""
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b", block=new_id(), block_size=2, max_attempts=2)
    again = []
    for _ in range(2):
        await queue.enqueue(match)
        await finish(queue, await claimed(queue), why=Termination.NO_SHOW)
        again.append((await Results(store).after(START))[-1].plays_again)
        match = match.again(seed=match.seed)

    assert again == [True, False]


async def test_a_shared_deal_is_open_until_no_match_with_it_is_left_to_play(store: Store) -> None:
    await connect(store, "a", "b")
    queue, block = server(store), new_id()
    places = [
        entry("a", "b", block=block, block_size=2, index=index, deals=Deals.SHARED, seed="0" * 32) for index in (0, 1)
    ]
    over = []
    await queue.enqueue(places[0])
    over.append((await finish(queue, await claimed(queue))).deal_over)
    await queue.enqueue(places[1])
    no_show = await claimed(queue)
    over.append((await finish(queue, no_show, why=Termination.NO_SHOW)).deal_over)
    assert await queue.deal_is_open(block)
    await queue.enqueue(places[1].again(seed=places[1].seed))
    last = await claimed(queue)
    over.append((await finish(queue, last)).deal_over)
    over.append((await finish(queue, last)).deal_over)

    assert over == [False, False, True, True]
    assert not await queue.deal_is_open(block)


# -- questions -----------------------------------------------------------------------------------------------------


async def test_all_running_matches_of_a_bots_process_are_known_at_its_hello(store: Store) -> None:
    presence = Presence(store)
    for instance in ("", "x/y"):
        await presence.put(present("a", instance=instance))
    await connect(store, "b")
    queue = server(store)
    double = entry("a", "a", rated=False)
    other = entry("b", "a")
    other = entry("b", "a", seats=(other.seats[0], type(other.seats[1])("a", "a", "x/y")))
    for match in (double, other):
        await queue.enqueue(match)
        await claimed(queue)

    running = await queue.running_of("a", "")
    assert [(double.match, 0), (double.match, 1)] == [(found.match, found.seat) for found in running]
    (elsewhere,) = await queue.running_of("a", "x/y")
    assert (other.match, 1, "one", "one:7420", 1, "ephyran", 2) == (
        *(elsewhere.match, elsewhere.seat, elsewhere.owner, elsewhere.address),
        *(elsewhere.epoch, elsewhere.game, elsewhere.seats),
    )


async def test_a_match_is_found_wherever_it_is(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    phases = [(await queue.whereabouts(match.match)).phase]
    await queue.enqueue(match)
    phases.append((await queue.whereabouts(match.match)).phase)
    claim = await claimed(queue)
    where = await queue.whereabouts(match.match)
    phases.append(where.phase)
    await finish(queue, claim)
    phases.append((await queue.whereabouts(match.match)).phase)

    assert phases == [Phase.UNKNOWN, Phase.WAITING, Phase.RUNNING, Phase.PLAYED]
    assert (where.owner, where.address, where.epoch) == ("one", "one:7420", 1)
