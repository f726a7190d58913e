"""Who scored how much against whom, as a square: bots in the order of the standings, both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agon_ladder.report.values import Pair, Report

LARGEST: Final = 30
"""Bots that a crosstable for people has; the others are in JSON and CSV."""


class Crosstable(NamedTuple):
    """The first bots of the standings against each other."""

    bots: Sequence[str]
    pairs: Mapping[tuple[str, str], Pair]
    left_out: int
    """Bots that are further down."""


def crosstable(report: Report, largest: int = LARGEST) -> Crosstable:
    """Return the crosstable of a report's first bots."""
    bots = [row.bot for row in report.standings[:largest]]
    pairs = {(pair.bot, pair.opponent): pair for pair in report.pairs}
    return Crosstable(bots, pairs, len(report.standings) - len(bots))
