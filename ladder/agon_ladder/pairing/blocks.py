"""The block: one line-up, played once under each rotation of its seats. It is what is paired, what statistics count,
and what goes on after a restart.

An open block knows what became of each of its places and nothing of queues; it is stored as the JSON it gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agon_engine.core.record import Deals
from agon_engine.core.rotations import MAX_ALL_SEATS, Rotations, block_size, mirrored, rotation
from agon_ladder.errors import ScheduleError

__all__ = ["MAX_ALL_SEATS", "OpenBlock", "Place", "PlaceState", "Rotations", "line_up_of", "places_of", "rotation"]


def places_of(seats: int, rotations: Rotations) -> int:
    """Return how many matches a block has. Raise ScheduleError where all permutations are too many."""
    try:
        return block_size(seats, rotations)
    except ValueError as error:
        raise ScheduleError(str(error)) from None


def line_up_of(bots: Sequence[str], place: int) -> tuple[str, ...]:
    """Return the line-up whose rotation to `place` seats the bots like this.

    >>> line_up_of(("C", "A", "B"), 2), line_up_of(("C", "B", "A"), 4)
    (('A', 'B', 'C'), ('A', 'B', 'C'))
    """
    turned, shift = divmod(place, len(bots))
    split = len(bots) - shift
    way = (*bots[split:], *bots[:split])
    return mirrored(way) if turned else way


class PlaceState(StrEnum):
    """What became of a place of a block."""

    LEFT = "left"
    """To be played (again)."""
    QUEUED = "queued"
    """A match of it waits or runs."""
    DONE = "done"
    """A match of it ended with a result that counts."""


@dataclass(slots=True)
class Place:
    """One match of an open block: the line-up under one rotation."""

    state: PlaceState = PlaceState.LEFT
    attempt: int = 0
    """How often it was played without a result that counts."""
    match: str = ""
    """The id of its last match."""


@dataclass(slots=True)
class OpenBlock:
    """A block that is not over."""

    id: str
    ladder: str
    bots: tuple[str, ...]
    """The line-up: the seats of place 0."""
    deals: Deals
    seed: str = field(repr=False)
    """The one seed of a block with shared deals, in hex; else empty. Secret until the block is over."""
    opened: int
    """Milliseconds since 1970."""
    places: list[Place] = field(default_factory=list)
    """By place; given as empty: all are left."""
    abandoned: str = ""
    """Why nothing of it will be played any more; empty while it goes on."""
    rotations: Rotations = Rotations.CYCLIC
    scheduled: str = ""
    """Of a tournament: what its schedule calls the block, by round and number."""

    def __post_init__(self) -> None:
        if len(self.bots) < 2 or len(set(self.bots)) != len(self.bots):
            raise ScheduleError(f"a line-up is two or more different bots, not {self.bots!r}")
        if (self.deals is Deals.SHARED) != bool(self.seed):
            raise ScheduleError(
                f"a block has a seed of its own exactly when its deals are shared: {self.deals.value!r}"
            )
        if not self.places:
            self.places = [Place() for _ in range(self.size)]
        if len(self.places) != self.size:
            raise ScheduleError(f"a block of {len(self.bots)} bots has {self.size} places, not {len(self.places)!r}")

    @property
    def size(self) -> int:
        """How many matches it has."""
        return places_of(len(self.bots), self.rotations)

    def left(self) -> list[int]:
        """Return the places that are still to be queued, lowest first."""
        if self.abandoned:
            return []

        wanted = PlaceState.LEFT
        return [number for number, place in enumerate(self.places) if place.state is wanted]

    @property
    def pending(self) -> int:
        """How many of its places are not done but will be, as far as anybody knows."""
        states = [place.state for place in self.places]
        return states.count(PlaceState.QUEUED) if self.abandoned else len(states) - states.count(PlaceState.DONE)

    @property
    def is_complete(self) -> bool:
        return all(place.state is PlaceState.DONE for place in self.places)

    @property
    def is_over(self) -> bool:
        """Whether no match of it is left to play or under way."""
        return self.is_complete or bool(
            self.abandoned and not any(place.state is PlaceState.QUEUED for place in self.places)
        )

    def queued(self, number: int, match: str) -> None:
        """Note that a match of a place has been queued. Raise ScheduleError when the place is not left to play."""
        place = self._place(number)
        if place.state is not PlaceState.LEFT:
            raise ScheduleError(f"place {number} of block {self.id} is not left to play: it is {place.state.value!r}")

        place.state, place.match = PlaceState.QUEUED, match

    def awaits(self, number: int, attempt: int) -> bool:
        """Tell whether it is not known yet how a place, or such an attempt at it, ended. Raise ScheduleError for a
        place that the block has not."""
        place = self._place(number)
        return place.state is not PlaceState.DONE and attempt >= place.attempt

    def is_own(self, number: int, match: str, bots: Sequence[str]) -> bool:
        """Tell whether a match can be one of a place: no other one is queued for it, and it seats the line-up so.
        `bots` are empty where nobody was seated. Raise ScheduleError for a place that the block has not."""
        place = self._place(number)
        if place.state is PlaceState.QUEUED and place.match != match:
            return False
        return not bots or tuple(bots) == rotation(self.bots, number)

    def ended(self, number: int, attempt: int, *, counts: bool, again: bool) -> bool:
        """Note how a match of a place ended; return whether that changed anything, so that repeats do no harm.

        A result that does not count leaves the place to be played again where `again` says so; where not, the block
        is abandoned. Raise ScheduleError for a place that the block has not.
        """
        if not self.awaits(number, attempt):
            return False

        place = self.places[number]
        if counts:
            place.state, place.attempt = PlaceState.DONE, attempt
            return True

        place.state, place.attempt = PlaceState.LEFT, attempt + 1
        if not again:
            self.abandon(f"place {number} was played {attempt + 1} times without a result that counts")
        return True

    def abandon(self, reason: str) -> None:
        """Play nothing of the block that is not queued already. The first reason stands."""
        self.abandoned = self.abandoned or reason

    def _place(self, number: int) -> Place:
        if not 0 <= number < len(self.places):
            raise ScheduleError(f"block {self.id} has {len(self.places)} places, none of them is {number!r}")

        return self.places[number]

    # -- stored form -----------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "ladder": self.ladder,
            "bots": list(self.bots),
            "deals": self.deals.value,
            "seed": self.seed,
            "opened": self.opened,
            "places": [[place.state.value, place.attempt, place.match] for place in self.places],
            "abandoned": self.abandoned,
            "rotations": self.rotations.value,
            "scheduled": self.scheduled,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OpenBlock:
        """Read what `to_json` wrote. Raise ScheduleError for anything else."""
        try:
            places = [Place(PlaceState(state), int(attempt), str(match)) for state, attempt, match in data["places"]]
            return cls(
                id=str(data["id"]),
                ladder=str(data["ladder"]),
                bots=tuple(str(bot) for bot in data["bots"]),
                deals=Deals(data["deals"]),
                seed=str(data["seed"]),
                opened=int(data["opened"]),
                places=places,
                abandoned=str(data["abandoned"]),
                # Absent in a block that was stored before there was a choice.
                rotations=Rotations(data.get("rotations", Rotations.CYCLIC)),
                scheduled=str(data.get("scheduled", "")),
            )
        except ScheduleError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ScheduleError(f"not an open block: {error}") from None
