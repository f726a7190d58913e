"""Facts of matches for reports: blocks of bots whose strength is known, and whole tournaments of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import log
from random import Random
from typing import Any

from agon_engine.core import standard_placements
from agon_engine.core.policy import Termination
from agon_ladder.report.facts import MatchFacts, SeatFacts


def seat(bot: str, placement: int, **told: Any) -> SeatFacts:
    """One seat that was played to the end, but for what is told."""
    facts = SeatFacts(bot, "", placement, 10 - placement, Termination.SCORE, (1_000, 2_000))
    return facts._replace(**told)


def match(*seats: SeatFacts, block: str = "", number: int = 0, counts: bool = True, block_size: int = 0) -> MatchFacts:
    """One match, which ended so many seconds after an hour."""
    ended = f"2026-11-30T12:{number // 60 % 60:02}:{number % 60:02}.000Z"
    return MatchFacts(f"match-{number}", block, counts, Termination.SCORE, ended, seats, block_size)


def tournament(bots: Sequence[str], seats: int, rounds: int, seed: int = 0) -> Iterator[MatchFacts]:
    """Yield a round robin in blocks: each bot of the list is 100 points stronger than the next one, no seat has an
    advantage. The rating of a bot is a walk of its own."""
    random = Random(seed)
    ratings = dict.fromkeys(bots, 1_500_000)
    number = 0
    for round_number in range(rounds):
        for line_up in combinations(bots, seats):
            for place in range(seats):
                number += 1
                rotated = [line_up[(at + place) % seats] for at in range(seats)]
                luck = {bot: -100 * bots.index(bot) - 400 / log(10) * log(random.expovariate(1.0)) for bot in rotated}
                placements = standard_placements([luck[bot] for bot in rotated])
                for bot, placement in zip(rotated, placements, strict=True):
                    ratings[bot] += 1_000 * (seats + 1 - 2 * placement)
                yield match(
                    *(
                        seat(bot, placement, rating=ratings[bot], charged_us=(random.randrange(100, 90_000),) * 3)
                        for bot, placement in zip(rotated, placements, strict=True)
                    ),
                    block=f"{round_number}/{line_up}",
                    number=number,
                )
