"""What strangers may ask for: nothing holds up the loop that plays, and nothing tells who sits where before the end."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, score
from tests.support.valkey import GAME

from agon.codec import ladder as calls
from agon.codec.ladder import MatchPhase
from agon_engine.core import Chance
from agon_engine.core.record import MatchRecord
from agon_server.operations import finding, matches, queue
from agon_server.operations.errors import NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.queue.claim import Claim
from agon_server.queue.desk import Desk
from agon_server.queue.ids import new_id
from agon_server.queue.results import Result
from agon_server.store import keys

LADDER = f"{GAME}-2"


# -- the loop that plays -------------------------------------------------------------------------------------------


async def test_records_are_read_in_the_background_alone(
    installation: Installation, arena: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing longer than 5 ms runs on a loop that plays, and a record takes half of it."""
    await arena.join("a", "b")
    block = new_id()
    match = (await arena.end(score(1, 2), "a", "b", block=block, block_size=1)).match
    threads: set[str] = set()
    from_line, match_of = MatchRecord.from_line, matches.match_of

    def read(line: str) -> MatchRecord:
        threads.add(threading.current_thread().name)
        return from_line(line)

    def tell(result: Result, *purges: Any) -> calls.Match:
        threads.add(threading.current_thread().name)
        return match_of(result, *purges)

    monkeypatch.setattr(MatchRecord, "from_line", read)
    monkeypatch.setattr(matches, "match_of", tell)

    await matches.get_match(installation, calls.GetMatchRequest(match))
    await matches.get_record(installation, calls.GetRecordRequest(match))
    await matches.get_block(installation, calls.GetBlockRequest(block))
    await matches.list_matches(installation, calls.ListMatchesRequest(bot="a"))
    record = await finding.find_record(installation, match)

    assert record is not None
    assert record.match == match
    assert len(threads) == 1
    assert threads != {threading.current_thread().name}


async def test_a_page_has_at_most_a_hundred_matches(installation: Installation, arena: Ladders) -> None:
    await arena.join("a", "b")
    for _ in range(matches.MAX_PAGE + 1):
        await arena.end(score(1, 2), "a", "b")

    page = await matches.list_matches(installation, calls.ListMatchesRequest(page_size=100_000))
    rest = await matches.list_matches(installation, calls.ListMatchesRequest(page_token=page.next_page_token))

    assert (len(page.matches), len(rest.matches), rest.next_page_token) == (matches.MAX_PAGE, 1, "")


async def test_however_much_is_not_archived_a_call_looks_at_some_and_no_match_is_passed_over(
    installation: Installation, arena: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "RECENT", 2)
    monkeypatch.setattr(matches, "MAX_RECENT", 4)
    await arena.join("a", "b", "c")
    made = [(await arena.end(score(1, 2), "a", "c" if number in (0, 8) else "b")).match for number in range(9)]
    found: list[str] = []
    pages, token = 0, ""
    while True:
        page = await matches.list_matches(installation, calls.ListMatchesRequest(bot="c", page_token=token))
        found += [item.match for item in page.matches]
        pages, token = pages + 1, page.next_page_token
        if not token:
            break

    assert found == [made[8], made[0]]
    assert pages == 3


async def test_a_match_is_looked_up_by_its_own_key(
    installation: Installation, arena: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: Any) -> Any:
        raise AssertionError("the whole queue was read")

    monkeypatch.setattr(Desk, "ls", never)
    monkeypatch.setattr(Desk, "dead", never)
    await arena.join("a", "b")
    match = (await arena.enqueue("a", "b")).match

    told = await matches.get_match(installation, calls.GetMatchRequest(match))

    assert told.match.phase is MatchPhase.WAITING
    with pytest.raises(NotFoundError):
        await matches.get_match(installation, calls.GetMatchRequest("x"))


async def test_a_damaged_record_spoils_no_list(installation: Installation, arena: Ladders) -> None:
    await arena.join("a", "b")
    good = (await arena.end(score(1, 2), "a", "b")).match
    bad = (await arena.enqueue("a", "b")).match
    claim = await arena.claim()
    assert claim is not None
    await arena.queue.finish(claim, record="no record", record_hash="0", result=score(1, 2))

    listed = (await matches.list_matches(installation, calls.ListMatchesRequest())).matches

    assert [item.match for item in listed] == [bad, good]
    assert listed[0].reason.startswith("its record cannot be read")
    assert await finding.find_record(installation, bad) is None
    with pytest.raises(PreconditionError, match="the record of the match cannot be read"):
        await matches.get_match(installation, calls.GetMatchRequest(bad))


# -- who sits where ------------------------------------------------------------------------------------------------


async def told_of(installation: Installation, match: str) -> bytes:
    """Return all that public calls say of a match that is not over."""
    one = await matches.get_match(installation, calls.GetMatchRequest(match))
    listed = await queue.list_queue(installation, calls.ListQueueRequest())
    assert (one.match.block, one.match.index) == ("", 0)
    return calls.GET_MATCH.response.encode(one) + calls.LIST_QUEUE.response.encode(listed)


async def test_no_public_call_tells_a_running_matchs_block_or_a_running_blocks_bots(
    installation: Installation, arena: Ladders
) -> None:
    """Requirement M9: seat aliases hide identity, though the seats of a block only rotate."""
    await arena.catalogue.create(ladder())
    await arena.join("hector", "achilles", slots=1)
    await arena.lead()
    while await arena.pairing.round():
        pass
    first = await arena.claim()
    assert isinstance(first, Claim)
    block = first.entry.block
    before = await told_of(installation, first.entry.match)
    with pytest.raises(NotFoundError):
        await matches.get_block(installation, calls.GetBlockRequest(block))
    await arena.finish(first, score(1, 2))

    # Between two places: no match of the block waits or runs.
    with pytest.raises(PreconditionError, match="a block is shown when all its matches are over"):
        await matches.get_block(installation, calls.GetBlockRequest(block))
    await arena.take()
    while await arena.pairing.round():
        pass
    second = await arena.claim()
    assert isinstance(second, Claim)
    assert (second.entry.block, second.entry.index) == (block, 1)
    after = await told_of(installation, second.entry.match)
    with pytest.raises(PreconditionError):
        await matches.get_block(installation, calls.GetBlockRequest(block))

    for told in (before, after):
        assert not any(secret.encode() in told for secret in (block, "hector", "achilles"))
    await arena.finish(second, score(1, 2))
    await arena.take()
    over = await matches.get_block(installation, calls.GetBlockRequest(block))
    assert [item.match for item in over.matches] == [first.entry.match, second.entry.match]


async def test_a_block_that_was_given_up_stays_closed_while_one_of_its_matches_runs(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join("a", "b")
    block = new_id()
    await arena.end(score(1, 2), "a", "b", block=block, block_size=2)
    await arena.enqueue("b", "a", block=block, block_size=2, index=1)
    assert not await arena.store.command("EXISTS", keys.OPEN_BLOCKS + LADDER)

    with pytest.raises(PreconditionError):
        await matches.get_block(installation, calls.GetBlockRequest(block))
    await arena.play(by_chance(Chance(bytes(16))))
    assert len((await matches.get_block(installation, calls.GetBlockRequest(block))).matches) == 2
