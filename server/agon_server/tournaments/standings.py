"""How the bots of a tournament stand, with intervals; from complete blocks alone, in the order of the schedule."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from agon_ladder.pairing.schedules.table import Row, block_points
from agon_ladder.stats.interval import Interval, block_interval, elo_of_score
from agon_server.tournaments.progress import Progress


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's row."""

    row: Row
    """Its rank and points by the rules of the format."""
    score: float | None
    """Mean pairwise score, 0 to 1; None before its first complete block."""
    elo: int | None
    """The same as its strength above the opponents it met, in thousandths of a point; None as for the score, and where
    that is clean."""
    interval: Interval
    """95 %, of its strength above the opponents it met, in thousandths of an Elo point."""


def standings(progress: Progress, name: str) -> list[Standing]:
    """Return the table, the best first; the same results give the same one. `name` is the tournament's."""
    played = progress.played()
    histograms: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for round_ in played:
        for block in round_:
            for bot, scored in block_points(block).items():
                histograms[bot][scored] += 1
    most = 2 * progress.places * (progress.seats - 1)
    found = []
    for row in progress.schedule.table(played):
        histogram = histograms[row.bot]
        scored = sum(points * count for points, count in histogram.items())
        possible = most * sum(histogram.values())
        score = scored / possible if possible else None
        elo = None if score is None else elo_of_score(score)
        found.append(Standing(row, score, elo, block_interval(histogram, most, f"{name}/{row.bot}")))
    return found
