"""Audits, rebuilds, exports and reports in a process of their own, with low priority: they read everything there ever
was, and the loop that plays must not wait for that. `AuditProcess` is used as an `Auditor` is; what runs in the process
is one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from agon_ladder.audit import Counts, Finding, Tally
from agon_ladder.errors import MissingLibraryError
from agon_ladder.report.forms import Form as ReportForm
from agon_ladder.results import Position
from agon_ladder.rulings import Loss, Purge
from agon_ladder.trades import MIN_MATCHES, Trade, TradeReport
from agon_server.archive.folder import ArchiveError, ArchiveFolder
from agon_server.child import start_child
from agon_server.garbage import collect_seldom
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.encoding import TableDamagedError
from agon_server.ladders.exports import Form, What
from agon_server.ladders.history import History, HistoryGapError
from agon_server.ladders.rebuild import Auditor, Report
from agon_server.ladders.replays import Checked, ReplayProcessError, Tell
from agon_server.ladders.tables import MovedError
from agon_server.queue.results import Results, fields_of, ruling_of
from agon_server.store.connection import Store
from agon_server.store.errors import StoreError, StoreUnavailableError
from agon_server.trace import start_log

_NICE: Final = 10
_LINE_BYTES: Final = 8 << 20
"""Of what the process tells at a time: a piece of an export is one record longer than it should be at most."""
_TOLD: Final[dict[str, type[Exception]]] = {
    kind.__name__: kind
    for kind in (
        ArchiveError,
        HistoryGapError,
        MissingLibraryError,
        MovedError,
        ReplayProcessError,
        StoreError,
        StoreUnavailableError,
        TableDamagedError,
        UnknownLadderError,
    )
}
"""The errors that the process tells, and its caller raises again."""


class AuditProcessError(Exception):
    """The process that audits ended without an answer; what it said is in the server's log."""


class AuditProcess:
    """Starts a process for each call, which ends with it, also when that is cancelled; one audit or rebuild at a time,
    and beside it one export or report, whose reader may be slow, and one table rated again, which a ladder waits
    for."""

    def __init__(self, url: str, archive: Path | None) -> None:
        """`url` is that of the store, `archive` the archive's folder."""
        self._url = url
        self._archive = archive
        self._one = asyncio.Lock()
        self._one_export = asyncio.Lock()
        self._one_rerate = asyncio.Lock()

    async def audit(self, ladder: str, tally: Tally | None = None) -> Report:
        """As `Auditor.audit`. Raise AuditProcessError when the process dies."""
        return _report(await self._answer("audit", ladder, tally=tally))

    async def rebuild(self, ladder: str) -> Report:
        """As `Auditor.rebuild`. Raise AuditProcessError when the process dies."""
        return _report(await self._answer("rebuild", ladder))

    async def rerate(self, ladder: str, until: Position) -> None:
        """As `Auditor.rerate`. Raise AuditProcessError when the process dies."""
        async with self._one_rerate, aclosing(self._lines("rerate", ladder, until=until)) as lines:
            async for _ in lines:
                pass

    async def covered(self, purge: Purge) -> int:
        """As `Auditor.covered`. Raise AuditProcessError when the process dies."""
        answer = await self._answer("covered", purge.ladder, purge={**asdict(purge), "position": str(purge.position)})
        return int(answer)

    async def check_records(self, ladder: str, sample: int, tell: Tell) -> None:
        """As `Auditor.check_records`. Raise AuditProcessError when the process dies."""
        async with self._one, aclosing(self._lines("records", ladder, sample=sample)) as lines:
            async for match, found, skipped in lines:
                await tell(Checked(match, tuple(found), skipped))

    async def trades(self, ladder: str, min_matches: int = MIN_MATCHES) -> TradeReport:
        """As `Auditor.trades`. Raise AuditProcessError when the process dies."""
        answer = await self._answer("trades", ladder, min_matches=min_matches)
        return TradeReport(**{**answer, "trades": tuple(Trade(**trade) for trade in answer["trades"])})

    async def export(self, ladder: str, what: What, form: Form) -> AsyncGenerator[str, None]:
        """As `Auditor.export`. Raise AuditProcessError when the process dies."""
        async with self._one_export, aclosing(self._lines("export", ladder, what=what, form=form)) as pieces:
            async for piece in pieces:
                yield piece

    async def report(self, ladder: str, form: ReportForm, season: str = "") -> AsyncGenerator[tuple[str, str], None]:
        """As `Auditor.report`. Raise AuditProcessError when the process dies."""
        async with self._one_export, aclosing(self._lines("report", ladder, form=form, season=season)) as pieces:
            async for file, text in pieces:
                yield file, text

    async def _answer(self, action: str, ladder: str, **told: Any) -> Any:
        async with self._one, aclosing(self._lines(action, ladder, **told)) as lines:
            return await anext(lines)

    async def _lines(self, action: str, ladder: str, **told: Any) -> AsyncGenerator[Any, None]:
        """Yield what a process has to tell, a value a line."""
        request = {
            **told,
            "action": action,
            "ladder": ladder,
            "url": self._url,
            "archive": None if self._archive is None else str(self._archive),
        }
        # The URL can hold a password, so it goes neither into the arguments nor into the environment, but into a file
        # without a name.
        with TemporaryFile() as given:
            given.write(json.dumps(request).encode())
            given.seek(0)
            process = await start_child(sys.executable, "-P", "-m", __name__, given=given, line_bytes=_LINE_BYTES)
        try:
            while line := await process.output.readline():
                told_now = json.loads(line)
                if "error" in told_now:
                    raise _TOLD[told_now["error"]](told_now["text"])
                if "over" in told_now:
                    return
                yield told_now["value"]
            raise AuditProcessError(f"the process for the {action} of {ladder} ended with {await process.wait()!r}")
        finally:
            if not process.has_ended:
                process.kill()
                await process.wait()
            process.close()


def _report(answer: dict[str, Any]) -> Report:
    findings = tuple(Finding(*finding) for finding in answer["findings"])
    losses = tuple(loss for each in answer["losses"] if isinstance(loss := ruling_of(*each), Loss))
    return Report(findings, answer["results"], Counts(**answer["counts"]), losses)


# -- in the process --------------------------------------------------------------------------------------------


def _tell(line: dict[str, Any]) -> None:
    # What reads is slower than what writes, or gone: either way this waits or ends here.
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def _answer(request: dict[str, Any]) -> None:
    store = Store(request["url"])
    archive = None
    try:
        if request["archive"] is not None:
            archive = ArchiveFolder(Path(request["archive"]))
        await _work(Auditor(store, Catalogue(store), History(Results(store), archive)), request)
        _tell({"over": True})
    except tuple(_TOLD.values()) as error:
        kind = next(kind for kind in type(error).__mro__ if kind.__name__ in _TOLD)
        _tell({"error": kind.__name__, "text": str(error)})
    finally:
        if archive is not None:
            archive.close()
        await store.aclose()


async def _work(auditor: Auditor, request: dict[str, Any]) -> None:
    ladder = request["ladder"]
    match request["action"]:
        case "audit":
            _tell({"value": _report_json(await auditor.audit(ladder, _tally(request["tally"])))})
        case "rebuild":
            _tell({"value": _report_json(await auditor.rebuild(ladder))})
        case "rerate":
            await auditor.rerate(ladder, Position(*request["until"]))
        case "covered":
            given = request["purge"]
            purge = Purge(**{**given, "position": Position.parse(given["position"])})
            _tell({"value": await auditor.covered(purge)})
        case "records":
            await auditor.check_records(ladder, request["sample"], _tell_checked)
        case "trades":
            _tell({"value": asdict(await auditor.trades(ladder, request["min_matches"]))})
        case "export":
            async for piece in auditor.export(ladder, What(request["what"]), Form(request["form"])):
                _tell({"value": piece})
        case "report":
            async for named in auditor.report(ladder, ReportForm(request["form"]), request["season"]):
                _tell({"value": named})
        case other:
            raise AssertionError(other)


async def _tell_checked(checked: Checked) -> None:
    _tell({"value": checked})


def _tally(given: list[Any] | None) -> Tally | None:
    if given is None:
        return None

    after, until, ratings, generation = given
    return Tally(Position(*after), Position(*until), ratings, generation)


def _report_json(report: Report) -> dict[str, Any]:
    findings = [(finding.check, finding.subject, finding.text) for finding in report.findings]
    losses = [(str(loss.position), fields_of(loss)) for loss in report.losses]
    return {"findings": findings, "results": report.results, "counts": asdict(report.counts), "losses": losses}


def main() -> None:
    """Answer the one request that comes on standard input."""
    os.nice(_NICE)
    # Its stderr is the server's.
    start_log(logging.WARNING)
    collect_seldom()
    try:
        asyncio.run(_answer(json.load(sys.stdin)))
    except BrokenPipeError:
        # Whoever asked is gone, as a server that was killed; nor is anything left to be said at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
