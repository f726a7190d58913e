"""Matches of the toy game, played by a seeded choice, with faults where a test wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.toy_game import GAME

from agon_engine.conformance import misbehave
from agon_engine.core import (
    Chance,
    Deal,
    Deals,
    FaultKind,
    FaultPolicy,
    Game,
    MatchRecord,
    OnFault,
    SeatRow,
    Table,
    TimeControl,
    Timing,
)

__all__ = [
    "SEED",
    "SUBSTITUTE",
    "misbehave",
    "new_table",
    "play_out",
    "played_record",
    "record_of",
    "record_with_faults",
]

SEED = bytes(range(16))
SUBSTITUTE = FaultPolicy(OnFault.SUBSTITUTE)


def new_table(
    seats: int = 2,
    policy: FaultPolicy = SUBSTITUTE,
    *,
    seed: bytes = SEED,
    time: TimeControl | None = None,
    game: Game[Any] = GAME,
) -> Table:
    return Table(game, Deal.of(game, seats, {}, seed), policy, time or TimeControl())


def play_out(table: Table, choices: Chance, before: Callable[[Table], None] | None = None) -> None:
    """Play seeded choices to the end; `before` may do something else to the table before each of them."""
    while table.decision is not None:
        if before is not None:
            before(table)
        if table.decision is not None:
            timing = Timing(*(choices.below("time", bound) for bound in (3_000_000, 100_000, 5_000, 2_000_000)))
            table.choose(table.decision.seat, choices.choice("choice", table.decision.actions), timing)


def record_of(table: Table, **changes: Any) -> MatchRecord:
    facts: dict[str, Any] = {
        "match": "m-1",
        "block": "b-1",
        "ladder": "toy-2",
        "rated": True,
        "seats": [SeatRow(f"bot-{seat}", "ann", "1.0", f"alias {seat}") for seat in range(table.deal.seats)],
        "deals": Deals.FRESH,
        "epoch": 1,
        "servers": ["server-1"],
        "started": "2030-01-31T12:00:00Z",
        "ended": "2030-01-31T12:00:09.25Z",
    }
    return table.record(**{**facts, **changes})


def played_record(
    seats: int = 2, number: int = 0, policy: FaultPolicy = SUBSTITUTE, *, faults: bool = True
) -> MatchRecord:
    """Return the record of a whole match; the number decides deal, choices and faults."""
    seed = number.to_bytes(16, "big")
    table = new_table(seats, policy, seed=seed)
    choices = Chance(seed).fork("choices")
    play_out(table, choices, misbehave(choices) if faults else None)
    return record_of(table)


def record_with_faults(seats: int = 3) -> MatchRecord:
    """Return a record that has everything: strikes, a later fall, choices and substitutes."""
    for number in range(1_000):
        record = played_record(seats, number)
        kinds = {fault.kind for fault in record.faults if 0 < fault.at < len(record.moves) - 2}
        if kinds == set(FaultKind) and record.faults[0].kind is FaultKind.STRIKE:
            return record
    raise AssertionError("no match had a strike and a fall")
