"""What the journal costs a decision: this process's CPU time for writing an entry, storing it in a real embedded Valkey
and letting its match follow, by how many choices go in one call; and how long such a call takes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import uvloop
from tests.bench.bench_store import queue_duels
from tests.bench.load import GAME
from tests.bench.report import Row, median, progress, quantile

from agon_engine.core.driver import Timing
from agon_engine.registry import get_game
from agon_server.queue.claim import Claim
from agon_server.queue.queue import Queue
from agon_server.referee.entries import Entry, Kind, choice_line, tag_of
from agon_server.referee.journal import Follower, Journal
from agon_server.store.connection import Store, open_store
from agon_server.store.folder import DataFolder
from agon_server.store.script_line import packed

SIZES = (1, 8, 32)
TIMING = Timing(812_345, 20, 300_000, 500_000)


class Match:
    """As little of a match as a journal needs; after each entry that is stored it waits for the next round."""

    def __init__(self, claim: Claim, left: list[int], code: str) -> None:
        self.head = packed(claim.entry.match) + packed(str(claim.epoch))
        self.closed = False
        self._tag = tag_of(claim.entry.match)
        self._code = code
        self._number = 0
        self._left = left

    def accept(self, journal: Journal) -> None:
        number = self._number
        line = choice_line(number, self._tag, 1, self._code, 0, TIMING)
        journal.accept(self, Entry(number, Kind.CHOICE, 1, 5, None, TIMING), line)

    def follow(self, _entry: Entry) -> None:
        self._number += 1
        self._left[0] -= 1

    def tell(self) -> None:
        """It has nothing to say."""


async def _claims(store: Store, queue: Queue, matches: int) -> list[Claim]:
    version = get_game(GAME).spec.version
    await queue_duels(store, queue, matches)
    claims: list[Claim] = []
    while len(claims) < matches:
        claims += [claim for claim in await queue.claim_many({(GAME, version)}, matches) if isinstance(claim, Claim)]
    return claims


async def _mend(_matches: list[Follower]) -> None:
    raise AssertionError("every entry is taken")


async def _rounds(queue: Queue, claims: list[Claim], rounds: int) -> tuple[float, list[float]]:
    """Store so many entries of each match, all of a round in one call; return the CPU seconds of an entry, and the
    seconds of each call."""
    calls: list[float] = []
    line, server = queue.journal_line()
    journal = Journal(line, server, _mend, calls.append)
    left = [0]
    matches = [Match(claim, left, get_game(GAME).notation.codes[5]) for claim in claims]
    try:
        began = time.process_time()
        for _ in range(rounds):
            left[0] = len(matches)
            for match in matches:
                match.accept(journal)
            while left[0]:
                await journal.run()
        spent = time.process_time() - began
    finally:
        await line.aclose()
    return spent / rounds / len(matches), calls


async def _measure(rounds: int, repeats: int) -> list[Row]:
    costs: dict[int, list[float]] = {size: [] for size in SIZES}
    times: dict[int, list[float]] = {size: [] for size in SIZES}
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder, DataFolder.open(Path(folder) / "data") as data:
        store = await open_store(None, data)
        try:
            for number in range(repeats):
                progress(f"round {number + 1} of {repeats}")
                for size in SIZES:
                    await store.command("FLUSHALL")
                    queue = Queue(store, server="bench")
                    cost, calls = await _rounds(queue, await _claims(store, queue, size), max(50, rounds // size))
                    costs[size].append(cost)
                    times[size] += calls
        finally:
            await store.aclose()

    rows = [
        Row(f"journal: cost of a decision, {size} in a call", 1e6 * median(costs[size]), "us CPU", "", "this process")
        for size in SIZES
    ]
    for size in SIZES:
        p99 = f"p99 {1e3 * quantile(times[size], 0.99):.2f}"
        rows.append(Row(f"journal: a call of {size}, p50", 1e3 * quantile(times[size], 0.5), "ms", "", p99))
    return rows


def measure(*, quick: bool = False) -> list[Row]:
    """Measure with append-only file on and on the server's own loop, rounds interleaved; medians."""
    return uvloop.run(_measure(2_000, 2) if quick else _measure(20_000, 5))
