"""Pairing on a real store: bots that go, ladders that are closed, restarts at any point, and what goes wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.support.fairness import verify_schedule
from tests.support.ladder_store import (
    Ladders,
    first_wins,
    opened,
    schedule,
    score,
    stored_blocks,
)

from agon_engine.core.record import Deals
from agon_server.ladders.pairing import ABSENT_MS
from agon_server.queue.entry import MatchEntry
from agon_server.queue.queue import Queue
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError, StoreUnavailableError


async def test_a_block_waits_for_a_bot_that_went_offline_and_goes_on_with_it(ladders: Ladders) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)
    (first,) = await ladders.play_rounds(1, first_wins)
    await ladders.leave("b")
    await ladders.join("c", slots=1)

    meanwhile = await ladders.play_rounds(2, first_wins)
    assert {seat.bot for match in meanwhile for seat in match.seats} == {"a", "c"}
    await ladders.come_back("b", slots=1)
    (second,) = await ladders.play_rounds(1, first_wins)

    assert (second.block, second.index) == (first.block, 1)


async def test_a_block_is_given_up_when_a_bot_stays_away(ladders: Ladders, caplog: pytest.LogCaptureFixture) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)
    await ladders.play_rounds(1, first_wins)
    await ladders.leave("b")

    await ladders.pairing.round()
    assert ladders.pairing.due_in() == ABSENT_MS
    ladders.now += ABSENT_MS - 1
    await ladders.pairing.round()
    assert len(ladders.pairing.blocks) == 1
    ladders.now += 1
    await ladders.pairing.round()

    assert ladders.pairing.blocks == ()
    assert await stored_blocks(ladders) == 0
    assert "b was away for 10 minutes" in caplog.text
    assert ladders.pairing.due_in() is None


async def test_a_suspended_bot_and_one_without_slots_are_absent(ladders: Ladders) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", "c", slots=1)
    await ladders.accounts.suspend("a", "rest")
    await ladders.presence.set_slots("b", "", "b", 0)

    assert await ladders.play_rounds(2, first_wins) == []

    await ladders.accounts.resume("a")
    ladders.now += 5_000
    assert len(await ladders.play_rounds(1, first_wins)) == 1


async def test_closing_a_ladder_ends_its_blocks_but_not_its_running_matches(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)
    await ladders.pairing.round()
    (running,) = await ladders.claim_all()

    await ladders.catalogue.close("ephyran-2")
    await ladders.pairing.round()
    assert len(ladders.pairing.blocks) == 1
    await ladders.finish(running, score(1, 2))
    await ladders.take()
    await ladders.pairing.round()

    assert ladders.pairing.blocks == ()
    assert await ladders.claim_all() == []
    assert (await ladders.fold.state("ephyran-2")).results == 1
    assert "its ladder was closed" in caplog.text


async def test_only_the_newest_leader_opens_the_deal_of_a_block_that_is_given_up(
    ladders: Ladders, store: Store
) -> None:
    """H5: to one that was only slow the block may look given up while another one goes on with it."""
    await opened(ladders, 2, deals=Deals.SHARED)
    await ladders.join("a", "b", trusted=True, slots=1)
    (first,) = await ladders.play_rounds(1, first_wins)
    newer = Ladders(store)
    await newer.lead()
    await ladders.catalogue.close("ephyran-2")

    with pytest.raises(FencedError):
        await ladders.pairing.round()
    assert await ladders.queue.deal_is_open(first.block)

    await newer.pairing.round()
    assert not await ladders.queue.deal_is_open(first.block)


# -- restarts --------------------------------------------------------------------------------------------------


async def test_open_blocks_are_finished_after_a_restart(ladders: Ladders, store: Store) -> None:
    """R11, R13, R15."""
    await opened(ladders, 3)
    await ladders.join("a", "b", "c", slots=1)
    before = await ladders.play_rounds(1, first_wins)
    await ladders.pairing.round()

    again = Ladders(store)
    await again.lead()
    after = await again.play_rounds(2, first_wins)

    assert [match.index for match in before + after] == [0, 1, 2]
    assert len({match.block for match in before + after}) == 1
    assert again.pairing.blocks == ()


class DyingQueue(Queue):
    """A queue whose process dies at one of the matches that it queues: before that is sent, or before it answers."""

    dies_at, answered, calls = 0, False, 0

    async def enqueue_many(self, entries: Sequence[MatchEntry], *, token: int | None = None) -> list[str]:
        found: list[str] = []
        for entry in entries:
            self.calls += 1
            if self.calls == self.dies_at and not self.answered:
                raise StoreUnavailableError("died before the call")
            found += await super().enqueue_many([entry], token=token)
            if self.calls == self.dies_at:
                raise StoreUnavailableError("died after the call")
        return found


@pytest.mark.parametrize("answered", [False, True])
@pytest.mark.parametrize("dies_at", [1, 2, 3])
async def test_dying_while_matches_are_queued_plays_each_place_once(
    ladders: Ladders, store: Store, dies_at: int, *, answered: bool
) -> None:
    """R11, X12: a block is stored before its matches are queued, and the queue knows each place."""
    await opened(ladders, 3)
    await ladders.join("a", "b", "c", slots=3)
    queue = DyingQueue(store, server="server-1")
    queue.dies_at, queue.answered = dies_at, answered
    ladders.pairing._queue = queue
    with pytest.raises(StoreUnavailableError):
        await ladders.pairing.round()

    again = Ladders(store)
    await again.lead()
    played = await again.play_rounds(3, first_wins)

    first = [match for match in played if match.block == played[0].block]
    assert sorted(match.index for match in first) == [0, 1, 2]
    assert all(match.attempt == 0 for match in played)
    assert verify_schedule(schedule(played)) == []
    assert (await again.auditor.audit("ephyran-3")).findings == ()


# -- one ladder that goes wrong --------------------------------------------------------------------------------


async def test_a_ladder_that_goes_wrong_does_not_stop_the_others(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    """X15: its table cannot be read, another one's definition cannot, and a third one's block cannot."""
    await opened(ladders, 2, 3, 4)
    await ladders.store.command("HSET", keys.STANDING + "ephyran-2", "a", "{}")
    await ladders.store.command("HSET", keys.LADDERS, "ephyran-3", "{}")
    await ladders.store.command("HSET", keys.OPEN_BLOCKS + "ephyran-4", "x", "{}")
    await ladders.join("a", "b", "c", "d", slots=1)
    await ladders.lead()

    played = await ladders.play_rounds(2, first_wins)

    assert {match.ladder for match in played} == {"ephyran-4"}
    for text in ("ladder ephyran-2 is not paired", "ladder 'ephyran-3' is left out", "block x of ladder ephyran-4"):
        assert text in caplog.text
