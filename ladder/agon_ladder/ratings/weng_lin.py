"""Weng–Lin: a mean and a standard deviation for each bot, moved by each match, with the openskill library.

The model is `BradleyTerryFull`: R. Weng and C.-J. Lin, *A Bayesian Approximation Method for Online Ranking* (JMLR 12,
2011), algorithm 1, where a match of n is n(n-1)/2 comparisons and a tie is half a win. It is the one of openskill's
models in which a better place is never worth less: in its Plackett–Luce sharing the first place can be worth less than
being second alone, and the partial models look at neighbours only. The match adds up its comparisons as if they were
independent, so with many seats sigma falls faster than it should: it is the system's own claim, and the ± of a table,
which is bootstrapped from blocks, says how sure a place is.

The scale is Elo's: beta makes the expected score between two well-known bots 1 / (1 + 10**(-difference/400)). The start
is 1500 with sigma twice beta; tau, a hundredth of that, and kappa are in the proportions of the library's defaults.

What makes it the same on every machine:

- Ratings are whole thousandths of a point, (mu, sigma); the library gets doubles made of them, and what comes back
  is rounded to thousandths at once, so no error adds up.
- Seats are given to the library best first, equal places by rating, whatever seats they had; equal bots with equal
  places get one and the same result.
- The library calls exp and sqrt, and may be compiled with fused multiplication, so another machine's doubles can differ
  in their last bits. That can change a rating only where a double lies so close to a half that the true number may be
  on its other side: nearer than `DOUBT`. Such a match is computed anew in 50 decimal digits (`weng_lin_digits`), which
  are the same everywhere, and rounded from those (A. Ziv, *Fast Evaluation of Elementary Mathematical Functions with
  Correctly Rounded Last Bit*, ACM TOMS 17, 1991). So all ratings are those of the digits, at the cost of doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Final

from agon_ladder.errors import MissingLibraryError
from agon_ladder.ratings.system import POINT, Estimate, Rating
from agon_ladder.ratings.weng_lin_digits import rated

OPENSKILL: Final = "6.2.0"
"""The version that ratings are made with; another one could give other numbers."""
BETA: Final = 122.83702927427508
"""In points, 400 / ln 10 / sqrt 2: half the squared width of the logistic curve of a difference is what each bot's own
luck adds. Written out, since not every machine's logarithm has the same last digit."""
INITIAL: Final = 1500 * POINT
SIGMA: Final = round(2 * BETA * POINT)
"""Of a bot before its first match, in thousandths; no sigma is ever greater."""
TAU: Final = 2 * BETA / 100
KAPPA: Final = 0.0001
FARTHEST: Final = 50_000 * POINT
"""Ratings farther than this from the initial one count as this: expected scores are 0 and 1 long before."""
DOUBT: Final = 1e-5
"""In thousandths of a point, for each seat of the match: nearer to a half than this, no double is rounded. About one
match in 1,600 of four seats has such a number.

The error of a double is far below. What it is made of, for exp and sqrt that err by up to 64 units in the last place
(those in use err by one or two) and ratings as far apart as `FARTHEST` allows: mu itself and its sum with what it gains
are each off by less than 1e-8; a comparison moves mu by less than 200 points times a difference of numbers up to 1,
which is off by less than 1e-13; and sigma, less than 250 points times the root of what the comparisons leave of 1, is
off by less than 1e-6 for each of them where that root is least, sqrt(kappa). Over thousands of matches with extremes
the error was below 1e-8 a seat."""


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
        placed = [place for place, _, _ in standing]
        # As small numbers: doubles cannot tell all great ones apart.
        places = [placed.index(place) for place in placed]
        changes = self._changes([_near(rating) for _, rating, _ in standing], places)
        after: list[Rating] = [(0, 0)] * seats
        for at, (place, rating, seat) in enumerate(standing):
            if at and standing[at - 1][:2] == (place, rating):
                after[seat] = after[standing[at - 1][2]]
                continue

            gain, sigma = changes[at]
            after[seat] = (rating[0] + gain, min(max(sigma, 1), SIGMA))
        return after

    def _changes(self, ratings: Sequence[tuple[int, int]], places: Sequence[int]) -> list[tuple[int, int]]:
        """Return by how much each mu changes and what the new sigma is, in thousandths."""
        doubles = self._by_doubles(ratings, places)
        doubt = DOUBT * len(ratings)
        if any(_from_half(gain) < doubt or _from_half(sigma) < doubt for gain, sigma in doubles):
            digits = rated(ratings, places, beta=BETA, kappa=KAPPA, tau=TAU)
            return [(round(gain), round(sigma)) for gain, sigma in digits]

        return [(round(gain), round(sigma)) for gain, sigma in doubles]

    def _by_doubles(self, ratings: Sequence[tuple[int, int]], places: Sequence[int]) -> list[tuple[float, float]]:
        teams = [[self._model.rating(mu=mu / POINT, sigma=sigma / POINT)] for mu, sigma in ratings]
        after = self._model.rate(teams, ranks=[float(place) for place in places])
        return [(new.mu * POINT - mu, new.sigma * POINT) for [new], (mu, _) in zip(after, ratings, strict=True)]

    def value(self, rating: Rating) -> int:
        return rating[0]

    def estimate(self, rating: Rating) -> Estimate:
        return Estimate(rating[0], rating[1])


def _near(rating: Rating) -> tuple[int, int]:
    mu, sigma = rating
    return min(max(mu - INITIAL, -FARTHEST), FARTHEST), min(sigma, SIGMA)


def _from_half(number: float) -> float:
    """Return how far a number is from the nearest one that lies in the middle of two whole ones."""
    return abs(number - floor(number) - 0.5)


def _needs(instead: str) -> str:
    return f"the rating system weng-lin needs openskill {OPENSKILL}, and {instead}: pip install 'agon-arena[rate]'"
