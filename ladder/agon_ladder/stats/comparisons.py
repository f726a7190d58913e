"""Blocks as arrays, for fits: what was played, without names, each kind of block once with how often it was played.

Two blocks are of one kind where every match has the same seats and placements; nothing else of a block reaches a fit,
so neither the order of the blocks nor their ids can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from agon_ladder.errors import ResultError
from agon_ladder.results import is_ranking
from agon_ladder.stats.arrays import Bools, Ints
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch

MAX_SEATS: Final = 8
"""A stage of a match with n seats has up to 2**n - 1 choices; beyond this a fit would take too long."""
_PART: Final = 1024
"""Kinds of blocks in a part: what is computed for each match of a part stays in the processor's cache."""


class Stage(NamedTuple):
    """The choices of first place among the seats from position `first` on, in the matches that have one there."""

    first: int
    rows: Ints
    """The matches."""
    shared: Ints
    """By match: how many seats share the place."""


class Part(NamedTuple):
    """Some kinds of blocks; a match is a row, its seats stand in the order of their placements."""

    bots: Ints
    """The bots of each match, by position in that order."""
    seats: Ints
    """The seats of each match, by position."""
    stages: tuple[Stage, ...]
    by_bot: Ints
    """The positions of each match, by the bot's number in the block's line-up."""
    by_seat: Ints
    """The positions of each match, by seat."""
    starts: Ints
    """The first match of each kind of block."""


class Comparisons(NamedTuple):
    """Everything that a fit reads."""

    bots: tuple[str, ...]
    """In the order of their names; a bot's number is its place here."""
    seats: int
    tied: tuple[int, ...]
    """How many seats shared a place, 2 or more, ascending: each size that there was."""
    counts: Ints
    """How often each kind of block was played."""
    line_ups: Ints
    """The bots of each kind of block."""
    parts: tuple[Part, ...]
    won: Ints
    """A row for each pair of bots that met, the bot that did not come behind first; both ways where they tied."""

    @property
    def blocks(self) -> int:
        return int(self.counts.sum())

    def only(self, kept: Bools) -> Comparisons:
        """Return some of the kinds of blocks, with the same bots and sizes of ties; `won` stays that of all."""
        ends = np.cumsum([len(part.starts) for part in self.parts])
        parts = [_only(part, some) for part, some in zip(self.parts, np.split(kept, ends[:-1]), strict=True)]
        return self._replace(
            counts=self.counts[kept],
            line_ups=self.line_ups[kept],
            parts=tuple(part for part in parts if len(part.bots)),
        )


def compare(blocks: Iterable[PlayedBlock]) -> Comparisons:
    """Read complete blocks. Raise ResultError where there is none, they differ in their seats, or one contradicts
    itself."""
    kinds: Counter[tuple[PlayedMatch, ...]] = Counter()
    for block in blocks:
        if block.matches not in kinds:
            _check(block)
        kinds[block.matches] += 1
    if not kinds:
        raise ResultError("a fit needs at least one complete block, and there is none")

    seats = {len(matches[0].bots) for matches in kinds}
    if len(seats) > 1:
        raise ResultError(f"a fit is for one seat count, these blocks have several: {sorted(seats)!r}")

    ordered = sorted(kinds)
    bots = tuple(sorted({bot for matches in ordered for bot in matches[0].bots}))
    numbers = {bot: number for number, bot in enumerate(bots)}
    parts = [_part(ordered[start : start + _PART], numbers) for start in range(0, len(ordered), _PART)]
    sizes = {int(size) for part in parts for stage in part.stages for size in np.unique(stage.shared)}
    return Comparisons(
        bots=bots,
        seats=seats.pop(),
        tied=tuple(sorted(sizes - {1})),
        counts=np.array([kinds[matches] for matches in ordered]),
        line_ups=np.array([[numbers[bot] for bot in matches[0].bots] for matches in ordered]),
        parts=tuple(parts),
        won=_won(ordered, numbers),
    )


def _check(block: PlayedBlock) -> None:
    if not block.matches:
        raise ResultError(f"a block without matches is not complete: {block.id!r}")

    line_up = set(block.line_up)
    if not 2 <= len(block.line_up) <= MAX_SEATS:
        raise ResultError(f"a fit takes blocks of 2 to {MAX_SEATS} seats, block {block.id} has {block.line_up!r}")
    for match in block.matches:
        if len(match.bots) != len(line_up) or set(match.bots) != line_up:
            raise ResultError(f"block {block.id} seats others than its line-up {block.line_up!r}: {match.bots!r}")
        if len(match.placements) != len(line_up) or not is_ranking(match.placements):
            raise ResultError(f"block {block.id} has placements that are no ranking: {match.placements!r}")


def _part(kinds: Sequence[tuple[PlayedMatch, ...]], numbers: dict[str, int]) -> Part:
    bots: list[list[int]] = []
    line_ups: list[list[int]] = []
    placements: list[tuple[int, ...]] = []
    starts: list[int] = []
    for matches in kinds:
        starts.append(len(bots))
        line_up = [numbers[bot] for bot in matches[0].bots]
        for match in matches:
            bots.append([numbers[bot] for bot in match.bots])
            line_ups.append(line_up)
            placements.append(match.placements)
    by_seat, places = np.array(bots), np.array(placements)
    seats = np.argsort(places, axis=1, kind="stable")
    places = np.take_along_axis(places, seats, axis=1)
    ordered = np.take_along_axis(by_seat, seats, axis=1)
    in_line_up = np.argmax(np.array(line_ups)[:, :, None] == ordered[:, None, :], axis=2)
    return Part(ordered, seats, _stages(places), in_line_up, np.argsort(seats, axis=1), np.array(starts))


def _only(part: Part, kept: Bools) -> Part:
    sizes = np.diff(part.starts, append=len(part.bots))
    rows = np.repeat(kept, sizes)
    number = np.cumsum(rows) - 1
    stages = []
    for stage in part.stages:
        there = rows[stage.rows]
        if there.any():
            stages.append(Stage(stage.first, number[stage.rows[there]], stage.shared[there]))
    return Part(
        part.bots[rows],
        part.seats[rows],
        tuple(stages),
        part.by_bot[rows],
        part.by_seat[rows],
        np.cumsum(sizes[kept]) - sizes[kept],
    )


def _stages(places: Ints) -> tuple[Stage, ...]:
    """Return the stages of matches whose placements are in ascending order. A seat alone at the end is no choice."""
    stages = []
    for first in range(places.shape[1] - 1):
        [rows] = np.nonzero(places[:, first] == first + 1)
        if rows.size:
            stages.append(Stage(first, rows, (places[rows] == first + 1).sum(axis=1)))
    return tuple(stages)


def _won(kinds: Iterable[tuple[PlayedMatch, ...]], numbers: dict[str, int]) -> Ints:
    pairs = set()
    for matches in kinds:
        for match in matches:
            seated = sorted(zip(match.placements, [numbers[bot] for bot in match.bots], strict=True))
            for at, (place, bot) in enumerate(seated):
                for other_place, other in seated[at + 1 :]:
                    pairs.add((bot, other))
                    if place == other_place:
                        pairs.add((other, bot))
    return np.array(sorted(pairs))
