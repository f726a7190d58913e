"""A report as one HTML page that needs nothing else: no script, no file, no network. All that came from outside, names
above all, passes `text`, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from agon_ladder.report import charts, wording
from agon_ladder.report.crosstable import Crosstable, crosstable
from agon_ladder.report.style import STYLE
from agon_ladder.report.values import Moment, Pair, Report


def to_html(report: Report) -> str:
    """Return the page."""
    parts = [
        _ranking(report),
        _standings(report),
        _rounds(report),
        _comparison(report),
        _history(report),
        _pairs(report),
        _seats(report),
        _faults(report),
        _times(report),
        _notes(report),
    ]
    about = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in report.about)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n'
        f"<title>{text(report.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{text(report.title)}</h1>\n<p>{text(wording.summary(report))}</p>\n<dl>{about}</dl>\n"
        + "".join(f"{part}\n" for part in parts if part)
        + "</body>\n</html>\n"
    )


def text(value: str) -> str:
    """Return a text as HTML that shows just it, whatever is in it."""
    return escape(wording.plain(value), quote=True)


def name(value: str) -> str:
    """Return a bot's name as HTML; letters that run from right to left change nothing around it."""
    return f"<bdi>{text(value)}</bdi>"


# -- the sections ------------------------------------------------------------------------------------------------


def _ranking(report: Report) -> str:
    told = report.competition
    if told is None:
        return ""

    rows = [
        [
            cell(str(row.rank)),
            f'<td class="name">{name(row.bot)}</td>',
            *(cell(wording.amount(value)) for value in (row.points, *row.tie_breaks)),
            *(cell(str(value)) for value in (row.byes, row.matches, row.blocks)),
        ]
        for row in told.ranking
    ]
    columns = ["#", "name:bot", "points", *told.tie_breaks, "byes", "matches", "blocks"]
    return section("Ranking", table(columns, rows) + legend(wording.RANKING))


def _rounds(report: Report) -> str:
    told = report.competition
    if told is None:
        return ""

    rows = [
        [cell(row.round, "text"), cell(wording.block_of(row), "text"), cell(wording.meeting(row), "text")]
        for row in told.meetings
    ]
    more = f'<p class="soft">{told.left_out} blocks more are left out.</p>' if told.left_out else ""
    return section("Rounds", table(["text:round", "text:block", "text:points of each"], rows) + more) if rows else ""


def _standings(report: Report) -> str:
    if not report.standings:
        return ""

    low, high = charts.scale_of(report.standings)
    rated = wording.rating_columns(report)
    has_versions = any(row.version for row in report.standings)
    columns = [
        *("#", "name:bot", *(["version"] if has_versions else []), *rated),
        *("strength", wording.interval(low, high), "95 %", "above next", "score", "matches", "blocks", "places"),
        "game points",
    ]
    rows = [
        [
            cell(str(row.rank)),
            f'<td class="name">{name(row.bot)}{" (retired)" if row.retired else ""}</td>',
            *([cell(row.version)] if has_versions else []),
            *(cell(value) for value in wording.ratings(row, rated)),
            cell(wording.difference(row.strength)),
            f"<td>{charts.bar(row, low, high)}</td>",
            cell(wording.interval(row.low, row.high)),
            cell("" if row is report.standings[-1] else wording.percent(row.superiority)),
            cell(wording.score(row.score)),
            cell(str(row.matches)),
            cell(str(row.blocks)),
            cell(wording.places(row)),
            cell(f"{row.points:.1f}"),
        ]
        for row in report.standings
    ]
    told = wording.legend(report, has_versions=has_versions)
    return section("Standings", table(columns, rows) + legend(told))


def _comparison(report: Report) -> str:
    lines = "\n".join(text(line) for line in report.comparison)
    return section("Sequential test", f"<pre>{lines}</pre>") if report.comparison else ""


def _history(report: Report) -> str:
    """Draw the ratings of the first bots of the standings over time."""
    known = {bot: list(moments) for bot, moments in groupby(sorted(report.history, key=_by_bot), key=_bot_of)}
    ordered = [row.bot for row in report.standings if row.bot in known]
    shown = {bot: known[bot] for bot in ordered[: charts.COLOURS]}
    if not shown:
        return ""

    key = "".join(
        f'<li><svg viewBox="0 0 24 8" aria-hidden="true"><line class="curve c{index}" x1="0" x2="24" y1="4" y2="4"/>'
        f"</svg>{name(bot)}</li>"
        for index, bot in enumerate(shown)
    )
    left_out = len(ordered) - len(shown)
    more = f'<p class="soft">The first {len(shown)} of {len(ordered)} bots.</p>' if left_out else ""
    return section("Rating over time", charts.curves(shown) + f'<ul class="key">{key}</ul>{more}')


def _pairs(report: Report) -> str:
    square = crosstable(report)
    if len(square.bots) < 2:
        return ""

    columns = ["#", "name:bot", *(str(number) for number in range(1, len(square.bots) + 1))]
    rows = [
        [
            cell(str(number)),
            f'<td class="name">{name(bot)}</td>',
            *(_pair(square, bot, opponent) for opponent in square.bots),
        ]
        for number, bot in enumerate(square.bots, 1)
    ]
    more = f'<p class="soft">{square.left_out} bots further down are left out.</p>' if square.left_out else ""
    return section("Points against each other, of comparisons", table(columns, rows) + more)


def _pair(square: Crosstable, bot: str, opponent: str) -> str:
    if bot == opponent:
        return '<td class="same">&middot;</td>'

    pair = square.pairs.get((bot, opponent))
    if pair is None:
        return "<td></td>"
    return f'<td style="{_shade(pair)}">{text(wording.amount(pair.points))}/{pair.comparisons}</td>'


def _shade(pair: Pair) -> str:
    share = pair.points / pair.comparisons - 0.5
    return f"background:rgba(var(--{'good' if share >= 0 else 'bad'}),{abs(share) * 0.8:.2f})"


def _seats(report: Report) -> str:
    rows = [
        [
            cell(str(row.seat)),
            cell(str(row.matches)),
            cell(wording.score(row.score)),
            cell(wording.difference(row.advantage)),
            cell(wording.interval(row.low, row.high)),
        ]
        for row in report.seats
    ]
    told = table(["seat", "matches", "score", "advantage", "95 %"], rows)
    return section("Seats", told + legend(wording.SEATS)) if rows else ""


def _faults(report: Report) -> str:
    if not report.matches:
        return ""

    has_errors = any(row.errors for row in report.faults)
    rows = [
        [
            f'<td class="name">{name(row.bot)}</td>',
            cell(str(row.seats)),
            cell(wording.reasons(row.ended), "text"),
            cell(wording.reasons(row.strikes), "text"),
            cell(str(row.substitutes)),
            *([cell(str(row.errors))] if has_errors else []),
        ]
        for row in report.faults
        if wording.has_faults(row)
    ]
    columns = ["name:bot", "seats", "text:ended otherwise", "text:strikes", "substitutes"]
    if not rows:
        return section("Faults", "<p>none</p>")
    told = table([*columns, *(["errors"] if has_errors else [])], rows)
    return section("Faults", told + legend(wording.FAULTS if has_errors else wording.FAULTS[:-1]))


def _times(report: Report) -> str:
    rows = [
        [
            f'<td class="name">{name(row.bot)}</td>',
            cell(str(row.decisions)),
            cell(wording.millis(row.mean_us)),
            cell(wording.millis(row.p95_us)),
            cell(wording.millis(row.max_us)),
            cell(str(row.late)),
        ]
        for row in report.times
    ]
    columns = ["name:bot", "decisions", "mean", "95 % within", "longest", "late"]
    told = table(columns, rows) + legend(wording.TIMES)
    return section("Time charged for a decision, in milliseconds", told) if rows else ""


def _notes(report: Report) -> str:
    told = "".join(f"<li>{text(note)}</li>" for note in report.notes)
    return section("Notes", f"<ul>{told}</ul>") if report.notes else ""


def _bot_of(moment: Moment) -> str:
    return moment.bot


def _by_bot(moment: Moment) -> tuple[str, int]:
    return moment.bot, moment.number


# -- pieces; what they are given as HTML is written here ---------------------------------------------------------


def section(heading: str, inner: str) -> str:
    return f"<section><h2>{text(heading)}</h2>{inner}</section>"


def legend(meanings: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{text(word)}</dt><dd>{text(meaning)}</dd>' for word, meaning in meanings)}</dl>"


def cell(value: str, kind: str = "") -> str:
    return f'<td class="{kind}">{text(value)}</td>' if kind else f"<td>{text(value)}</td>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table that scrolls where it is too wide. A column `kind:name` has a class; rows are cells."""
    head = "".join(_heads(columns))
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _heads(columns: Sequence[str]) -> Iterator[str]:
    for column in columns:
        kind, separator, title = column.partition(":")
        yield (
            f'<th scope="col" class="{kind}">{text(title)}</th>'
            if separator
            else f'<th scope="col">{text(column)}</th>'
        )
