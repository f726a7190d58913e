"""The results stream without its records, as fold and pairing read it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from tests.support.ladder_store import record_of, score
from tests.support.queues import write_result
from tests.support.valkey import entry

from agon_engine.core.policy import Termination
from agon_engine.core.record import Deals
from agon_ladder.results import MatchResult, Position
from agon_server.queue.feed import Ended, Feed
from agon_server.queue.ids import new_id
from agon_server.queue.outcome import Outcome
from agon_server.queue.reading import Unreadable, recorded
from agon_server.queue.results import START, Batch, Kind, Results, order
from agon_server.store import keys
from agon_server.store.connection import Store

NOTHING: Batch[Ended] = Batch()
ENDS = (Termination.SCORE, Termination.RESIGNED)


async def put(store: Store, beside: str | None = "", **changes: Any) -> str:
    """Write the result of a new match as `finish` does, its record beside it, or another text, or (None) none; return
    its id."""
    match = entry("a", "b", block=new_id(), block_size=2, index=1, attempt=2)
    outcome = Outcome(("a", "b"), (2, 1), ENDS).to_json()
    put = await write_result(store, match, **{"outcome": json.dumps(outcome)} | changes)
    if beside is not None:
        own = record_of(match, replace(score(2, 1), seats=ENDS)).to_line()
        await store.command("SET", keys.RECORD + put, beside or own)
    return put


async def only(store: Store) -> Ended:
    (ended,) = (await Feed(store).after(START, 9)).results
    return ended


async def test_a_result_is_told_as_its_record_tells_it_but_for_the_deal(store: Store) -> None:
    await put(store)

    ended = await only(store)

    (result,) = (await Results(store).after(START)).results
    by_record = recorded(result)
    assert isinstance(by_record, MatchResult)
    assert by_record._replace(deals=Deals.FRESH, commitment="") == ended.told == ended.result
    assert (ended.id, ended.kind, ended.plays_again) == (result.id, Kind.PLAYED, False)
    assert ended.order == result.order


async def test_a_result_is_told_alike_where_an_earlier_version_wrote_its_record_into_the_stream(store: Store) -> None:
    ids = [await put(store)]
    (with_record,) = (await Results(store).after(START)).results
    fields = {"match": with_record.match, "facts": await facts_of(store, ids[0]), "record": with_record.record}
    ids += [await put(store, None, **fields), await put(store, None, **fields, outcome="")]

    told = [each.told for each in (await Feed(store).after(START, 9)).results]

    assert isinstance(told[0], MatchResult)
    assert [told[0]._replace(position=Position.parse(at)) for at in ids] == told
    assert [each.record for each in (await Results(store).after(START)).results] == [with_record.record] * 3


async def facts_of(store: Store, entry_id: str) -> str:
    ((_, flat),) = await store.command("XRANGE", keys.RESULTS, entry_id, entry_id)
    return str(flat[flat.index(b"facts") + 1].decode())


@pytest.mark.parametrize("record", [None, "{}", '{"format":2,"match":"another",', "\ufffd" * 300])
async def test_a_result_without_its_own_record_counts_nowhere(store: Store, record: str | None) -> None:
    at = await put(store, record)

    told = (await only(store)).told

    assert isinstance(told, Unreadable)
    assert (str(told.position), told.ladder) == (at, "ephyran-2")
    assert f"the record of match {told.match} is lost, or is another one's: '{at}'" == told.reason


async def test_a_result_without_an_outcome_counts_nowhere(store: Store) -> None:
    at = await put(store, outcome="")

    told = (await only(store)).told

    assert isinstance(told, Unreadable)
    assert f"the record of match {told.match} cannot be read: '{at}'" == told.reason


@pytest.mark.parametrize("kind", ["dead", "cancelled"])
async def test_a_match_that_was_never_played_has_no_bots_and_does_not_count(store: Store, kind: str) -> None:
    await put(store, None, kind=kind, termination="infrastructure", outcome="", reason="it hung", again="1")

    ended = await only(store)

    assert (ended.kind, ended.reason, ended.flaw, ended.plays_again) == (kind, "it hung", "", True)
    assert (ended.result.bots, ended.result.may_rate, ended.result.servers) == ((), False, ("server-1",))


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "unheard of"},
        {"termination": "luck"},
        {"epoch": "first"},
        {"facts": "[" * 100_000},
        {"facts": "[]"},
        {"outcome": "{}"},
        {"facts": '{"game":"ephyran","version":1,"ladder":"x","block":"","index":0,"attempt":0} {}'},
        {"outcome": '{"bots":["a",1],"placements":[1,2],"terminations":["score","score"]}'},
        {"outcome": '{"bots":["a","b"],"placements":[1,true],"terminations":["score","score"]}'},
        {"outcome": '{"bots":["a","b"],"placements":[1,2],"terminations":["score","luck"]}'},
        {"outcome": '{"bots":["a","b"],"placements":[1,2],"terminations":[["score"],"score"]}'},
        {"match": b"\xff"},
    ],
)
async def test_what_no_result_can_be_read_from_is_the_same_with_and_without_records(
    store: Store, wrong: dict[str, Any]
) -> None:
    """X15: else the live table would count what the archive has set aside."""
    before, strange, after = await put(store), await put(store, **wrong), await put(store)

    alone, whole = await Feed(store).after(START, 9), await Results(store).after(START)

    assert [each.id for each in alone.results] == [each.id for each in whole.results] == [before, after]
    assert [each.id for each in alone.unread] == [strange]
    assert alone.unread == whole.unread
    assert (alone.size, alone.cursor) == (3, after)


async def test_a_reader_waits_for_the_next_result(store: Store) -> None:
    first = await put(store)
    async with store.waiter() as waiter:
        waiting = asyncio.create_task(Feed(store).wait_after(waiter, first, 9, 20_000))

        second = await put(store)

        assert [ended.id for ended in (await waiting).results] == [second]
        assert await Feed(store).after(START, 9) == await Feed(store).wait_after(waiter, START, 9, 20_000)
        assert await Feed(store).wait_after(waiter, second, 9, 2) == NOTHING


async def test_a_long_batch_is_read_in_turns_and_lacks_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [await put(store) for _ in range(7)]
    ids.insert(3, (await store.command("XADD", keys.RESULTS, "*", "what", "ever")).decode())
    ids.sort(key=order)
    whole = await Feed(store).after(START, 9)
    monkeypatch.setattr("agon_server.queue.feed._AT_ONCE", 3)

    assert whole == await Feed(store).after(START, 9)
    assert (whole.size, whole.cursor, len(whole.unread)) == (8, ids[-1], 1)
