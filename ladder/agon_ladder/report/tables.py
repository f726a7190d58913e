"""A report as tables of plain values, which CSV and JSON share: points, scores from 0 to 1 and milliseconds."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from agon_ladder.report.values import Report


class Table(NamedTuple):
    """Rows of numbers, texts and None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def tables(report: Report) -> Mapping[str, Table]:
    """Return all tables of a report, by name."""
    places = max((len(row.places) for row in report.standings), default=0)
    return _of_competition(report) | {
        "standings": Table(
            (
                *("rank", "bot", "version", "rating", "sigma", "strength", "strength_low", "strength_high"),
                *("superiority", "score", "matches", "blocks", "game_points", "retired"),
                *(f"place_{place}" for place in range(1, places + 1)),
            ),
            tuple(
                (
                    *(row.rank, row.bot, row.version, points(row.rating), points(row.sigma), points(row.strength)),
                    *(points(row.low), points(row.high), row.superiority, row.score, row.matches, row.blocks),
                    *(row.points, row.retired, *row.places),
                )
                for row in report.standings
            ),
        ),
        "history": Table(
            ("number", "ended", "bot", "rating"),
            tuple((row.number, row.ended, row.bot, points(row.rating)) for row in report.history),
        ),
        "pairs": Table(
            ("bot", "opponent", "points", "comparisons", "score"),
            tuple(
                (row.bot, row.opponent, row.points, row.comparisons, row.points / row.comparisons)
                for row in report.pairs
            ),
        ),
        "seats": Table(
            ("seat", "matches", "score", "advantage", "advantage_low", "advantage_high"),
            tuple(
                (row.seat, row.matches, row.score, points(row.advantage), points(row.low), points(row.high))
                for row in report.seats
            ),
        ),
        "faults": Table(
            ("bot", "kind", "reason", "count"),
            tuple(
                (row.bot, kind, reason, count)
                for row in report.faults
                for kind, reasons in (
                    ("ended", row.ended),
                    ("strike", row.strikes),
                    ("substitute", {"": row.substitutes}),
                    ("error", {"": row.errors}),
                )
                for reason, count in sorted(reasons.items())
                if count
            ),
        ),
        "times": Table(
            ("bot", "decisions", "mean_ms", "p95_ms", "max_ms", "late"),
            tuple(
                (row.bot, row.decisions, millis(row.mean_us), millis(row.p95_us), millis(row.max_us), row.late)
                for row in report.times
            ),
        ),
    }


def _of_competition(report: Report) -> dict[str, Table]:
    told = report.competition
    if told is None:
        return {}

    names = [name.lower().replace("–", "_") for name in told.tie_breaks]
    return {
        "ranking": Table(
            ("rank", "bot", "points", "matches", "blocks", "byes", *names),
            tuple(
                (row.rank, row.bot, row.points, row.matches, row.blocks, row.byes, *row.tie_breaks)
                for row in told.ranking
            ),
        ),
        "rounds": Table(
            ("round", "block", "bot", "points"),
            tuple(
                (row.round, row.block or "bye", bot, scored)
                for row in told.meetings
                for bot, scored in zip(row.bots, row.points or [None] * len(row.bots), strict=True)
            ),
        ),
    }


def points(thousandths: int | None) -> float | None:
    return None if thousandths is None else thousandths / 1000


def millis(micros: float | None) -> float | None:
    return None if micros is None else micros / 1000


def to_csv(report: Report) -> Mapping[str, str]:
    """Return each table as a file, by its name. Absent values are empty."""
    return {f"{name}.csv": _csv(table) for name, table in tables(report).items()}


def _csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_csv_cell(value) for value in row] for row in table.rows)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    """Return a text that a spreadsheet could take for a formula, or a terminal for a command, as a JSON string."""
    if not isinstance(value, str) or not value:
        return value

    is_plain = value.isprintable() and (value[0].isalnum() or value[0] in "([{")
    return value if is_plain else json.dumps(value)


def to_json(report: Report) -> str:
    """Return the report as one JSON object: facts, and each table as a list of objects."""
    told: dict[str, Any] = {
        "title": report.title,
        "about": dict(report.about),
        "matches": report.matches,
        "counted": report.counted,
        "blocks": report.blocks,
        "decisions": report.decisions,
        "first": report.first,
        "last": report.last,
        "notes": list(report.notes),
    }
    if report.comparison_values:
        told["comparison"] = dict(report.comparison_values)
    for name, table in tables(report).items():
        told[name] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return json.dumps(told, ensure_ascii=True, allow_nan=False) + "\n"
