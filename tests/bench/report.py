"""How a benchmark says what it measured: rows with a bar where there is one, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

from tests.bench.calibration import calibration

from agon_engine.core.compiled import is_compiled

RESULTS = Path("bench-results")
NAME_WIDTH = 60
"""Of the column of names; a longer one moves its line's figures to the right."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    name: str
    value: float
    unit: str
    bar: str = ""
    """What it has to be, as `>= 0.45`; empty where nothing is promised."""
    note: str = ""
    details: Mapping[str, float] = field(default_factory=dict)
    """Further figures that explain this one."""

    @property
    def met(self) -> bool | None:
        """Tell whether the bar is met; None without one."""
        if not self.bar:
            return None

        relation, _, number = self.bar.partition(" ")
        limit = float(number.split()[0])
        return self.value >= limit if relation == ">=" else self.value <= limit

    @property
    def line(self) -> str:
        """The row as a line of a table."""
        verdict = {None: "", True: "met", False: "MISSED"}[self.met]
        details = ", ".join(f"{name} {figure(value)}" for name, value in self.details.items())
        remarks = "; ".join(part for part in (self.note, details) if part)
        start = f"{self.name:<{NAME_WIDTH}}  {figure(self.value):>12} {self.unit:<18}"
        return f"{start} {self.bar:<10} {verdict:<7} {remarks}".rstrip()


@dataclass(frozen=True, slots=True)
class Remark:
    """What was not measured, and why."""

    text: str

    @property
    def line(self) -> str:
        return self.text


Line = Row | Remark


def figure(value: float) -> str:
    """Return a number for people: three digits, or all before the point.

    >>> figure(61234.5), figure(0.04321), figure(12)
    ('61,234', '0.0432', '12')
    """
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:,.3g}"


def median(values: Sequence[float]) -> float:
    """Return the median of the rounds."""
    return statistics.median(values)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the least and the greatest of the rounds, as details of the row that has their median."""
    return {"least": min(values), "greatest": max(values)}


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which that share of the values lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def build() -> str:
    """Return which build of Agon is measured."""
    return "compiled" if is_compiled() else "sources"


def progress(text: str) -> None:
    """Say on standard error what goes on where no line is measured for a while."""
    sys.stderr.write(f"  {text} ...\n")
    sys.stderr.flush()


def heading(title: str) -> str:
    """Return the first lines of a table."""
    return f"{title}\n{'-' * len(title)}\n"


def table(title: str, rows: Sequence[Row]) -> str:
    """Return the rows as a table for people."""
    return heading(title) + "".join(f"{row.line}\n" for row in rows)


class Report:
    """The lines of a section: printed as they are measured, and written as JSON at the end, whatever ended it."""

    def __init__(self, section: str, title: str, out: TextIO) -> None:
        """Begin the table."""
        self.section = section
        self.rows: list[Row] = []
        self._remarks: list[str] = []
        self._out = out
        self._calibration = [calibration()]
        self._say(heading(f"{section} ({build()}): {title}"))

    @property
    def missed(self) -> list[Row]:
        """The rows whose bar is missed."""
        return [row for row in self.rows if row.met is False]

    def add(self, line: Line) -> None:
        """Take a line and print it."""
        if isinstance(line, Row):
            self.rows.append(line)
        else:
            self._remarks.append(line.text)
        self._say(line.line + "\n")

    def write(self, ended: str = "complete") -> Path:
        """Write what was measured, with the machine it was measured on and what ended it; return the file."""
        self._calibration.append(calibration())
        facts = {
            "section": self.section,
            "ended": ended,
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "build": build(),
            "calibration_seconds": [round(seconds, 4) for seconds in self._calibration],
            "rows": [{**asdict(row), "met": row.met} for row in self.rows],
            "remarks": self._remarks,
        }
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / (f"{self.section}-compiled.json" if is_compiled() else f"{self.section}.json")
        path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        before, after = self._calibration
        self._say(f"calibration loop: {before:.3f} s before, {after:.3f} s after; written to {path}\n\n")
        return path

    def _say(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
