"""How figures of a report are written for people; the text and the HTML page share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agon_ladder.report.values import FaultCount, Meeting, Report, Standing

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


def rating_columns(report: Report) -> tuple[str, ...]:
    """Return what the columns of live ratings are called; none where nothing is rated."""
    if any(row.sigma is not None for row in report.standings):
        return ("mu", "sigma")
    return ("Elo",) if any(row.rating is not None for row in report.standings) else ()


def ratings(row: Standing, columns: Sequence[str]) -> list[str]:
    """Return what a row has in these columns."""
    return [elo(value) for value in (row.rating, row.sigma)[: len(columns)]]


def legend(report: Report, *, has_versions: bool) -> list[tuple[str, str]]:
    """Return what the columns of the standings mean."""
    versions = [("version", "what the bot called itself last; its strength is of that version alone")]
    of_rating = {
        ("Elo",): [("Elo", "the live rating, which every match moves; the interval is not its own")],
        ("mu", "sigma"): [
            ("mu", "the live rating, which every match moves; the interval is not its own"),
            ("sigma", "the standard deviation of mu, as the rating system takes it"),
        ],
    }
    return [*(versions if has_versions else []), *of_rating.get(rating_columns(report), []), *_STANDINGS]


def meeting(told: Meeting) -> str:
    """Return who met whom, the best first, with the points of each.

    >>> meeting(Meeting("round 1 of 1", "1.1", ("a", "b"), (0.5, 1.5))), meeting(Meeting("", "", ("a",), ()))
    ('b 1.5, a 0.5', 'a')
    """
    if not told.points:
        return ", ".join(told.bots)

    scored = sorted(zip(told.bots, told.points, strict=True), key=lambda item: -item[1])
    return ", ".join(f"{bot} {amount(points)}" for bot, points in scored)


def block_of(told: Meeting) -> str:
    """Return what a block is called, or that there was none, or that it is not whole."""
    return "bye" if not told.block else told.block if told.points else f"{told.block} (not complete)"


RANKING: Final = (
    ("points", "1 for each opponent placed below in a match, 1/2 for a tie; what byes give is in it"),
    ("byes", "rounds that a bot sat out and stayed in"),
)
"""What the columns of a tournament's ranking mean."""
_STANDINGS: Final = (
    ("strength", "fitted to all complete blocks, in Elo points; 0 is the mean of these bots"),
    ("95 %", "the interval of the strength; inf: it has no bound there, ?: nothing to tell"),
    ("above next", "how likely it is that a bot is stronger than the one below it"),
    ("score", "mean pairwise score: 1 for each other bot placed below, 1/2 for a tie"),
    ("matches", "that count"),
    ("blocks", "line-ups played under all rotations of their seats; strengths rest on them"),
    ("places", "how often a bot came 1st/2nd/…"),
    ("game points", "the game's own, a match"),
)
SEATS: Final = (
    ("score", "mean pairwise score of whoever sat there"),
    ("advantage", "what the seat adds to a bot's strength, in Elo points"),
    ("95 %", "the interval of the advantage"),
)
"""What the columns of the table of seats mean."""
FAULTS: Final = (
    ("seats", "all that it sat at, also in matches that do not count"),
    ("ended otherwise", "seats not played to the end, and why; the SDK resigns where a bot's code fails"),
    ("strikes", "decisions without a usable answer in time, and why"),
    ("substitutes", "moves that were made in its place"),
    ("errors", "in its own code, where they are known"),
)
TIMES: Final = (
    ("95 % within", "so many of its decisions were charged no more than this"),
    ("late", "decisions over the limit"),
)
RANKS: Final = (
    "Ranks are those of the tournament's format; scores and strengths here are of all its matches alike, and need not "
    "agree with them."
)
"""What the standings of a tournament's report are ordered by."""
