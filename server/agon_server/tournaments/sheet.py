"""What is noted of each match of a tournament, as bytes in rows: one for each seat's placement, one for how often the
match did not count, and one for each block. A million matches of two seats take 4 MB in one round, and with a round for
each block 6 MB more.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

OPEN: Final = 0
"""Something of the block is left to play."""
COMPLETE: Final = 1
GIVEN_UP: Final = 2
"""Nothing of the block is played any more."""
_MOST: Final = 255


class Sheet:
    """Rounds are added as they are opened. Nothing is checked: a block and a place are numbers that there are."""

    def __init__(self, seats: int, places: int) -> None:
        self._seats = seats
        self._places = places
        self._starts = array("Q", [0])
        """The first block of each round, counted over all rounds; and at the end how many blocks there are."""
        self._open = array("I")
        """By round, the blocks that are open."""
        self._blocks = bytearray()
        self._placements = bytearray()
        """By match and seat; 0 while there is none."""
        self._missed = bytearray()
        """By match."""

    @property
    def rounds(self) -> int:
        return len(self._open)

    @property
    def blocks(self) -> int:
        """How many there are, in all rounds."""
        return len(self._blocks)

    def add_round(self, blocks: int) -> None:
        """Open a round of so many blocks."""
        self._starts.append(self._starts[-1] + blocks)
        self._open.append(blocks)
        self._blocks.extend(bytes(blocks))
        self._missed.extend(bytes(blocks * self._places))
        self._placements.extend(bytes(blocks * self._places * self._seats))

    def size(self, round_: int) -> int:
        """Return how many blocks a round has."""
        return self._starts[round_ + 1] - self._starts[round_]

    def open_blocks(self, round_: int) -> int:
        """Return how many blocks of a round are open."""
        return self._open[round_]

    def state(self, round_: int, block: int) -> int:
        """Return OPEN, COMPLETE or GIVEN_UP."""
        return self._blocks[self._starts[round_] + block]

    def next_block(self, round_: int, state: int, after: int = -1) -> int | None:
        """Return the next block of a round that is in a state; found in no time, however many are passed over."""
        first = self._starts[round_]
        found = self._blocks.find(state, first + after + 1, self._starts[round_ + 1])
        return None if found < 0 else found - first

    def complete(self, round_: int) -> Sequence[int]:
        """Return the blocks of a round that are complete."""
        size = self.size(round_)
        part = self._blocks[self._starts[round_] : self._starts[round_ + 1]]
        if part.count(COMPLETE) == size:
            return range(size)
        return array("I", (block for block, state in enumerate(part) if state == COMPLETE))

    def placements(self, round_: int, block: int, place: int) -> tuple[int, ...] | None:
        """Return how a match ended, by seat; None while nothing is noted."""
        start = self._match(round_, block, place) * self._seats
        found = self._placements[start : start + self._seats]
        return tuple(found) if found[0] else None

    def missed(self, round_: int, block: int, place: int) -> int:
        """Return how often a match ended without a result that counts."""
        return self._missed[self._match(round_, block, place)]

    def note(self, round_: int, block: int, place: int, placements: Sequence[int]) -> None:
        """Note how a match ended; with its last one the block is complete, also where it was given up."""
        start = self._match(round_, block, place) * self._seats
        self._placements[start : start + self._seats] = bytes(placements)
        size = self._places * self._seats
        first = self._match(round_, block, 0) * self._seats
        if 0 not in self._placements[first : first + size]:
            self._become(round_, block, COMPLETE)

    def note_missed(self, round_: int, block: int, place: int) -> int:
        """Note that a match ended without a result that counts; return how often it did."""
        match = self._match(round_, block, place)
        self._missed[match] = min(_MOST, self._missed[match] + 1)
        return self._missed[match]

    def give_up(self, round_: int, block: int) -> int:
        """Note that nothing of an open block is played any more; return how many of its matches have no placements."""
        self._become(round_, block, GIVEN_UP)
        return sum(self.placements(round_, block, place) is None for place in range(self._places))

    def _become(self, round_: int, block: int, state: int) -> None:
        self._open[round_] -= self.state(round_, block) == OPEN
        self._blocks[self._starts[round_] + block] = state

    def _match(self, round_: int, block: int, place: int) -> int:
        return (self._starts[round_] + block) * self._places + place
