"""A report as one value: plain rows, of which every form is made. Ratings and strengths are in thousandths of a point,
scores 0 to 1, times in microseconds; None is what nothing can be said about yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's place."""

    rank: int
    """1 = best; equal ones share a rank and the next one is skipped."""
    bot: str
    version: str
    """That it played last, which its strength is of."""
    rating: int | None
    """The live rating, where there is one: Elo, or mu where the system has a sigma too."""
    strength: int | None
    """Fitted to all complete blocks; 0 is the mean of the bots."""
    low: int | None
    """The 95 % interval of the strength; None for an end that is open."""
    high: int | None
    superiority: float | None
    """How likely it is that this bot is stronger than the next one of the table."""
    score: float
    """Mean pairwise score: 1 for each other bot placed below, a half for each at the same place."""
    matches: int
    """That count; a bot that sits twice in one counts twice."""
    blocks: int
    """Complete ones, which strength and interval rest on."""
    places: tuple[int, ...]
    """How often it was placed first, second and so on."""
    points: float
    """The game's own points, a match."""
    retired: bool = False
    """It plays no more."""
    sigma: int | None = None
    """The standard deviation of the rating, where the rating system has one."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A bot's rating after one of its matches; of a long history some are left out."""

    bot: str
    number: int
    """The match's number among those that moved ratings, from 1."""
    ended: str
    rating: int


@dataclass(frozen=True, slots=True)
class Pair:
    """What a bot scored against another one, over all matches that count."""

    bot: str
    opponent: str
    points: float
    """1 for each time it was placed better, a half for each tie."""
    comparisons: int


@dataclass(frozen=True, slots=True)
class SeatShare:
    """What a seat is worth."""

    seat: int
    matches: int
    score: float
    """Mean pairwise score of whoever sat there."""
    advantage: int | None
    """What it adds to a bot's strength, fitted together with the strengths."""
    low: int | None
    """The 95 % interval of the advantage."""
    high: int | None


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often a bot's seats ended otherwise than by the rules, and what went wrong before."""

    bot: str
    seats: int
    """All that it sat at, also in matches that do not count."""
    ended: Mapping[str, int]
    """By termination: seats that ended so."""
    strikes: Mapping[str, int]
    """By reason: decisions without a usable answer."""
    substitutes: int
    errors: int
    """In its own code, where they are known."""


@dataclass(frozen=True, slots=True)
class TimeUse:
    """What a bot's decisions were charged."""

    bot: str
    decisions: int
    mean_us: float | None
    p95_us: int | None
    """95 % of its decisions were charged no more than this, to within one per cent."""
    max_us: int | None
    late: int
    """Decisions over the limit."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What ranks a bot in a tournament."""

    rank: int
    bot: str
    points: float
    """1 for each opponent placed below in a match, a half for a tie; what byes give is in it."""
    matches: int
    """Of complete blocks."""
    blocks: int
    byes: int
    tie_breaks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """A block of a tournament, or a bye."""

    round: str
    """What people call the round."""
    block: str
    """Empty: a bye."""
    bots: tuple[str, ...]
    points: tuple[float, ...]
    """Of each bot in the block; none while it is not complete, and of a bye."""


@dataclass(frozen=True, slots=True)
class Competition:
    """What a tournament's format makes of its matches."""

    tie_breaks: tuple[str, ...]
    """What ranks equal points, by name, in its order."""
    ranking: tuple[Ranked, ...]
    meetings: tuple[Meeting, ...]
    """By round; the first ones of many."""
    left_out: int = 0
    """Further blocks."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of matches."""

    title: str
    about: tuple[tuple[str, str], ...]
    """What was played, as names and values."""
    matches: int
    counted: int
    """Matches that count."""
    blocks: int
    """Complete blocks."""
    decisions: int
    first: str
    """When the first and the last of the matches ended; empty without any."""
    last: str
    competition: Competition | None = None
    """Of a tournament."""
    standings: tuple[Standing, ...] = ()
    history: tuple[Moment, ...] = ()
    """By match number."""
    pairs: tuple[Pair, ...] = ()
    """Both ways, of bots that met."""
    seats: tuple[SeatShare, ...] = ()
    faults: tuple[FaultCount, ...] = ()
    times: tuple[TimeUse, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader has to know to judge the figures."""
    comparison: tuple[str, ...] = ()
    """The lines of a sequential test, where there was one."""
    comparison_values: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs."""
