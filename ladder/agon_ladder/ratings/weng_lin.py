"""Weng–Lin: a mean and a standard deviation for each bot, moved by each match, with the openskill library.

The model is `BradleyTerryFull`: R. Weng and C.-J. Lin, *A Bayesian Approximation Method for Online Ranking* (JMLR 12,
2011), algorithm 1, where a match of n is n(n-1)/2 comparisons and a tie is half a win. It is the one of openskill's
models in which a better place is never worth less: in its Plackett–Luce sharing the first place can be worth less than
being second alone, and the partial models look at neighbours only. The match adds up its comparisons as if they were
independent, so with many seats sigma falls faster than it should: it is the system's own claim, and the ± of a table,
which is bootstrapped from blocks, says how sure a place is.

The scale is Elo's: beta makes the expected score between two well-known bots 1 / (1 + 10**(-difference/400)). The start
is 1500 with sigma twice beta; tau, a hundredth of that, and kappa are in the proportions of the library's defaults.

What makes it exact and the same everywhere:

- Ratings are whole thousandths of a point, (mu, sigma); the library gets doubles made of them, and what comes back
  is rounded to thousandths at once, so no error adds up.
- Seats are given to the library best first, equal places by rating, whatever seats they had; equal bots with equal
  places get one and the same result.
- The library calls exp and sqrt, and may be compiled with fused multiplication, so another machine's doubles can differ
  in their last bits: by less than a thousand-millionth of a thousandth of a point (a test compares with 50 digits). Two
  kinds of machines round a number differently only where it lies so close to a half: about once in a thousand
  million numbers. That is not never: where a ladder moves to another kind of machine, `agon ladder audit` tells whether
  a rebuild there is the same. On one kind of machine a rebuild always is. Elo, in integers, has no such rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import Final

from agon_ladder.errors import MissingLibraryError
from agon_ladder.ratings.system import POINT, Estimate, Rating

OPENSKILL: Final = "6.2.0"
"""The version that ratings are made with; another one could give other numbers."""
BETA: Final = 400 / log(10) / sqrt(2)
"""In points: half the squared width of the logistic curve of a difference is what each bot's own luck adds."""
INITIAL: Final = 1500 * POINT
SIGMA: Final = round(2 * BETA * POINT)
"""Of a bot before its first match, in thousandths; no sigma is ever greater."""
TAU: Final = 2 * BETA / 100
KAPPA: Final = 0.0001
FARTHEST: Final = 50_000 * POINT
"""Ratings farther than this from the initial one count as this: expected scores are 0 and 1 long before."""


class WengLin:
    """Weng and Lin's rating (mu, sigma) in thousandths of a point, by openskill."""

    name: Final = "weng-lin"
    keeps_sum: Final = False
    initial: Final[Rating] = (INITIAL, SIGMA)

    def __init__(self) -> None:
        """Load the library. Raise MissingLibraryError where it is not installed, or in another version."""
        try:
            import openskill
            from openskill.models import BradleyTerryFull
        except ImportError:
            raise MissingLibraryError(_needs("it is not installed")) from None

        if openskill.__version__ != OPENSKILL:
            raise MissingLibraryError(_needs(f"installed is {openskill.__version__!r}"))
        self._model = BradleyTerryFull(mu=0.0, sigma=SIGMA / POINT, beta=BETA, kappa=KAPPA, tau=TAU)

    def update(self, ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
        """Return the ratings after one match, by seat. Raise ValueError when there are no two seats, or a rating is not
        mu and a positive sigma."""
        seats = len(ratings)
        if seats < 2 or len(placements) != seats:
            raise ValueError(f"a match needs two or more ratings and as many placements, not {len(placements)!r}")
        for rating in ratings:
            if len(rating) != 2 or rating[1] < 1:
                raise ValueError(f"a rating of {self.name} is mu and a positive sigma, not {rating!r}")

        standing = sorted(zip(placements, ratings, range(seats), strict=True))
        before = [_near(rating) for _, rating, _ in standing]
        teams = [[self._model.rating(mu=mu / POINT, sigma=sigma / POINT)] for mu, sigma in before]
        rated = self._model.rate(teams, ranks=[float(place) for place, _, _ in standing])
        after: list[Rating] = [(0, 0)] * seats
        for at, (place, rating, seat) in enumerate(standing):
            if at and standing[at - 1][:2] == (place, rating):
                after[seat] = after[standing[at - 1][2]]
                continue

            [new] = rated[at]
            mu = rating[0] + round(new.mu * POINT - before[at][0])
            after[seat] = (mu, min(max(round(new.sigma * POINT), 1), SIGMA))
        return after

    def value(self, rating: Rating) -> int:
        return rating[0]

    def estimate(self, rating: Rating) -> Estimate:
        return Estimate(rating[0], rating[1])


def _near(rating: Rating) -> tuple[int, int]:
    mu, sigma = rating
    return min(max(mu - INITIAL, -FARTHEST), FARTHEST), min(sigma, SIGMA)


def _needs(instead: str) -> str:
    return f"the rating system weng-lin needs openskill {OPENSKILL}, and {instead}: pip install 'agon-arena[rate]'"
