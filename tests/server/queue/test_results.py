"""The results stream: its readers, and what may be trimmed."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.valkey import GAMES, connect, entry

from agon_engine.core.policy import Termination
from agon_server.queue.claim import Claim
from agon_server.queue.queue import Queue
from agon_server.queue.results import START, Result, Results, order
from agon_server.store.connection import Store


async def play(store: Store, count: int) -> list[Result]:
    """Finish some matches and return all results there are."""
    await connect(store, "a", "b", slots=1)
    queue = Queue(store, server="one")
    for _ in range(count):
        assert await queue.enqueue(entry("a", "b"))
        claim = await queue.claim(GAMES)
        assert isinstance(claim, Claim)
        record = f"record of {claim.entry.match}"
        await queue.finish(claim, record=record, record_hash="h", termination=Termination.SCORE)
    return await Results(store).after(START, 1_000)


async def test_results_are_read_in_their_order_from_any_cursor(store: Store) -> None:
    results, reader = await play(store, 5), Results(store)

    assert results[2:4] == await reader.after(results[1].id, 2)
    assert await reader.after(results[-1].id) == []
    assert results[-1].id == await reader.last_id()
    assert sorted(results, key=lambda result: result.order) == results


async def test_the_order_of_ids_is_that_of_numbers() -> None:
    assert order("9-10") > order("9-9")
    assert order("10-0") > order("9-99")


async def test_an_empty_stream_has_a_last_id_before_any_result(store: Store) -> None:
    assert await Results(store).last_id() == START
    assert await Results(store).trimmed_to() == START


async def test_a_reader_waits_for_the_next_result(store: Store) -> None:
    (first,) = await play(store, 1)
    waiting = asyncio.create_task(Results(store).wait_after(first.id, 20_000))

    results = await play(store, 1)

    assert results[1:] == await waiting
    assert await Results(store).wait_after(results[-1].id, 2) == []


async def test_a_readers_cursor_never_goes_back(store: Store) -> None:
    results = Results(store)
    assert await results.register("ladder:x") == START

    for cursor in ("5-3", "5-2", "4-9", "5-3"):
        await results.advance("ladder:x", cursor)

    assert await results.readers() == {"ladder:x": "5-3"}
    assert await results.register("ladder:x") == "5-3"


async def test_only_what_every_reader_has_taken_is_trimmed(store: Store) -> None:
    played, results = await play(store, 6), Results(store)
    await results.register("archive:x")
    await results.register("ladder:x")
    assert await results.trim(keep=0) == 0

    await results.advance("archive:x", played[4].id)
    await results.advance("ladder:x", played[2].id)

    assert await results.trim(keep=0) == 3
    assert played[3:] == await results.after(START)
    assert played[2].id == await results.trimmed_to()
    await results.register("ladder:y")
    assert await results.trim(keep=0) == 0
    await results.forget("ladder:y")
    await results.advance("ladder:x", played[-1].id)
    assert await results.trim(keep=2) == 1
    assert played[4:] == await results.after(START)


@pytest.mark.parametrize("reader", ["ladder:x", "archive:x"])
async def test_nothing_is_trimmed_before_there_are_an_archive_and_a_ladder(store: Store, reader: str) -> None:
    played, results = await play(store, 3), Results(store)
    await results.advance(reader, played[-1].id)

    assert await results.trim(keep=0) == 0


async def test_a_trimmed_result_is_not_found_here_but_still_counts_as_finished(store: Store) -> None:
    played, results = await play(store, 2), Results(store)
    for reader in ("archive:x", "ladder:x"):
        await results.advance(reader, played[-1].id)
    await results.trim(keep=1)

    assert await results.find(played[0].match) is None
    assert played[1] == await results.find(played[1].match)
    assert await results.find("unknown") is None
