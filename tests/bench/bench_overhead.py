"""Host time of a decision under load, from the answer's frame read to the next frame written: at 64 running matches,
with bots that think 100 ms on average, and (no bar: the queue is the load) with bots that answer at once."""

from __future__ import annotations

import asyncio

from tests.bench.load import Reading, ServerProcess, load, server_with_room
from tests.bench.report import Row

MATCHES = 64
THINK_SECONDS = 0.1
_BUCKET = "agon_decision_overhead_seconds_bucket"


def quantile_of(before: Reading, after: Reading, share: float) -> float:
    """Return the upper bound, in seconds, of the histogram bucket in which that share of the decisions lies."""
    bounds = sorted(
        (
            (float(bound), value - before.samples[name, bound])
            for (name, bound), value in after.samples.items()
            if name == _BUCKET
        )
    )
    total = bounds[-1][1]
    below, least = 0.0, 0.0
    for bound, count in bounds:
        if count >= share * total:
            # Linear inside the bucket, as Prometheus' histogram_quantile does.
            return (
                least + (bound - least) * (share * total - below) / max(1.0, count - below) if count > below else bound
            )
        below, least = count, bound
    return least


async def _case(server: ServerProcess, seconds: float, think: float) -> tuple[float, float, float]:
    async with load(server, bots=2 * MATCHES, slots=1, changed=True, think=think) as (tally, _):
        await asyncio.sleep(seconds / 3)
        before = await server.read()
        await asyncio.sleep(seconds)
        after = await server.read()
    if tally.refused:
        raise RuntimeError(f"the server refused frames: {tally.refused[0]}")
    rate = (after.decisions - before.decisions) / seconds
    return quantile_of(before, after, 0.5), quantile_of(before, after, 0.99), rate


async def _measure(seconds: float) -> list[Row]:
    server = server_with_room()
    try:
        half, most, rate = await _case(server, seconds, THINK_SECONDS)
        thinking = f"{MATCHES} matches, bots think {THINK_SECONDS * 1e3:.0f} ms"
        rows = [
            Row(f"{thinking}: p50", half * 1e3, "ms", "<= 2", f"{rate:,.0f} decisions/s"),
            Row(f"{thinking}: p99", most * 1e3, "ms", "<= 20"),
        ]
        half, most, rate = await _case(server, seconds, 0)
        at_once = f"{MATCHES} matches, bots answer at once"
        rows.append(Row(f"{at_once}: p50", half * 1e3, "ms", "", f"{rate:,.0f} decisions/s"))
        rows.append(Row(f"{at_once}: p99", most * 1e3, "ms"))
    finally:
        server.stop()
    return rows


def measure(*, quick: bool = False) -> list[Row]:
    """Measure with a real server and real connections."""
    return asyncio.run(_measure(3.0 if quick else 15.0))
