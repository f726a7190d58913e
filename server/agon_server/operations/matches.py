"""What is told of matches and blocks: who played, how it ended, who used how much time, and the record.

What a match must not tell before it is over is left out here: bots while it waits or runs, and with a shared deal
everything that could show the deal until the block is over.

A match that is over tells its bots while others of its block still run. With fresh deals its record is public by then,
which names them, and the live table moves for just these bots; nothing hidden in a match that runs follows from it. So
that it is not told which running match is of the same block, those name neither block nor place.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from agon.codec import ladder
from agon.codec.ladder import Answer, AnswerKind, Match, MatchPhase, MatchSeat
from agon_engine.core.errors import RecordError
from agon_engine.core.options import option_text
from agon_engine.core.policy import RATED_TERMINATIONS, Termination
from agon_engine.core.record import By, Deals, Fault, FaultKind, MatchRecord, Move
from agon_engine.core.timing import TimeControl
from agon_ladder.errors import ResultError
from agon_ladder.rulings import Purge, purged_by, standing
from agon_server.operations.errors import InvalidError, NotFoundError, PreconditionError
from agon_server.operations.finding import find_result, results_of_block
from agon_server.operations.installation import Installation
from agon_server.operations.times import rfc3339
from agon_server.queue.claim import Listed
from agon_server.queue.reading import read_result
from agon_server.queue.record_line import read_parts
from agon_server.queue.results import Result, order
from agon_server.queue.rulings import Rulings
from agon_server.referee.aliases import aliases_for

PAGE = 50
MAX_PAGE = 100
RECENT = 50
"""Results that are not archived yet, read at a time: a few milliseconds of the loop."""
MAX_RECENT = 500
"""How many of them a page looks at. There are more only where the archive cannot be written; then pages are shorter."""


async def get_match(installation: Installation, request: ladder.GetMatchRequest) -> ladder.GetMatchResponse:
    """Return one match, with its time account when it is over."""
    result = await find_result(installation, request.match)
    if result is None:
        return ladder.GetMatchResponse(await _unfinished(installation, request.match))
    if not result.record:
        return ladder.GetMatchResponse(match_of(result))

    purges = await _purges(installation, [result])
    return await installation.in_background(_in_full, result, purges, await _is_secret(installation, result))


async def get_record(installation: Installation, request: ladder.GetRecordRequest) -> ladder.GetRecordResponse:
    """Return the record of a match as it is stored."""
    result = await find_result(installation, request.match)
    if result is None:
        match = await _unfinished(installation, request.match)
        raise PreconditionError(f"the match is not over, it is {match.phase.value}: {request.match!r}")
    if not result.record:
        raise PreconditionError(
            f"the match has no record, since it was not played ({result.reason}): {request.match!r}"
        )
    if await _is_secret(installation, result):
        raise PreconditionError(f"other matches with the same deal are left to play in its block: {result.block!r}")

    return ladder.GetRecordResponse(result.record, result.record_hash)


async def get_block(installation: Installation, request: ladder.GetBlockRequest) -> ladder.GetBlockResponse:
    """Return a block that is over with all its matches.

    Before, its line-up would tell who sits where in the matches that are left: seats only rotate.
    """
    found = await results_of_block(installation, request.block)
    if not found:
        raise NotFoundError(f"no match of this block is over: {request.block!r}")
    if await installation.queue.block_is_open(request.block, found[0].ladder):
        raise PreconditionError(f"a block is shown when all its matches are over: {request.block!r}")

    matches = await installation.in_background(_matches, found, await _purges(installation, found))
    return ladder.GetBlockResponse(request.block, matches[0].ladder, matches[0].deals, matches)


async def list_matches(installation: Installation, request: ladder.ListMatchesRequest) -> ladder.ListMatchesResponse:
    """List matches that are over, the latest first, in pages."""
    if request.page_token and not re.fullmatch(r"\d{1,20}-\d{1,20}", request.page_token, re.ASCII):
        raise InvalidError(f"page_token is that of the page before, not {request.page_token!r}")

    size = min(request.page_size or PAGE, MAX_PAGE)
    archived_to = await installation.in_background(lambda: installation.archive.folder.cursor)
    # One more than asked for tells whether there is a next page.
    found, left_at = await _not_archived(installation, request, archived_to, size + 1)
    if not left_at and len(found) <= size:
        found += await installation.in_background(
            installation.archive.latest,
            size + 1 - len(found),
            before=_earlier(request.page_token, _next(archived_to)),
            ladder=request.ladder,
            bot=request.bot,
        )
    token = found[size - 1].id if len(found) > size else left_at
    page = found[:size]
    told = await installation.in_background(_matches, page, await _purges(installation, page))
    return ladder.ListMatchesResponse(told, token)


async def _not_archived(
    installation: Installation, request: ladder.ListMatchesRequest, archived_to: str, wanted: int
) -> tuple[list[Result], str]:
    """Return what is asked for of the results that only the stream has yet, the latest first, at least as many as
    wanted where there are; and, where there was too much to look at, the id at which it was left."""
    found: list[Result] = []
    before, looked = request.page_token, 0
    while len(found) < wanted:
        batch = await installation.results.before(before, archived_to, RECENT)
        found += [result for result in batch.results if _is_asked(result, request)]
        if batch.size < RECENT:
            break
        before, looked = batch.cursor, looked + batch.size
        if looked >= MAX_RECENT:
            return found, before
    return found, ""


def _is_asked(result: Result, request: ladder.ListMatchesRequest) -> bool:
    if request.ladder and result.ladder != request.ladder:
        return False
    return not request.bot or (result.outcome is not None and request.bot in result.outcome.bots)


def _earlier(token: str, cursor: str) -> str:
    return min(token, cursor, key=order) if token else cursor


def _next(cursor: str) -> str:
    time_ms, number = order(cursor)
    return f"{time_ms}-{number + 1}"


# -- where a match is ------------------------------------------------------------------------------------------


async def _unfinished(installation: Installation, match: str) -> Match:
    """Return a match that waits or runs, by alias. Raise NotFoundError when there is none."""
    item = await installation.desk.find(match)
    if item is not None:
        return _listed(item)

    letter = await installation.desk.dead_letter(match)
    if letter is None or letter.entry is None:
        raise NotFoundError(f"no match is called {match!r}")

    entry = letter.entry
    return Match(
        match=match,
        phase=MatchPhase.DEAD,
        game=entry.game,
        version=entry.version,
        ladder=entry.ladder,
        block=entry.block,
        index=entry.index,
        rated=entry.rated,
        epoch=letter.epoch,
        deals=entry.deals,
        reason=letter.reason,
    )


def _listed(item: Listed) -> Match:
    """Tell of a match that is not over: not of its place in a block, by which others would tell who sits where."""
    return Match(
        match=item.match,
        phase=MatchPhase(item.phase.value),
        game=item.game,
        version=item.version,
        ladder=item.ladder,
        rated=bool(item.ladder),
        seats=tuple(MatchSeat(alias=alias) for alias in aliases_for(item.match, len(item.bots))),
        moves=item.progress,
        epoch=item.epoch,
    )


async def _is_secret(installation: Installation, result: Result) -> bool:
    """Tell whether a match with the same deal is left to play; only shared deals are ever open."""
    return bool(result.block) and await installation.queue.deal_is_open(result.block)


# -- what is told ----------------------------------------------------------------------------------------------


def match_of(result: Result, purges: Sequence[Purge] = ()) -> Match:
    """Return a match that is over, in short; where its record cannot be read, with a reason that says so. `purges` are
    those that stand."""
    if result.record:
        try:
            return _unless_purged(_played(result), result, purges)
        except (LookupError, RecursionError, TypeError, ValueError) as error:
            return replace(_not_played(result), reason=f"its record cannot be read: {error}")

    return _not_played(result)


def _matches(results: Sequence[Result], purges: Sequence[Purge]) -> tuple[Match, ...]:
    return tuple(match_of(result, purges) for result in results)


def _unless_purged(match: Match, result: Result, purges: Sequence[Purge]) -> Match:
    try:
        purge = purged_by(purges, read_result(result)) if purges else None
    except ResultError:
        # It counts nowhere, purged or not.
        return match

    return match if purge is None else replace(match, counts=False, purge=purge.id, purge_reason=purge.why)


async def _purges(installation: Installation, results: Sequence[Result]) -> list[Purge]:
    """Return the purges that stand in the ladders of some results."""
    rulings = Rulings(installation.store)
    ladders = {result.ladder for result in results if result.ladder}
    return [purge for name in sorted(ladders) for purge in standing(await rulings.list(name))]


def _not_played(result: Result) -> Match:
    return Match(
        match=result.match,
        phase=MatchPhase(result.kind.value),
        game=result.game,
        version=result.version,
        ladder=result.ladder,
        block=result.block,
        index=result.index,
        termination=result.termination,
        ended=rfc3339(result.ended),
        epoch=result.epoch,
        reason=result.reason,
    )


def _played(result: Result) -> Match:
    head, moves, end = read_parts(result.record)
    outcome = end["result"]
    termination = Termination(outcome["termination"])
    seats = tuple(
        MatchSeat(
            alias=row["alias"],
            bot=row["bot"],
            owner=row["owner"],
            bot_version=row["bot_version"],
            placement=outcome["placements"][seat],
            score=outcome["scores"][seat],
            termination=Termination(outcome["seats"][seat]),
        )
        for seat, row in enumerate(head["seats"])
    )
    return Match(
        match=head["match"],
        phase=MatchPhase(result.kind.value),
        game=head["game"],
        version=head["version"],
        ladder=head["ladder"],
        block=head["block"],
        index=result.index,
        rated=head["rated"],
        counts=head["rated"] and termination in RATED_TERMINATIONS,
        seats=seats,
        termination=termination,
        started=end["started"],
        ended=end["ended"],
        moves=moves,
        epoch=end["epoch"],
        deals=Deals(head["deals"]),
        record_hash=result.record_hash,
        reason=result.reason,
    )


def _in_full(result: Result, purges: Sequence[Purge], is_secret: bool) -> ladder.GetMatchResponse:
    try:
        record = MatchRecord.from_line(result.record)
    except RecordError as error:
        raise PreconditionError(f"the record of the match cannot be read ({error}): {result.match!r}") from None

    return ladder.GetMatchResponse(
        match_of(result, purges),
        options={name: option_text(value) for name, value in record.options.items()},
        time=record.time,
        policy=record.policy,
        answers=() if is_secret else time_account(record),
        servers=record.servers,
    )


def time_account(record: MatchRecord) -> tuple[Answer, ...]:
    """Return all answers, strikes and falls of a match in their order, with what was left of the seat's bank."""
    return time_account_of(record.time, len(record.seats), record.moves, record.faults)


def time_account_of(
    time: TimeControl, seats: int, moves: Sequence[Move], faults: Sequence[Fault]
) -> tuple[Answer, ...]:
    """Return the time account of a match with these rows."""
    banks = [time.bank] * seats
    answers: list[Answer] = []
    left = deque(faults)
    for number, move in enumerate(moves):
        while left and left[0].at <= number:
            answers.append(_fault(left.popleft(), time, banks))
        answers.append(_move(number, move, time, banks))
    answers += [_fault(fault, time, banks) for fault in left]
    return tuple(answers)


def _move(number: int, move: Move, time: TimeControl, banks: list[int]) -> Answer:
    by_seat = move.by is By.SEAT
    if by_seat:
        banks[move.seat] = time.bank_after(banks[move.seat], move.charge_us)
    return Answer(
        number=number,
        seat=move.seat,
        kind=AnswerKind.SEAT if by_seat else AnswerKind.SUBSTITUTE,
        action=move.action,
        charge_us=move.charge_us,
        elapsed_us=move.elapsed_us,
        host_us=move.host_us,
        latency_us=move.latency_us,
        thought_us=move.thought_us,
        late=move.late,
        attempts=move.attempts,
        bank_us=banks[move.seat],
    )


def _fault(fault: Fault, time: TimeControl, banks: list[int]) -> Answer:
    is_strike = fault.kind is FaultKind.STRIKE
    if is_strike:
        banks[fault.seat] = time.bank_after(banks[fault.seat], fault.charge_us)
    return Answer(
        number=fault.at,
        seat=fault.seat,
        kind=AnswerKind.STRIKE if is_strike else AnswerKind.FALL,
        termination=fault.termination,
        charge_us=fault.charge_us,
        elapsed_us=fault.elapsed_us,
        host_us=fault.host_us,
        latency_us=fault.latency_us,
        thought_us=fault.thought_us,
        late=fault.late,
        attempts=fault.attempts,
        bank_us=banks[fault.seat],
    )
