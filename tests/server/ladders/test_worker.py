"""Audits and rebuilds in a process of their own: the same reports and errors, and no process left behind."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from tests.support.ladder_store import Ladders, ladder, score

from agon_ladder.audit import Counts
from agon_ladder.report.forms import Form as ReportForm
from agon_ladder.results import Position
from agon_ladder.rulings import Purge
from agon_server.archive.archive import Archive
from agon_server.child import Child, start_child
from agon_server.ladders import worker
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.exports import Form, What
from agon_server.ladders.rebuild import Report
from agon_server.ladders.replays import Checked
from agon_server.ladders.worker import AuditProcess, AuditProcessError
from agon_server.queue.rulings import Rulings
from agon_server.store import keys
from agon_server.store.errors import StoreUnavailableError

NAME = "ephyran-2"


@pytest.fixture
async def played(ladders: Ladders) -> Ladders:
    await ladders.catalogue.create(ladder(2))
    await ladders.join("a", "b")
    await ladders.lead()
    for _ in range(3):
        await ladders.end(score(1, 2), "a", "b")
    await ladders.take()
    return ladders


async def test_a_process_reports_what_an_auditor_does_and_repairs_what_it_repairs(
    played: Ladders, tmp_path: Path
) -> None:
    archive = Archive(tmp_path / "archive", played.store, played.results)
    await archive.drain()
    await played.store.command("XTRIM", keys.RESULTS, "MAXLEN", 1)
    process = AuditProcess(played.store.url, tmp_path / "archive")
    await played.store.command("HDEL", keys.STANDING + NAME, "a")

    found = await process.rebuild(NAME)

    assert found.results == 3
    assert [(finding.check, finding.subject) for finding in found.findings] == [("table", "a")]
    assert await process.audit(NAME) == Report((), 3, Counts(3, 3, 0, 3, 6))
    archive.close()


async def test_a_process_writes_the_report_that_an_auditor_does(played: Ladders) -> None:
    process = AuditProcess(played.store.url, None)

    for form in ReportForm:
        here = [piece async for piece in played.auditor.report(NAME, form)]
        assert [tuple(piece) async for piece in process.report(NAME, form)] == here


async def test_a_process_reads_all_that_an_auditor_reads_and_rates_again(played: Ladders) -> None:
    process = AuditProcess(played.store.url, None)
    facts: dict[str, Any] = {"ladder": NAME, "actor": "ann", "why": "because", "server": "server-1"}
    planned = await process.covered(Purge(position=Position(2**53, 0), id="dry", **facts))
    made = await Rulings(played.store).make(Purge(position=Position(0, 0), id="p", **facts))
    checked: list[Checked] = []

    async def tell(one: Checked) -> None:
        checked.append(one)

    await process.rerate(NAME, made.position)
    await process.check_records(NAME, 0, tell)
    trades = await process.trades(NAME)
    text = "".join([piece async for piece in process.export(NAME, What.RESULTS, Form.CSV)])

    assert planned == 3
    assert (await played.tables.load(NAME, 2)).state.results == 0
    assert [bool(each.found) for each in checked] == [True] * 3
    assert trades == await played.auditor.trades(NAME)
    assert text.count("\n") == 7


async def test_the_errors_of_an_auditor_come_through(played: Ladders, tmp_path: Path) -> None:
    with pytest.raises(UnknownLadderError, match="the ladders here are ephyran-2, not 'x'"):
        await AuditProcess(played.store.url, None).audit("x")
    with pytest.raises(StoreUnavailableError):
        await AuditProcess(f"unix://{tmp_path}/no.sock", None).audit(NAME)


async def test_what_a_process_has_to_say_stands_in_the_servers_log_in_its_form(
    played: Ladders, capfd: pytest.CaptureFixture[str]
) -> None:
    await played.store.command("HSET", keys.LADDERS, "broken", "{}")

    with pytest.raises(UnknownLadderError):
        await AuditProcess(played.store.url, None).audit("x")

    # gRPC may tell of a connection that an earlier test has closed, in a form of its own.
    said = re.sub(r"(?m)^[IWE]\d{4} \S+ +\d+ \S+\.cc:\d+\].*\n", "", capfd.readouterr().err)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ERROR   agon_server[\w.]+: ladder 'broken' .*\n", said)


async def test_a_process_that_dies_is_an_error_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AuditProcessError, match="the process for the audit of ephyran-2 ended with 1"):
        await AuditProcess("no url", None).audit(NAME)
    assert "Traceback" in capfd.readouterr().err


async def test_a_cancelled_call_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()
    started: list[Child] = []

    async def start_a_sleeper(*_: str, **options: Any) -> Child:
        started.append(await start_child(sys.executable, "-c", "import time; time.sleep(60)", **options))
        begun.set()
        return started[0]

    monkeypatch.setattr(worker, "start_child", start_a_sleeper)
    call = asyncio.create_task(AuditProcess("redis://localhost", None).audit(NAME))
    await asyncio.wait_for(begun.wait(), 10)

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    assert started[0].has_ended


def test_a_process_ends_without_a_word_where_whoever_asked_is_gone() -> None:
    """As where the server was killed, whose log its words go to."""
    request = {"url": "unix:///nowhere.sock", "archive": None, "ladder": NAME, "action": "audit", "tally": None}
    command = [sys.executable, "-P", "-m", worker.__name__]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(json.dumps(request).encode())
        process.stdin.close()
        told = process.stderr.read()

    assert (told, process.returncode) == (b"", 1)
