"""Blocks for what estimates strengths: given, or drawn from known ones by the model's own way to rank, written anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import exp

import numpy as np
from numpy.typing import NDArray

from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch

Floats = NDArray[np.float64]
WIN, LOSS, TIE = (1, 2), (2, 1), (1, 1)
"""Placements of two bots, by the first of them."""
TWO = ("a", "b")


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


def ranked(rng: np.random.Generator, strengths: Floats, ties: Mapping[int, float]) -> list[tuple[int, ...]]:
    """Draw placements for each row of strengths. Without ties a race does it: strengths plus luck by Gumbel's
    distribution, in order."""
    if ties:
        return [_by_choices(rng, row, ties) for row in strengths.tolist()]

    times = strengths + rng.gumbel(size=strengths.shape)
    places = 1 + (times[:, :, None] < times[:, None, :]).sum(axis=2)
    return [tuple(row) for row in places.tolist()]


def _by_choices(rng: np.random.Generator, strengths: Sequence[float], ties: Mapping[int, float]) -> tuple[int, ...]:
    placements, left, place = [0] * len(strengths), tuple(range(len(strengths))), 1
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
    seats = len(seat_worths)
    seated = [line_up[place:] + line_up[:place] for line_up in line_ups for place in range(seats)]
    known = np.asarray(strengths)[np.array(seated)] + np.asarray(seat_worths)
    matches = [
        PlayedMatch(tuple(name_of(bot) for bot in bots), placements)
        for bots, placements in zip(seated, ranked(rng, known, ties or {}), strict=True)
    ]
    return [
        PlayedBlock(str(number), tuple(matches[number * seats : (number + 1) * seats]))
        for number in range(len(line_ups))
    ]


def pair(
    first: tuple[int, int], second: tuple[int, int], bots: tuple[str, str] = TWO, times: int = 1
) -> list[PlayedBlock]:
    """Return blocks of two bots: placements of the first bot and the second, in both matches; seats turn."""
    one, other = bots
    matches = (PlayedMatch((one, other), first), PlayedMatch((other, one), (second[1], second[0])))
    return [PlayedBlock(f"{one}-{other}-{first}-{second}-{number}", matches) for number in range(times)]
