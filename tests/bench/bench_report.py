"""Reports: what a match costs from its record on, and how long a large one takes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.report import Row
from tests.support.ladder_store import played_truly
from tests.support.report_facts import tournament
from tests.support.valkey import entry

from agon_engine.core.record import MatchRecord
from agon_ladder.report.facts import facts_of
from agon_ladder.report.forms import Form, rendered
from agon_ladder.report.gathering import Gathering
from agon_server.queue.ids import new_id


def measure(*, quick: bool = False) -> Iterator[Row]:
    """Yield the cost of reading records, and of a round robin of many bots."""
    yield _reading(10 if quick else 200)
    yield from _large(20 if quick else 200)


def _reading(matches: int) -> Row:
    lines = [
        played_truly(entry("a", "b", block=new_id(), seed=f"{number:032x}")).to_line() for number in range(matches)
    ]
    gathering = Gathering()
    began = time.process_time()
    for line in lines:
        gathering.add(facts_of(MatchRecord.from_line(line), ratings=(1_500_000, 1_500_000)))
    spent = time.process_time() - began
    return Row("a match, from its record's line", 1e3 * spent / matches, "ms")


def _large(bots: int) -> Iterator[Row]:
    gathering = Gathering()
    began = time.process_time()
    for facts in tournament([f"bot-{number:03}" for number in range(bots)], 2, 1):
        gathering.add(facts)
    drawn = time.process_time() - began
    blocks = gathering.matches // 2
    began = time.process_time()
    report = gathering.report("bench", ())
    yield Row(
        f"the report of {bots} bots, {blocks} blocks",
        time.process_time() - began,
        "s",
        note="its fit with 200 resamples included",
        details={"drawing and gathering before, s": drawn},
    )
    for form in Form:
        began = time.process_time()
        size = sum(map(len, rendered(report, form).values()))
        yield Row(f"the same as {form}", 1e3 * (time.process_time() - began), "ms", details={"KB": size / 1e3})
