"""The results stream: its readers, and what may be trimmed."""

from __future__ import annotations

import pytest
from tests.support.queues import ended
from tests.support.valkey import GAMES, connect, entry

from agon_engine.core.policy import Termination
from agon_server.queue.claim import Claim
from agon_server.queue.outcome import Outcome
from agon_server.queue.queue import Queue
from agon_server.queue.results import START, Batch, Result, Results, order
from agon_server.store import keys
from agon_server.store.connection import Store

NOTHING: Batch[Result] = Batch([], [])


async def play(store: Store, count: int) -> list[Result]:
    """Finish some matches and return all results there are."""
    await connect(store, "a", "b", slots=1)
    queue = Queue(store, server="one")
    for _ in range(count):
        assert await queue.enqueue(entry("a", "b"))
        claim = await queue.claim(GAMES)
        assert isinstance(claim, Claim)
        record = f"record of {claim.entry.match}"
        await queue.finish(claim, record=record, record_hash="h", result=ended(claim))
    return list((await Results(store).after(START, 1_000)).results)


async def test_results_are_read_in_their_order_from_any_cursor(store: Store) -> None:
    results, reader = await play(store, 5), Results(store)

    assert results[2:4] == (await reader.after(results[1].id, 2)).results
    assert await reader.after(results[-1].id) == NOTHING
    assert sorted(results, key=lambda result: result.order) == results


async def test_the_order_of_ids_is_that_of_numbers() -> None:
    assert order("9-10") > order("9-9")
    assert order("10-0") > order("9-99")


async def test_of_an_empty_stream_nothing_was_trimmed(store: Store) -> None:
    assert await Results(store).trimmed_to() == START


async def test_a_record_goes_with_its_result(store: Store) -> None:
    results = await play(store, 3)
    await Results(store).register("archive:x")
    await Results(store).register("ladder:x")
    for reader in ("archive:x", "ladder:x"):
        await Results(store).advance(reader, results[1].id)

    await Results(store).trim(keep=0)

    assert await store.command("KEYS", f"{keys.RECORD}*") == [f"{keys.RECORD}{results[2].id}".encode()]


async def test_a_result_tells_who_played_and_how_it_ended_for_each(store: Store) -> None:
    (result,) = await play(store, 1)

    assert result.outcome == Outcome(("a", "b"), (1, 1), (Termination.SCORE,) * 2)


FACTS = '{"game":"ephyran","version":1,"ladder":"x","block":"bbbbbbbbbbbbbbbbbbbb","index":0,"attempt":0}'
WHOLE = {
    "kind": "played",
    "match": 20 * "m",
    "facts": FACTS,
    "termination": "score",
    "rated": "1",
    "again": "0",
    "server": "one",
    "epoch": "1",
    "reason": "",
    "hash": "h",
    "record": "r",
}
RULED = {
    "kind": "season",
    "ruling": "r",
    "ladder": "x",
    "actor": "ann",
    "why": "because",
    "facts": '{"label":"autumn","keep":50}',
}
PURGE = '{"bot":"a","server":"","match":"","since":0,"until":0}'


@pytest.mark.parametrize(
    "wrong",
    [
        {"what": "ever"},
        WHOLE | {"kind": "unheard of"},
        WHOLE | {"termination": ""},
        WHOLE | {"epoch": "first"},
        WHOLE | {"facts": "[]"},
        WHOLE | {"facts": "["},
        WHOLE | {"facts": "[" * 100_000},
        WHOLE | {"facts": FACTS.replace('"x"', "[]")},
        WHOLE | {"facts": FACTS.replace(":1", ':"1"')},
        WHOLE | {"facts": FACTS.replace(":1", ":0")},
        WHOLE | {"facts": FACTS.replace(":0", ":-1")},
        WHOLE | {"facts": FACTS.replace(":1", ":" + 30 * "9")},
        WHOLE | {"facts": FACTS.replace('"x"', r'"\ud800"')},
        WHOLE | {"facts": FACTS.replace("bbb", "b/b")},
        WHOLE | {"facts": FACTS.replace("ephyran", "")},
        WHOLE | {"match": "m"},
        WHOLE | {"server": "one two"},
        WHOLE | {"rated": ""},
        WHOLE | {"again": "yes"},
        WHOLE | {"outcome": r'{"bots":["a","\ud800"],"placements":[1,2],"terminations":["score","score"]}'},
        WHOLE | {"outcome": '{"bots":["a","b"],"placements":[1,2],"terminations":["score"]}'},
        WHOLE | {"outcome": '{"bots":["a","b/c"],"placements":[1,2],"terminations":["score","score"]}'},
        RULED | {"ruling": "A b"},
        RULED | {"ladder": "\N{LATIN SMALL LETTER SHARP S}"},
        RULED | {"facts": r'{"label":"\ud800","keep":50}'},
        RULED | {"kind": "purge", "facts": PURGE.replace(":0", ":-1")},
        RULED | {"kind": "purge", "facts": PURGE.replace(":0", ":" + 30 * "9")},
        WHOLE | {"match": b"\xff"},
    ],
)
async def test_an_entry_that_is_no_result_is_told_apart_from_those_that_are(
    store: Store, wrong: dict[str, str | bytes]
) -> None:
    """X15: whatever stands in the stream, its readers get past it."""
    results = Results(store)

    async def add(fields: dict[str, str | bytes]) -> str:
        flat = [part for field in fields.items() for part in field]
        return str((await store.command("XADD", keys.RESULTS, "*", *flat)).decode())

    before, strange, after = await add({**WHOLE}), await add(wrong), await add({**WHOLE})
    await store.command("SET", keys.RESULT + "strange", f"played {strange} h")

    found = await results.after(START)
    assert [result.id for result in found.results] == [before, after]
    assert [(unread.id, len(unread.fields)) for unread in found.unread] == [(strange, 2 * len(wrong))]
    assert len(found.unread[0].reason) < 300
    assert (found.size, found.cursor) == (3, after)
    assert (await results.before("", START)).cursor == before
    assert (await results.after(before, 1)).cursor == strange
    assert await results.find("strange") is None


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
    assert (await results.trim(keep=0)).went == 0

    await results.advance("archive:x", played[4].id)
    await results.advance("ladder:x", played[2].id)

    assert (await results.trim(keep=0)).went == 3
    assert played[3:] == (await results.after(START)).results
    assert played[2].id == await results.trimmed_to()
    await results.register("ladder:y")
    assert (await results.trim(keep=0)).went == 0
    for reader in ("ladder:x", "ladder:y"):
        await results.advance(reader, played[-1].id)
    assert (await results.trim(keep=2)).went == 1
    assert played[4:] == (await results.after(START)).results


@pytest.mark.parametrize("reader", ["ladder:x", "archive:x"])
async def test_nothing_is_trimmed_before_there_are_an_archive_and_a_ladder(store: Store, reader: str) -> None:
    played, results = await play(store, 3), Results(store)
    await results.advance(reader, played[-1].id)

    assert (await results.trim(keep=0)).went == 0


async def test_a_trimmed_result_is_not_found_here_but_still_counts_as_finished(store: Store) -> None:
    played, results = await play(store, 2), Results(store)
    for reader in ("archive:x", "ladder:x"):
        await results.advance(reader, played[-1].id)
    await results.trim(keep=1)

    assert await results.find(played[0].match) is None
    assert played[1] == await results.find(played[1].match)
    assert await results.find("unknown") is None
