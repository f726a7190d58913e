"""An endless ladder of bots whose true strengths are known: real pairing, real ratings, results by chance. It shows how
soon the table is in the true order, and how even the games are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log
from statistics import NormalDist

import numpy as np
from tests.support.pairing import Arena, players

from agon_engine.core import Chance, standard_placements
from agon_engine.core.policy import Termination
from agon_ladder.fold import LadderState
from agon_ladder.pairing.blocks import rotation
from agon_ladder.pairing.dispatch import Start
from agon_ladder.pairing.planner import Entrant
from agon_ladder.results import MatchResult, Position
from agon_ladder.stats.interval import rough_plus_minus

LADDER = "simulated"
FINE = 1 << 32


@dataclass
class SimulatedLadder(Arena):
    """An arena of one ladder, `LADDER`, whose results are drawn by Plackett and Luce's model and rated."""

    strengths: dict[str, float] = field(default_factory=dict)
    """In Elo points."""
    state: LadderState = field(init=False)
    _luck: Chance = field(default_factory=lambda: Chance(b"luck of the game"))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.state = LadderState(LADDER, self.ladders[LADDER])

    def _entrant(self, ladder: str, bot: str) -> Entrant:
        assert ladder == LADDER
        system = self.state.rating_system
        known = self.state.bots.get(bot)
        return Entrant(
            self.players[bot],
            known.games if known else 0,
            system.value(known.rating if known else system.initial),
            rough_plus_minus(sum(known.blocks.values()) if known else 0),
        )

    def _end(self, start: Start) -> None:
        bots = rotation(start.block.bots, start.place)
        # The order of strengths, each with luck of Gumbel's distribution, is Plackett and Luce's.
        shown = [self.strengths[bot] - 400 / log(10) * log(-log(self._uniform())) for bot in bots]
        order = sorted(shown)
        ends = (Termination.SCORE,) * len(bots)
        at = self.state.results + 1
        self.state.apply(
            MatchResult(
                Position(at, 0),
                start.block.places[start.place].match,
                LADDER,
                bots,
                standard_placements([order.index(one) for one in shown]),
                ends,
                Termination.SCORE,
                block=start.block.id,
                place=start.place,
            )
        )
        super()._end(start)

    def _uniform(self) -> float:
        return (self._luck.below("luck", FINE) + 0.5) / FINE

    # -- what came of it ---------------------------------------------------------------------------------------

    @property
    def seats(self) -> int:
        return self.state.seats

    @property
    def ended(self) -> int:
        """How many matches have ended."""
        return self.state.results

    def use(self) -> float:
        """Return the share of slots that were busy, counting matches under way to their end."""
        return sum(self.busy_time.values()) / (self.now * sum(self.slots.values()))

    def rank_correlation(self) -> float:
        """Return Spearman's rank correlation of ratings and strengths."""
        known = list(self.strengths)
        system = self.state.rating_system
        table = self.state.bots
        ratings = [system.value(table[bot].rating if bot in table else system.initial) for bot in known]
        return float(np.corrcoef(_ranks(ratings), _ranks([self.strengths[bot] for bot in known]))[0, 1])

    def games_of_all(self) -> list[int]:
        """Return the games of all bots, fewest first."""
        return sorted(self.games[LADDER, bot] for bot in self.strengths)

    def mean_difference(self) -> float:
        """Return the mean difference of strength, in points, of two bots that met in a block."""
        apart = [
            abs(self.strengths[one] - self.strengths[other])
            for block in self.complete
            for one, other in combinations(block.bots, 2)
        ]
        return sum(apart) / len(apart)

    def meetings(self) -> Counter[tuple[str, str]]:
        """Return how many blocks each pair had together; the pair in the order of names."""
        return Counter(pair for block in self.complete for pair in combinations(sorted(block.bots), 2))


def _ranks(values: Sequence[float]) -> np.ndarray:
    """Return the ranks of values, of equal ones their mean."""
    _, inverse, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean: np.ndarray = (ends - (counts - 1) / 2)[inverse]
    return mean


def simulated_ladder(
    bots: int, seats: int, *, spread: float = 150, slots: int = 1, owners: int | None = None
) -> SimulatedLadder:
    """Return a ladder of bots with normally distributed strengths, in no order, whose matches take 2 to 10 seconds."""
    known = players(bots, owners)
    time, order = Chance(b"how long it took"), list(known)
    Chance(bytes(16)).shuffle("strength", order)
    curve = NormalDist(0, spread)
    return SimulatedLadder(
        {LADDER: seats},
        known,
        dict.fromkeys(known, slots),
        lambda _: 2_000 + time.below("time", 8_000),
        gather=50,
        watches_spread=False,
        strengths={bot: curve.inv_cdf((number + 0.5) / bots) for number, bot in enumerate(order)},
    )
