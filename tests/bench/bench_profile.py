"""Where random playouts of each game spend their time, by the standard profiler: the five hottest functions."""

from __future__ import annotations

import cProfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.playouts import play
from tests.bench.report import Line, Remark, Row

from agon_engine.core.compiled import is_compiled
from agon_engine.registry import game_names, get_game

HOTTEST = 5


def hottest(profile: cProfile.Profile, decisions: int, count: int) -> Iterator[Row]:
    """Yield the functions with the most time of their own, without what they call."""
    entries = sorted(profile.getstats(), key=lambda entry: -entry.inlinetime)
    total = sum(entry.inlinetime for entry in entries)
    for entry in entries[:count]:
        code = entry.code
        name = code if isinstance(code, str) else f"{Path(code.co_filename).stem}.{code.co_qualname}"
        share, calls = 100 * entry.inlinetime / total, entry.callcount / decisions
        yield Row(name, share, "% of own time", details={"calls a decision": calls})


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Profile every registered game at its most seats."""
    if is_compiled():
        yield Remark("not measured: the profiler does not see compiled functions")
        return

    for name in game_names():
        game = get_game(name)
        seats = game.spec.max_seats
        profile = cProfile.Profile()
        profile.enable()
        played = play(game, seats, 0.5 if quick else 5.0)
        profile.disable()
        for row in hottest(profile, played.decisions, HOTTEST):
            yield Row(f"{name} {seats} seats: {row.name}", row.value, row.unit, details=row.details)
