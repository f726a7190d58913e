"""A ladder's table as people read it, made from its folded state alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from agon_ladder.fold import LadderState
from agon_ladder.stats.interval import Interval, block_interval

PROVISIONAL_BLOCKS: Final = 10
"""With fewer complete blocks than this a bot's place in the table says little."""


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One bot's row. Ratings are in thousandths of a point."""

    rank: int
    """1 = best; equal ratings share a rank and the next one is skipped."""
    bot: str
    rating: int
    plus_minus: int
    """Half the 95 % interval of the mean pairwise score in Elo points; 800,000 where that interval is open."""
    sigma: int | None
    """The rating's standard deviation by the rating system itself; None where it knows none."""
    games: int
    blocks: int
    """Complete blocks, which the interval rests on."""
    score: float
    """Mean pairwise score over all games, 0 to 1."""
    faults: int
    resigned: int
    """Games that the bot gave up, as the SDK does when a bot's code fails."""
    provisional: bool
    """The bot has fewer than `PROVISIONAL_BLOCKS` complete blocks."""


def standings(state: LadderState) -> list[StandingRow]:
    """Return the table, best first; bots of equal rating in the order of their names. Who has not played in the season
    yet is not in it."""
    value = state.rating_system.value
    rated = sorted((-value(known.rating), bot) for bot, known in state.bots.items() if known.games)
    rows: list[StandingRow] = []
    for number, (negative, bot) in enumerate(rated, start=1):
        shares = bool(rows) and rows[-1].rating == -negative
        rows.append(_row(state, bot, -negative, rows[-1].rank if shares else number))
    return rows


def _row(state: LadderState, bot: str, rating: int, rank: int) -> StandingRow:
    known = state.bots[bot]
    interval = interval_of(state, bot)
    return StandingRow(
        rank=rank,
        bot=bot,
        rating=rating,
        plus_minus=interval.plus_minus,
        sigma=state.rating_system.estimate(known.rating).sigma,
        games=known.games,
        blocks=interval.blocks,
        score=known.half_points / (2 * (state.seats - 1) * known.games),
        faults=known.faults,
        resigned=known.resigned,
        provisional=interval.blocks < PROVISIONAL_BLOCKS,
    )


def interval_of(state: LadderState, bot: str) -> Interval:
    """Return the interval behind a bot's ±; the same state gives the same one."""
    return block_interval(state.bots[bot].blocks, state.most_per_block, f"{state.ladder}/{bot}")
