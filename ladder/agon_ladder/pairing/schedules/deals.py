"""From planned blocks to matches: who sits where, and the secret seed of each deal. All follows from the tournament's
own seed, so a resumed tournament deals the same cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from agon_engine.core.chance import SEED_BYTES, Chance
from agon_engine.core.record import Deals
from agon_ladder.pairing.blocks import Rotations, places_of, rotation
from agon_ladder.pairing.schedules.schedule import PlannedBlock
from agon_ladder.pairing.verify import PlannedMatch


def tournament_chance(seed: str) -> Chance:
    """Return the source of all draws of a tournament whose file names this seed, whatever text it is."""
    return Chance(blake2b(seed.encode(), digest_size=SEED_BYTES, person=b"agon tournament").digest())


def deal_seed(chance: Chance, round_: int, block: int, place: int, attempt: int, deals: Deals) -> str:
    """Return the seed of a match's deal, in hex: one for each match and attempt, or, shared, one for the block."""
    label = f"deal {round_} {block}"
    drawn = chance.fork(label if deals is Deals.SHARED else f"{label} {place} {attempt}")
    return f"{drawn.word('seed'):016x}{drawn.word('seed'):016x}"


def block_name(block: PlannedBlock) -> str:
    """Return what a planned block is called in messages, rounds and numbers from 1."""
    return f"{block.round + 1}.{block.number + 1}"


def planned_matches(
    blocks: Iterable[PlannedBlock], rotations: Rotations, deals: Deals, chance: Chance
) -> Iterator[list[PlannedMatch]]:
    """Iterate over the blocks as lists of their matches, which `Verifier` takes."""
    for block in blocks:
        name = block_name(block)
        yield [
            PlannedMatch(
                match=f"{name}.{place + 1}",
                block=name,
                place=place,
                bots=rotation(block.line_up, place),
                deals=deals,
                deal=deal_seed(chance, block.round, block.number, place, 0, deals),
            )
            for place in range(places_of(len(block.line_up), rotations))
        ]
