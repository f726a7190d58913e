"""Operations on the queue, on a real store: who plays, dead letters, what is set aside, cancelling."""

from __future__ import annotations

import pytest
from tests.support.ladder_store import Ladders
from tests.support.valkey import GAME

from agon.codec import admin, ladder as calls
from agon.codec.ladder import MatchPhase
from agon_server.operations import matches, queue
from agon_server.operations.errors import InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.store import keys
from agon_server.store.errors import UnknownMatchError

LADDER = f"{GAME}-2"


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


async def test_the_public_list_is_bounded_and_says_how_many_there_are(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join("a", "b", slots=10)
    await arena.enqueue("a", "b", ladder="")
    rated = [(await arena.enqueue("a", "b")).match for _ in range(3)]

    told = await queue.list_queue(installation, calls.ListQueueRequest(2))

    assert ([item.match for item in told.matches], told.total) == (rated[:2], 4)


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
    await arena.lead()
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
