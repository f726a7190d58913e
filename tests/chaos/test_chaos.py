"""A short chaos run: whatever is killed, what must hold does. No figure is judged: the machine may be busy."""

from __future__ import annotations

import pytest
from tests.chaos.arena import Settings
from tests.chaos.plan import Blow, Plan
from tests.chaos.run import run

SEED = 20_26
LIMIT_SECONDS = 150.0
"""It takes half a minute; many processes are started, which a busy machine takes its time for."""
BLOWS = {
    Blow.SERVER_BACK: 1,
    Blow.SERVER_GONE: 1,
    Blow.SERVER_STILL: 1,
    Blow.BOT: 3,
    Blow.BOT_STILL: 1,
    Blow.STORE: 1,
    Blow.CUT: 1,
}


@pytest.mark.timeout(300)
async def test_nothing_is_lost_whatever_is_killed() -> None:
    """R5, X2, X12, C1: matches, results, ratings, and what bots have seen."""
    settings = Settings(
        bots=("random", "greedy", "raw", "random"), slots=4, think=0.003, lease=1.5, ladders=("ephyran-2", "ephyran-3")
    )
    timeline: list[str] = []

    report = await run(
        Plan.drawn(SEED, BLOWS), 14, settings, limit=LIMIT_SECONDS, tell=timeline.append, show=lambda _: None
    )
    assert report.contradictions == {}, "\n".join(timeline)
    assert all(row.met is not False for row in report.verdicts), report.verdicts
    assert len(timeline) > len(report.plan.blows)
