"""Matches that cannot be delivered: tried too often, not understood, or not put there by the queue."""

from __future__ import annotations

import pytest
from tests.support.queues import claimed, finish, renew, server
from tests.support.valkey import GAMES, connect, entry, reserved

from agon_engine.core.policy import Termination
from agon_server.queue.claim import Dead, Finish, Phase
from agon_server.queue.entry import MatchEntry
from agon_server.queue.results import START, Results
from agon_server.store import keys
from agon_server.store.connection import Store


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
    (result,) = (await Results(store).after(START)).results
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
        await renew(queue, claim, progress=round_number)

    assert (await claimed(server(store, max_deliveries=2))).epoch == 6


async def test_decisions_played_before_are_no_progress(store: Store) -> None:
    """A match that dies at the same point each time is a dead letter too."""
    await connect(store, "a", "b")
    await server(store).enqueue(entry("a", "b"))
    for _ in range(3):
        queue = server(store, max_deliveries=2)
        await renew(queue, await claimed(queue), progress=10)

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
