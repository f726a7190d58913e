"""Whether ladders are true: rebuild, audit, win trades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from agon.codec import admin, ladder as calls, ledger
from agon_server.cli.door import Door
from agon_server.cli.failures import Negative
from agon_server.cli.ladder.names import NameArgument
from agon_server.cli.output import Output
from agon_server.operations.errors import InvalidError

SAMPLE = 100
"""Records that an audit plays again unless it is told otherwise."""
TRADES_LEGEND = """
score     of the loser against the winner: 1 for a better place, 1/2 for a tie
expected  by the strengths that all matches of the ladder give
chance    the least rate of false findings at which the pair is told
It is a reason to look at their matches, and no proof: a bot that has found how
to beat another one looks the same."""


async def rebuild(out: Output, door: Door, name: NameArgument) -> None:
    """Fold all results of a ladder again.

    Exits with 1 when the live table differed; it is replaced then.
    """
    answer = await door.call(admin.REBUILD_LADDER, ledger.RebuildLadderRequest(name))
    out.json(answer)
    _print_findings(out, answer.findings)
    if answer.findings:
        raise Negative(f"the live table of ladder {name} differed from its results in {len(answer.findings)} places")
    out.line(f"{answer.results} rated matches folded; the live table is the same, exactly")


async def audit(
    out: Output,
    door: Door,
    name: Annotated[str, typer.Argument(metavar="NAME", help="One ladder; else all.")] = "",
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            min=0,
            max=10_000,
            help=f"Play so many records of each ladder again, drawn by lot.  [default: {SAMPLE}]",
        ),
    ] = None,
    all_records: Annotated[bool, typer.Option("--all", help="Play all records again.")] = False,
    trades: Annotated[
        bool, typer.Option("--trades", help="Only look for bots that lose to one bot far more than they should.")
    ] = False,
    min_matches: Annotated[
        int | None,
        typer.Option(
            "--min-matches", metavar="N", min=1, help="With --trades: judge no pair with fewer.  [default: 20]"
        ),
    ] = None,
) -> None:
    """Check that tables are what the results give, and results what the records give.

    Each table must equal its rebuild, each of its last 100,000 rated matches has exactly one rating row a seat, no
    block is rated twice, no deal is dealt twice, and counts agree: of results, records, tables, rating rows, and of the
    metric agon_rating_updates_total since this server leads, as metrics begin anew with a process. Records must
    replay to their results, and seeds fit their commitments. Changes nothing. Exits with 1 when something is not
    as it must be.
    """
    if all_records and sample is not None:
        raise InvalidError(f"--all and --sample exclude each other: {sample!r}")
    if trades and (all_records or sample is not None):
        raise InvalidError("--trades plays no records, so it goes without --all and --sample")
    if min_matches is not None and not trades:
        raise InvalidError(f"--min-matches needs --trades: {min_matches!r}")
    names = [name]
    if not name:
        answer = await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest())
        names = [item.name for item in answer.ladders]
    if trades:
        await _trades(out, door, names, min_matches or 0)
    else:
        await _audit(out, door, names, 0 if all_records else SAMPLE if sample is None else sample, all_records)


async def _audit(out: Output, door: Door, names: Sequence[str], sample: int, all_records: bool) -> None:
    found: dict[str, dict[str, Any]] = {}
    bad = 0
    for one in names:
        report = await door.call(admin.AUDIT_LADDER, ledger.AuditLadderRequest(one))
        records = ledger.AuditRecordsResponse(0, 0)
        if report.counts.records and (sample or all_records):
            records = await _check_records(out, door, one, sample, report.counts.records)
        findings = [*report.findings, *records.findings]
        found[one] = {
            "findings": findings,
            "results": report.results,
            "counts": report.counts,
            "losses": report.losses,
            "replayed": records.done - records.skipped,
            "skipped": records.skipped,
        }
        bad += len(findings)
        there = max(records.done, report.counts.records)  # matches end meanwhile
        out.line(
            f"{one}: {report.results} rated matches, {records.done - records.skipped} of {there} records played again, "
            f"{len(findings)} findings"
        )
        if report.counts.purged:
            out.line(f"{one}: {report.counts.purged} more matches are purged; `agon ladder purges {one}` says why")
        for loss in report.losses:
            out.line(
                f"{one}: {loss.results} rated results after {loss.after} up to {loss.until} are gone, accepted by "
                f"{loss.actor} because {loss.why}"
            )
        if records.skipped:
            out.line(f"{one}: {records.skipped} records are of rules versions that are not installed, and not checked")
        _print_findings(out, findings)
    out.json(found)
    if bad:
        raise Negative(f"the audit has {bad} findings")


async def _check_records(out: Output, door: Door, name: str, sample: int, records: int) -> ledger.AuditRecordsResponse:
    """Return the last answer, with all findings."""
    planned = min(sample, records) if sample else records
    findings: list[ledger.Finding] = []
    done = skipped = 0
    with out.live() as progress:
        progress.show(f"{name}: {planned} records to play again …")
        async for told in door.watch(admin.AUDIT_RECORDS, ledger.AuditRecordsRequest(name, sample)):
            done, skipped = told.done, told.skipped
            findings += told.findings
            bar = "█" * (20 * min(done, planned) // planned)
            progress.show(f"{name}: {bar:·<20} {done} of {planned} records, {len(findings)} findings")
    return ledger.AuditRecordsResponse(done, skipped, tuple(findings))


async def _trades(out: Output, door: Door, names: Sequence[str], min_matches: int) -> None:
    found = {one: await door.call(admin.FIND_TRADES, ledger.FindTradesRequest(one, min_matches)) for one in names}
    out.json(found)
    bad = 0
    for one, report in found.items():
        bad += len(report.trades)
        out.line(f"{one}: {report.pairs} pairs of {report.bots} bots judged by {report.matches} matches")
        if report.trades:
            out.table(
                ("loser", "winner", "matches#", "score#", "expected#", "chance#"),
                [
                    (
                        each.loser,
                        each.winner,
                        each.matches,
                        f"{each.score:.3f}",
                        f"{each.expected:.3f}",
                        f"{each.chance:.1e}",
                    )
                    for each in report.trades
                ],
            )
    if bad:
        out.hint(TRADES_LEGEND)
        raise Negative("1 pair of bots needs a look" if bad == 1 else f"{bad} pairs of bots need a look")


def _print_findings(out: Output, findings: Sequence[ledger.Finding]) -> None:
    if findings:
        out.table(("check", "about", "finding"), [(item.check, item.subject, item.text) for item in findings])
