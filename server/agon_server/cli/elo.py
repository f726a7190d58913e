"""A score as Elo points in the tables of the command line: plain ASCII, which other programs read as numbers."""

from __future__ import annotations

from agon_ladder.report.wording import MINUS, UNKNOWN, interval
from agon_ladder.stats.interval import Interval


def elo_text(elo: int | None, score: float | None) -> str:
    """Return how far above its opposition a score puts a bot.

    >>> elo_text(-12_345, 0.48), elo_text(None, 1.0), elo_text(None, 0.0), elo_text(None, None)
    ('-12', '+inf', '-inf', '?')
    """
    if score is None:
        return UNKNOWN
    if elo is None:
        return "+inf" if score > 0.5 else "-inf"
    return f"{elo / 1000:+.0f}"


def interval_text(told: Interval) -> str:
    """Return an interval; `?` where it is open at both ends.

    >>> interval_text(Interval(-12_345, None, 7)), interval_text(Interval(None, None, 1))
    ('-12 to +inf', '?')
    """
    return interval(told.low, told.high).replace(MINUS, "-")
