"""What shared deals gain: how much less the score of a block varies where its matches have one deal, per game.

Equal bots play each other, so that all that varies is luck. The ratio of the variances says how many blocks with fresh
deals are worth one with shared ones, for an equally wide interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import exp, sqrt
from statistics import fmean, variance

from tests.bench.report import Row, progress

from agon_bots import LocalRules, play_matches
from agon_engine.core.record import Deals
from agon_engine.registry import game_names, get_game
from agon_ladder.results import half_points

BOT = "greedy"


def measure(*, quick: bool = False) -> Iterator[Row]:
    """Yield the ratio for the fewest and the most seats of each game."""
    blocks = 10 if quick else 150
    for game in game_names():
        spec = get_game(game).spec
        for seats in sorted({spec.min_seats, spec.max_seats}):
            progress(f"{2 * blocks} blocks of {game} with {seats} seats")
            fresh, shared = (block_variance(game, seats, blocks, deals) for deals in (Deals.FRESH, Deals.SHARED))
            # The logarithm of a sample variance has about this standard deviation, and these are two.
            factor = exp(1.96 * sqrt(2 * 2 / (blocks * (seats - 1))))
            yield Row(
                f"{game}, {seats} seats: fresh blocks that one with a shared deal is worth",
                fresh / shared,
                "blocks",
                note=f"{BOT} against itself, {blocks} blocks each",
                details={
                    "from": fresh / shared / factor,
                    "to": fresh / shared * factor,
                    "sd fresh": sqrt(fresh),
                    "sd shared": sqrt(shared),
                },
            )


def block_variance(game: str, seats: int, blocks: int, deals: Deals) -> float:
    """Return the variance of a bot's mean pairwise score in a block, over all blocks and bots."""
    rules = LocalRules(game, seats, seed=f"deals {game} {seats}")
    points: dict[int, list[int]] = defaultdict(lambda: [0] * seats)
    for match in play_matches(rules, [BOT] * seats, blocks * seats, deals=deals):
        for bot, scored in zip(match.plan.bots, half_points(match.result.placements), strict=True):
            points[match.plan.block][bot] += scored
    most = 2 * seats * (seats - 1)
    return fmean(variance(scored[bot] / most for scored in points.values()) for bot in range(seats))
