"""What operators ask of the queue."""

from __future__ import annotations

import json

import pytest
from tests.support.queues import ended, renew
from tests.support.valkey import GAMES, connect, entry, present, reserved

from agon_engine.core.policy import Termination
from agon_engine.core.record import Deals
from agon_server.ladders import lease
from agon_server.presence import Presence
from agon_server.queue.claim import Cancelled, Claim, Lease, Phase, SetAside
from agon_server.queue.desk import Desk
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.queue.queue import Queue
from agon_server.queue.results import START, Results
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import DuplicateMatchError, UnknownMatchError


async def buried(store: Store, match: MatchEntry) -> None:
    """Queue a match and make a dead letter of it."""
    queue = Queue(store, server="one")
    assert await queue.enqueue(match)
    claim = await queue.claim(GAMES)
    assert isinstance(claim, Claim)
    assert await queue.bury(claim, "its options are unknown")


async def test_an_empty_queue_has_no_depth(store: Store) -> None:
    depth = await Desk(store).depth()

    assert (depth.waiting, depth.running, depth.dead, depth.oldest_ms) == (0, 0, 0, 0)


async def test_depth_counts_what_waits_what_runs_and_how_long_the_oldest_waits(store: Store) -> None:
    await connect(store, "a", "b", slots=10)
    queue = Queue(store, server="one")
    for _ in range(3):
        await queue.enqueue(entry("a", "b"))
    await queue.claim(GAMES)
    await store.command("XADD", keys.queue_stream("ephyran", 2), "1000-1", "match", "m")
    await store.command("XGROUP", "CREATE", keys.queue_stream("ephyran", 2), keys.GROUP, "0")
    await store.command("SADD", keys.QUEUES, keys.queue_stream("ephyran", 2))

    depth = await Desk(store).depth()

    assert (depth.waiting, depth.running, depth.dead) == (3, 1, 0)
    assert depth.oldest_ms > 1_000_000_000


async def test_the_list_shows_who_plays_what_where_and_no_seed(store: Store) -> None:
    """X7: the admin's view of the queue."""
    await connect(store, "a", "b", slots=10)
    queue = Queue(store, server="one")
    matches = [entry("a", "b", ladder=f"ladder-{number}") for number in (1, 2)]
    for match in matches:
        await queue.enqueue(match)
    claim = await queue.claim(GAMES)
    assert isinstance(claim, Claim)
    await renew(queue, claim, 7)

    running, waiting = await Desk(store).ls()

    assert (matches[0].match, Phase.RUNNING, "one", 1, 7, ("a", "b"), "ladder-1") == (
        *(running.match, running.phase, running.owner, running.epoch, running.progress),
        *(running.bots, running.ladder),
    )
    assert (matches[1].match, Phase.WAITING, "", 0) == (waiting.match, waiting.phase, waiting.owner, waiting.epoch)
    assert not any(match.seed in repr(listed) for match in matches for listed in (running, waiting))
    assert [matches[0].match] == [listed.match for listed in await Desk(store).ls(limit=1)]


async def test_a_long_queue_is_listed_to_its_end(store: Store) -> None:
    await connect(store, "a", "b", slots=500)
    queue = Queue(store, server="one")
    for _ in range(250):
        await queue.enqueue(entry("a", "b"))

    assert len({listed.match for listed in await Desk(store).ls()}) == 250
    assert len({listed.match for listed in await Desk(store).ls(150)}) == 150


async def test_a_dead_letter_keeps_its_reason_until_it_is_requeued_as_a_new_match(store: Store) -> None:
    """X8: new id, next attempt, and with fresh deals a new seed, since its bots have seen some of the old deal."""
    await connect(store, "a", "b")
    match = entry("a", "b", block=new_id(), block_size=2)
    await buried(store, match)
    (letter,) = await Desk(store).dead()
    assert (match.match, "its options are unknown", match) == (letter.match, letter.reason, letter.entry)

    new = await Desk(store).requeue(match.match)

    assert new is not None
    claim = await Queue(store, server="one").claim(GAMES)
    assert isinstance(claim, Claim)
    assert (new, 1, match.block) == (claim.entry.match, claim.entry.attempt, claim.entry.block)
    assert match.seed != claim.entry.seed
    assert await Desk(store).dead() == []
    with pytest.raises(UnknownMatchError):
        await Desk(store).requeue(match.match)


async def test_a_shared_deal_keeps_its_seed_when_requeued(store: Store) -> None:
    await connect(store, "a", "b")
    match = entry("a", "b", block=new_id(), block_size=2, deals=Deals.SHARED)
    await buried(store, match)
    await Desk(store).requeue(match.match)

    claim = await Queue(store, server="one").claim(GAMES)
    assert isinstance(claim, Claim)
    assert match.seed == claim.entry.seed


async def test_a_dead_letter_of_a_busy_bot_stays_until_it_is_free(store: Store) -> None:
    await connect(store, "a", "b", slots=1)
    match, other = entry("a", "b"), entry("a", "b")
    await buried(store, match)
    queue = Queue(store, server="one")
    await queue.enqueue(other)

    assert await Desk(store).requeue(match.match) is None
    assert ([], [match.match]) == await Desk(store).requeue_all()
    claim = await queue.claim(GAMES)
    assert isinstance(claim, Claim)
    await queue.finish(claim, record="r", record_hash="h", result=ended(claim))

    new, stayed = await Desk(store).requeue_all()
    assert (len(new), stayed) == (1, [])


async def test_a_requeued_match_goes_to_a_process_that_is_there_now(store: Store) -> None:
    await connect(store, "a", "b")
    match = entry("a", "b")
    await buried(store, match)
    presence = Presence(store)
    await presence.put(present("b", token="t"))
    await presence.remove("b", "", "t")
    await presence.put(present("b", instance="new"))

    assert await Desk(store).requeue(match.match)
    assert await reserved(store) == {"a/": 1, "b/new": 1}


async def test_a_place_that_is_played_again_already_is_not_requeued(store: Store) -> None:
    await connect(store, "a", "b")
    match = entry("a", "b", block=new_id(), block_size=2)
    await buried(store, match)
    await Queue(store, server="one").enqueue(match.again(seed=match.seed))

    with pytest.raises(DuplicateMatchError):
        await Desk(store).requeue(match.match)
    assert ([], [match.match]) == await Desk(store).requeue_all()


async def test_a_letter_that_nobody_understood_can_only_be_discarded(store: Store) -> None:
    await store.command("XADD", keys.queue_stream("ephyran", 1), "*", "match", "m", "entry", b"\xff{")
    await Queue(store, server="one").claim(GAMES)
    (letter,) = await Desk(store).dead()
    assert letter.entry is None

    with pytest.raises(UnknownMatchError, match="no entry that could be played"):
        await Desk(store).requeue(letter.match)
    await Desk(store).discard(letter.match)
    assert await Desk(store).dead() == []
    with pytest.raises(UnknownMatchError):
        await Desk(store).discard(letter.match)


async def test_only_so_many_letters_are_kept_and_the_others_are_counted(store: Store) -> None:
    """Every queue is bounded, and what is dropped is told."""
    old = json.dumps({"entry": "", "reason": "old", "when": 1, "epoch": 1})
    fields = [part for number in range(keys.KEPT - 1) for part in (f"m{number}", old)]
    await store.command("HSET", keys.DEAD, *fields)
    await connect(store, "a", "b")
    desk = Desk(store)

    await buried(store, entry("a", "b"))
    assert await desk.dropped() == (0, 0)
    await buried(store, entry("a", "b"))

    letters = await desk.dead()
    assert (len(letters), {letter.reason for letter in letters[:-1]}) == (keys.KEPT, {"old"})
    assert await desk.dropped() == (1, 0)


async def test_what_is_set_aside_is_listed_in_its_order_discarded_and_bounded(store: Store) -> None:
    desk = Desk(store)
    token = await lease.Lease(store, "server-1").acquire()
    assert token is not None
    for result in ("10-0", "9-0"):
        await store.script("set_aside", token, result, json.dumps({"match": "m", "ladder": "l", "reason": "strange"}))

    assert await desk.set_aside() == [SetAside("9-0", "m", "l", "strange"), SetAside("10-0", "m", "l", "strange")]
    await desk.discard("9-0")
    assert [item.id for item in await desk.set_aside()] == ["10-0"]
    note = json.dumps({"match": "m", "ladder": "l", "reason": "strange"})
    await store.command("HSET", keys.SET_ASIDE, *(part for n in range(keys.KEPT - 1) for part in (f"1-{n}", note)))
    for result in ("10-0", "11-0"):
        await store.script("set_aside", token, result, note)
    assert len(await desk.set_aside()) == keys.KEPT
    assert await desk.dropped() == (0, 1)


async def test_a_waiting_match_is_cancelled_at_once(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = Queue(store, server="one"), entry("a", "b")
    await queue.enqueue(match)

    assert await Desk(store).cancel(match.match, "the ladder is closed") is Cancelled.REMOVED

    assert await queue.claim(GAMES) is None
    assert await reserved(store) == {}
    (result,) = (await Results(store).after(START)).results
    assert (
        *(result.kind, result.termination, result.reason),
        *(result.rated, result.record),
    ) == ("cancelled", Termination.CANCELLED, "the ladder is closed", False, "")
    assert (await queue.whereabouts(match.match)).phase is Phase.CANCELLED
    assert await Desk(store).cancel(match.match, "again") is Cancelled.UNKNOWN


async def test_a_running_match_is_cancelled_by_its_referee(store: Store) -> None:
    await connect(store, "a", "b")
    queue, match = Queue(store, server="one"), entry("a", "b")
    await queue.enqueue(match)
    claim = await queue.claim(GAMES)
    assert isinstance(claim, Claim)

    assert await Desk(store).cancel(match.match, "tests") is Cancelled.ASKED
    assert await renew(queue, claim, 1) is Lease.CANCELLED
