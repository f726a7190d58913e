"""The referee around its matches: what it does with journals that it is given, what it writes again after a restart of
the store, and when it believes that a result is kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.doors import Door
from tests.support.referee import Bench, make_entry
from tests.support.streams import settle

from agon.codec.client import decode_down
from agon.codec.frames import Over
from agon_engine.core import Termination
from agon_server.queue.claim import Dead, Finish, Lease
from agon_server.store.state import Back


def played(decisions: int) -> Bench:
    bench = Bench(2).begin()
    bench.play(decisions)
    return bench


# -- journals ------------------------------------------------------------------------------------------------


async def test_a_match_with_a_journal_goes_on_and_its_seats_are_offered(door: Door) -> None:
    bench = played(7)
    entry = await door.run(entry=bench.entry, journal=bench.journal.lines)
    seat = bench.to_act
    stream = await door.join(entry.match, seat)

    assert [(offer.seat, offer.epoch) for offer in door.lobby.offers[:2]] == [(0, 3), (1, 3)]
    assert stream.kinds == ["Start", "Decide"]
    assert [frame.epoch for frame in stream.frames] == [3, 3]


async def test_a_journal_is_not_kept_twice(door: Door) -> None:
    bench = played(7)
    entry = await door.run(entry=bench.entry, journal=bench.journal.lines)
    match, claim = door.referee._running[entry.match]

    assert [line.encode() for line in match.lines] == bench.journal.lines
    assert claim.journal == ()


async def test_a_match_that_was_over_in_its_journal_is_stored_at_once_with_all_its_servers(door: Door) -> None:
    bench = played(0)
    bench.play_out()
    entry = await door.run(entry=bench.entry, journal=bench.journal.lines)
    record = await door.queue.find_record(entry.match)

    assert record is not None
    assert (record.moves, record.result) == (bench.record().moves, bench.record().result)
    assert (record.epoch, record.servers) == (3, ("there", "here"))
    assert door.referee.running == 0


async def test_a_broken_journal_is_a_dead_letter_its_seats_are_told_and_others_play_on(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    bench = played(7)
    lines = bench.journal.lines
    entry = await door.run(entry=bench.entry, journal=[*lines[:3], *lines[4:]])
    other = await door.run()
    told = [(bot, body) for bot, piece in door.lobby.sent for body in [decode_down(piece)[0].body]]

    reason = "its journal cannot be followed: entry 3 has another number: '4'"
    assert door.queue.buried == {entry.match: reason}
    assert f"match {entry.match} is a dead letter: {reason}" in caplog.text
    assert [bot for bot, body in told if isinstance(body, Over)] == ["bot0", "bot1"]
    assert {body.termination for _, body in told if isinstance(body, Over)} == {Termination.INFRASTRUCTURE}
    assert door.referee.running == 1
    assert (await door.join(other.match, 0)).kinds == ["Start"]


@pytest.mark.parametrize("is_kept", [True, False])
async def test_the_seats_of_a_dead_letter_are_told_once_it_is_on_disk(
    door: Door, monkeypatch: pytest.MonkeyPatch, is_kept: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that was killed before may have lost it, and the match is delivered once more."""
    on_disk = asyncio.Event()
    asked: list[tuple[str, str]] = []

    async def wait(match: str, record_hash: str) -> bool:
        asked.append((match, record_hash))
        await on_disk.wait()
        return is_kept

    monkeypatch.setattr(door.queue, "is_kept", wait)
    entry = make_entry(2)
    door.queue.claims.put_nowait(Dead(entry.match, "delivered 5 times without progress", 5, entry))
    await settle()

    assert asked == [(entry.match, "-")]
    assert door.lobby.sent == []

    on_disk.set()
    await settle()

    assert [bot for bot, _ in door.lobby.sent] == (["bot0", "bot1"] if is_kept else [])
    assert "is a dead letter" in caplog.text


async def test_an_own_later_delivery_takes_the_place_of_the_earlier_one(door: Door) -> None:
    """After a stall longer than the lease: what the earlier one has not stored has never been."""
    bench = played(7)
    entry = await door.run(entry=bench.entry, journal=bench.journal.lines)
    old = await door.join(entry.match, bench.to_act)
    bench.play(2)
    await door.run(entry=bench.entry, journal=bench.journal.lines)
    new = await door.join(entry.match, bench.to_act)

    assert old.matches == {}
    assert new.kinds == ["Start", "Decide"]
    assert door.referee.running == 1


async def test_a_match_that_is_being_offered_is_not_given_back_by_a_server_that_drains(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    waits = asyncio.Event()

    async def slow(_offer: object) -> None:
        waits.set()
        await gate.wait()

    monkeypatch.setattr(door.lobby, "offer", slow)
    first = await door.run()
    await waits.wait()
    draining = asyncio.create_task(door.referee.drain())
    await settle()

    assert door.queue.released == []  # it is set up, and runs
    assert door.referee.running == 1

    draining.cancel()
    await asyncio.gather(draining, return_exceptions=True)
    await door.referee.stop()

    assert door.queue.released == [first.match]


# -- a store that was started again --------------------------------------------------------------------------


async def test_what_runs_is_written_again_before_anything_else(door: Door) -> None:
    door.queue.lost = ""
    bench = played(7)
    entry = await door.run(entry=bench.entry, journal=bench.journal.lines)
    other = await door.run()
    await door.referee.store_back(Back.RESTARTED)

    assert door.queue.restored == [(entry.match, 8, True), (other.match, 0, True)]
    assert door.referee.running == 2


async def test_what_is_anothers_after_a_restart_is_let_go_without_a_word(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    entry = await door.run()
    stream = await door.join(entry.match, 0)
    heard = len(stream.pieces)
    await door.referee.store_back(Back.RESTARTED)

    assert door.referee.running == 0
    assert stream.matches == {}
    assert len(stream.pieces) == heard
    assert f"match {entry.match} is no longer run here: another delivery has begun" in caplog.text


async def test_a_store_that_is_the_same_as_before_needs_nothing(door: Door) -> None:
    await door.run()
    await door.referee.store_back(Back.SAME)

    assert door.queue.restored == []


async def test_after_a_restart_nothing_is_claimed_before_others_have_written_theirs(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agon_server.referee.referee.SETTLE_SECONDS", 3_600)
    door.queue.lost = ""
    await door.run()
    await door.referee.store_back(Back.RESTARTED)
    await door.run()  # the call that was under way
    await door.run()

    assert door.referee.running == 2
    assert door.queue.claims.qsize() == 1


async def test_of_a_store_that_was_emptied_nothing_is_given_back(door: Door) -> None:
    await door.run()
    await door.referee.store_back(Back.EMPTIED)
    await door.referee.stop()

    assert door.queue.restored == []
    assert door.queue.released == []


@pytest.mark.parametrize("what", ["the lease", "an entry"])
async def test_a_match_that_the_store_does_not_know_as_ours_is_asked_about_and_goes_on_where_it_is(
    door: Door, what: str
) -> None:
    """The store has lost it, and that nobody has noticed yet."""
    door.queue.lost = ""
    bench = played(7)
    entry = await door.run(entry=bench.entry, journal=bench.journal.lines)
    stream = await door.join(entry.match, bench.to_act)
    if what == "the lease":
        door.queue.lease = Lease.LOST
        await door.referee._renew()
    else:
        door.queue.line.answers = [[-1]]
        stream.matches[entry.match, bench.to_act].resign(bench.to_act)
        await settle()

    assert door.queue.restored == [(entry.match, 8 + (what == "an entry"), False)]
    assert door.referee.running == (what == "the lease")  # resigned, it is over


# -- results -------------------------------------------------------------------------------------------------


async def test_a_result_that_the_store_has_lost_is_stored_again_before_anybody_is_told(door: Door) -> None:
    door.queue.losses = [False, False]
    _, streams = await door.play()

    assert len(door.queue.finishes) == 3
    assert len(set(door.queue.finishes)) == 1
    assert [len(stream.of(Over)) for stream in streams] == [1, 1]


async def test_a_result_of_which_the_store_has_lost_the_claim_is_stored_once_that_is_written_again(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agon_server.referee.ending.RETRY_SECONDS", 0)
    door.queue.finish_status = Finish.FENCED
    restored = door.queue.restore_many

    async def restore_many(claims: Any, **early: Any) -> list[str]:
        door.queue.finish_status = Finish.DONE
        return await restored(claims, **early)

    door.queue.lost = ""
    monkeypatch.setattr(door.queue, "restore_many", restore_many)
    entry, streams = await door.play()

    assert door.queue.restored == [(entry.match, 2, False)]
    assert len(door.queue.finishes) == 2
    assert [len(stream.of(Over)) for stream in streams] == [1, 1]


async def test_nobody_is_told_of_an_end_that_is_not_on_disk(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    on_disk = asyncio.Event()

    async def is_kept(_match: str, _hash: str) -> bool:
        await on_disk.wait()
        return True

    monkeypatch.setattr(door.queue, "is_kept", is_kept)
    _, streams = await door.play()

    assert len(door.queue.finishes) == 1
    assert [stream.of(Over) for stream in streams] == [[], []]

    on_disk.set()
    await settle()

    assert [len(stream.of(Over)) for stream in streams] == [1, 1]
