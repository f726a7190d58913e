"""Fitted strengths of 200 bots that have played 20,000 blocks, and their intervals: wall time, and the most memory that
they take meanwhile beyond the blocks themselves. Each seat count in a process of its own. And win trades of a large
ladder, of which many are suspicious."""

from __future__ import annotations

import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

import numpy as np
from tests.bench.load import SPAWN, deaf_to_interrupts
from tests.bench.peak import peak_memory
from tests.bench.report import Line, Row
from tests.support.strengths import line_ups, name_of, played, ranked

from agon_ladder.stats.strength import RESAMPLES, fit
from agon_ladder.trades import Meetings, find_trades

BOTS, BLOCKS = 200, 20_000
SPREAD = 0.86
"""Of the strengths: 150 Elo points."""
WINDOW = 40
"""How far apart in strength bots of a large ladder meet."""


def _fit(pipe: Connection, seats: int, blocks: int, ties: dict[int, float]) -> None:
    """Send seconds, CPU seconds and MiB of a fit, then of one with intervals."""
    rng = np.random.default_rng(seats)
    rounds = line_ups(rng, BOTS, seats, -(-blocks * seats // BOTS))[:blocks]
    history = played(rng, rng.normal(scale=SPREAD, size=BOTS).tolist(), rounds, [0.0] * seats, ties)
    for resamples in (0, RESAMPLES):
        with peak_memory() as peak:
            began, cpu_began = time.perf_counter(), time.process_time()
            fitted = fit(history, resamples=resamples)
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
        assert (fitted.blocks, len(fitted.strengths)) == (blocks, BOTS)
        pipe.send((seconds, {"CPU s": cpu, "MiB more": peak.mib}))


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Measure 2, 4 and 5 seats, and 4 with ties."""
    blocks = BLOCKS // 20 if quick else BLOCKS
    for seats, ties in ((2, {}), (4, {}), (4, {2: 0.3, 3: 0.1}), (5, {})):
        pipe, other = SPAWN.Pipe()
        process = SPAWN.Process(target=_fit, args=(other, seats, blocks, ties), daemon=True)
        with deaf_to_interrupts():
            process.start()
        other.close()
        alone, alone_took = pipe.recv()
        whole, whole_took = pipe.recv()
        process.join()
        name = f"{BOTS} bots, {blocks:,} blocks of {seats} seats{', ties' if ties else ''}"
        yield Row(f"fit: {name}", alone, "s", "<= 30", details=alone_took)
        yield Row(
            f"  the same with intervals: {RESAMPLES} resamples",
            whole,
            "s",
            "<= 120",
            "started from the fit",
            whole_took,
        )
    yield _trades(200 if quick else 2_000)


def _trades(bots: int) -> Row:
    """Measure a ladder in which of every twenty bots one loses all matches to the one above it."""
    rng = np.random.default_rng(bots)
    strengths = np.sort(rng.normal(scale=SPREAD, size=bots))
    line_up = rng.integers(0, bots - WINDOW, size=100 * bots)[:, None] + rng.integers(0, WINDOW, size=(100 * bots, 4))
    meetings = Meetings()
    for seated, placements in zip(line_up.tolist(), ranked(rng, strengths[line_up], {}), strict=True):
        places = list(placements)
        for seat, bot in enumerate(seated):
            if bot % 20 == 0 and bot + 1 in seated:
                above = seated.index(bot + 1)
                places[seat], places[above] = max(places[seat], places[above]), min(places[seat], places[above])
        meetings.add([name_of(bot) for bot in seated], places)
    began, cpu_began = time.perf_counter(), time.process_time()
    report = find_trades(meetings)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    return Row(
        f"win trades: {bots:,} bots, {report.matches:,} matches of 4 seats",
        seconds,
        "s",
        note=f"{len(report.trades)} of {report.pairs:,} pairs told",
        details={"CPU s": cpu},
    )
