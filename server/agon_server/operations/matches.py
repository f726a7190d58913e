"""What is told of matches and blocks: who played, how it ended, who used how much time, and the record.

What a match must not tell before it is over is left out here: bots while it waits or runs, and with a shared deal
everything that could show the deal until the block is over.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Sequence

from agon.codec import ladder
from agon.codec.ladder import Answer, AnswerKind, Match, MatchPhase, MatchSeat
from agon_engine.core.game import option_text
from agon_engine.core.record import By, Deals, Fault, FaultKind, MatchRecord, Move
from agon_engine.core.timing import TimeControl
from agon_server.operations.errors import InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.times import rfc3339
from agon_server.queue.claim import Listed
from agon_server.queue.results import Result, order
from agon_server.referee.aliases import aliases_for

PAGE = 50
MAX_PAGE = 1_000
ALL = 100_000
"""More than any queue holds."""
MAX_RECENT = 10_000
"""Results looked at that are not archived yet; there are more only where the archive cannot be written."""


async def get_match(installation: Installation, request: ladder.GetMatchRequest) -> ladder.GetMatchResponse:
    """Return one match, with its time account when it is over."""
    result = await _find(installation, request.match)
    if result is None:
        return ladder.GetMatchResponse(await _unfinished(installation, request.match))
    if not result.record:
        return ladder.GetMatchResponse(match_of(result))

    record = MatchRecord.from_line(result.record)
    secret = await _is_secret(installation, record)
    return ladder.GetMatchResponse(
        match_of(result),
        options={name: option_text(value) for name, value in record.options.items()},
        time=record.time,
        policy=record.policy,
        answers=() if secret else time_account(record),
        servers=record.servers,
    )


async def get_record(installation: Installation, request: ladder.GetRecordRequest) -> ladder.GetRecordResponse:
    """Return the record of a match as it is stored."""
    result = await _find(installation, request.match)
    if result is None:
        match = await _unfinished(installation, request.match)
        raise PreconditionError(f"the match is not over, it is {match.phase.value}: {request.match!r}")
    if not result.record:
        raise PreconditionError(
            f"the match has no record, since it was not played ({result.reason}): {request.match!r}"
        )
    if await _is_secret(installation, MatchRecord.from_line(result.record)):
        raise PreconditionError(f"other matches with the same deal are left to play in its block: {result.block!r}")

    return ladder.GetRecordResponse(result.record, result.record_hash)


async def get_block(installation: Installation, request: ladder.GetBlockRequest) -> ladder.GetBlockResponse:
    """Return a block with its matches that are over."""
    cursor, recent = await _not_archived(installation)
    found = await asyncio.to_thread(installation.archive.of_block, request.block)
    found = [result for result in found if result.order <= order(cursor)]
    found += [result for result in recent if result.block == request.block]
    if not found:
        raise NotFoundError(f"no match of this block is over: {request.block!r}")

    matches = tuple(match_of(result) for result in found)
    return ladder.GetBlockResponse(request.block, matches[0].ladder, matches[0].deals, matches)


async def list_matches(installation: Installation, request: ladder.ListMatchesRequest) -> ladder.ListMatchesResponse:
    """List matches that are over, the latest first, in pages."""
    if request.page_size > MAX_PAGE:
        raise InvalidError(f"page_size is at most {MAX_PAGE}, not {request.page_size!r}")
    if request.page_token and not re.fullmatch(r"\d{1,20}-\d{1,20}", request.page_token, re.ASCII):
        raise InvalidError(f"page_token is that of the page before, not {request.page_token!r}")

    # One more than asked for tells whether there is a next page.
    size = request.page_size or PAGE
    cursor, recent = await _not_archived(installation)
    newest = [result for result in reversed(recent) if _is_asked(result, request)]
    archived = await asyncio.to_thread(
        installation.archive.latest,
        size + 1 + len(recent),
        before=request.page_token,
        ladder=request.ladder,
        bot=request.bot,
    )
    found = [*newest, *(result for result in archived if result.order <= order(cursor))][: size + 1]
    token = found[size - 1].id if len(found) > size else ""
    return ladder.ListMatchesResponse(tuple(match_of(result) for result in found[:size]), token)


async def _not_archived(installation: Installation) -> tuple[str, list[Result]]:
    """Return how far the archive is, and the results after that, which only the stream has yet."""
    cursor = await asyncio.to_thread(lambda: installation.archive.folder.cursor)
    recent: list[Result] = []
    while len(recent) < MAX_RECENT:
        results = await installation.results.after(recent[-1].id if recent else cursor, MAX_PAGE)
        recent += results
        if len(results) < MAX_PAGE:
            break
    return cursor, recent


def _is_asked(result: Result, request: ladder.ListMatchesRequest) -> bool:
    if request.page_token and result.order >= order(request.page_token):
        return False
    if request.ladder and result.ladder != request.ladder:
        return False
    return not request.bot or any(seat.bot == request.bot for seat in match_of(result).seats)


# -- where a match is ------------------------------------------------------------------------------------------


async def _find(installation: Installation, match: str) -> Result | None:
    """Return the result of a match that is over: the newest are in the stream, all others in the archive."""
    result = await installation.results.find(match)
    return result if result is not None else await asyncio.to_thread(installation.archive.find, match)


async def _unfinished(installation: Installation, match: str) -> Match:
    """Return a match that waits or runs, by alias. Raise NotFoundError when there is none."""
    for item in await installation.desk.ls(ALL):
        if item.match == match:
            return _listed(item)
    for letter in await installation.desk.dead():
        if letter.match == match and letter.entry is not None:
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
                deals=Deals(entry.deals.value),
                reason=letter.reason,
            )
    raise NotFoundError(f"no match is called {match!r}")


def _listed(item: Listed) -> Match:
    return Match(
        match=item.match,
        phase=MatchPhase(item.phase.value),
        game=item.game,
        version=item.version,
        ladder=item.ladder,
        block=item.block,
        index=item.index,
        rated=bool(item.ladder),
        seats=tuple(MatchSeat(alias=alias) for alias in aliases_for(item.match, len(item.bots))),
        moves=item.progress,
        epoch=item.epoch,
    )


async def _is_secret(installation: Installation, record: MatchRecord) -> bool:
    return record.deals is Deals.SHARED and bool(record.block) and await installation.queue.deal_is_open(record.block)


# -- what is told ----------------------------------------------------------------------------------------------


def match_of(result: Result) -> Match:
    """Return a match that is over, in short."""
    phase = MatchPhase(result.kind.value)
    if not result.record:
        return Match(
            match=result.match,
            phase=phase,
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

    record = MatchRecord.from_line(result.record)
    seats = tuple(
        MatchSeat(
            alias=row.alias,
            bot=row.bot,
            owner=row.owner,
            bot_version=row.bot_version,
            placement=record.result.placements[seat],
            score=record.result.scores[seat],
            termination=record.result.seats[seat],
        )
        for seat, row in enumerate(record.seats)
    )
    return Match(
        match=record.match,
        phase=phase,
        game=record.game,
        version=record.version,
        ladder=record.ladder,
        block=record.block,
        index=result.index,
        rated=record.rated,
        counts=record.counts,
        seats=seats,
        termination=record.result.termination,
        started=record.started,
        ended=record.ended,
        moves=len(record.moves),
        epoch=record.epoch,
        deals=record.deals,
        record_hash=result.record_hash,
        reason=result.reason,
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
        _charge(move, time, banks)
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
        _charge(fault, time, banks)
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


def _charge(row: Move | Fault, time: TimeControl, banks: list[int]) -> None:
    """Move a bank by the formula of `agon_engine.core.timing`: what is charged over the move's time, plus increment."""
    banks[row.seat] += time.increment - max(0, row.charge_us - time.move)
