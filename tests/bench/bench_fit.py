"""Fitted strengths of 200 bots that have played 20,000 blocks, and their intervals: wall time, and the most memory that
they take meanwhile beyond the blocks themselves. Each seat count in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from tests.bench.load import SPAWN, deaf_to_interrupts, resident_memory
from tests.bench.report import Line, Row
from tests.support.strengths import line_ups, played

from agon_ladder.stats.strength import RESAMPLES, fit

BOTS, BLOCKS = 200, 20_000
SPREAD = 0.86
"""Of the strengths: 150 Elo points."""
MIB = 1 << 20


def _peak() -> int:
    """Return the most bytes that this process had since `_forget_peak`."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _fit(pipe: Connection, seats: int, blocks: int, ties: dict[int, float]) -> None:
    """Send seconds and bytes of a fit, then of one with intervals."""
    rng = np.random.default_rng(seats)
    rounds = line_ups(rng, BOTS, seats, -(-blocks * seats // BOTS))[:blocks]
    history = played(rng, rng.normal(scale=SPREAD, size=BOTS).tolist(), rounds, [0.0] * seats, ties)
    for resamples in (0, RESAMPLES):
        before = resident_memory(trim=True)
        _forget_peak()
        began = time.perf_counter()
        fitted = fit(history, resamples=resamples)
        seconds = time.perf_counter() - began
        assert (fitted.blocks, len(fitted.strengths)) == (blocks, BOTS)
        pipe.send((seconds, _peak() - before))


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Measure 2, 4 and 5 seats, and 4 with ties."""
    blocks = BLOCKS // 20 if quick else BLOCKS
    for seats, ties in ((2, {}), (4, {}), (4, {2: 0.3, 3: 0.1}), (5, {})):
        pipe, other = SPAWN.Pipe()
        process = SPAWN.Process(target=_fit, args=(other, seats, blocks, ties), daemon=True)
        with deaf_to_interrupts():
            process.start()
        other.close()
        alone, memory = pipe.recv()
        whole, whole_memory = pipe.recv()
        process.join()
        name = f"{BOTS} bots, {blocks:,} blocks of {seats} seats{', ties' if ties else ''}"
        yield Row(f"fit: {name}", alone, "s", "<= 30", details={"MiB more": memory / MIB})
        yield Row(
            f"  its intervals: {RESAMPLES} resamples",
            whole - alone,
            "s",
            "<= 120",
            "started from the fit",
            {"MiB more": whole_memory / MIB},
        )
