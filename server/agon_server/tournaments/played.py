"""What was played of a server's tournament, as its store keeps it: one field a match, from its place in the schedule to
the placements, and one for each block that was given up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agon_ladder.errors import ResultError
from agon_ladder.pairing.blocks import Rotations, places_of
from agon_server.tournaments.places import Place
from agon_server.tournaments.progress import Progress
from agon_server.tournaments.schedule_def import ScheduleDef

AT_ONCE: Final = 1_000
"""About how many fields are read and folded at a time, in milliseconds."""


def match_field(place: Place, placements: Sequence[int]) -> tuple[str, str]:
    """Return the field of a match and its value.

    >>> match_field(Place(0, 2, 1), (2, 1))
    ('1.3.2', '2,1')
    """
    return f"{place.block_id}.{place.place + 1}", ",".join(map(str, placements))


def given_up_field(place: Place) -> tuple[str, str]:
    """Return the field of a block that was given up."""
    return place.block_id, ""


class Reading:
    """Folds what a store has of a tournament, part by part in the order of the schedule: neither the store nor the fold
    is held up for long, and no more is kept than the fold keeps."""

    def __init__(self, schedule: ScheduleDef, seats: int, rotations: Rotations, fields: int) -> None:
        """`fields` are how many the store has. Raise ScheduleError where the schedule cannot be."""
        self.progress = Progress(schedule.schedule(seats, rotations), seats, places_of(seats, rotations))
        self._left = fields
        self._at = Place(0, 0, 0)
        """The block whose fields are asked for next."""
        self._asked: list[tuple[Place, bool]] = []
        """By field, the place, and whether the field is its block's."""

    def next_fields(self) -> list[str]:
        """Return which fields to read next; none where all is folded. Raise ResultError where the store has fields that
        the schedule does not have."""
        self._asked = []
        while self._left > 0 and len(self._asked) < AT_ONCE:
            if self._at.block < self.progress.size(self._at.round):
                self._asked.append((self._at, True))
                self._asked += ((self._at._replace(place=place), False) for place in range(self.progress.places))
                self._at = self._at._replace(block=self._at.block + 1)
            elif self._asked and self.progress.schedule.is_adaptive:
                break  # the next round follows from these
            else:
                self._at = Place(self._at.round + 1, 0, 0)
                if not self.progress.size(self._at.round):
                    break
        if self._left > 0 and not self._asked:
            raise ResultError(f"so many fields of what was played are of no match of its schedule: {self._left}")
        return [place.block_id if of_block else match_field(place, ())[0] for place, of_block in self._asked]

    def take(self, values: Sequence[bytes | None]) -> None:
        """Take the values of the fields that were asked for, None where there is none. Raise ResultError for values
        that cannot be."""
        for (place, of_block), value in zip(self._asked, values, strict=True):
            if value is None:
                continue
            self._left -= 1
            if of_block and value:
                raise ResultError(f"block {place.block_id} has a result of its own: {value!r}")
            if of_block:
                self.progress.give_up(place)
                continue
            try:
                placements = tuple(int(text) for text in value.split(b","))
            except ValueError:
                raise ResultError(f"{place.told} has placements that are no numbers: {value!r}") from None
            self.progress.take(place, self.progress.bots(place), placements)
