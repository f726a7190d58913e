"""How a benchmark says what it measured: rows with a bar where there is one, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from agon_engine.core.compiled import is_compiled

RESULTS = Path("bench-results")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    name: str
    value: float
    unit: str
    bar: str = ""
    """What it has to be, as `>= 0.45`; empty where nothing is promised."""
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Tell whether the bar is met; None without one."""
        if not self.bar:
            return None

        relation, _, number = self.bar.partition(" ")
        limit = float(number.split()[0])
        return self.value >= limit if relation == ">=" else self.value <= limit


def median(values: Sequence[float]) -> float:
    """Return the median of the rounds."""
    return statistics.median(values)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which that share of the values lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def calibration() -> float:
    """Return the seconds of a fixed loop of plain Python, so that runs on different machines can be compared."""
    began = time.perf_counter()
    total = 0
    for number in range(3_000_000):
        total = (total * 31 + number) & 0xFFFF
    return time.perf_counter() - began


def build() -> str:
    """Return which build of Agon is measured."""
    return "compiled" if is_compiled() else "sources"


def table(title: str, rows: Sequence[Row]) -> str:
    """Return the rows as a table for people."""
    lines = [title, "-" * len(title)]
    width = max(len(row.name) for row in rows)
    for row in rows:
        verdict = {None: "", True: "met", False: "MISSED"}[row.met]
        value = f"{row.value:,.0f}" if abs(row.value) >= 1_000 else f"{row.value:,.3g}"
        lines.append(f"{row.name:<{width}}  {value:>12} {row.unit:<22} {row.bar:<10} {verdict:<7} {row.note}".rstrip())
    return "\n".join(lines) + "\n"


def write(section: str, rows: Sequence[Row]) -> Path:
    """Write the rows of a section as JSON, with the machine they were measured on; return the file."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / (f"{section}-compiled.json" if is_compiled() else f"{section}.json")
    facts = {
        "section": section,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "build": build(),
        "calibration_seconds": round(calibration(), 4),
        "rows": [{**asdict(row), "met": row.met} for row in rows],
    }
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return path
