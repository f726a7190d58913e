"""A simulated endless ladder: how soon the table is true, how even the games are, and what pairing costs a match."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.peak import peak_memory
from tests.bench.report import Row, progress
from tests.support.simulated_ladder import SimulatedLadder, simulated_ladder

BOTS, MATCHES = 2_000, 200_000
PARTS = 8


def measure(*, quick: bool = False) -> Iterator[Row]:
    """Yield the figures of tables of 2 and of 4: at parts of the way, then of the whole."""
    for seats in (2, 4):
        yield from _simulate(seats, quick=quick)


def _simulate(seats: int, *, quick: bool) -> Iterator[Row]:
    matches = MATCHES // 50 if quick else MATCHES
    name = f"{BOTS:,} bots, tables of {seats}"
    with peak_memory() as peak:
        arena = simulated_ladder(BOTS, seats)
        for part in range(1, PARTS + 1):
            progress(f"{name}: part {part} of {PARTS}")
            arena.run(matches * part // PARTS - arena.ended)
            yield _so_far(name, arena)
    yield from _games(name, arena, bar="" if quick else "<= 2")
    yield Row(
        f"{name}: pairing, 20 rounds a second",
        1e3 * arena.spent / arena.ended,
        "ms/match",
        "<= 1",
        details={"MiB of the simulation, pairing included": peak.mib},
    )


def _so_far(name: str, arena: SimulatedLadder) -> Row:
    return Row(
        f"{name}: rank correlation after {arena.ended:,} matches",
        arena.rank_correlation(),
        "",
        details={"games a bot": arena.ended * arena.seats / len(arena.players)},
    )


def _games(name: str, arena: SimulatedLadder, bar: str) -> Iterator[Row]:
    games = arena.games_of_all()
    yield Row(
        f"{name}: most games of a bot, to the fewest",
        games[-1] / games[0],
        "",
        bar,
        details={"fewest": games[0], "median": games[len(games) // 2], "most": games[-1]},
    )
    meetings = arena.meetings()
    yield Row(
        f"{name}: blocks of the pair that met most",
        max(meetings.values()),
        "",
        bar and "<= 15",
        details={"pairs that met": len(meetings), "points apart": arena.mean_difference()},
    )
    yield Row(f"{name}: slots that were busy", arena.use(), "")
