"""What was played of a server's tournament, as its store keeps it: one field a match, from its place in the schedule to
the placements, and one for each block that was given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agon_ladder.errors import ResultError
from agon_ladder.pairing.blocks import Rotations, places_of
from agon_server.tournaments.progress import Place, Progress, read_block_id
from agon_server.tournaments.schedule_def import ScheduleDef


def match_field(place: Place, placements: Sequence[int]) -> tuple[str, str]:
    """Return the field of a match and its value.

    >>> match_field(Place(0, 2, 1), (2, 1))
    ('1.3.2', '2,1')
    """
    return f"{place.block_id}.{place.place + 1}", ",".join(map(str, placements))


def given_up_field(place: Place) -> tuple[str, str]:
    """Return the field of a block that was given up."""
    return place.block_id, ""


def progress_of(schedule: ScheduleDef, seats: int, rotations: Rotations, fields: Mapping[str, str]) -> Progress:
    """Return how far a tournament has come. Raise ResultError for fields that its schedule does not have."""
    progress = Progress(schedule.schedule(seats, rotations), seats, places_of(seats, rotations))
    for place, value in sorted((_place(name), value) for name, value in fields.items()):
        if not value:
            progress.give_up(place)
            continue
        try:
            placements = tuple(int(text) for text in value.split(","))
        except ValueError:
            raise ResultError(f"{place.told} has placements that are no numbers: {value!r}") from None
        progress.take(place, progress.bots(place), placements)
    return progress


def _place(name: str) -> Place:
    block, _, number = name.rpartition(".")
    if "." not in block:
        return read_block_id(name, 0)

    place = read_block_id(block, int(number) - 1 if number.isdecimal() else -1)
    if place.place < 0:
        raise ResultError(f"a match of a tournament is called ROUND.BLOCK.PLACE, not {name!r}")
    return place
