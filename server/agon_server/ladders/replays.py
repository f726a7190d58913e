"""Records played again, in as many processes as there are processors: a replay takes far longer than the loop of a
server, or a whole audit, may stand still. What one of them does with a record is `replayer`'s.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple

from agon_server.files import Files
from agon_server.queue.results import Result

MAX_SAMPLE: Final = 10_000
"""Records that may be drawn by lot: they are in memory together."""
EACH: Final = 25
"""A further process is worth its start for so many records."""
_ANSWER_BYTES: Final = 1 << 20


class Checked(NamedTuple):
    """What became of the check of one record."""

    match: str
    found: tuple[str, ...]
    """Where it differs from its replay or its result; none: it is true."""
    skipped: bool
    """Its game or rules version is not installed, so nobody can tell."""


Tell = Callable[[Checked], Awaitable[None]]


class ReplayProcessError(Exception):
    """A process that replays records has ended; what it said is in the log."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def drawn(results: AsyncIterable[Result], count: int, chance: random.Random | None = None) -> list[Result]:
    """Return so many of the results, each equally likely, in their order; all where there are no more.

    In one pass (J. Vitter, *Random Sampling with a Reservoir*, algorithm R, 1985).
    """
    chance = chance or random.SystemRandom()
    kept: list[Result] = []
    seen = 0
    async for result in results:
        seen += 1
        if len(kept) < count:
            kept.append(result)
        elif (at := chance.randrange(seen)) < count:
            kept[at] = result
    return sorted(kept, key=lambda result: result.order)


async def one_by_one(results: Sequence[Result]) -> AsyncIterator[Result]:
    for result in results:
        yield result


async def replay_all(results: AsyncIterator[Result], files: Files, tell: Tell, processes: int = 0) -> None:
    """Check the records of results, and tell of each as it is done, in no order. Raise ReplayProcessError.

    `processes`: how many share the work; 0: one a processor.
    """
    turn = asyncio.Lock()
    processes = processes or processors()
    tasks = [asyncio.create_task(_replay(results, turn, files, tell)) for _ in range(processes)]
    try:
        # Not `gather`: cancelled, it goes on with the first task that has ended, and the others would be cancelled anew
        # below, amid the end of their processes.
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def _replay(results: AsyncIterator[Result], turn: asyncio.Lock, files: Files, tell: Tell) -> None:
    async with _process() as process:
        while True:
            async with turn:
                result = await anext(results, None)
            if result is None:
                return
            await tell(await _check(process, result, files))


async def _check(process: asyncio.subprocess.Process, result: Result, files: Files) -> Checked:
    texts: dict[str, str] = {}
    while True:
        answer = await _ask(process, _question(result, texts))
        if (file := answer.get("missing")) is None:
            return Checked(result.match, tuple(answer["found"]), answer["skipped"])
        if file in texts or (text := await files.text(file)) is None:
            return Checked(
                result.match, (f"the store lacks the file that it was played with: {file!r}",), skipped=False
            )
        texts[file] = text


def _question(result: Result, texts: dict[str, str]) -> bytes:
    outcome = result.outcome.to_json() if result.outcome is not None else {}
    told = {
        "match": result.match,
        "ladder": result.ladder,
        "block": result.block,
        "rated": result.rated,
        "termination": result.termination,
        **{name: outcome.get(name) for name in ("bots", "placements", "terminations")},
    }
    return json.dumps({"line": result.record, "hash": result.record_hash, "result": told, "files": texts}).encode()


async def _ask(process: asyncio.subprocess.Process, question: bytes) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(question + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
    except (BrokenPipeError, ConnectionResetError):
        line = b""
    if not line:
        raise ReplayProcessError("a process that replays records has ended; the log says what it said")

    answer: dict[str, Any] = json.loads(line)
    return answer


@asynccontextmanager
async def _process() -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a process that replays; it and its pipes are gone in the end, whatever happens."""
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "agon_server.ladders.replayer",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_ANSWER_BYTES,
        )
    )
    try:
        # A start that is cancelled forgets the pipes that it has not connected yet.
        yield await asyncio.shield(starting)
    finally:
        await _to_the_end(asyncio.create_task(_end(starting)))


async def _to_the_end(task: asyncio.Task[None]) -> None:
    """Wait for a task also when cancelled meanwhile, and be cancelled then."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


async def _end(starting: asyncio.Task[asyncio.subprocess.Process]) -> None:
    process = await starting
    assert process.stdin is not None
    with suppress(ProcessLookupError):
        process.kill()
    await process.communicate()  # to the end of its output too: its transport is closed by that
    process.stdin.close()
    with suppress(BrokenPipeError, ConnectionResetError):  # a question that it has not read
        await process.stdin.wait_closed()
