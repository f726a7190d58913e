"""One bot against the others of its line-up, block by block: the counts that the sequential test rests on.

The unit is the complete block. Compared is the first bot with every *other* bot at the same table; where it sits twice,
its seats are not compared with each other. So that every block has the same possible scores, the others are one bot
(with any number of seats) or fill a seat each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from agon_ladder.errors import SprtError
from agon_ladder.ratings.system import POINT
from agon_ladder.stats import normal
from agon_ladder.stats.blocks import PlayedBlock
from agon_ladder.stats.interval import elo_of_score
from agon_ladder.stats.sprt import NELO


@dataclass(frozen=True, slots=True)
class Estimate:
    """How strong the first bot is, as users of chess engine testers know it. None: nothing finite can be said."""

    score: float
    """The mean of its block scores, 0 to 1."""
    elo: float | None
    """Of the mean score, logistic, to a thousandth."""
    elo_error: float | None
    """Half the width of its 95 % interval, by the spread of block scores."""
    nelo: float | None
    """Normalized Elo: how many standard deviations of one match the mean is above a half, times 800 / ln 10."""
    nelo_error: float | None
    los: float | None
    """The likelihood of superiority: that its true mean is above a half."""
    draw_ratio: float
    """The share of blocks with exactly half of what there was to score."""
    block_ratio: float | None
    """Blocks with more than half over blocks with less."""


class Comparison:
    """What came of the blocks so far."""

    def __init__(self, bots: Sequence[str], seats: int, places: int | None = None) -> None:
        """`bots` are all of them, the first one first; `places` are the matches of a block, by default one for each
        seat. Raise SprtError where blocks would not be alike."""
        if len(bots) < 2 or len(set(bots)) != len(bots) or len(bots) not in (2, seats):
            raise SprtError(f"a test compares two bots, or as many as there are seats ({seats}): {', '.join(bots)!r}")

        self.first = bots[0]
        self.others = tuple(bots[1:])
        self.seats = seats
        self.places = seats if places is None else places
        own = seats // 2 if len(bots) == 2 else 1
        self.compared = self.places * own * (seats - own)
        """Comparisons of the first bot with others in a block."""
        self.counts = [0] * (2 * self.compared + 1)
        """By half points of the first bot: how many blocks."""
        self.wins = 0
        """Comparisons in which the first bot was placed better, at the same place (draws), and worse (losses)."""
        self.draws = 0
        self.losses = 0
        self.all_drawn = 0
        """Blocks in which every comparison was a draw."""

    @property
    def blocks(self) -> int:
        return sum(self.counts)

    @property
    def matches(self) -> int:
        return self.blocks * self.places

    @property
    def points(self) -> float:
        """1 for each win, a half for each draw."""
        return self.wins + self.draws / 2

    def add(self, block: PlayedBlock) -> None:
        """Count a block in. Raise SprtError for one that this comparison cannot have; then nothing has changed."""
        wins = draws = losses = 0
        for match in block.matches:
            if not {*match.bots} <= {self.first, *self.others}:
                raise SprtError(f"block {block.id} seats a bot that is not compared: {match.bots!r}")
            for bot, own in zip(match.bots, match.placements, strict=True):
                if bot != self.first:
                    continue
                for other, place in zip(match.bots, match.placements, strict=True):
                    if other != self.first:
                        wins += own < place
                        draws += own == place
                        losses += own > place
        if wins + draws + losses != self.compared:
            raise SprtError(f"block {block.id} does not compare as often as the others: {block.line_up!r}")

        self.wins += wins
        self.draws += draws
        self.losses += losses
        self.counts[2 * wins + draws] += 1
        self.all_drawn += draws == self.compared

    def estimate(self) -> Estimate | None:
        """Return what the counts say; None before the first block."""
        blocks = self.blocks
        if not blocks:
            return None

        most = len(self.counts) - 1
        half = most // 2
        scored = sum(at * count for at, count in enumerate(self.counts))
        squares = sum(at * at * count for at, count in enumerate(self.counts))
        mean = scored / (most * blocks)
        # In whole numbers, so that equal scores have no spread at all.
        variance = (blocks * squares - scored * scored) / (most * blocks) ** 2
        error = sqrt(variance / blocks)
        low, high = _elo(mean - normal.Z95 * error), _elo(mean + normal.Z95 * error)
        spread = sqrt(variance * self.places)
        less, more = sum(self.counts[:half]), sum(self.counts[half + 1 :])
        return Estimate(
            score=mean,
            elo=_elo(mean),
            elo_error=(high - low) / 2 if error and low is not None and high is not None else None,
            nelo=(mean - 0.5) / spread * NELO if spread else None,
            nelo_error=normal.Z95 * NELO / sqrt(blocks * self.places) if spread else None,
            los=normal.below((mean - 0.5) / error) if error else None,
            draw_ratio=self.counts[half] / blocks,
            block_ratio=more / less if less else None,
        )


def _elo(score: float) -> float | None:
    """Return a score in Elo points; None for what no finite difference makes expected."""
    elo = elo_of_score(score)
    return None if elo is None else elo / POINT
