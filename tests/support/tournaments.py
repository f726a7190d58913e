"""Tournaments to test with: every format at a table of any size, and results that follow from a match alone."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from agon_engine.core import Termination, standard_placements
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.schedules.deals import tournament_chance
from agon_ladder.pairing.schedules.schedule import Schedule
from agon_server.queue.results import Kind, Result
from agon_server.tournaments.definition import (
    FormatDef,
    GauntletDef,
    KnockoutDef,
    RoundRobinDef,
    SwissDef,
    schedule_of as make_schedule,
)
from agon_server.tournaments.progress import Due

FORMATS = ("round robin", "gauntlet", "swiss", "knockout")
FIELDS = tuple((kind, seats, bots) for kind in FORMATS for seats, bots in ((2, 5), (3, 5), (4, 6), (5, 7)))
"""Format, seats and bots."""


FORMAT_DEFS: Mapping[str, FormatDef] = {
    "round robin": RoundRobinDef(cycles=2),
    "gauntlet": GauntletDef(challengers=("bot-0",), cycles=2),
    "swiss": SwissDef(rounds=2),
    "knockout": KnockoutDef(),
}


def schedule_of(kind: str, seats: int, bots: int) -> Schedule:
    """Return a small tournament of a format; two rounds where it has a number of them."""
    names = tuple(f"bot-{number}" for number in range(bots))
    return make_schedule(FORMAT_DEFS[kind], names, seats, Rotations.CYCLIC, tournament_chance("7"))


def drawn(due: Due) -> tuple[int, ...]:
    """Return placements that follow from the match alone, ties among them: what deterministic bots would do."""
    keys = [blake2b(f"{due.place}/{bot}".encode(), digest_size=1).digest()[0] % 4 for bot in due.bots]
    return standard_placements(keys)


def result(id_: str, match: str) -> Result:
    """Return a result that says little."""
    return Result(
        id=id_,
        kind=Kind.DEAD,
        match=match,
        game="go",
        version=1,
        ladder="cup",
        block="1.1",
        index=0,
        attempt=0,
        rated=False,
        termination=Termination.INFRASTRUCTURE,
        server="",
        epoch=1,
        reason="none",
        record_hash="",
        record="",
        plays_again=False,
        outcome=None,
    )
