"""Join of matches that do not run here now: Over if it has ended, Offer if it runs elsewhere, Notice wait if nowhere,
and no ticket for whoever has none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.doors import Door
from tests.support.patience import PATIENCE
from tests.support.referee import GAME, FakeStream, make_entry
from tests.support.streams import settle

from agon.codec.client import decode_down
from agon.codec.frames import Notice, NoticeKind, Offer, Over, RejectedCode, Start
from agon_engine.core import Deals, MatchRecord, Termination
from agon_engine.core.replay import verify
from agon_engine.registry import get_game
from agon_server.archive.folder import ArchiveError
from agon_server.queue.claim import Dead, Finish, Lease, Phase, Running, Whereabouts
from agon_server.store.errors import StoreError, StoreUnavailableError

OTHER = "0" * 20


def code(stream: FakeStream) -> RejectedCode:
    assert stream.kinds == ["Rejected"]
    found = stream.rejections[0]
    assert isinstance(found, RejectedCode)
    return found


# -- a running match -----------------------------------------------------------------------------------------


async def test_each_seat_is_offered_with_its_own_ticket(door: Door) -> None:
    entry = await door.run()

    assert [(offer.bot, offer.seat, offer.epoch, offer.game, offer.seats) for offer in door.lobby.offers] == [
        ("bot0", 0, 3, GAME, 2),
        ("bot1", 1, 3, GAME, 2),
    ]
    assert [offer.ticket for offer in door.lobby.offers] == [door.tickets.issue(entry.match, seat) for seat in (0, 1)]


async def test_the_ticket_gets_the_seat(door: Door) -> None:
    entry = await door.run()
    stream = await door.join(entry.match, 1)

    assert stream.kinds == ["Start"]
    assert [(frame.match, frame.seat, frame.epoch) for frame in stream.frames] == [(entry.match, 1, 3)]


@pytest.mark.parametrize(
    ("seat", "bot", "ticket"), [(0, "bot0", ""), (0, "bot0", "0" * 32), (0, "bot1", None), (1, "bot0", None)]
)
async def test_without_the_ticket_or_with_another_bots_there_is_no_seat(
    door: Door, seat: int, bot: str, ticket: str | None
) -> None:
    """A ticket is worthless without the bot's token."""
    entry = await door.run()

    assert code(await door.join(entry.match, seat, bot=bot, ticket=ticket)) is RejectedCode.NO_TICKET


@pytest.mark.parametrize("seat", [2, 15, 2**32 - 1])
async def test_a_seat_that_there_is_not_has_no_ticket(door: Door, seat: int) -> None:
    entry = await door.run()

    assert code(await door.join(entry.match, seat, ticket=door.tickets.issue(entry.match, 0))) is RejectedCode.NO_TICKET


# -- a match that is over ------------------------------------------------------------------------------------


async def test_who_comes_back_after_the_end_gets_over(door: Door) -> None:
    """R1."""
    entry, streams = await door.play()
    stream = await door.join(entry.match, 1)

    assert stream.last(Over) == streams[1].last(Over)
    assert stream.last(Over).seed == entry.seed
    assert code(await door.join(entry.match, 1, bot="bot0")) is RejectedCode.NO_TICKET
    verify(MatchRecord.from_line(door.queue.records[entry.match]), get_game(GAME))


async def test_who_comes_back_while_the_result_is_being_stored_gets_over_too(door: Door) -> None:
    """R1: also on a stream that was not there when the match ended."""
    door.queue.may_finish.clear()
    entry, streams = await door.play()
    back = await door.join(entry.match, 1, sequence=3)

    assert back.pieces == []
    assert not any(stream.of(Over) for stream in streams)

    door.queue.may_finish.set()
    await settle()

    assert [stream.kinds[-1] for stream in (streams[0], back)] == ["Over", "Over"]
    assert streams[1].of(Over) == []
    assert back.last(Over).sequence == 3 + len(back.last(Over).events)


async def test_who_is_lost_while_the_result_is_being_stored_gets_all_of_it_later(door: Door) -> None:
    """What it has handled is not known any more."""
    door.queue.may_finish.clear()
    entry, streams = await door.play()
    match = streams[1].matches.pop((entry.match, 1))
    lost: Any = streams[1]
    match.stream_lost(1, lost)
    door.queue.may_finish.set()
    await settle()
    over = (await door.join(entry.match, 1)).last(Over)

    assert over.sequence == len(over.events) > 0


@pytest.mark.parametrize("phase", [Phase.PLAYED, Phase.UNKNOWN])
async def test_a_match_that_ended_elsewhere_or_long_ago_is_over_by_its_record(door: Door, phase: Phase) -> None:
    entry, streams = await door.play(rated=True)
    door.queue.where = Whereabouts(phase)
    await door.referee.stop()
    door.referee = door.new_referee()
    door.start()
    over = (await door.join(entry.match, 1)).last(Over)
    before = streams[1].last(Over)

    assert (over.termination, over.placements, over.scores, over.seats) == (
        before.termination,
        before.placements,
        before.scores,
        before.seats,
    )
    assert (over.rated, over.record_hash, over.seed) == (True, before.record_hash, entry.seed)
    assert code(await door.join(entry.match, 1, bot="bot0")) is RejectedCode.NO_TICKET


async def test_the_seed_of_a_shared_deal_stays_secret_as_long_as_the_deal_is_open(door: Door) -> None:
    door.queue.deal_over = False
    entry, streams = await door.play(deals=Deals.SHARED, block=OTHER, block_size=2)
    door.queue.where = Whereabouts(Phase.PLAYED)
    remembered = await door.join(entry.match, 0)
    await door.referee.stop()
    door.referee = door.new_referee()
    door.start()
    by_record = await door.join(entry.match, 0)

    assert [stream.last(Over).seed for stream in (*streams, remembered, by_record)] == [""] * 4
    for stream in (*streams, remembered, by_record):
        assert entry.seed.encode() not in b"".join(stream.pieces)

    door.queue.deal_over = True

    assert (await door.join(entry.match, 0)).last(Over).seed == entry.seed


async def test_a_match_of_which_no_record_is_kept_is_no_seat_any_more(door: Door) -> None:
    door.queue.where = Whereabouts(Phase.PLAYED)

    assert code(await door.join(OTHER, 0)) is RejectedCode.NO_TICKET


# -- the end of a referee ------------------------------------------------------------------------------------


async def test_a_referee_that_ends_gives_its_running_matches_back(door: Door) -> None:
    """C20: else others would wait for the end of its leases."""
    ended, _ = await door.play()
    running = [(await door.run()).match for _ in range(2)]

    await door.referee.stop()

    assert door.queue.released == running
    assert ended.match not in running
    assert door.referee.running == 0


async def test_a_match_whose_result_is_still_on_its_way_is_given_back_too(door: Door) -> None:
    door.queue.may_finish.clear()
    entry, _ = await door.play()

    await door.referee.stop()

    assert door.queue.released == [entry.match]


@pytest.mark.parametrize("fails", [None, StoreUnavailableError("away"), StoreError("refused")])
async def test_a_store_that_takes_no_matches_back_holds_no_end_up(
    door: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fails: Exception | None
) -> None:
    monkeypatch.setattr("agon_server.referee.referee.RELEASE_SECONDS", 0.01)
    await door.run()
    door.queue.release_fails = fails
    if fails is None:
        door.queue.may_release.clear()

    async with asyncio.timeout(PATIENCE):
        await door.referee.stop()

    assert f"1 matches wait for the end of their leases: {fails or 'no answer'}" in caplog.text


# -- a match that is let go ----------------------------------------------------------------------------------


async def test_what_is_still_said_of_a_match_that_another_referee_has_taken_is_no_offence(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    """Else a bot with many matches on one stream would be put out for a stall of the server."""
    entry = await door.run()
    stream = await door.join(entry.match, 0)
    door.queue.lease = Lease.LOST

    await door.referee._renew()

    assert door.referee.running == 0
    assert stream.matches == {}
    assert door.referee.ended(entry.match)
    assert "is no longer run here: another delivery has begun" in caplog.text


async def test_what_is_still_said_of_a_match_whose_result_was_not_taken_is_no_offence(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    door.queue.finish_status = Finish.FENCED
    entry, streams = await door.play()

    assert door.referee.running == 0
    assert door.referee.ended(entry.match)
    assert all("Over" not in stream.kinds for stream in streams)
    assert "was not taken: fenced" in caplog.text


# -- a match that is elsewhere, or nowhere -------------------------------------------------------------------


async def test_a_match_that_another_process_runs_is_offered_there(door: Door) -> None:
    door.queue.where = Whereabouts(Phase.RUNNING, "there", "10.0.0.2:7000", 4)
    door.queue.running = [
        Running(OTHER, 0, "there", "10.0.0.2:7000", 4, GAME, 3),
        Running(OTHER, 1, "there", "10.0.0.2:7000", 4, GAME, 3),
    ]
    stream = await door.join(OTHER, 1)

    assert stream.last(Offer) == Offer(door.tickets.issue(OTHER, 1), GAME, 3, "10.0.0.2:7000")
    assert [(frame.match, frame.seat, frame.epoch) for frame in stream.frames] == [(OTHER, 1, 4)]


@pytest.mark.parametrize("where", [Whereabouts(Phase.WAITING), Whereabouts(Phase.RUNNING, "here", "", 2)])
async def test_a_match_between_two_referees_has_to_be_waited_for(door: Door, where: Whereabouts) -> None:
    door.queue.where = where
    if where.phase is Phase.RUNNING:
        door.queue.running = [Running(OTHER, 0, "here", "", 2, GAME, 2)]
    notice = (await door.join(OTHER, 0)).last(Notice)

    assert notice.kind is NoticeKind.WAIT


async def test_while_the_store_is_away_a_join_has_to_wait(door: Door) -> None:
    door.queue.away = True

    assert (await door.join(OTHER, 0)).last(Notice).kind is NoticeKind.WAIT

    door.queue.away, door.queue.archive_fails = False, StoreUnavailableError("the store is away")
    door.queue.where = Whereabouts(Phase.PLAYED)

    assert (await door.join(OTHER, 0)).last(Notice).kind is NoticeKind.WAIT


async def test_a_join_is_answered_also_where_the_archive_is_damaged(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    door.queue.archive_fails = ArchiveError("a file of the archive is missing")

    assert (await door.join(OTHER, 0)).last(Notice).kind is NoticeKind.WAIT
    assert caplog.messages[0].startswith(f"a Join of match {OTHER} has no answer now:\nArchiveError\n")


@pytest.mark.parametrize("phase", [Phase.UNKNOWN, Phase.CANCELLED, Phase.DEAD])
async def test_a_match_that_is_nowhere_has_no_seat(door: Door, phase: Phase) -> None:
    door.queue.where = Whereabouts(phase)

    assert code(await door.join(OTHER, 0)) is RejectedCode.NO_TICKET


async def test_a_match_whose_seat_does_not_come_is_told_and_stored_like_any_other(door: Door) -> None:
    """X11, C7."""
    entry = await door.run()
    stream = await door.join(entry.match, 0)
    match = stream.matches[entry.match, 0]
    match.resign(0)
    await settle()
    record = MatchRecord.from_line(door.queue.records[entry.match])

    assert stream.kinds == ["Start", "Over"]
    assert record.result.termination is Termination.NO_SHOW
    assert record.epoch == 3
    assert record.servers == ("there", "here")
    assert stream.of(Start)[0].seed_commitment == record.commitment
    assert door.referee.running == 0


async def test_the_seats_of_a_dead_letter_are_told_that_their_match_is_over(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    entry = make_entry(3)
    door.queue.claims.put_nowait(Dead(entry.match, "tried too often", 6, entry))
    await settle()

    overs = [(bot, frame) for bot, piece in door.lobby.sent for frame in decode_down(piece)]
    assert [(bot, frame.seat) for bot, frame in overs] == [("bot0", 0), ("bot1", 1), ("bot2", 2)]
    for _, frame in overs:
        assert (entry.match, 6) == (frame.match, frame.epoch)
        assert isinstance(frame.body, Over)
        assert Termination.INFRASTRUCTURE is frame.body.termination
        assert not frame.body.rated
    assert ["dead letter" in record.getMessage() for record in caplog.records] == [True]
