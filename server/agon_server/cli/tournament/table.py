"""The table of a tournament, wherever it is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agon_ladder.report.tables import points
from agon_server.cli.elo import elo_text, interval_text
from agon_server.cli.output import Output
from agon_server.tournaments.standings import Standing

COLUMNS = ("rank#", "bot~", "points#", "score#", "Elo#", "95 %#", "matches#", "blocks#")
LEGEND = """
points  1 for each opponent placed below in a match, 1/2 for a tie; byes count
score   points as a share of all that could be had
Elo     of play: that as points above the opponents met; 95 %  its interval,
        inf where there is no bound, as for a clean score; ?  nothing to tell
blocks  complete ones, on which all this rests"""


def print_table(out: Output, table: Sequence[Standing], tie_breaks: Sequence[str], title: str) -> None:
    """Print the rows of a tournament's table, and what its columns mean."""
    out.table((*COLUMNS, *(f"{name}#?" for name in tie_breaks)), [_cells(row) for row in table], title=title)
    out.hint(LEGEND)


def tell_given_up(out: Output, blocks: Sequence[str]) -> None:
    """Print which blocks nobody could play."""
    if blocks:
        out.line(f"blocks that could not be played to their end: {', '.join(blocks)}")


def described_row(standing: Standing) -> dict[str, Any]:
    """Return what `--json` tells of a row."""
    row, interval = standing.row, standing.interval
    return {
        "rank": row.rank,
        "bot": row.bot,
        "points": row.half_points / 2,
        "score": standing.score,
        "elo": points(standing.elo),
        "elo_low": points(interval.low),
        "elo_high": points(interval.high),
        "matches": row.matches,
        "blocks": row.blocks,
        "byes": row.byes,
        "tie_breaks": list(row.tie_breaks),
    }


def _cells(standing: Standing) -> tuple[object, ...]:
    row, interval = standing.row, standing.interval
    return (
        row.rank,
        row.bot,
        f"{row.half_points / 2:.1f}",
        "?" if standing.score is None else f"{standing.score:.3f}",
        elo_text(standing.elo, standing.score),
        interval_text(interval),
        row.matches,
        row.blocks,
        *(f"{value:.1f}" for value in row.tie_breaks),
    )
