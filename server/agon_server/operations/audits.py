"""What reads all that a ladder has: rebuild, audit, the check of its records, win trades, exports, reports. Beside a
loop that plays, a process of its own does it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import asdict, dataclass
from typing import TypeVar

from agon.codec import ledger
from agon_ladder import audit
from agon_ladder.audit import MAX_FINDINGS
from agon_ladder.report.forms import Form as ReportForm
from agon_ladder.trades import MIN_MATCHES
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.exports import Form, What
from agon_server.ladders.history import HistoryGapError
from agon_server.ladders.replays import MAX_SAMPLE, Checked
from agon_server.ladders.tables import MovedError
from agon_server.operations.errors import InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.ladders import check_season
from agon_server.operations.times import rfc3339

T = TypeVar("T")

TELL_SECONDS = 0.25
"""A check of records tells so often how far it is."""


async def rebuild_ladder(
    installation: Installation, request: ledger.RebuildLadderRequest
) -> ledger.RebuildLadderResponse:
    """Fold a ladder's results again, and replace its table where it differs."""
    with explained():
        report = await installation.auditor.rebuild(request.ladder)
    return ledger.RebuildLadderResponse(_findings(report.findings), report.results)


async def audit_ladder(installation: Installation, request: ledger.AuditLadderRequest) -> ledger.AuditLadderResponse:
    """Check a ladder's table, rating rows, blocks and counts; change nothing."""
    with explained():
        report = await installation.auditor.audit(request.ladder, installation.tally(request.ladder))
    counts = ledger.AuditCounts(**asdict(report.counts))
    losses = tuple(
        ledger.Loss(
            id=loss.id,
            made=rfc3339(loss.position.time),
            actor=loss.actor,
            why=loss.why,
            after=str(loss.after),
            until=str(loss.until),
            results=loss.results,
        )
        for loss in report.losses
    )
    return ledger.AuditLadderResponse(_findings(report.findings), report.results, counts, losses)


async def audit_records(
    installation: Installation, request: ledger.AuditRecordsRequest
) -> AsyncIterator[ledger.AuditRecordsResponse]:
    """Play records of a ladder again; tell how far it is, and what was found, now and then."""
    if request.sample > MAX_SAMPLE:
        raise InvalidError(f"a sample has at most {MAX_SAMPLE} records, 0 stands for all, not {request.sample!r}")

    async def check(tell: Callable[[Checked], Awaitable[None]]) -> None:
        await installation.auditor.check_records(request.ladder, request.sample, tell)

    loop = asyncio.get_running_loop()
    done = skipped = kept = 0
    told_at = loop.time()
    found: list[ledger.Finding] = []
    with explained():
        async with aclosing(_told(check)) as all_checked:
            async for checked in all_checked:
                done += 1
                skipped += checked.skipped
                if kept < MAX_FINDINGS:
                    found += (ledger.Finding("records", checked.match, text) for text in checked.found)
                    kept += len(checked.found)
                if loop.time() - told_at >= TELL_SECONDS:
                    yield ledger.AuditRecordsResponse(done, skipped, tuple(found))
                    told_at, found = loop.time(), []
    yield ledger.AuditRecordsResponse(done, skipped, tuple(found))


async def find_trades(installation: Installation, request: ledger.FindTradesRequest) -> ledger.FindTradesResponse:
    """Look for win trades in a ladder."""
    with explained():
        report = await installation.auditor.trades(request.ladder, request.min_matches or MIN_MATCHES)
    trades = tuple(ledger.Trade(**asdict(trade)) for trade in report.trades)
    return ledger.FindTradesResponse(trades, report.matches, report.bots, report.pairs)


async def export_ladder(
    installation: Installation, request: ledger.ExportLadderRequest
) -> AsyncIterator[ledger.ExportLadderResponse]:
    """Tell all that a ladder has, in pieces of a file."""
    pieces = installation.auditor.export(request.ladder, What(request.kind.value), Form(request.format.value))
    with explained():
        async with aclosing(pieces) as telling:
            async for piece in telling:
                yield ledger.ExportLadderResponse(piece)


async def report_ladder(
    installation: Installation, request: ledger.ReportLadderRequest
) -> AsyncIterator[ledger.ReportLadderResponse]:
    """Report on a season of a ladder, in pieces of files."""
    with explained():
        if request.season:
            await check_season(installation, request.ladder, request.season)
        pieces = installation.auditor.report(request.ladder, ReportForm(request.format.value), request.season)
        async with aclosing(pieces) as telling:
            async for file, text in telling:
                yield ledger.ReportLadderResponse(file, text)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what can be said to whoever asks into an error of operations."""
    try:
        yield
    except UnknownLadderError as error:
        raise NotFoundError(str(error)) from None
    except HistoryGapError as error:
        raise PreconditionError(str(error)) from None
    except MovedError as error:
        raise PreconditionError(f"{error}; try again when fewer matches end") from None


@dataclass(frozen=True, slots=True)
class _End:
    error: Exception | None = None


async def _told(work: Callable[[Callable[[T], Awaitable[None]]], Awaitable[None]]) -> AsyncGenerator[T, None]:
    """Iterate over what `work` tells; it waits while nobody takes it, and ends with the iteration."""
    told: asyncio.Queue[T | _End] = asyncio.Queue(1)

    async def run() -> None:
        try:
            await work(told.put)
        except Exception as error:
            await told.put(_End(error))
        else:
            await told.put(_End())

    task = asyncio.create_task(run())
    try:
        while not isinstance(item := await told.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _findings(found: Iterable[audit.Finding]) -> tuple[ledger.Finding, ...]:
    return tuple(ledger.Finding(item.check, item.subject, item.text) for item in found)
