"""Tournaments without games: every format, and results drawn from known strengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agon_engine.core import Chance, standard_placements
from agon_ladder.pairing.blocks import Rotations, places_of, rotation
from agon_ladder.pairing.schedules.gauntlet import Gauntlet
from agon_ladder.pairing.schedules.knockout import Knockout
from agon_ladder.pairing.schedules.round_robin import RoundRobin
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Schedule
from agon_ladder.pairing.schedules.swiss import Swiss
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch

CHANCE = Chance(bytes(16))

Strength = Callable[[str], int]


def names(count: int) -> list[str]:
    return [f"b{number}" for number in range(count)]


FORMATS: dict[str, Callable[[int, int], Schedule]] = {
    "round robin": lambda bots, seats: RoundRobin(names(bots), seats, CHANCE, cycles=2),
    "part of a round robin": lambda bots, seats: RoundRobin(names(bots), seats, CHANCE, blocks_per_bot=seats),
    "gauntlet": lambda bots, seats: Gauntlet(names(bots), seats, CHANCE, challengers=["b0"], cycles=2),
    "gauntlet of two": lambda bots, seats: Gauntlet(names(bots), seats, CHANCE, challengers=["b1", "b0"]),
    "Swiss": lambda bots, seats: Swiss(names(bots), seats, CHANCE, rounds=4, places=seats),
    "knockout": lambda bots, seats: Knockout(names(bots), seats, CHANCE, extra_blocks=1),
}


def by_number(bot: str) -> int:
    """The lower a bot's number, the stronger it is: nothing is drawn."""
    return -int(bot[1:])


def with_luck(chance: Chance, luck: int) -> Strength:
    """Return strengths by number with so much luck in each match."""
    return lambda bot: chance.below("luck", luck) - 10 * int(bot[1:])


def play(block: PlannedBlock, strength: Strength, rotations: Rotations = Rotations.CYCLIC) -> PlayedBlock:
    """Return a block as it was played where the stronger bot comes first in each match."""
    matches = []
    for place in range(places_of(len(block.line_up), rotations)):
        bots = rotation(block.line_up, place)
        matches.append(PlayedMatch(bots, standard_placements([strength(bot) for bot in bots])))
    return PlayedBlock(f"{block.round}.{block.number}", tuple(matches))


def play_rounds(
    schedule: Schedule, strength: Strength = by_number, rotations: Rotations = Rotations.CYCLIC
) -> tuple[list[Sequence[PlannedBlock]], list[list[PlayedBlock]]]:
    """Play a tournament to its end; return what was planned and what was played, by round."""
    planned: list[Sequence[PlannedBlock]] = []
    played: list[list[PlayedBlock]] = []
    while blocks := schedule.round(len(played), played):
        planned.append(blocks)
        played.append([play(block, strength, rotations) for block in blocks])
    return planned, played
