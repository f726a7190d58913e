"""Operations on a real store: what is told of matches, ladders, bots and the queue, and what must not be told yet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, score, unrated
from tests.support.valkey import GAME

from agon.codec import admin
from agon.codec import ladder as calls
from agon.codec.ladder import AnswerKind, MatchPhase
from agon_engine.core import Chance
from agon_engine.core.errors import OptionsError
from agon_engine.core.policy import FaultPolicy, OnFault, Termination
from agon_engine.core.record import By, Deals, Fault, FaultKind, MatchRecord, Move
from agon_engine.core.timing import TimeControl
from agon_server.archive.archive import Archive
from agon_server.config import ServerConfig
from agon_server.ladders import definitions
from agon_server.operations import bots, ladders, matches, queue
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.queue.desk import Desk
from agon_server.queue.ids import new_id
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import UnknownMatchError

LADDER = f"{GAME}-2"


@pytest.fixture
def arena(store: Store) -> Ladders:
    return Ladders(store)


@pytest.fixture
def installation(store: Store, arena: Ladders, tmp_path: Path) -> Iterator[Installation]:
    archive = Archive(tmp_path / "records", store, arena.results)
    yield Installation(
        config=ServerConfig(strikes=5, time=TimeControl(move=1_000_000)),
        store=store,
        accounts=arena.accounts,
        presence=arena.presence,
        queue=arena.queue,
        desk=Desk(store),
        results=arena.results,
        archive=archive,
    )
    archive.close()


# -- bots ----------------------------------------------------------------------------------------------------------


async def test_a_bot_is_registered_once_and_its_token_renewed(installation: Installation) -> None:
    first = await bots.register_bot(installation, admin.RegisterBotRequest("hector", "priam"))
    with pytest.raises(ExistsError, match="--renew gives it a new token: 'hector'"):
        await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    second = await bots.register_bot(installation, admin.RegisterBotRequest("hector", renew=True))

    assert await installation.accounts.authenticate(first.token) is None
    known = await installation.accounts.authenticate(second.token)
    assert known is not None
    assert (known.name, known.owner) == ("hector", "priam")


async def test_a_renewal_changes_nothing_else(installation: Installation) -> None:
    with pytest.raises(NotFoundError, match="'hector'"):
        await bots.register_bot(installation, admin.RegisterBotRequest("hector", renew=True))
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    with pytest.raises(InvalidError, match="leave owner and trusted out"):
        await bots.register_bot(installation, admin.RegisterBotRequest("hector", "priam", renew=True))


async def test_bots_are_listed_with_what_their_processes_play(installation: Installation, arena: Ladders) -> None:
    await bots.register_bot(installation, admin.RegisterBotRequest("away", trusted=True))
    await arena.join("hector", slots=3, house=True)

    away, hector = (await bots.list_bots(installation, calls.ListBotsRequest())).bots

    assert (away.name, away.trusted, away.house, away.processes, away.games) == ("away", True, False, 0, ())
    assert (hector.house, hector.processes, hector.slots, hector.games) == (True, 1, 3, (GAME,))
    assert hector.created.endswith("Z")


async def test_a_suspended_bot_learns_why_from_its_own_log_only(installation: Installation) -> None:
    """Requirement C10: suspension with a reason that its owner can read."""
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    await installation.accounts.append_notes("hector", ["a line"])

    await bots.suspend_bot(installation, admin.SuspendBotRequest("hector", " plays for two owners "))
    log = await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))
    listed = (await bots.list_bots(installation, calls.ListBotsRequest())).bots[0]
    await bots.resume_bot(installation, admin.ResumeBotRequest("hector"))
    after = await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))

    assert log == admin.ReadBotLogResponse(("a line",), 0, "plays for two owners")
    assert listed.suspended
    assert after.suspended == ""


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "x" * 201])
async def test_a_reason_is_a_short_line(installation: Installation, reason: str) -> None:
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))

    with pytest.raises(InvalidError, match="a reason is printable text"):
        await bots.suspend_bot(installation, admin.SuspendBotRequest("hector", reason))


async def test_trust_is_given_and_taken(installation: Installation) -> None:
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    for trusted in (True, False):
        await bots.trust_bot(installation, admin.TrustBotRequest("hector", trusted))
        assert (await bots.list_bots(installation, calls.ListBotsRequest())).bots[0].trusted == trusted


async def test_what_nobody_registered_is_not_found(installation: Installation) -> None:
    with pytest.raises(NotFoundError):
        await bots.suspend_bot(installation, admin.SuspendBotRequest("hector", "x"))
    with pytest.raises(NotFoundError):
        await bots.resume_bot(installation, admin.ResumeBotRequest("hector"))
    with pytest.raises(NotFoundError):
        await bots.trust_bot(installation, admin.TrustBotRequest("hector", trusted=True))
    with pytest.raises(NotFoundError):
        await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))
    with pytest.raises(InvalidError, match="count is at most 10000, not 10001"):
        await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector", 10_001))


# -- ladders -------------------------------------------------------------------------------------------------------


async def test_a_ladder_has_the_servers_defaults_for_what_is_left_out(installation: Installation) -> None:
    made = (await ladders.create_ladder(installation, admin.CreateLadderRequest(game=GAME, seats=3))).ladder

    assert (made.name, made.open, made.deals) == (f"{GAME}-3", True, Deals.FRESH)
    assert made.time == TimeControl(move=1_000_000)
    assert made.policy == FaultPolicy(OnFault.SUBSTITUTE, 3, 5)
    assert made.options
    assert (await ladders.list_ladders(installation, calls.ListLaddersRequest())).ladders == (made,)


async def test_a_ladder_is_what_was_asked_for(installation: Installation) -> None:
    policy = admin.PartialFaultPolicy(OnFault.FORFEIT, 1)
    time = admin.PartialTimeControl(bank_us=6)

    made = await ladders.create_ladder(
        installation,
        admin.CreateLadderRequest(name="blitz", game=GAME, seats=2, time=time, policy=policy, deals=Deals.SHARED),
    )

    assert made.ladder.name == "blitz"
    assert made.ladder.time == TimeControl(move=1_000_000, bank=6)
    assert made.ladder.policy == FaultPolicy(OnFault.FORFEIT, 1, 5)
    assert made.ladder.deals is Deals.SHARED


async def test_a_ladder_that_cannot_be_is_refused(installation: Installation) -> None:
    create = admin.CreateLadderRequest
    with pytest.raises(OptionsError, match="unknown game 'chess'"):
        await ladders.create_ladder(installation, create(game="chess", seats=2))
    with pytest.raises(definitions.DefinitionError, match="seats, not 9"):
        await ladders.create_ladder(installation, create(game=GAME, seats=9))
    with pytest.raises(OptionsError, match="has no option 'nonsense'"):
        await ladders.create_ladder(installation, create(game=GAME, seats=2, options={"nonsense": "1"}))
    with pytest.raises(definitions.DefinitionError, match="not 'void'"):
        await ladders.create_ladder(
            installation, create(game=GAME, seats=2, policy=admin.PartialFaultPolicy(OnFault.VOID))
        )
    await ladders.create_ladder(installation, create(game=GAME, seats=2))
    with pytest.raises(ExistsError):
        await ladders.create_ladder(installation, create(game=GAME, seats=2))


async def test_a_closed_ladder_is_listed_as_closed(installation: Installation, arena: Ladders) -> None:
    await arena.catalogue.create(ladder())

    closed = (await ladders.close_ladder(installation, admin.CloseLadderRequest(LADDER))).ladder

    assert not closed.open
    assert (await ladders.list_ladders(installation, calls.ListLaddersRequest(open_only=True))).ladders == ()
    with pytest.raises(NotFoundError, match="not 'none'"):
        await ladders.close_ladder(installation, admin.CloseLadderRequest("none"))


async def played(arena: Ladders, rounds: int = 3) -> None:
    await arena.catalogue.create(ladder())
    await arena.join("a", "b", "c")
    await arena.lead()
    await arena.play_rounds(rounds, by_chance(Chance(bytes(16))))


async def test_standings_are_the_table_with_owners(installation: Installation, arena: Ladders) -> None:
    await played(arena)

    told = (await ladders.get_standings(installation, calls.GetStandingsRequest(LADDER))).standings

    assert told.ladder.name == LADDER
    assert {row.bot: row.owner for row in told.rows} == {"a": "a", "b": "b", "c": "c"}
    assert [row.rank for row in told.rows] == [1, 2, 3]
    assert sum(row.games for row in told.rows) == 2 * told.results > 0
    assert sum(row.rating for row in told.rows) == 3 * 1_500_000
    with pytest.raises(NotFoundError, match="not 'none'"):
        await ladders.get_standings(installation, calls.GetStandingsRequest("none"))


async def test_watching_tells_each_change_once(
    installation: Installation, arena: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladders, "WATCH_SECONDS", 0.001)
    await played(arena)
    watching = ladders.watch_standings(installation, calls.WatchStandingsRequest(LADDER))

    first = (await anext(watching)).standings
    await arena.play_rounds(2, by_chance(Chance(bytes(16))))
    second = (await anext(watching)).standings
    await arena.catalogue.close(LADDER)
    await arena.end(score(1, 2), "a", "b")
    await arena.take()
    third = (await anext(watching)).standings
    await watching.aclose()  # type: ignore[attr-defined]  # an async generator

    assert first.results < second.results < third.results
    assert not third.ladder.open


async def test_audit_and_rebuild_find_nothing_in_a_true_table(installation: Installation, arena: Ladders) -> None:
    """Requirement X4: a recomputation from scratch equals the live table, bit for bit."""
    await played(arena)

    audit = await ladders.audit_ladder(installation, admin.AuditLadderRequest(LADDER))
    rebuild = await ladders.rebuild_ladder(installation, admin.RebuildLadderRequest(LADDER))

    assert audit.findings == rebuild.findings == ()
    assert audit.results == rebuild.results > 0
    with pytest.raises(NotFoundError):
        await ladders.audit_ladder(installation, admin.AuditLadderRequest("none"))
    with pytest.raises(NotFoundError):
        await ladders.rebuild_ladder(installation, admin.RebuildLadderRequest("none"))


async def test_a_table_that_was_touched_is_found_and_made_anew(installation: Installation, arena: Ladders) -> None:
    await played(arena)
    key = keys.STANDING + LADDER
    kept = json.loads(await arena.store.command("HGET", key, "a"))
    await arena.store.command("HSET", key, "a", json.dumps({**kept, "rating": [9_999_000]}))

    audit = await ladders.audit_ladder(installation, admin.AuditLadderRequest(LADDER))
    rebuild = await ladders.rebuild_ladder(installation, admin.RebuildLadderRequest(LADDER))
    again = await ladders.audit_ladder(installation, admin.AuditLadderRequest(LADDER))

    assert any("a" in finding.subject for finding in audit.findings)
    assert rebuild.findings
    assert again.findings == ()


async def test_a_table_that_cannot_be_read_says_what_to_do(installation: Installation, arena: Ladders) -> None:
    await played(arena)
    await arena.store.command("HSET", keys.STANDING + LADDER, "a", "not JSON")

    with pytest.raises(PreconditionError, match=rf"`agon ladder rebuild {LADDER}` makes it anew"):
        await ladders.get_standings(installation, calls.GetStandingsRequest(LADDER))


# -- matches -------------------------------------------------------------------------------------------------------


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


# -- the queue -----------------------------------------------------------------------------------------------------


async def test_the_queue_shows_operators_who_plays(installation: Installation, arena: Ladders) -> None:
    await arena.join("a", "b")
    first = (await arena.enqueue("a", "b")).match
    await arena.claim()
    second = (await arena.enqueue("b", "a")).match

    told = await queue.inspect_queue(installation, admin.InspectQueueRequest())

    assert [(item.match, item.phase, item.bots) for item in told.items] == [
        (first, MatchPhase.RUNNING, ("a", "b")),
        (second, MatchPhase.WAITING, ("b", "a")),
    ]
    assert (told.running, told.waiting, told.dead) == (1, 1, 0)
    assert (told.items[0].owner, told.items[0].epoch) == ("server-1", 1)
    with pytest.raises(InvalidError, match="limit is at most 1000, not 1001"):
        await queue.inspect_queue(installation, admin.InspectQueueRequest(1_001))


async def test_a_dead_letter_is_told_and_played_again(installation: Installation, arena: Ladders) -> None:
    """Requirements X7 and X8: a dead-letter list with reasons, and requeue of one or all."""
    await arena.join("a", "b", slots=1)
    match = (await arena.enqueue("a", "b")).match
    claim = await arena.claim()
    assert claim is not None
    await arena.queue.bury(claim, "cannot be set up")

    letters = (await queue.list_dead_letters(installation, admin.ListDeadLettersRequest())).letters
    told = await matches.get_match(installation, calls.GetMatchRequest(match))
    requeued = await queue.requeue_dead_letters(installation, admin.RequeueDeadLettersRequest(match))

    assert [(item.match, item.reason, item.bots) for item in letters] == [(match, "cannot be set up", ("a", "b"))]
    assert (told.match.phase, told.match.reason) == (MatchPhase.DEAD, "cannot be set up")
    assert len(requeued.matches) == 1
    assert requeued.matches[0] != match
    assert (await queue.list_dead_letters(installation, admin.ListDeadLettersRequest())).letters == ()
    with pytest.raises(UnknownMatchError):
        await queue.requeue_dead_letters(installation, admin.RequeueDeadLettersRequest(match))


async def test_what_is_set_aside_is_told_with_the_dead_letters_and_discarded(
    installation: Installation, arena: Ladders
) -> None:
    await played(arena)
    strange = (await arena.store.command("XADD", keys.RESULTS, "*", "what", "ever")).decode()
    await arena.take()

    told = await queue.list_dead_letters(installation, admin.ListDeadLettersRequest())
    await queue.discard_dead_letter(installation, admin.DiscardDeadLetterRequest(strange))
    after = await queue.list_dead_letters(installation, admin.ListDeadLettersRequest())

    assert [item.id for item in told.set_aside] == [strange]
    assert "no result can be read from it" in told.set_aside[0].reason
    assert after == admin.ListDeadLettersResponse(())
    with pytest.raises(UnknownMatchError, match="no dead letter and no result set aside"):
        await queue.discard_dead_letter(installation, admin.DiscardDeadLetterRequest(strange))


async def test_a_dead_letter_waits_while_a_slot_is_not_free(installation: Installation, arena: Ladders) -> None:
    await arena.join("a", "b", slots=1)
    match = (await arena.enqueue("a", "b")).match
    claim = await arena.claim()
    assert claim is not None
    await arena.queue.bury(claim, "cannot be set up")
    await arena.leave("b")

    one = await queue.requeue_dead_letters(installation, admin.RequeueDeadLettersRequest(match))
    every = await queue.requeue_dead_letters(installation, admin.RequeueDeadLettersRequest())

    assert one == every == admin.RequeueDeadLettersResponse((), (match,))


async def test_a_waiting_match_is_cancelled_at_once_a_running_one_by_its_referee(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join("a", "b")
    waiting = (await arena.enqueue("a", "b")).match
    removed = await queue.cancel_match(installation, admin.CancelMatchRequest(waiting, ""))
    running = (await arena.enqueue("a", "b")).match
    await arena.claim()
    asked = await queue.cancel_match(installation, admin.CancelMatchRequest(running, "the bots have hung up"))

    assert (removed.removed, asked.removed) == (True, False)
    with pytest.raises(NotFoundError):
        await queue.cancel_match(installation, admin.CancelMatchRequest(waiting, ""))
    with pytest.raises(InvalidError, match="a reason is printable text"):
        await queue.cancel_match(installation, admin.CancelMatchRequest(running, "a\nb"))


async def test_there_is_nothing_to_drain_where_no_server_runs(installation: Installation) -> None:
    with pytest.raises(PreconditionError, match="no server runs here"):
        await queue.drain(installation, admin.DrainRequest())
