"""Audits and rebuilds in a process of their own, with low priority: they read everything there ever was, and the loop
that plays must not wait for that. `AuditProcess` is used as an `Auditor` is; what runs in the process is one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from agon_ladder.audit import Finding
from agon_server.archive.folder import ArchiveError, ArchiveFolder
from agon_server.child import start_child
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.history import History, HistoryGapError
from agon_server.ladders.rebuild import Auditor, Report
from agon_server.ladders.tables import MovedError, TableDamagedError
from agon_server.queue.results import Results
from agon_server.store.connection import Store
from agon_server.store.errors import StoreError, StoreUnavailableError
from agon_server.trace import start_log

_NICE: Final = 10
_TOLD: Final[dict[str, type[Exception]]] = {
    kind.__name__: kind
    for kind in (
        ArchiveError,
        HistoryGapError,
        MovedError,
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
    """Starts a process for each audit or rebuild, one at a time; it ends with its call, also when that is cancelled."""

    def __init__(self, url: str, archive: Path | None) -> None:
        """`url` is that of the store, `archive` the archive's folder."""
        self._url = url
        self._archive = archive
        self._one = asyncio.Lock()

    async def audit(self, ladder: str) -> Report:
        """As `Auditor.audit`. Raise AuditProcessError when the process dies."""
        return await self._run("audit", ladder)

    async def rebuild(self, ladder: str) -> Report:
        """As `Auditor.rebuild`. Raise AuditProcessError when the process dies."""
        return await self._run("rebuild", ladder)

    async def _run(self, action: str, ladder: str) -> Report:
        async with self._one:
            return await self._run_alone(action, ladder)

    async def _run_alone(self, action: str, ladder: str) -> Report:
        request = {
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
            process = await start_child(sys.executable, "-P", "-m", __name__, given=given)
        try:
            answer = await process.output.read()
            code = await process.wait()
        finally:
            if not process.has_ended:
                process.kill()
                await process.wait()
            process.close()
        if code != 0:
            raise AuditProcessError(f"the process for the {action} of {ladder} ended with {code!r}")

        return _report(json.loads(answer))


def _report(answer: dict[str, Any]) -> Report:
    if "error" in answer:
        raise _TOLD[answer["error"]](answer["text"])

    return Report(tuple(Finding(*finding) for finding in answer["findings"]), answer["results"])


async def _answer(request: dict[str, Any]) -> dict[str, Any]:
    store = Store(request["url"])
    archive = None
    try:
        if request["archive"] is not None:
            archive = ArchiveFolder(Path(request["archive"]))
        history = History(Results(store), archive)
        auditor = Auditor(store, Catalogue(store), history)
        work = auditor.rebuild if request["action"] == "rebuild" else auditor.audit
        report = await work(request["ladder"])
    except tuple(_TOLD.values()) as error:
        kind = next(kind for kind in type(error).__mro__ if kind.__name__ in _TOLD)
        return {"error": kind.__name__, "text": str(error)}
    finally:
        if archive is not None:
            archive.close()
        await store.aclose()
    findings = [(finding.check, finding.subject, finding.text) for finding in report.findings]
    return {"findings": findings, "results": report.results}


def main() -> None:
    """Answer the one request that comes on standard input."""
    os.nice(_NICE)
    # Its stderr is the server's.
    start_log(logging.WARNING)
    answer = asyncio.run(_answer(json.load(sys.stdin)))
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
