"""Write the table of expected scores, `agon_ladder/ratings/expected_table.py`, with whole numbers alone.

Entry d is `1 / (1 + 10**(-d/400))` in millionths, rounded to nearest. With N = 1,000,000 that is at least k + 1/2
exactly when `10**d * (2N - 2k - 1)**400 >= (2k + 1)**400`, which integers decide without any rounding error.
"""

from __future__ import annotations

from pathlib import Path

SCALE = 1_000_000
POINTS = 1600
TARGET = Path(__file__).parent / "agon_ladder" / "ratings" / "expected_table.py"
PER_LINE = 12


def entry(difference: int) -> int:
    """Return the expected score at a difference of whole points, 0 or more, in millionths."""
    low, high = SCALE // 2, SCALE
    power = 10**difference
    while low < high:
        middle = (low + high) // 2
        if power * (2 * SCALE - 2 * middle - 1) ** 400 >= (2 * middle + 1) ** 400:
            low = middle + 1
        else:
            high = middle
    return low


def table() -> list[int]:
    """Return all entries, for differences of 0 to `POINTS` points."""
    return [entry(difference) for difference in range(POINTS + 1)]


def source(entries: list[int]) -> str:
    """Return the module's text."""
    rows = [entries[first : first + PER_LINE] for first in range(0, len(entries), PER_LINE)]
    return "\n".join(
        [
            '"""Expected scores in millionths at 0, 1, 2, … points of difference; by `make_expected_table.py`."""',
            "",
            "from typing import Final",
            "",
            "# fmt: off",
            "EXPECTED: Final[tuple[int, ...]] = (",
            *("    " + ", ".join(str(value) for value in row) + "," for row in rows),
            ")",
            "# fmt: on",
            "",
        ]
    )


if __name__ == "__main__":
    TARGET.write_text(source(table()), encoding="utf-8")
