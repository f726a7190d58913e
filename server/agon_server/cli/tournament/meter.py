"""The line that shows how a tournament goes on: a bar, what is played, the pace and the time that is left."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

_BAR = 20
"""Characters of the bar."""


class Meter:
    """Knows when it began, and makes the line."""

    def __init__(self, done: int, clock: Callable[[], float] = monotonic) -> None:
        """`done` matches were played before."""
        self._before = done
        self._clock = clock
        self._began = clock()

    def line(self, done: int, planned: int, round_: str) -> str:
        """Return the line; `round_` is what the one that is played is called, if that is told."""
        whole = max(1, planned)
        filled = _BAR * done // whole
        parts = [
            f"[{'=' * filled}{'-' * (_BAR - filled)}] {100 * done // whole} %",
            f"{done} of {planned} matches",
            *([round_] if round_ else []),
        ]
        if ended := done - self._before:
            pace = ended / max(0.001, self._clock() - self._began)
            parts += [f"{pace:.1f}/s", f"{told_time((planned - done) / pace)} left"]
        return ", ".join(parts)


def told_time(seconds: float) -> str:
    """Return a time as people say it.

    >>> [told_time(seconds) for seconds in (3.2, 75, 7380, 200_000)]
    ['4 s', '1 min 15 s', '2 h 3 min', '2 d 7 h']
    """
    left = int(-(-seconds // 1))
    for size, unit, below, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if left >= size:
            rest = left % size // below
            return f"{left // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{left} s"
