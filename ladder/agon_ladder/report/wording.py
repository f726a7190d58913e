"""How figures of a report are written for people; the text and the HTML page share it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agon_ladder.report.values import FaultCount, Report, Standing

UNKNOWN: Final = "?"
MINUS: Final = "\u2212"


def plain(text: str) -> str:
    """Return a text that came from outside with everything visible that is no letter, sign or space.

    >>> plain("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(item if item.isprintable() else ascii(item)[1:-1] for item in text)


def elo(thousandths: int | None) -> str:
    """Return a rating in whole points."""
    return UNKNOWN if thousandths is None else signed(f"{thousandths / 1000:.0f}")


def difference(thousandths: int | None) -> str:
    """Return points above or below zero.

    >>> difference(12_345), difference(-400), difference(None)
    ('+12', '0', '?')
    """
    if thousandths is None:
        return UNKNOWN
    rounded = round(thousandths / 1000)
    return signed(f"{rounded:+d}") if rounded else "0"


def interval(low: int | None, high: int | None) -> str:
    """Return an interval; None is an end that is open.

    >>> interval(-400, 12_345), interval(12_345, None), interval(None, None)
    ('0 to +12', '+12 to +inf', '?')
    """
    if low is None and high is None:
        return UNKNOWN
    return f"{signed('-inf') if low is None else difference(low)} to {'+inf' if high is None else difference(high)}"


def signed(number: str) -> str:
    """Return a number with a minus sign that is as wide as a plus."""
    return "0" if number == "-0" else number.replace("-", MINUS)


def percent(share: float | None, digits: int = 0) -> str:
    return UNKNOWN if share is None else f"{100 * share:.{digits}f} %"


def score(value: float) -> str:
    return f"{value:.3f}"


def amount(points: float) -> str:
    """Return points without a fraction where there is none.

    >>> amount(12.0), amount(12.5)
    ('12', '12.5')
    """
    return f"{points:g}" if points < 100_000 else f"{points:.1f}"


def millis(micros: float | None) -> str:
    """Return a time in milliseconds, three digits of it or all before the point.

    >>> millis(1_234_567), millis(12_345), millis(7), millis(None)
    ('1235', '12.3', '0.007', '?')
    """
    if micros is None:
        return UNKNOWN
    value = micros / 1000
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def marked(row: Standing) -> str:
    """Return a bot's name, with a mark where it plays no more."""
    return f"{row.bot} (retired)" if row.retired else row.bot


def places(row: Standing) -> str:
    return "/".join(map(str, row.places))


def counted(number: int, what: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "match"), counted(2, "match"), counted(2, "block")
    ('1 match', '2 matches', '2 blocks')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}{'es' if what.endswith('ch') else 's'}"


def reasons(counts: Mapping[str, int]) -> str:
    """Return reasons with how often, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in ordered)


def summary(report: Report) -> str:
    """Return what all figures rest on, as one sentence."""
    told = f"{counted(report.matches, 'match')}, {counted(report.blocks, 'complete block')}"
    told += f", {counted(report.decisions, 'decision')}"
    return f"{told}, {moment(report.first)} to {moment(report.last)}" if report.first else told


def moment(text: str) -> str:
    """Return a moment as records write it, without seconds.

    >>> moment("2030-03-17T17:46:40.123Z")
    '2030-03-17 17:46 UTC'
    """
    return f"{plain(text[:10])} {plain(text[11:16])} UTC"


def has_faults(row: FaultCount) -> bool:
    return bool(row.ended or row.strikes or row.substitutes or row.errors)


LEGEND: Final = (
    ("strength", "fitted to all complete blocks, in Elo points; 0 is the mean of these bots"),
    ("95 %", "the interval of the strength, by block bootstrap; ? nothing to tell"),
    ("above next", "how likely it is that a bot is stronger than the one below it"),
    ("score", "mean pairwise score: 1 for each other bot placed below, 1/2 for a tie"),
    ("places", "how often a bot came 1st/2nd/…"),
    ("points", "the game's own, a match"),
)
"""What the columns of the standings mean."""
RANKS: Final = (
    "Ranks are those of the tournament's format; scores and strengths here are of all its matches alike, and need not "
    "agree with them."
)
"""What the standings of a tournament's report are ordered by."""
