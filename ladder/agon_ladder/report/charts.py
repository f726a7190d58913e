"""The drawings of the HTML page, as inline SVG without scripts: intervals as bars, ratings over time as curves.

Coordinates are computed here from numbers alone; the only text is numbers too, so nothing has to be escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agon_ladder.report import wording
from agon_ladder.report.values import Moment, Standing

WIDTH: Final = 360
HEIGHT: Final = 200
"""Of the curves, in units that are pixels on the narrowest screens, so that their text can be read there."""
LEFT: Final = 34
TOP: Final = 8
BOTTOM: Final = 18
COLOURS: Final = 8
"""Curves that can be told apart."""
_STEPS: Final = (1, 2, 5)


def bar(row: Standing, low: int, high: int) -> str:
    """Return the interval and the strength of a bot between two ends of a scale; empty where it has none. An open
    interval goes on to the end of the scale."""
    if row.strength is None or row.low is row.high is None:
        return ""

    def at(value: int) -> float:
        return round(100 * (min(max(value, low), high) - low) / max(high - low, 1), 2)

    left, right = at(low if row.low is None else row.low), at(high if row.high is None else row.high)
    dot = at(row.strength)
    zero = f'<line class="zero" x1="{at(0)}" x2="{at(0)}" y1="0" y2="12"/>' if low < 0 < high else ""
    return (
        '<svg class="bar" viewBox="-4 0 108 12" aria-hidden="true">'
        f'{zero}<line class="range" x1="{left}" x2="{right}" y1="6" y2="6"/>'
        f'<circle class="dot" cx="{dot}" cy="6" r="2"/></svg>'
    )


def scale_of(standings: Sequence[Standing]) -> tuple[int, int]:
    """Return the ends of the scale that all intervals share."""
    ends = [end for row in standings for end in (row.low, row.strength, row.high) if end is not None]
    return (min(ends), max(ends)) if ends else (0, 0)


def curves(history: Mapping[str, Sequence[Moment]]) -> str:
    """Return ratings over matches, a curve for each bot, in the order of the mapping."""
    every = [moment for moments in history.values() for moment in moments]
    first, last = min(item.number for item in every), max(item.number for item in every)
    least, most = min(item.rating for item in every), max(item.rating for item in every)
    ticks = ticks_of(least, most)
    least, most = min(least, ticks[0]), max(most, ticks[-1])

    def x(number: int) -> float:
        return round(LEFT + (WIDTH - LEFT - 4) * (number - first) / max(last - first, 1), 1)

    def y(rating: int) -> float:
        return round(TOP + (HEIGHT - BOTTOM - TOP) * (most - rating) / max(most - least, 1), 1)

    parts = [f'<svg class="curves" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="rating over matches">']
    for tick in ticks:
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 4}" y1="{y(tick)}" y2="{y(tick)}"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{y(tick) + 3}" text-anchor="end">{wording.elo(tick)}</text>')
    for number, anchor in {first: "start", last: "end"}.items():
        parts.append(f'<text x="{x(number)}" y="{HEIGHT - 4}" text-anchor="{anchor}">match {number}</text>')
    for index, moments in enumerate(history.values()):
        points = " ".join(f"{x(item.number)},{y(item.rating)}" for item in moments)
        parts.append(f'<polyline class="curve c{index % COLOURS}" points="{points}"/>')
        if len(moments) == 1:
            parts.append(f'<circle class="only c{index % COLOURS}" cx="{x(first)}" cy="{y(moments[0].rating)}" r="2"/>')
    return "".join([*parts, "</svg>"])


def ticks_of(least: int, most: int, wanted: int = 5) -> list[int]:
    """Return round values that enclose a range, about as many as wanted.

    >>> ticks_of(1_480_000, 1_533_000)
    [1480000, 1500000, 1520000, 1540000]
    """
    unit = 1
    while True:
        for step in _STEPS:
            size = step * unit
            if (most - least) / size <= wanted:
                first, last = least // size, -(-most // size)
                return [size * tick for tick in range(first, max(last, first + 1) + 1)]
        unit *= 10
