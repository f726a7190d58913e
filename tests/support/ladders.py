"""Results of ladder matches: one by one, and whole histories of blocks with ties, faults and unrated ends."""

from __future__ import annotations

from itertools import count
from typing import Any

from agon_engine.core import Chance, standard_placements
from agon_engine.core.policy import Termination
from agon_ladder.pairing.blocks import rotation
from agon_ladder.results import MatchResult, Position

LADDER = "toy"
_FAULTS = (Termination.TIMEOUT, Termination.ILLEGAL, Termination.RESIGNED, Termination.DISCONNECT)
_UNRATED = (Termination.NO_SHOW, Termination.INFRASTRUCTURE)


def result(
    *bots: str,
    at: int = 1,
    placements: tuple[int, ...] | None = None,
    termination: Termination = Termination.SCORE,
    seats: tuple[Termination, ...] | None = None,
    block: str = "",
    place: int = 0,
    attempt: int = 0,
    ladder: str = LADDER,
) -> MatchResult:
    """Return a result with the bots in their seats; by default the first seat wins, the second is second, …"""
    return MatchResult(
        position=Position(at, 0),
        match=f"match-{at}",
        ladder=ladder,
        bots=bots,
        placements=placements or tuple(range(1, len(bots) + 1)),
        terminations=seats or (termination,) * len(bots),
        termination=termination,
        block=block,
        place=place,
        attempt=attempt,
        commitment=f"deal-{at}",
    )


def history(chance: Chance, *, seats: int, bots: int, blocks: int, ladder: str = LADDER) -> list[MatchResult]:
    """Return the results of a ladder's blocks, interleaved; the lower a bot's number, the stronger it is.

    About one match in eight has a fault, one in eight ends unrated and is played again.
    """
    names = [f"bot-{number}" for number in range(bots)]
    results: list[MatchResult] = []
    left: list[tuple[str, tuple[str, ...], int, int]] = []
    numbers = count(1)
    for number in range(blocks):
        chance.shuffle("line-up", names)
        line_up = tuple(names[:seats])
        left += [(f"block-{number}", line_up, place, 0) for place in range(seats)]
        while len(left) > (2 * seats if number < blocks - 1 else 0):
            block, line_up, place, attempt = left.pop(chance.below("which", len(left)))
            seated = rotation(line_up, place)
            at = next(numbers)
            kind = chance.below("end", 16)
            facts: dict[str, Any] = {"at": at, "block": block, "place": place, "attempt": attempt, "ladder": ladder}
            if kind < 2:
                left.append((block, line_up, place, attempt + 1))
                why = chance.choice("why", _UNRATED)
                results.append(result(*seated, placements=(1,) * seats, termination=why, **facts))
                continue

            keys = [chance.below("luck", 6) - int(bot[4:]) for bot in seated]
            ends = [Termination.SCORE] * seats
            if kind < 4:
                fallen = chance.below("who", seats)
                ends[fallen] = chance.choice("fault", _FAULTS)
                keys[fallen] = -1000
            results.append(result(*seated, placements=standard_placements(keys), seats=tuple(ends), **facts))
    return results
