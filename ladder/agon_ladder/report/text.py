"""A report as text of fixed width, for terminals, mails and logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agon_ladder.report import wording
from agon_ladder.report.crosstable import crosstable
from agon_ladder.report.values import Report

_GAP: Final = "  "
_LARGEST: Final = 12
"""Bots in the crosstable: more do not fit a terminal."""


def to_text(report: Report) -> str:
    """Return the report as lines, each ended by a line feed."""
    lines = [wording.plain(report.title), "=" * len(report.title)]
    lines += [f"{wording.plain(name)}: {wording.plain(value)}" for name, value in report.about]
    lines += [wording.summary(report)]
    parts = (_ranking, _standings, _rounds, _pairs, _seats, _faults, _times)
    for part in (part(report) for part in parts):
        if told := list(part):
            lines += ["", *told]
    if report.comparison:
        lines += ["", *map(wording.plain, report.comparison)]
    if report.notes:
        lines += ["", *map(wording.plain, report.notes)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _ranking(report: Report) -> Iterator[str]:
    told = report.competition
    if told is None:
        return

    yield from _section(
        "Ranking",
        ["rank#", "bot", "points#", *(f"{name}#" for name in told.tie_breaks), "byes#", "matches#", "blocks#"],
        [
            [
                *(str(row.rank), row.bot, wording.amount(row.points), *map(wording.amount, row.tie_breaks)),
                *(str(row.byes), str(row.matches), str(row.blocks)),
            ]
            for row in told.ranking
        ],
    )
    yield from _legend(wording.RANKING)


def _rounds(report: Report) -> Iterator[str]:
    told = report.competition
    if told is None:
        return

    rows = [[row.round, wording.block_of(row), wording.meeting(row)] for row in told.meetings]
    yield from _section("Rounds", ["round", "block", "points of each"], rows)
    if told.left_out:
        yield f"and {told.left_out} blocks more"


def _standings(report: Report) -> Iterator[str]:
    if not report.standings:
        return

    rated = wording.rating_columns(report)
    columns = ["rank#", "bot", *(f"{name}#" for name in rated), "strength#", "95 %#", "above next#", "score#"]
    yield from _section(
        "Standings",
        [*columns, "matches#", "blocks#", "places#", "game points#"],
        [
            [
                str(row.rank),
                wording.marked(row),
                *wording.ratings(row, rated),
                wording.difference(row.strength),
                wording.interval(row.low, row.high),
                "" if row is report.standings[-1] else wording.percent(row.superiority),
                wording.score(row.score),
                str(row.matches),
                str(row.blocks),
                wording.places(row),
                f"{row.points:.1f}",
            ]
            for row in report.standings
        ],
    )
    yield from _legend(wording.legend(report, has_versions=False))


def _pairs(report: Report) -> Iterator[str]:
    table = crosstable(report, _LARGEST)
    if len(table.bots) < 2:
        return

    def cell(bot: str, opponent: str) -> str:
        if bot == opponent:
            return "."
        pair = table.pairs.get((bot, opponent))
        return "" if pair is None else f"{wording.amount(pair.points)}/{pair.comparisons}"

    numbers = range(1, len(table.bots) + 1)
    yield from _section(
        "Points against each other (of comparisons)",
        ["#", "bot", *(f"{number}#" for number in numbers)],
        [
            [str(number), bot, *(cell(bot, opponent) for opponent in table.bots)]
            for number, bot in zip(numbers, table.bots, strict=True)
        ],
    )
    if table.left_out:
        yield f"and {table.left_out} bots further down, which JSON and CSV have"


def _legend(meanings: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield ""
    widest = max(len(name) for name, _ in meanings)
    for name, meaning in meanings:
        yield f"{name:<{widest}}{_GAP}{meaning}"


def _seats(report: Report) -> Iterator[str]:
    if not report.seats:
        return

    yield from _section(
        "Seats",
        ["seat#", "matches#", "score#", "advantage#", "95 %#"],
        [
            [
                str(row.seat),
                str(row.matches),
                wording.score(row.score),
                wording.difference(row.advantage),
                wording.interval(row.low, row.high),
            ]
            for row in report.seats
        ],
    )
    yield from _legend(wording.SEATS)


def _faults(report: Report) -> Iterator[str]:
    if not report.matches:
        return

    rows = [
        [row.bot, str(row.seats), wording.reasons(row.ended), wording.reasons(row.strikes), str(row.substitutes)]
        + ([str(row.errors)] if _has_errors(report) else [])
        for row in report.faults
        if wording.has_faults(row)
    ]
    if not rows:
        yield from ("Faults", "------", "none")
        return

    columns = ["bot", "seats#", "ended otherwise", "strikes", "substitutes#"]
    yield from _section("Faults", columns + (["errors#"] if _has_errors(report) else []), rows)
    yield from _legend(wording.FAULTS if _has_errors(report) else wording.FAULTS[:-1])


def _has_errors(report: Report) -> bool:
    return any(row.errors for row in report.faults)


def _times(report: Report) -> Iterator[str]:
    if not report.times:
        return

    yield from _section(
        "Time charged for a decision, in milliseconds",
        ["bot", "decisions#", "mean#", "95 % within#", "longest#", "late#"],
        [
            [
                row.bot,
                str(row.decisions),
                wording.millis(row.mean_us),
                wording.millis(row.p95_us),
                wording.millis(row.max_us),
                str(row.late),
            ]
            for row in report.times
        ],
    )
    yield from _legend(wording.TIMES)


def _section(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a heading and a table; nothing without rows. Columns named with `#` at their end are numbers."""
    if not rows:
        return

    yield title
    yield "-" * len(title)
    are_numbers = [name.endswith("#") for name in columns]
    cells = [[name.removesuffix("#") for name in columns], *([wording.plain(text) for text in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield _GAP.join(
            text.rjust(width) if is_number else text.ljust(width)
            for text, width, is_number in zip(row, widths, are_numbers, strict=True)
        )
