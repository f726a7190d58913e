"""The endless ladder: which line-up its next block has. Few games first, so that new bots play at once (M3) and games
stay even (M1); among bots with about as many games, company that is close in rating and still uncertain (M4), by chance
so that it varies.

With bots that are always free and may all meet, the games of any two differ by at most `SPREAD_BLOCKS + 1` blocks.
Where some are faster than others, what the faster ones play is bounded by a ratio (`planner.Pace`). House bots are
there for the others: one with enough games (`Candidate.settled`) gets no block for its own sake, so that they do not
play each other for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from typing import Final

from agon_engine.core.chance import Chance
from agon_ladder.pairing.players import Candidate, most_together

SPREAD_BLOCKS: Final = 1
"""Company may have this many blocks more behind it than the least that is possible."""
SHORTLIST: Final = 4
"""Chance chooses among this many of the closest."""
MAX_WAITING: Final = 2
"""A bot with this many open blocks that have places left is no company for a bot that could only wait for it."""
_STREAM: Final = "line-up"


def next_line_up(candidates: Sequence[Candidate], seats: int, chance: Chance) -> tuple[str, ...] | None:
    """Return the line-up of the next block, in a random order of its seats; None when there is none to open now.

    All are free, and none is ahead, where that is possible. Else a free bot that waits for nothing gets company that
    may be busy, so that it has something to wait for; but nobody is waited for in more than `MAX_WAITING` blocks. In
    each there is a bot that is not settled. The same arguments and chance give the same line-up.
    """
    ordered = sorted(candidates, key=_turn)
    free = [candidate for candidate in ordered if candidate.free > 0]
    company = [candidate for candidate in free if not candidate.ahead]
    if most_together(candidate.player for candidate in company) >= seats:
        anchors = company
    else:
        company = [candidate for candidate in ordered if candidate.waiting < MAX_WAITING]
        if most_together(candidate.player for candidate in company) < seats:
            return None
        anchors = [candidate for candidate in free if candidate.waiting == 0]
    anchor = next((candidate for candidate in anchors if not candidate.settled), None)
    if anchor is None:
        return None

    bots = [candidate.player.bot for candidate in (anchor, *_company(anchor, company, seats, chance))]
    chance.shuffle(_STREAM, bots)
    return tuple(bots)


def _turn(candidate: Candidate) -> tuple[int, int, str]:
    return candidate.games, -candidate.uncertainty, candidate.player.bot


def _company(anchor: Candidate, ordered: Sequence[Candidate], seats: int, chance: Chance) -> list[Candidate]:
    """Choose the other seats, one after the other, from candidates that are ordered by games and suffice."""
    chosen: list[Candidate] = []
    fitting = [candidate for candidate in ordered if candidate.player.may_meet(anchor.player)]
    while len(chosen) < seats - 1:
        most = fitting[0].games + SPREAD_BLOCKS * seats
        within = [candidate for candidate in fitting if candidate.games <= most]
        shortlist = nsmallest(SHORTLIST, within, key=lambda candidate: _distance(anchor, candidate))
        choice = chance.choice(_STREAM, shortlist)
        chosen.append(choice)
        fitting = [candidate for candidate in fitting if candidate.player.may_meet(choice.player)]
    return chosen


def _distance(anchor: Candidate, other: Candidate) -> tuple[int, str]:
    """Rank company: close in rating first, an uncertain bot as if a quarter of its ± closer."""
    return abs(anchor.rating - other.rating) - other.uncertainty // 4, other.player.bot
