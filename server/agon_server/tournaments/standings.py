"""How the bots of a tournament stand, with intervals; from complete blocks alone, in the order of the schedule."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from agon_ladder.pairing.schedules.table import Row, block_points
from agon_ladder.stats.interval import Interval, block_interval
from agon_server.tournaments.progress import Progress


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's row."""

    row: Row
    """Its rank and points by the rules of the format."""
    score: float | None
    """Mean pairwise score, 0 to 1; None before its first complete block."""
    interval: Interval
    """95 %, of its strength above the opponents it met, in thousandths of an Elo point."""


def standings(progress: Progress, name: str) -> list[Standing]:
    """Return the table, the best first; the same results give the same one. `name` is the tournament's."""
    played = progress.played()
    seats = progress.seats
    histograms: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for round_ in played:
        for block in round_:
            for bot, scored in block_points(block).items():
                histograms[bot][scored] += 1
    most = 2 * seats * (seats - 1)
    found = []
    for row in progress.schedule.table(played):
        histogram = histograms[row.bot]
        blocks = sum(histogram.values())
        score = sum(scored * count for scored, count in histogram.items()) / (most * blocks) if blocks else None
        found.append(Standing(row, score, block_interval(histogram, most, f"{name}/{row.bot}")))
    return found
