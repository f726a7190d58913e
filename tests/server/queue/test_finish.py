"""The end of a match in the queue, and where matches are found."""

from __future__ import annotations

import pytest
from tests.support.queues import claimed, finish, server
from tests.support.valkey import connect, entry, present, reserved

from agon_engine.core.policy import Termination
from agon_engine.core.record import Deals
from agon_server.presence import Presence
from agon_server.queue.claim import Finish, Finished, Phase
from agon_server.queue.ids import new_id
from agon_server.queue.results import START, Results
from agon_server.store import keys
from agon_server.store.connection import Store

# -- finish --------------------------------------------------------------------------------------------------------


async def test_a_finish_stores_the_record_and_takes_the_match_off_the_queue(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    await queue.enqueue(match)
    claim = await claimed(queue)

    finished = await finish(queue, claim, '{"moves":[]}')

    assert Finished(Finish.DONE, deal_over=True) == finished
    (result,) = (await Results(store).after(START)).results
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
    assert [result.record for result in (await Results(store).after(START)).results] == ["first"]


@pytest.mark.parametrize("told", [("SET", "played"), ("SET", "odd 1-1 h"), ("SET", "\xff"), ("RPUSH", "x")])
async def test_what_nobody_understands_in_the_place_of_a_result_is_as_if_forgotten(
    store: Store, told: tuple[str, str]
) -> None:
    """X15: a match is queued, claimed, found and ended over it."""
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b")
    command, value = told
    await store.command(command, keys.RESULT + match.match, value)

    assert await queue.enqueue(match)
    claim = await claimed(queue)

    assert await Results(store).find(match.match) is None
    assert not await queue.is_kept(match.match, "hash of r")
    assert (await queue.whereabouts(match.match)).phase is Phase.RUNNING
    assert (await finish(queue, claim, "r")).status is Finish.DONE
    assert await queue.is_kept(match.match, "hash of r")
    assert await reserved(store) == {}
    await store.command("DEL", keys.RESULT + match.match)
    await store.command(command, keys.RESULT + match.match, value)
    assert (await queue.whereabouts(match.match)).phase is Phase.UNKNOWN


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

    (result,) = (await Results(store).after(START)).results
    assert counts is result.rated


async def test_a_place_without_result_is_played_again_a_bounded_number_of_times(store: Store) -> None:
    """C7: no-contest and requeue, bounded."""
    await connect(store, "a", "b")
    queue, match = server(store), entry("a", "b", block=new_id(), block_size=2, max_attempts=2)
    again = []
    for _ in range(2):
        await queue.enqueue(match)
        await finish(queue, await claimed(queue), why=Termination.NO_SHOW)
        again.append((await Results(store).after(START)).results[-1].plays_again)
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
