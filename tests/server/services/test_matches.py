"""Operations on matches and blocks, on a real store: what is told, and what must not be told yet."""

from __future__ import annotations

import pytest
from tests.support.ladder_store import Ladders, score, unrated
from tests.support.valkey import GAME

from agon.codec import ladder as calls
from agon.codec.ladder import AnswerKind, MatchPhase
from agon_engine.core.policy import Termination
from agon_engine.core.record import By, Deals, Fault, FaultKind, MatchRecord, Move
from agon_engine.core.timing import TimeControl
from agon_server.operations import matches, queue
from agon_server.operations.errors import InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.queue.ids import new_id
from agon_server.store import keys

LADDER = f"{GAME}-2"


async def test_a_match_that_waits_or_runs_shows_aliases_and_no_bots(installation: Installation, arena: Ladders) -> None:
    """Requirement M9: seat aliases hide who plays."""
    await arena.join("a", "b")
    match = (await arena.enqueue("a", "b")).match

    waiting = await matches.get_match(installation, calls.GetMatchRequest(match))
    await arena.claim()
    running = await matches.get_match(installation, calls.GetMatchRequest(match))
    listed = await queue.list_queue(installation, calls.ListQueueRequest())

    assert [told.match.phase for told in (waiting, running)] == [MatchPhase.WAITING, MatchPhase.RUNNING]
    for told in (waiting, running):
        assert all(seat.alias and not seat.bot and not seat.owner for seat in told.match.seats)
        assert (told.answers, told.time, told.policy, told.options) == ((), None, None, {})
    assert [item.match for item in listed.matches] == [match]
    assert set(listed.matches[0].aliases) == {seat.alias for seat in running.match.seats}
    with pytest.raises(PreconditionError, match="the match is not over, it is running"):
        await matches.get_record(installation, calls.GetRecordRequest(match))


async def test_a_match_that_runs_is_not_told_by_those_of_its_block_that_are_over(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join("a", "b")
    block = new_id()
    over = (await arena.end(score(1, 2), "a", "b", block=block, block_size=2)).match
    runs = (await arena.enqueue("b", "a", block=block, block_size=2, index=1)).match
    await arena.claim()

    told = [(await matches.get_match(installation, calls.GetMatchRequest(match))).match for match in (over, runs)]

    assert [seat.bot for seat in told[0].seats] == ["a", "b"]
    assert (told[1].block, told[1].index, [seat.bot for seat in told[1].seats]) == ("", 0, ["", ""])


async def test_a_match_that_is_over_is_told_in_full(installation: Installation, arena: Ladders) -> None:
    await arena.join("a", "b")
    match = (await arena.end(score(2, 1), "a", "b")).match

    for _ in range(2):
        told = await matches.get_match(installation, calls.GetMatchRequest(match))
        assert told.match.phase is MatchPhase.PLAYED
        assert [(seat.bot, seat.placement) for seat in told.match.seats] == [("a", 2), ("b", 1)]
        assert told.match.counts
        assert told.servers == ("server-1",)
        record = await matches.get_record(installation, calls.GetRecordRequest(match))
        assert MatchRecord.from_line(record.line).hash() == record.record_hash == told.match.record_hash
        # The second time from the archive alone.
        await installation.archive.drain()
        await arena.store.command("DEL", keys.RESULTS)


async def test_what_never_was_is_not_found(installation: Installation) -> None:
    with pytest.raises(NotFoundError, match="no match is called 'x'"):
        await matches.get_match(installation, calls.GetMatchRequest("x"))
    with pytest.raises(NotFoundError, match="no match is called 'x'"):
        await matches.get_record(installation, calls.GetRecordRequest("x"))
    with pytest.raises(NotFoundError, match="no match of this block is over: 'x'"):
        await matches.get_block(installation, calls.GetBlockRequest("x"))


async def test_a_shared_deals_record_is_secret_until_its_block_is_over(
    installation: Installation, arena: Ladders
) -> None:
    """Nobody sees a shared deal's record before its block is over, since the deal is still to be played."""
    await arena.join("a", "b")
    shared = {"block": new_id(), "block_size": 2, "deals": Deals.SHARED, "seed": "0123456789abcdef" * 2}
    first = (await arena.end(score(1, 2), "a", "b", index=0, **shared)).match

    told = await matches.get_match(installation, calls.GetMatchRequest(first))
    with pytest.raises(PreconditionError, match="other matches with the same deal are left to play"):
        await matches.get_record(installation, calls.GetRecordRequest(first))
    await arena.end(score(1, 2), "b", "a", index=1, **shared)
    after = await matches.get_record(installation, calls.GetRecordRequest(first))

    assert (told.answers, told.match.phase) == ((), MatchPhase.PLAYED)
    assert "0123456789abcdef" not in repr(told)
    assert "0123456789abcdef" in after.line


async def test_matches_are_listed_in_pages_across_archive_and_stream(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join("a", "b", "c")
    made = []
    for number in range(9):
        pair = ("a", "b") if number % 3 else ("a", "c")
        made.append((await arena.end(score(1, 2), *pair)).match)
        if number == 5:
            await installation.archive.drain()
    made.reverse()

    async def listed(**asked: str) -> list[str]:
        seen: list[str] = []
        token = ""
        while True:
            page = await matches.list_matches(
                installation, calls.ListMatchesRequest(page_size=2, page_token=token, **asked)
            )
            assert len(page.matches) <= 2
            seen += [item.match for item in page.matches]
            token = page.next_page_token
            if not token:
                return seen

    assert await listed() == made
    assert await listed(bot="c") == made[2::3]
    assert await listed(bot="b", ladder=LADDER) == [item for at, item in enumerate(made) if at % 3 != 2]
    assert await listed(ladder="none") == await listed(bot="none") == []


@pytest.mark.parametrize("token", ["x", "1", "1-", "-1", "1-1-1", "١-١", "1-1\n"])
async def test_a_page_token_that_was_never_given_is_refused(installation: Installation, token: str) -> None:
    with pytest.raises(InvalidError, match="page_token is that of the page before"):
        await matches.list_matches(installation, calls.ListMatchesRequest(page_token=token))


async def test_a_block_has_its_matches_the_repeated_ones_too(installation: Installation, arena: Ladders) -> None:
    await arena.join("a", "b")
    block = new_id()
    made = [(await arena.end(unrated(2), "a", "b", block=block, block_size=2)).match]
    made.append((await arena.end(score(1, 2), "a", "b", block=block, block_size=2, attempt=1)).match)
    await installation.archive.drain()
    made.append((await arena.enqueue("b", "a", block=block, block_size=2, index=1)).match)
    claim = await arena.claim()
    assert claim is not None
    with pytest.raises(PreconditionError, match="a block is shown when all its matches are over"):
        await matches.get_block(installation, calls.GetBlockRequest(block))
    await arena.finish(claim, score(1, 2))

    told = await matches.get_block(installation, calls.GetBlockRequest(block))

    assert (told.block, told.ladder, told.deals) == (block, LADDER, Deals.FRESH)
    assert [item.match for item in told.matches] == made
    assert [item.counts for item in told.matches] == [False, True, True]


def test_the_time_account_adds_up_by_the_formula() -> None:
    """With move 2 s and bank 30 s an answer charged 2.5 s leaves 29.5 s; a substitute costs nothing."""
    time = TimeControl(move=2_000_000, bank=30_000_000, increment=1_000)
    rows = matches.time_account_of(
        time,
        2,
        moves=(
            Move(0, "one", By.SEAT, 2_500_000, 2_600_000, 100_000, 5, 7, False, 1),
            Move(1, "two", By.SEAT, 10, 10, 0, 0, 0, False, 2),
            Move(0, "three", By.SUBSTITUTE),
        ),
        faults=(
            Fault(2, 0, FaultKind.STRIKE, Termination.TIMEOUT, 31_501_000, 31_800_000, 0, 5, 0, True, 0),
            Fault(3, 0, FaultKind.FALL, Termination.TIMEOUT),
        ),
    )

    assert [(row.number, row.seat, row.kind, row.bank_us) for row in rows] == [
        (0, 0, AnswerKind.SEAT, 29_501_000),
        (1, 1, AnswerKind.SEAT, 30_001_000),
        (2, 0, AnswerKind.STRIKE, 1_000),
        (2, 0, AnswerKind.SUBSTITUTE, 1_000),
        (3, 0, AnswerKind.FALL, 1_000),
    ]
    assert (rows[0].charge_us, rows[0].host_us, rows[0].latency_us, rows[0].thought_us) == (2_500_000, 100_000, 5, 7)
    assert (rows[2].late, rows[2].termination) == (True, Termination.TIMEOUT)
