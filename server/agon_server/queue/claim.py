"""The values that pass between the queue and those who use it: what was claimed, what became of it. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from agon_server.queue.entry import MatchEntry


@dataclass(frozen=True, slots=True)
class Claim:
    """One delivery of a match to this server: to be renewed while it runs, then finished or released once."""

    entry: MatchEntry
    epoch: int
    """The number of the delivery, from 1."""
    deliveries: int
    """Deliveries since the match last made progress, this one included."""
    stream: str
    entry_id: str
    servers: tuple[str, ...] = ()
    """All that ran the match since it began, in their order, this one last."""
    journal: tuple[bytes, ...] = ()
    """What was accepted in it before."""


@dataclass(frozen=True, slots=True)
class Dead:
    """A match that has just become a dead letter: its seats are to be told; its slots are free already."""

    match: str
    """Its id; where the entry has none, the entry's id in its stream."""
    reason: str
    epoch: int
    entry: MatchEntry | None = field(default=None)
    """None where it is what could not be understood."""


class Lease(IntEnum):
    """What became of a claim that was renewed; false when it is lost."""

    LOST = 0
    """Another delivery has begun, or the match has ended: stop, write nothing more."""
    HELD = 1
    CANCELLED = 2
    """Still held, but the organiser wants it to end: finish it as cancelled."""


class Finish(StrEnum):
    """What became of a finish."""

    DONE = "done"
    REPEAT = "repeat"
    """The same record is stored already: as good as done."""
    CONFLICT = "conflict"
    """Another record is stored; this one never will be."""
    FENCED = "fenced"
    """The claim was lost to a later delivery; that one will finish."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer to a finish."""

    status: Finish
    deal_over: bool
    """No match with this deal is left to play, so its seed may be shown."""

    @property
    def stored(self) -> bool:
        """Tell whether the given record is the one that counts."""
        return self.status in (Finish.DONE, Finish.REPEAT)


class Phase(StrEnum):
    """Where a match is."""

    WAITING = "waiting"
    """In the queue; no referee has it yet."""
    RUNNING = "running"
    PLAYED = "played"
    CANCELLED = "cancelled"
    DEAD = "dead"
    UNKNOWN = "unknown"
    """Never queued, or over for longer than results are kept."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a match is, and who has it."""

    phase: Phase
    owner: str = ""
    address: str = ""
    """HOST:PORT of the referee, while it runs."""
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Running:
    """A seat of a running match, as a lobby offers it again to a bot that came back."""

    match: str
    seat: int
    owner: str
    """The server that runs it."""
    address: str
    epoch: int
    game: str
    seats: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in the queue, as an operator sees it: without its seed."""

    match: str
    phase: Phase
    game: str
    version: int
    ladder: str
    block: str
    index: int
    attempt: int
    bots: tuple[str, ...]
    """By seat."""
    age_ms: int
    """Since it was queued."""
    owner: str = ""
    epoch: int = 0
    deliveries: int = 0
    progress: int = 0
    """The most decisions that an owner has reported."""
    idle_ms: int = 0
    """Since the lease was renewed."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A match that nobody could play."""

    match: str
    reason: str
    when: int
    """Milliseconds since 1970."""
    epoch: int
    entry: MatchEntry | None
    """None where it is what could not be understood; then it cannot be queued again either."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A result that no ladder could take."""

    id: str
    """In the results stream."""
    match: str
    """Empty, as the ladder, where the result could not be understood."""
    ladder: str
    reason: str


@dataclass(frozen=True, slots=True)
class Depth:
    """How full the queue is."""

    waiting: int
    """Matches that no referee has claimed yet."""
    running: int
    dead: int
    oldest_ms: int
    """How long the longest waiting match waits; 0 with none."""


class Cancelled(StrEnum):
    """What became of a request to cancel a match."""

    REMOVED = "removed"
    """It was still waiting and is gone."""
    ASKED = "asked"
    """It runs; its referee ends it at its next renewal."""
    UNKNOWN = "unknown"
    """It is neither waiting nor running."""
