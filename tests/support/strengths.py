"""Blocks drawn from known strengths, for what estimates strengths: the model's own way to rank, written anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import exp

import numpy as np

from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch


def chances(
    strengths: Sequence[float], ties: Mapping[int, float], left: tuple[int, ...]
) -> dict[tuple[int, ...], float]:
    """Return how likely each set of the seats left is to share the next place, as the paper has it."""
    worths = {
        chosen: (1.0 if size == 1 else ties.get(size, 0.0)) * exp(sum(strengths[seat] for seat in chosen) / size)
        for size in range(1, len(left) + 1)
        for chosen in combinations(left, size)
    }
    total = sum(worths.values())
    return {chosen: worth / total for chosen, worth in worths.items() if worth}


def chance_of(strengths: Sequence[float], ties: Mapping[int, float], placements: Sequence[int]) -> float:
    """Return how likely a ranking is."""
    left = tuple(range(len(strengths)))
    likely = 1.0
    for place in sorted(set(placements)):
        chosen = tuple(seat for seat in left if placements[seat] == place)
        likely *= chances(strengths, ties, left).get(chosen, 0.0)
        left = tuple(seat for seat in left if seat not in chosen)
    return likely


def ranked(rng: np.random.Generator, strengths: Sequence[float], ties: Mapping[int, float]) -> tuple[int, ...]:
    """Draw placements. Without ties a race does it: strengths plus luck by Gumbel's distribution, in order."""
    seats = len(strengths)
    if not ties:
        times = np.asarray(strengths) + rng.gumbel(size=seats)
        return tuple(int(place) for place in 1 + (times[:, None] < times[None, :]).sum(axis=1))

    placements, left, place = [0] * seats, tuple(range(seats)), 1
    while left:
        likely = chances(strengths, ties, left)
        chosen = list(likely)[int(rng.choice(len(likely), p=list(likely.values())))]
        for seat in chosen:
            placements[seat] = place
        place += len(chosen)
        left = tuple(seat for seat in left if seat not in chosen)
    return tuple(placements)


def line_ups(rng: np.random.Generator, bots: int, seats: int, each: int) -> list[tuple[int, ...]]:
    """Draw who meets whom in `each` rounds of blocks; a bot that is left over sits out, so none is where `bots` is a
    multiple of `seats`."""
    return [
        tuple(int(bot) for bot in order[start : start + seats])
        for order in (rng.permutation(bots) for _ in range(each))
        for start in range(0, bots - seats + 1, seats)
    ]


def name_of(bot: int) -> str:
    return f"bot-{bot:03}"


def played(
    rng: np.random.Generator,
    strengths: Sequence[float],
    line_ups: Sequence[tuple[int, ...]],
    seat_worths: Sequence[float],
    ties: Mapping[int, float] | None = None,
) -> list[PlayedBlock]:
    """Play one block for each line-up."""
    blocks = []
    for number, line_up in enumerate(line_ups):
        matches = []
        for place in range(len(line_up)):
            seated = line_up[place:] + line_up[:place]
            known = [strengths[bot] + worth for bot, worth in zip(seated, seat_worths, strict=True)]
            matches.append(PlayedMatch(tuple(name_of(bot) for bot in seated), ranked(rng, known, ties or {})))
        blocks.append(PlayedBlock(str(number), tuple(matches)))
    return blocks
