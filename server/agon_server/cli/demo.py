"""`agon demo`: a whole installation at work, in about a minute, with nothing to set up and nothing left running."""

from __future__ import annotations

import asyncio
import signal
import tempfile
import urllib.request
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from agon.codec import admin, ladder as calls, ledger
from agon_engine.core.record import MatchRecord
from agon_engine.core.record_file import write_records
from agon_engine.registry import get_game
from agon_server.cli.command import a_path
from agon_server.cli.door import Door, open_door
from agon_server.cli.failures import Negative
from agon_server.cli.ladder.standing import LEGEND, LEGEND_OF_ELO, print_standings
from agon_server.cli.match_text import told
from agon_server.cli.output import Output, Progress
from agon_server.cli.processes import Processes
from agon_server.config import ConfigError
from agon_server.surroundings import SurroundingsError, reason_of

EXAMPLES = """
agon demo                 60 rated matches on the ladders of all games, then it ends
agon demo --game NAME     of one game; `agon games` lists them
agon demo --matches 300
agon demo --keep          goes on until Ctrl-C
"""

BOTS = (
    ("random-1", "random"),
    ("random-2", "random"),
    ("greedy-1", "greedy"),
    ("greedy-2", "greedy"),
    ("greedy-3", "greedy"),
)
"""Enough for the ladder with the most seats."""
SLOTS = 8
LIMIT_SECONDS = 85.0
"""The demo gives up then; with --matches it gets as much longer as there are more matches."""
POLL_SECONDS = 0.5
MATCHES = 60
TOLD_LINES = 14
"""So much of a match is shown, apart from how it ended."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demo has to tell."""

    matches: int
    seconds: float
    standings: tuple[calls.Standings, ...]
    findings: int
    records: str
    metrics: str


async def demo(
    out: Output,
    game: Annotated[str, typer.Option("--game", metavar="NAME", help="Play this game alone.")] = "",
    matches: Annotated[int, typer.Option("--matches", min=1, max=100_000, help="At least so many.")] = MATCHES,
    keep: Annotated[bool, typer.Option("--keep", help="Leave everything running until Ctrl-C.")] = False,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", parser=a_path, help="Where records, metrics and logs go.")
    ] = Path("agon-demo"),
) -> None:
    """See it work: a server, five bots, rated ladders.

    Starts a server with its embedded store in a temporary folder and five house bots as processes that connect to it
    like any other bot, plays rated matches on a ladder of each game and seat count, and shows the standings and one
    match.
    """
    if game:
        get_game(game)  # it is known, or this raises
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "server.log").touch()
    except OSError as error:
        raise ConfigError(f"--out: cannot write to {str(folder)!r}: {reason_of(error)}") from None

    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with AsyncExitStack() as stack:
        # Short, since the store's socket lies in it.
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agon-"))) / "data"
        processes = await stack.enter_async_context(Processes(folder))
        began = monotonic()
        with out.live() as progress:
            progress.show("starting a server …")
            server = await processes.start_server(data, _SERVE)
            door = await stack.enter_async_context(open_door(data))
            await _close_others(door, game)
            progress.show("starting five bots …")
            for name, spec in BOTS:
                made = await door.call(admin.REGISTER_BOT, admin.RegisterBotRequest(name))
                await processes.start_bot(name, spec, made.token, server.address, SLOTS)
            limit = LIMIT_SECONDS * max(1.0, matches / MATCHES)
            started = monotonic()
            await _play(door, processes, progress, game, matches, began + limit)
            if not keep:
                await _close_all(door, processes, progress, began + limit)
            seconds = monotonic() - started
            outcome, records = await _outcome(door, game, folder, server.metrics, seconds)
        _tell(out, outcome, records)
        if keep:
            await _keep(out, processes, data, server.address, server.metrics)
    if outcome.findings:
        raise Negative(f"the audit has {outcome.findings} findings")


_SERVE = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--drain", "5")


async def _play(door: Door, processes: Processes, progress: Progress, game: str, matches: int, deadline: float) -> None:
    """Wait until so many matches are rated, and at least one block on each ladder."""
    started = monotonic()
    while True:
        processes.check()
        standings = await _standings(door, game)
        done = sum(table.results for table in standings)
        if standings and done >= matches and all(table.results >= table.ladder.seats for table in standings):
            return
        if monotonic() > deadline:
            raise SurroundingsError(
                f"only {done} of {matches} matches were played in time; the logs beside the records may say why"
            )
        ladders = ", ".join(f"{table.ladder.name} {table.results}" for table in standings)
        pace = done / max(0.001, monotonic() - started)
        progress.show(f"{done} of {matches} matches rated, {pace:.1f} a second: {ladders}")
        await asyncio.sleep(POLL_SECONDS)


async def _close_others(door: Door, game: str) -> None:
    """Let no matches begin on the ladders of other games, if one is named."""
    for ladder in (await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest())).ladders:
        if game not in ("", ladder.game):
            await door.call(admin.CLOSE_LADDER, admin.CloseLadderRequest(ladder.name))


async def _close_all(door: Door, processes: Processes, progress: Progress, deadline: float) -> None:
    """Let no new matches begin and those that run end."""
    ladders = await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest(open_only=True))
    for ladder in ladders.ladders:
        await door.call(admin.CLOSE_LADDER, admin.CloseLadderRequest(ladder.name))
    while True:
        processes.check()
        queue = await door.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest(1))
        left = queue.running + queue.waiting
        if not left:
            return
        if monotonic() > deadline:
            raise SurroundingsError(f"{left} matches did not end in time; the logs in --out tell more")
        progress.show(f"waiting for the end of {left} match{'es' if left != 1 else ''} …")
        await asyncio.sleep(POLL_SECONDS)


async def _standings(door: Door, game: str) -> tuple[calls.Standings, ...]:
    ladders = (await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest())).ladders
    names = [ladder.name for ladder in ladders if game in ("", ladder.game)]
    answers = [await door.call(calls.GET_STANDINGS, calls.GetStandingsRequest(name)) for name in names]
    return tuple(answer.standings for answer in answers)


async def _outcome(
    door: Door, game: str, folder: Path, metrics: str, seconds: float
) -> tuple[Outcome, list[MatchRecord]]:
    """Gather what is to be told, and write the records and the metrics to the folder."""
    standings = await _standings(door, game)
    audits = [await door.call(admin.AUDIT_LADDER, ledger.AuditLadderRequest(table.ladder.name)) for table in standings]
    records = await _records(door)
    (folder / _RECORDS).write_bytes(write_records(records))
    (folder / _METRICS).write_bytes(await asyncio.to_thread(_scrape, metrics))
    outcome = Outcome(
        matches=sum(table.results for table in standings),
        seconds=seconds,
        standings=standings,
        findings=sum(len(audit.findings) for audit in audits),
        records=str(folder / _RECORDS),
        metrics=str(folder / _METRICS),
    )
    return outcome, records


async def _records(door: Door) -> list[MatchRecord]:
    """Return the records of all matches that were played, the first one first."""
    ids: list[str] = []
    token = ""
    while True:
        page = await door.call(calls.LIST_MATCHES, calls.ListMatchesRequest(page_size=100, page_token=token))
        ids += [match.match for match in page.matches if match.record_hash]
        token = page.next_page_token
        if not token:
            break
    answers = [await door.call(calls.GET_RECORD, calls.GetRecordRequest(match)) for match in reversed(ids)]
    return [MatchRecord.from_line(answer.line) for answer in answers]


_RECORDS = "matches.jsonl.gz"
_METRICS = "metrics.txt"


def _scrape(address: str) -> bytes:
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as response:
        data: bytes = response.read()
    return data


def _tell(out: Output, outcome: Outcome, records: Sequence[MatchRecord]) -> None:
    out.json(outcome)
    shortest = min(records, key=lambda record: (not record.counts, len(record.moves)))
    out.line("One match, played again from its record:\n")
    for line in _excerpt(
        list(told(shortest, get_game(shortest.game))), f"agon replay show {outcome.records} --match {shortest.match}"
    ):
        out.text(line)
    out.line(f"{outcome.matches} rated matches in {outcome.seconds:.1f} s, played over gRPC by five bots\n")
    for table in outcome.standings:
        if not out.is_terminal:
            # In a pipe a table has no title, and here there are several.
            out.line(f"{table.ladder.name}: {table.ladder.game}, {table.ladder.seats} seats")
        print_standings(out, table)
        out.line()
    out.hint(f"{LEGEND_OF_ELO.lstrip()}\n{LEGEND}\n")
    out.line(f"The tables equal their rebuild from the records; the audit has {outcome.findings} findings.\n")
    out.line("Where things are")
    out.line(f"  records  {outcome.records}; proved by agon replay verify {outcome.records}")
    out.line(f"  metrics  {outcome.metrics}; what /metrics said at the end")
    out.line("Next")
    play = f"agon play {shortest.game} --bots random,greedy"
    for command, what in (
        (play, "a tournament without a server"),
        ("agon serve", "a server of your own"),
        ("README.md", "a bot in twenty lines"),
    ):
        out.line(f"  {command.ljust(len(play))}  {what}")


def _excerpt(pieces: Sequence[str], command: str) -> list[str]:
    """Return the first lines of a match that is told, how it ended, and between them the command that tells it all."""
    *before, ending = pieces
    lines = "\n".join(before).split("\n")
    last = ending.strip("\n").split("\n")
    left_out = len(lines) - TOLD_LINES
    if left_out > 0:
        lines = [*lines[:TOLD_LINES], f"   …  {left_out} more lines; all of it:", f"      {command}"]
    return [*lines, *last, ""]


async def _keep(out: Output, processes: Processes, data: Path, address: str, metrics: str) -> None:
    out.line(f"\nIt goes on until Ctrl-C: bots connect to {address}, metrics are at http://{metrics}/metrics,")
    out.line(f"and commands reach it by --data {data}, for example: agon ladder ls --data {data}")
    try:
        while True:
            processes.check()
            await asyncio.sleep(1)
    except asyncio.CancelledError:
        out.line("ending …")
