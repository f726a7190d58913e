"""What a tournament's report tells beside its matches: the ranking of the format with all that ranks, and who met whom
in which round."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from agon_ladder.pairing.schedules.table import block_points
from agon_ladder.report.values import Competition, Meeting, Ranked
from agon_server.tournaments.progress import Progress

MOST: Final = 2_000
"""Blocks and byes that are told."""


def competition_of(progress: Progress) -> Competition:
    """Return it as it stands now."""
    table = progress.schedule.table(progress.played())
    ranking = tuple(
        Ranked(row.rank, row.bot, row.half_points / 2, row.matches, row.blocks, row.byes, row.tie_breaks)
        for row in table
    )
    meetings = tuple(islice(_meetings(progress), MOST))
    blocks = sum(bool(meeting.block) for meeting in meetings)
    return Competition(progress.schedule.tie_breaks, ranking, meetings, progress.blocks - blocks)


def _meetings(progress: Progress) -> Iterator[Meeting]:
    for number in range(progress.rounds_open):
        played = progress.played()
        name = progress.schedule.round_name(number, played)
        # Complete blocks are in the order of all, so that no more of them are told.
        points = {block.id: block_points(block) for block in islice(played[number], MOST)}
        for place, line_up in progress.line_ups(number):
            scored = points.get(place.block_id)
            told = () if scored is None else tuple(scored[bot] / 2 for bot in line_up)
            yield Meeting(name, place.block_id, line_up, told)
        for bot in progress.schedule.byes(number, played):
            yield Meeting(name, "", (bot,), ())
