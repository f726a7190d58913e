"""The proof that a schedule is fair: whoever plans it, these are checked over what it planned (M6)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, product
from math import comb
from typing import Final

import numpy as np

from agon_engine.core.record import Deals
from agon_ladder.pairing.blocks import Rotations, line_up_of, places_of
from agon_ladder.pairing.schedules.schedule import Promise

MAX_PROBLEMS: Final = 100
"""No more are told: beyond that the schedule is wrong as a whole."""
_DEAL_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match of a schedule."""

    match: str
    block: str
    place: int
    bots: tuple[str, ...]
    """By seat."""
    deals: Deals
    deal: str
    """Anything that is equal for two matches exactly when their deals are: the seed, or its commitment."""


def verify_block(planned: Sequence[PlannedMatch], rotations: Rotations = Rotations.CYCLIC) -> list[str]:
    """Return what is wrong with the matches of one block, apart from all others, one line each; empty when it is fair.

    It plays every place once, each of its bots sits at each seat once (twice where all permutations of three are
    played), under the rotation that the place's number says; fresh deals are distinct, a shared one is the same.
    """
    return [*_seats(planned[0].block, planned, rotations), *_deals(planned[0].block, planned)]


class Verifier:
    """Proves a long schedule block by block: what each block must be, distinct deals over all of them, each bot at each
    seat equally often, and what the schedule promises of blocks and pairs.

    It keeps numbers alone: 16 bytes a deal, 4 a pair, whatever the length.
    """

    def __init__(self, bots: Sequence[str], seats: int, rotations: Rotations, promise: Promise | None = None) -> None:
        self._number = {bot: number for number, bot in enumerate(bots)}
        self._bots = tuple(bots)
        self._seats = seats
        self._rotations = rotations
        self._places = places_of(seats, rotations)
        self._promise = promise
        self._problems: list[str] = []
        self._deals = bytearray()
        self._sat = array("I", bytes(4 * len(bots) * seats))
        """By bot and seat, the matches."""
        pairs = comb(len(bots), 2) if promise is not None and promise.meetings_apart is not None else 0
        self._met = array("I", bytes(4 * pairs))
        """By pair, the blocks."""
        self.blocks = 0
        self.matches = 0

    def add(self, planned: Sequence[PlannedMatch]) -> None:
        """Take the matches of one block."""
        self.blocks += 1
        self.matches += len(planned)
        block = planned[0].block
        line_up = planned[0].bots
        if unknown := [bot for bot in line_up if bot not in self._number]:
            self._add([f"block {block} seats bots that nobody knows: {unknown!r}"])
            return
        if len(line_up) != self._seats or len(planned) != self._places:
            self._add([f"block {block} is no {self._places} matches of {self._seats} seats: {line_up!r}"])
            return

        self._add(verify_block(planned, self._rotations))
        for match in planned:
            for seat, bot in enumerate(match.bots):
                self._sat[self._number[bot] * self._seats + seat] += 1
        for deal in {match.deal: None for match in planned}:
            self._deals += blake2b(deal.encode(), digest_size=_DEAL_BYTES).digest()
        if self._met:
            for one, other in combinations(sorted(self._number[bot] for bot in line_up), 2):
                self._met[_pair(one, other)] += 1

    def finish(self) -> list[str]:
        """Return all that is wrong, one line each; empty when the schedule is fair. The schedule was added whole."""
        self._verify_seats()
        self._verify_deals()
        if self._promise is not None:
            self._verify_blocks(self._promise)
            if self._promise.meetings_apart is not None:
                self._verify_meetings(self._promise.groups, self._promise.meetings_apart)
        left_out = len(self._problems) - MAX_PROBLEMS
        return self._problems[:MAX_PROBLEMS] + ([f"and {left_out} more"] if left_out > 0 else [])

    def _add(self, problems: Iterable[str]) -> None:
        self._problems += problems

    def _verify_seats(self) -> None:
        for bot in self._bots:
            first = self._number[bot] * self._seats
            sat = list(self._sat[first : first + self._seats])
            if len(set(sat)) > 1:
                self._add([f"{bot} does not sit equally often at each seat: {sat!r}"])

    def _verify_deals(self) -> None:
        if not self._deals:
            return

        deals = np.frombuffer(self._deals, dtype=f"S{_DEAL_BYTES}")
        deals.sort()  # in place: a copy of millions would be most of what a schedule costs
        if again := int(np.sum(deals[1:] == deals[:-1])):
            self._add([f"of {len(deals)} deals that must be distinct so many were there before: {again!r}"])

    def _verify_blocks(self, promise: Promise) -> None:
        for group in promise.groups:
            blocks = {bot: self._sat[self._number[bot] * self._seats] * self._seats // self._places for bot in group}
            least, most = min(group, key=blocks.__getitem__), max(group, key=blocks.__getitem__)
            if blocks[most] - blocks[least] > promise.blocks_apart:
                self._add(
                    [
                        f"{most} has {blocks[most]} blocks and {least} {blocks[least]}: they differ by at most "
                        f"{promise.blocks_apart!r}"
                    ]
                )

    def _verify_meetings(self, groups: Sequence[Sequence[str]], apart: int) -> None:
        for at, group in enumerate(groups):
            self._verify_pairs(combinations(group, 2), apart)
            for other in groups[at + 1 :]:
                self._verify_pairs(product(group, other), apart)

    def _verify_pairs(self, pairs: Iterable[tuple[str, str]], apart: int) -> None:
        met = ((self._times(*pair), pair) for pair in pairs)
        least = most = next(met, None)
        if least is None or most is None:
            return

        for item in met:
            if item[0] < least[0]:
                least = item
            elif item[0] > most[0]:
                most = item
        if most[0] - least[0] > apart:
            self._add(
                [
                    f"{' and '.join(most[1])} meet in {most[0]} blocks, {' and '.join(least[1])} in {least[0]}: they "
                    f"differ by at most {apart!r}"
                ]
            )

    def _times(self, one: str, other: str) -> int:
        low, high = sorted((self._number[one], self._number[other]))
        return self._met[_pair(low, high)]


def _pair(low: int, high: int) -> int:
    return high * (high - 1) // 2 + low


def _seats(block: str, planned: Sequence[PlannedMatch], rotations: Rotations) -> list[str]:
    bots = planned[0].bots
    size = len(bots)
    places = places_of(size, rotations)
    if any(set(match.bots) != set(bots) or len(match.bots) != size for match in planned):
        return [f"block {block} has more than one line-up: {sorted({match.bots for match in planned})!r}"]

    problems = []
    if len(set(bots)) != size:
        problems.append(f"block {block} seats a bot twice: {bots!r}")
    if sorted(match.place for match in planned) != list(range(places)):
        problems.append(f"block {block} does not play each place once: {sorted(match.place for match in planned)!r}")
    often = "once" if places == size else "equally often"
    for bot in sorted(set(bots)):
        seats = sorted(match.bots.index(bot) for match in planned)
        if seats != sorted(list(range(size)) * (places // size)):
            problems.append(f"block {block} does not seat {bot} {often} at each seat: {seats!r}")
    orders = {_from_first(match.bots) for match in planned}
    if rotations is Rotations.CYCLIC and len(orders) > 1:
        problems.append(f"block {block} has more than one cyclic order: {sorted(orders)!r}")
    if not problems and len({line_up_of(match.bots, match.place) for match in planned}) > 1:
        problems.append(f"block {block} has places that are other rotations than their numbers say: {bots!r}")
    return problems


def _from_first(bots: tuple[str, ...]) -> tuple[str, ...]:
    start = bots.index(min(bots))
    return (*bots[start:], *bots[:start])


def _deals(block: str, planned: Sequence[PlannedMatch]) -> list[str]:
    kinds = {match.deals for match in planned}
    deals = {match.deal for match in planned}
    if len(kinds) > 1:
        return [f"block {block} has both kinds of deals: {sorted(kinds)!r}"]

    wanted = 1 if kinds == {Deals.SHARED} else len(planned)
    if len(deals) != wanted:
        return [f"block {block} with {planned[0].deals} deals has {wanted} of them, not {len(deals)!r}"]

    return []
