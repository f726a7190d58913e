"""Who sits where in local play: line-ups, each under all rotations of its seats (a block), and the secret seed of each
match.

Pure, and the same for the same seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from agon_bots.sdk.errors import UsageError
from agon_engine.core import SEED_BYTES
from agon_engine.core.record import Deals
from agon_engine.core.rotations import Rotations, block_size, rotation


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match to be played."""

    number: int
    """From 1."""
    block: int
    """From 1."""
    bots: tuple[int, ...]
    """By seat: which of the bots."""
    seed: str
    """32 hex digits."""
    deals: Deals
    match_id: str = ""
    """What the match is called in its record and to its bots; empty: by its number."""
    block_id: str = ""
    """What its block is called in its record; empty: by its number."""


def match_count(matches: int, seats: int, rotations: Rotations = Rotations.CYCLIC) -> int:
    """Return how many matches are played where so many were asked for: whole blocks.

    Raise UsageError where blocks cannot have all permutations of so many seats.
    """
    try:
        size = block_size(seats, rotations)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return -(-matches // size) * size


def plan_matches(
    bots: int, seats: int, matches: int, seed: str, deals: Deals, rotations: Rotations = Rotations.CYCLIC
) -> Iterator[PlannedMatch]:
    """Plan at least so many matches, in whole blocks.

    More bots than seats: all line-ups in turn. Fewer: bots sit more than once, each as often as the others over time.
    Raise UsageError for numbers out of range.
    """
    if bots < 1:
        raise UsageError("no bot is named")
    if matches < 1:
        raise UsageError(f"matches is a number from 1, not {matches!r}")

    size = match_count(1, seats, rotations)
    number = 0
    for block, line_up in zip(range(1, -(-matches // size) + 1), _line_ups(bots, seats), strict=False):
        for place in range(size):
            number += 1
            deal = f"block {block}" if deals is Deals.SHARED else f"match {number}"
            yield PlannedMatch(
                number,
                block,
                rotation(line_up, place),
                blake2b(f"{seed}\x00{deal}".encode(), digest_size=SEED_BYTES).hexdigest(),
                deals,
            )


def _line_ups(bots: int, seats: int) -> Iterator[tuple[int, ...]]:
    if bots >= seats:
        return itertools.cycle(tuple(itertools.combinations(range(bots), seats)))

    return (tuple((first + place) % bots for place in range(seats)) for first in itertools.count())
