"""Schedules of tournaments: memory of a million planned matches, what planning and proving them costs, and what is kept
of them while they are played."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator

from tests.bench.peak import peak_memory
from tests.bench.report import Row, progress
from tests.support.schedules import CHANCE, names, play, with_luck

from agon_engine.core import Chance, Deals
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.schedules.deals import planned_matches
from agon_ladder.pairing.schedules.gauntlet import Gauntlet
from agon_ladder.pairing.schedules.round_robin import RoundRobin
from agon_ladder.pairing.schedules.schedule import Schedule
from agon_ladder.pairing.schedules.swiss import Swiss
from agon_ladder.pairing.verify import Verifier
from agon_ladder.stats.blocks import PlayedBlock
from agon_server.tournaments.progress import Progress

MILLIONS: tuple[tuple[str, int, Callable[[], Schedule]], ...] = (
    ("round robin of 1,001 bots, pairs", 2, lambda: RoundRobin(names(1001), 2, CHANCE)),
    ("round robin of 128 bots, tables of 3", 3, lambda: RoundRobin(names(128), 3, CHANCE)),
    ("part of one, 1,000 bots, tables of 4", 4, lambda: RoundRobin(names(1000), 4, CHANCE, blocks_per_bot=1000)),
    ("gauntlet of 1 among 820, tables of 3", 3, lambda: Gauntlet(names(820), 3, CHANCE, challengers=["b0"])),
)
PLAYED: tuple[tuple[str, int, Callable[[int], Schedule]], ...] = (
    ("2 bots, a round for each block", 2, lambda share: RoundRobin(names(2), 2, CHANCE, cycles=500_000 // share)),
    ("3 bots, tables of 3", 3, lambda share: RoundRobin(names(3), 3, CHANCE, cycles=333_334 // share)),
    ("708 bots, 2 rounds", 2, lambda share: RoundRobin(names(708 // int(share**0.5)), 2, CHANCE, cycles=2)),
)
MEGABYTE = 1e6


def measure(*, quick: bool = False) -> Iterator[Row]:
    """Yield a million planned matches of each lazy format, then rounds of Swiss tournaments."""
    for name, seats, make in MILLIONS:
        yield from _million(name, seats, make, share=200 if quick else 1)
    for name, seats, share_of in PLAYED:
        yield from _played(name, seats, share_of(10 if quick else 1))
    for bots, seats in ((200, 2), (200, 4), *(() if quick else ((2000, 2), (2000, 4)))):
        yield _swiss(bots, seats)


def _million(name: str, seats: int, make: Callable[[], Schedule], share: int) -> Iterator[Row]:
    progress(f"a million planned matches: {name}")
    tracemalloc.start()
    schedule = make()
    blocks = schedule.round(0, ())
    for index in range(0, len(blocks), max(1, len(blocks) // 1000)):
        blocks[index]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Row(
        f"{name}: memory",
        peak / MEGABYTE,
        "MB",
        bar="<= 50",
        details={"matches": schedule.planned_blocks * seats},
    )

    some = blocks[::share]
    began = time.process_time()
    for _ in some:
        pass
    planned = time.process_time() - began
    yield Row(f"{name}: planning", 1e6 * planned / len(some) / seats, "us/match")

    verifier = Verifier(schedule.bots, seats, Rotations.CYCLIC, schedule.promise if share == 1 else None)
    began = time.process_time()
    for matches in planned_matches(some, Rotations.CYCLIC, Deals.FRESH, CHANCE):
        verifier.add(matches)
    problems = verifier.finish()
    proved = time.process_time() - began
    if problems and share == 1:
        raise AssertionError(problems[0])
    yield Row(f"{name}: planned and proved", 1e6 * proved / verifier.matches, "us/match", details={"s in all": proved})


def _played(name: str, seats: int, schedule: Schedule) -> Iterator[Row]:
    """Play without playing: what is due is taken with a result, some after an attempt that did not count."""
    matches = schedule.planned_blocks * seats
    progress(f"what is kept of {matches} matches while they are played: {name}")
    with peak_memory() as peak:
        began = time.process_time()
        played = _play_through(schedule, seats)
        spent = time.process_time() - began
        schedule.table(played.played())
    if not played.is_over or played.done != matches:
        raise AssertionError(f"{name}: {played.done} of {matches} matches were played")
    yield Row(f"{name}: memory of the play", peak.mib, "MiB", bar="< 50", details={"matches": matches})
    yield Row(f"{name}: bookkeeping", 1e6 * spent / matches, "us/match")


def _play_through(schedule: Schedule, seats: int) -> Progress:
    played = Progress(schedule, seats)
    ranking = range(1, seats + 1)
    for number, due in enumerate(played.due()):
        if number % 1_000 == 0:
            played.missed(due.place)
        played.take(due.place, due.bots, ranking)
    return played


def _swiss(bots: int, seats: int) -> Row:
    progress(f"a Swiss tournament of {bots} bots at tables of {seats}")
    schedule = Swiss(names(bots), seats, CHANCE, rounds=9, places=seats)
    luck = with_luck(Chance(bytes(16)), 6 * bots)
    played: list[list[PlayedBlock]] = []
    slowest = 0.0
    for number in range(schedule.rounds):
        began = time.process_time()
        blocks = schedule.round(number, played)
        slowest = max(slowest, time.process_time() - began)
        played.append([play(block, luck) for block in blocks])
    return Row(f"Swiss, {bots} bots at tables of {seats}: slowest of 9 rounds", 1e3 * slowest, "ms")
