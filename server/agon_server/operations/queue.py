"""What is done with the queue: look at it, requeue dead letters, cancel matches, let the server end."""

from __future__ import annotations

from agon.codec import admin, ladder
from agon_server.operations.errors import InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.reasons import check_reason
from agon_server.operations.times import rfc3339
from agon_server.queue.claim import Cancelled, Listed
from agon_server.referee.aliases import aliases_for

LISTED = 100
"""What is listed by default, and all that is told to the public."""
MAX_LISTED = 1_000


async def list_queue(installation: Installation, request: ladder.ListQueueRequest) -> ladder.ListQueueResponse:
    """List the rated matches that wait or run, by alias: who plays is not told before they are over."""
    limit = min(request.limit or LISTED, LISTED)
    depth = await installation.desk.depth()
    matches = tuple(
        ladder.QueuedMatch(
            match=item.match,
            phase=ladder.MatchPhase(item.phase.value),
            game=item.game,
            ladder=item.ladder,
            aliases=tuple(aliases_for(item.match, len(item.bots))),
            age_ms=item.age_ms,
            moves=item.progress,
        )
        for item in await installation.desk.ls(limit, of_ladders=True)
    )
    return ladder.ListQueueResponse(matches, depth.waiting + depth.running)


async def inspect_queue(installation: Installation, request: admin.InspectQueueRequest) -> admin.InspectQueueResponse:
    """List what is in the queue, with the bots that play."""
    items = await installation.desk.ls(_limit(request.limit))
    depth = await installation.desk.depth()
    return admin.InspectQueueResponse(
        items=tuple(_item(item) for item in items),
        waiting=depth.waiting,
        running=depth.running,
        dead=depth.dead,
        oldest_ms=depth.oldest_ms,
    )


async def list_dead_letters(
    installation: Installation, _: admin.ListDeadLettersRequest
) -> admin.ListDeadLettersResponse:
    """List the matches that nobody could play, and the results that no ladder could take."""
    letters = []
    for letter in await installation.desk.dead():
        entry = letter.entry
        letters.append(
            admin.DeadLetter(
                match=letter.match,
                reason=letter.reason,
                when=rfc3339(letter.when),
                epoch=letter.epoch,
                game=entry.game if entry is not None else "",
                ladder=entry.ladder if entry is not None else "",
                bots=tuple(seat.bot for seat in entry.seats) if entry is not None else (),
            )
        )
    aside = [
        admin.SetAside(item.id, item.match, item.ladder, item.reason) for item in await installation.desk.set_aside()
    ]
    return admin.ListDeadLettersResponse(tuple(letters), tuple(aside), *await installation.desk.dropped())


async def discard_dead_letter(
    installation: Installation, request: admin.DiscardDeadLetterRequest
) -> admin.DiscardDeadLetterResponse:
    """Throw away one dead letter, or the note of one result that is set aside."""
    await installation.desk.discard(request.id)
    return admin.DiscardDeadLetterResponse()


async def requeue_dead_letters(
    installation: Installation, request: admin.RequeueDeadLettersRequest
) -> admin.RequeueDeadLettersResponse:
    """Play one dead letter, or all, as new matches."""
    if not request.match:
        matches, kept = await installation.desk.requeue_all()
        return admin.RequeueDeadLettersResponse(tuple(matches), tuple(kept))

    match = await installation.desk.requeue(request.match)
    if match is None:
        return admin.RequeueDeadLettersResponse((), (request.match,))
    return admin.RequeueDeadLettersResponse((match,), ())


async def cancel_match(installation: Installation, request: admin.CancelMatchRequest) -> admin.CancelMatchResponse:
    """End a match unrated."""
    reason = check_reason(request.reason) or "cancelled by the organiser"
    became = await installation.desk.cancel(request.match, reason)
    if became is Cancelled.UNKNOWN:
        raise NotFoundError(f"no match that waits or runs is called {request.match!r}")
    return admin.CancelMatchResponse(removed=became is Cancelled.REMOVED)


async def drain(installation: Installation, _: admin.DrainRequest) -> admin.DrainResponse:
    """Let the server end when its running matches have."""
    if installation.drain is None:
        raise PreconditionError("no server runs here, so there is none to drain")

    return admin.DrainResponse(installation.drain())


def _limit(given: int) -> int:
    if given > MAX_LISTED:
        raise InvalidError(f"limit is at most {MAX_LISTED}, not {given!r}")

    return given or LISTED


def _item(item: Listed) -> admin.QueueItem:
    return admin.QueueItem(
        match=item.match,
        phase=ladder.MatchPhase(item.phase.value),
        game=item.game,
        version=item.version,
        ladder=item.ladder,
        block=item.block,
        index=item.index,
        attempt=item.attempt,
        bots=item.bots,
        age_ms=item.age_ms,
        owner=item.owner,
        epoch=item.epoch,
        deliveries=item.deliveries,
        progress=item.progress,
        idle_ms=item.idle_ms,
    )
