"""How a match of a tournament is named: by its place in the schedule."""

from __future__ import annotations

from typing import NamedTuple

from agon_ladder.errors import ResultError


class Place(NamedTuple):
    """Where in the schedule a match stands; all from 0."""

    round: int
    block: int
    """Within the round."""
    place: int
    """Within the block: which rotation of its line-up."""

    @property
    def block_id(self) -> str:
        """What people and records call the block.

        >>> Place(0, 2, 1).block_id
        '1.3'
        """
        return f"{self.round + 1}.{self.block + 1}"

    @property
    def told(self) -> str:
        """How an error names the match."""
        return f"match {self.place + 1} of block {self.block_id}"


def read_block_id(text: str, place: int) -> Place:
    """Return the place in the block of such a name. Raise ResultError for any other name."""
    round_, _, block = text.partition(".")
    found: Place | None
    try:
        found = Place(int(round_) - 1, int(block) - 1, place)
    except ValueError:
        found = None
    if found is None or found.block_id != text or min(found) < 0:
        raise ResultError(f"a block of a tournament is called ROUND.NUMBER, not {text!r}")

    return found
