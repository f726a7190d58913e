"""What is accepted in running matches is stored under a fence, given to whoever claims the match next, counted as
progress, and gone with the match; and what a store has lost in a restart is written again by whoever runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import ClassVar

import pytest
from tests.support.queues import claimed, finish, server
from tests.support.valkey import GAMES, connect, entry, reserved

from agon_engine.core.record import Deals
from agon_server.queue.claim import Claim, Dead, Finish
from agon_server.queue.desk import Desk
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.queue.queue import CLAIMED_AT_ONCE, NO_RECORD, Queue
from agon_server.queue.results import START, Kind, Results
from agon_server.store import keys, script_line
from agon_server.store.connection import Store
from agon_server.store.errors import StoreUnavailableError
from agon_server.store.script_line import ScriptLine, packed

STORED, LOST, GAP, OTHER = 1, 0, -1, -2


class Writer:
    """Stores entries as a referee's journal does."""

    opened: ClassVar[list[ScriptLine]] = []

    def __init__(self, queue: Queue) -> None:
        self._line, self._server = queue.journal_line()
        self.opened.append(self._line)

    async def write(self, *entries: tuple[Claim, str]) -> list[int]:
        words = [word for claim, line in entries for word in (claim.entry.match, str(claim.epoch), line)]
        answers = await self._line.call(1 + len(words), self._server + "".join(map(packed, words)))
        return list(answers)

    async def write_each(self, claim: Claim, *lines: str) -> list[int]:
        return await self.write(*((claim, line) for line in lines))


@pytest.fixture(autouse=True)
async def closed_lines() -> AsyncIterator[None]:
    yield
    for line in Writer.opened:
        await line.aclose()
    Writer.opened.clear()


async def queued(store: Store, *bots: str, **changes: object) -> MatchEntry:
    match = entry(*(bots or ("a", "b")), **changes)
    assert await server(store).enqueue(match)
    return match


async def stored(store: Store, match: MatchEntry) -> list[bytes]:
    return list(await store.command("LRANGE", keys.JOURNAL + match.match, 0, -1))


# -- writing -------------------------------------------------------------------------------------------------


async def test_entries_are_stored_in_their_order_and_a_repeat_is_the_same_success(store: Store) -> None:
    await connect(store, "a", "b")
    one, two = await queued(store), await queued(store)
    queue = server(store)
    first, second = await claimed(queue), await claimed(queue)
    writer = Writer(queue)

    assert await writer.write((first, "[0]"), (second, "[0,1]"), (first, "[1]")) == [STORED] * 3
    assert await writer.write((first, "[1]"), (first, "[2]"), (first, "[0]")) == [STORED] * 3
    assert await stored(store, one) == [b"[0]", b"[1]", b"[2]"]
    assert await stored(store, two) == [b"[0,1]"]


async def test_another_entry_under_a_number_and_one_behind_a_gap_are_refused(store: Store) -> None:
    await connect(store, "a", "b")
    match = await queued(store)
    queue = server(store)
    claim = await claimed(queue)
    writer = Writer(queue)
    await writer.write_each(claim, "[0]", "[1]")

    assert await writer.write_each(claim, "[1,2]", "[3]", "[2]", "[3]") == [OTHER, GAP, STORED, STORED]
    assert await stored(store, match) == [b"[0]", b"[1]", b"[2]", b"[3]"]


async def test_a_journal_that_is_no_list_holds_no_other_match_up(store: Store) -> None:
    await connect(store, "a", "b")
    broken, match = await queued(store), await queued(store)
    queue = server(store)
    first, second = await claimed(queue), await claimed(queue)
    await store.command("SET", keys.JOURNAL + broken.match, "no list")

    assert await Writer(queue).write((first, "[0]"), (second, "[0]")) == [OTHER, STORED]
    assert await queue.restore_many([(first, ["[0]"]), (second, ["[0]"])]) == [
        "its journal is not what was written here",
        "",
    ]
    assert await stored(store, match) == [b"[0]"]


async def test_nobody_but_the_newest_claim_stores(store: Store) -> None:
    """R6."""
    await connect(store, "a", "b")
    match = await queued(store)
    slow, quick = server(store, "slow", lease_ms=1), server(store, "quick", lease_ms=1)
    old = await claimed(slow)
    writer = Writer(slow)
    await writer.write_each(old, "[0]")
    await asyncio.sleep(0.01)  # the lease
    new = await claimed(quick)

    assert await writer.write_each(old, "[1]") == [LOST]
    assert await Writer(quick).write_each(replace(new, epoch=1), "[1]") == [LOST]
    assert await Writer(slow).write_each(new, "[1]") == [LOST]
    assert await stored(store, match) == [b"[0]"]


@pytest.mark.parametrize("end", ["finish", "bury", "release and cancel"])
async def test_a_match_that_has_ended_has_no_journal_and_gets_none(store: Store, end: str) -> None:
    await connect(store, "a", "b")
    match = await queued(store)
    queue = server(store)
    claim = await claimed(queue)
    writer = Writer(queue)
    await writer.write_each(claim, "[0]")
    if end == "finish":
        await finish(queue, claim)
    elif end == "bury":
        await queue.bury(claim, "for a test")
    else:
        await queue.release_many([claim])
        await Desk(store).cancel(match.match, "for a test")

    assert await stored(store, match) == []
    assert await writer.write_each(claim, "[1]") == [LOST]
    assert await store.command("EXISTS", keys.JOURNAL + match.match) == 0


async def test_the_line_goes_on_after_scripts_were_flushed_and_connections_killed(store: Store) -> None:
    await connect(store, "a", "b")
    match = await queued(store)
    queue = server(store)
    claim = await claimed(queue)
    writer = Writer(queue)
    await writer.write_each(claim, "[0]")
    await store.command("SCRIPT", "FLUSH")

    assert await writer.write_each(claim, "[1]") == [STORED]

    await store.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    with pytest.raises(StoreUnavailableError):
        await writer.write_each(claim, "[2]")

    assert await writer.write_each(claim, "[2]") == [STORED]
    assert await stored(store, match) == [b"[0]", b"[1]", b"[2]"]


async def test_a_store_without_an_answer_is_away_and_its_late_answer_nobodys(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connect(store, "a", "b")
    match = await queued(store)
    queue = server(store)
    claim = await claimed(queue)
    writer = Writer(queue)
    await writer.write_each(claim, "[0]")
    monkeypatch.setattr(script_line, "ANSWER_SECONDS", 0.05)
    other = Writer(queue)
    await store.command("CLIENT", "PAUSE", 60_000, "WRITE")
    with pytest.raises(StoreUnavailableError):
        await other.write_each(claim, "[1]")
    await store.command("CLIENT", "UNPAUSE")

    assert await other.write_each(claim, "[1,1]", "[1]") in ([STORED, OTHER], [OTHER, STORED])
    assert len(await stored(store, match)) == 2


# -- claiming ------------------------------------------------------------------------------------------------


async def test_a_claim_gives_the_journal_and_who_ran_the_match(store: Store) -> None:
    await connect(store, "a", "b")
    await queued(store)
    lines = ["[0]", "[1]", "[2]"]
    for number, name in enumerate(("one", "two", "two", "one")):
        queue = server(store, name)
        claim = await claimed(queue)

        assert claim.journal == tuple(line.encode() for line in lines[:number])
        assert claim.servers == (("one",), ("one", "two"), ("one", "two"), ("one", "two", "one"))[number]

        await Writer(queue).write_each(claim, *lines[: number + 1])
        await queue.release_many([claim])


async def test_servers_that_accepted_nothing_before_it_began_did_not_run_it(store: Store) -> None:
    await connect(store, "a", "b")
    await queued(store)
    one, two = server(store, "one"), server(store, "two")
    await one.release_many([await claimed(one)])

    assert (await claimed(two)).servers == ("two",)


async def test_an_accepted_choice_begins_the_count_of_deliveries_anew(store: Store) -> None:
    await connect(store, "a", "b")
    await queued(store)
    for number in range(4):
        queue = server(store, max_deliveries=2)
        claim = await claimed(queue)

        assert claim.deliveries == 1

        await Writer(queue).write_each(claim, f"[{number}]")

    claim = await claimed(server(store, max_deliveries=2))
    again = await claimed(server(store, max_deliveries=2))
    dead = await server(store, max_deliveries=2).claim(GAMES)

    assert (claim.deliveries, again.deliveries) == (1, 2)
    assert isinstance(dead, Dead)
    assert dead.reason == "delivered 2 times without progress"
    assert await server(store).is_kept(dead.match, NO_RECORD)
    assert not await server(store).is_kept(new_id(), NO_RECORD)


async def test_a_journal_that_is_no_list_is_a_dead_letter_and_others_play_on(store: Store) -> None:
    await connect(store, "a", "b")
    broken, good = await queued(store), await queued(store)
    await store.command("SET", keys.JOURNAL + broken.match, "something else")
    queue = server(store)
    dead = await queue.claim(GAMES)

    assert isinstance(dead, Dead)
    assert (dead.match, dead.reason) == (broken.match, "its journal is no list, but a string")
    assert (await claimed(queue)).entry == good
    assert await reserved(store) == {"a/": 1, "b/": 1}


async def test_a_match_that_has_a_result_already_is_a_dead_letter_and_gets_no_second_one(store: Store) -> None:
    await connect(store, "a", "b")
    match = await queued(store)
    queue = server(store)
    claim = await claimed(queue)
    await Writer(queue).write_each(claim, "[0]")
    state = await store.command("HGETALL", keys.MATCH + match.match)
    await finish(queue, claim)
    # As nothing but a hand can do it.
    await store.command("XADD", claim.stream, claim.entry_id.split("-")[0] + "-99", "match", match.match, "entry", "{}")
    await store.command("HSET", keys.MATCH + match.match, *state)
    await store.command("HSET", keys.MATCH + match.match, "id", claim.entry_id.split("-")[0] + "-99")
    await store.command("HDEL", keys.MATCH + match.match, "owner")
    await store.command("RPUSH", keys.JOURNAL + match.match, "[0]")
    dead = await queue.claim(GAMES)

    assert isinstance(dead, Dead)
    assert dead.reason == "the match is over: it has a result already"
    assert dead.match.startswith(match.match)
    assert [result.kind for result in (await Results(store).after(START)).results] == [Kind.PLAYED]
    assert await reserved(store) == {}
    assert await store.command("EXISTS", keys.MATCH + match.match, keys.JOURNAL + match.match) == 0


# -- many at once --------------------------------------------------------------------------------------------


async def test_own_matches_come_first_then_expired_ones_then_new_ones_up_to_a_number(store: Store) -> None:
    await connect(store, "a", "b", slots=40)
    matches = [await queued(store) for _ in range(9)]
    before, gone = server(store, "one"), server(store, "gone")
    own = [claim.entry for claim in await before.claim_many(GAMES, 3) if isinstance(claim, Claim)]
    expired = [claim.entry for claim in await gone.claim_many(GAMES, 2) if isinstance(claim, Claim)]
    await gone.release_many([Claim(match, 1, 1, "", "") for match in expired])
    queue = server(store, "one")
    taken = [
        [claim.entry for claim in await queue.claim_many(GAMES, most) if isinstance(claim, Claim)]
        for most in (2, 2, 3, 9, 9)
    ]

    assert own + expired == matches[:5]
    assert taken == [matches[0:2], [matches[2], matches[3]], matches[4:7], matches[7:9], []]


async def test_one_claim_takes_no_more_than_can_be_set_up_at_once(store: Store) -> None:
    await connect(store, "a", "b", slots=40)
    for _ in range(CLAIMED_AT_ONCE + 1):
        await queued(store)

    assert len(await server(store).claim_many(GAMES, 1_000)) == CLAIMED_AT_ONCE


# -- writing again what was lost -----------------------------------------------------------------------------


class Past:
    """A store as it was at a moment, to which a kill may throw it back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[bytes, bytes] = {}

    async def keep(self) -> None:
        for key in await self._store.command("KEYS", "*"):
            self._kept[key] = await self._store.command("DUMP", key)

    async def come_back(self) -> None:
        await self._store.command("FLUSHALL")
        for key, value in self._kept.items():
            await self._store.command("RESTORE", key, 0, value)


async def everything(store: Store) -> dict[bytes, bytes]:
    """Return what is stored of matches, each key as a whole, but for what is only a time."""
    found = {}
    for key in await store.command("KEYS", "*"):
        if key.startswith((b"agon:match:", b"agon:journal:", b"agon:running:", b"agon:reserved", b"agon:places:")):
            kind = await store.command("TYPE", key)
            if kind == b"list":
                found[key] = await store.command("LRANGE", key, 0, -1)
            else:
                flat = await store.command("HGETALL", key)
                pairs = dict(zip(flat[::2], flat[1::2], strict=True))
                found[key] = {name: value for name, value in pairs.items() if name not in (b"queued", b"id")}
    return found


@pytest.mark.parametrize("moment", ["nothing", "the journal's end", "the claim", "the match"])
@pytest.mark.parametrize("deals", [Deals.FRESH, Deals.SHARED])
async def test_what_a_restart_has_lost_is_written_again(store: Store, moment: str, deals: Deals) -> None:
    """X11: whatever the moment to which the store fell back; and the match goes on, and ends once."""
    await connect(store, "a", "b")
    past = Past(store)
    block = new_id()

    async def passes(what: str) -> None:
        if what == moment:
            await past.keep()

    await passes("the match")
    match = await queued(store, block=block, block_size=2, deals=deals)
    await passes("the claim")
    queue = server(store, "one")
    claim = await claimed(queue)
    writer = Writer(queue)
    lines = [f"[{number}]" for number in range(6)]
    await writer.write_each(claim, *lines[:3])
    await passes("the journal's end")
    await writer.write_each(claim, *lines[3:])
    await passes("nothing")
    before = await everything(store)
    await past.come_back()

    assert await queue.restore_many([(claim, lines)]) == [""]
    assert await everything(store) == before

    other = server(store, "two")

    assert await other.claim(GAMES) is None  # the entry is delivered to its owner, whatever the group says
    assert await writer.write_each(claim, "[6]") == [STORED]
    assert [lease.name for lease in await queue.renew_many([(claim, 1)])] == ["HELD"]

    back = await claimed(server(store, "one"))

    assert (back.epoch, len(back.journal)) == (2, 7)
    assert (await finish(queue, back)).status is Finish.DONE
    assert await reserved(store) == {}
    assert [result.match for result in (await Results(store).after(START)).results] == [match.match]


async def test_an_expired_lease_is_found_also_where_the_claim_was_written_again(store: Store) -> None:
    await connect(store, "a", "b")
    past = Past(store)
    await queued(store)
    await past.keep()
    queue = server(store, "one", lease_ms=20)
    claim = await claimed(queue)
    await past.come_back()
    await queue.restore_many([(claim, ["[0]"])])
    await asyncio.sleep(0.03)  # the lease
    taken = await claimed(server(store, "two", lease_ms=20))

    assert (taken.epoch, taken.journal, taken.servers) == (2, (b"[0]",), ("one", "two"))


async def test_what_is_anothers_or_over_is_not_written_again(store: Store) -> None:
    await connect(store, "a", "b", slots=40)
    queue = server(store, "one")
    block = new_id()
    claims: dict[str, Claim] = {}
    for what in ("later", "same epoch", "result", "dead", "longer", "different"):
        await queued(store)
        claims[what] = await claimed(queue)
    placed = await queued(store, block=block)
    claims["place"] = await claimed(queue)
    await Writer(queue).write_each(claims["longer"], "[0]", "[1]")
    await Writer(queue).write_each(claims["different"], "[0,1]")
    await store.command("HSET", keys.MATCH + claims["same epoch"].entry.match, "owner", "two")
    await finish(queue, claims["result"])
    await queue.bury(claims["dead"], "for a test")
    await store.command("HINCRBY", keys.MATCH + claims["later"].entry.match, "epoch", 1)
    await store.command("DEL", keys.MATCH + placed.match)
    await store.command("HSET", keys.PLACES + block, "0/0", new_id())
    before = await everything(store)
    reasons = await queue.restore_many([(claim, ["[0]"]) for claim in claims.values()])

    assert dict(zip(claims, reasons, strict=True)) == {
        "later": "another delivery has begun",
        "same epoch": "it was given to another server",
        "result": "it has a result",
        "dead": "it has a result",
        "longer": "",  # what is held has gone on meanwhile
        "different": "its journal is not what was written here",
        "place": "its place in the block is played by another match",
    }
    assert await everything(store) == before


async def test_a_later_delivery_knows_better_than_what_an_earlier_one_wrote_into_the_gap(store: Store) -> None:
    """The store has lost the later claim, and the server that stood still has written before the later one could."""
    await connect(store, "a", "b")
    match = await queued(store)
    slow, quick = server(store, "slow", lease_ms=1), server(store, "quick", lease_ms=1)
    old = await claimed(slow)
    await Writer(slow).write_each(old, "[0]")
    past = Past(store)
    await past.keep()
    await asyncio.sleep(0.01)  # the lease
    new = await claimed(quick)
    await Writer(quick).write_each(new, "[1,1]", "[2,1]")
    await past.come_back()

    assert await slow.restore_many([(old, ["[0]", "[1]"])]) == [""]
    assert await quick.restore_many([(new, ["[0]", "[1,1]", "[2,1]"])]) == [""]
    assert await stored(store, match) == [b"[0]", b"[1,1]", b"[2,1]"]
    assert await slow.restore_many([(old, ["[0]", "[1]"])]) == ["another delivery has begun"]


async def test_what_has_gone_on_while_it_was_written_again_is_kept(store: Store) -> None:
    """The journal's own connection is another one: what it stores meanwhile may come first."""
    await connect(store, "a", "b")
    match = await queued(store)
    queue = server(store)
    claim = await claimed(queue)
    await Writer(queue).write_each(claim, "[0]", "[1]")

    assert await queue.restore_many([(claim, [])]) == [""]
    assert await queue.restore_many([(claim, ["[0]"])]) == [""]
    assert await stored(store, match) == [b"[0]", b"[1]"]


async def test_nothing_is_written_into_a_store_that_was_emptied(store: Store) -> None:
    await connect(store, "a", "b")
    await queued(store)
    queue = server(store)
    claim = await claimed(queue)
    await store.command("FLUSHALL")

    with pytest.raises(StoreUnavailableError, match="does not know this installation any more"):
        await queue.restore_many([(claim, ["[0]"])])

    assert await store.command("KEYS", "*") == []


async def test_many_claims_are_written_again_by_few_calls(store: Store) -> None:
    await connect(store, "a", "b", slots=60)
    past = Past(store)
    await past.keep()
    for _ in range(50):
        await queued(store)
    queue = server(store)
    claims = [claim for _ in range(4) for claim in await queue.claim_many(GAMES, 16) if isinstance(claim, Claim)]
    lines = [f"[{number}]" for number in range(200)]
    await past.come_back()

    assert await queue.restore_many([(claim, lines) for claim in claims]) == [""] * 50
    assert await reserved(store) == {"a/": 50, "b/": 50}
    assert {len(await stored(store, claim.entry)) for claim in claims} == {200}
