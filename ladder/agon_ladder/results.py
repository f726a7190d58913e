"""A finished match as the ladder sees it, and its position in the results stream.

Not the record: no actions, no seed, no clocks. The server makes these values from the entries of its results
stream; the fold and the audit read nothing else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from agon_engine.core.policy import RATED_TERMINATIONS, Termination
from agon_engine.core.record import Deals
from agon_ladder.errors import ResultError
from agon_ladder.pairing.blocks import Rotations, places_of

FAULT_TERMINATIONS = frozenset({Termination.TIMEOUT, Termination.DISCONNECT, Termination.ILLEGAL, Termination.PROTOCOL})
"""A seat that ended so was at fault by what it did or left undone; resigning, and not coming, are counted apart."""


class Position(NamedTuple):
    """Where a result stands in the results stream: the stream's own entry id, which orders all results for ever.

    >>> Position.parse("1700000000000-3")
    Position(time=1700000000000, sequence=3)
    """

    time: int
    sequence: int

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read the form `time-sequence`. Raise ResultError for anything else."""
        time, separator, sequence = text.partition("-")
        if not (separator and time.isascii() and time.isdigit() and sequence.isascii() and sequence.isdigit()):
            raise ResultError(f"a position is written time-sequence, not {text!r}")

        return cls(int(time), int(sequence))

    def __str__(self) -> str:
        return f"{self.time}-{self.sequence}"


START = Position(0, 0)
"""Before the first result."""


class MatchResult(NamedTuple):
    """One finished match: who sat where, how it ended, and which place of which block it was."""

    position: Position
    match: str
    ladder: str
    bots: tuple[str, ...]
    """By seat; empty where the match ended before anybody had it."""
    placements: tuple[int, ...]
    """By seat: 1 = best, ties share a place and the next one is skipped (1, 2, 2, 4)."""
    terminations: tuple[Termination, ...]
    """By seat."""
    termination: Termination
    may_rate: bool = True
    """False for a match that was played unrated, however it ended."""
    block: str = ""
    """The block's id; empty for a match that is no part of a block."""
    place: int = 0
    """The rotation of the block's line-up that this match plays, from 0."""
    attempt: int = 0
    """How often this place was played before without a result that counts."""
    deals: Deals = Deals.FRESH
    servers: tuple[str, ...] = ()
    """That ran the match, in their order, as far as whoever made this knows."""
    commitment: str = ""
    """The public commitment to the match's deal; equal for two matches exactly when their deals are."""

    @property
    def seats(self) -> int:
        return len(self.bots)

    @property
    def rated(self) -> bool:
        """Whether the match counts: meant to be rated, and ended by play or by a bot's own fault."""
        return self.may_rate and self.termination in RATED_TERMINATIONS

    def check(self, rotations: Rotations = Rotations.CYCLIC) -> None:
        """Raise ResultError unless the values fit together, in a ladder whose blocks have these rotations."""
        seats = self.seats
        if seats < 2:
            raise ResultError(f"match {self.match} has {seats} seats: at least 2 are needed to rate {self.bots!r}")
        if len(set(self.bots)) != seats:
            raise ResultError(f"match {self.match} seats a bot twice: {self.bots!r}")
        if len(self.placements) != seats or len(self.terminations) != seats:
            raise ResultError(f"match {self.match} has {seats} seats, but placements are {self.placements!r}")
        if not is_ranking(self.placements):
            raise ResultError(f"match {self.match} has placements that are no ranking: {self.placements!r}")
        places = places_of(seats, rotations)
        if self.block and not 0 <= self.place < places:
            raise ResultError(f"match {self.match} is place {self.place!r} of a block of {places!r}")


@lru_cache(maxsize=4096)
def is_ranking(placements: tuple[int, ...]) -> bool:
    """Tell whether the values are placements: 1 = best, ties share a place, and the next one is skipped."""
    return all(place == 1 + sum(other < place for other in placements) for place in placements)


@lru_cache(maxsize=4096)
def half_points(placements: tuple[int, ...]) -> tuple[int, ...]:
    """Return each seat's pairwise score in half points: 2 for each seat behind it, 1 for each that shares its place.

    At most `2 * (seats - 1)`; the pairwise score is the share of that.

    >>> half_points((1, 2, 2, 4))
    (6, 3, 3, 0)
    """
    return tuple(sum(2 if own < other else own == other for other in placements) - 1 for own in placements)
