"""What a report reads of a match: who came where, why each seat ended, and what its decisions were charged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agon_engine.core.policy import Termination
from agon_engine.core.record import By, FaultKind, MatchRecord


class SeatFacts(NamedTuple):
    """One seat of a match."""

    bot: str
    version: str
    """Of the bot, as it named it; empty where it named none."""
    placement: int
    """1 = best, ties share a place and the next one is skipped (1, 2, 2, 4)."""
    score: int
    """The game's own points."""
    termination: Termination
    charged_us: tuple[int, ...]
    """What each of its decisions was charged; a substitute's move costs nothing and is not among them."""
    late: int = 0
    """Decisions that were answered, or given up, over the limit."""
    strikes: tuple[Termination, ...] = ()
    """Decisions without a usable answer, each with its reason."""
    substitutes: int = 0
    """Moves that were made in its place."""
    errors: int = 0
    """Errors in the bot's own code, where they are known: in local play."""
    rating: int | None = None
    """Its live rating after the match, in thousandths of a point; None where the match moved none."""


class MatchFacts(NamedTuple):
    """One match that was played."""

    match: str
    block: str
    """Empty for a match that is part of none."""
    counts: bool
    """Whether it counts for scores; what happened in it is told in any case."""
    termination: Termination
    ended: str
    """As records write it, `2030-03-17T17:46:40.123Z`."""
    seats: tuple[SeatFacts, ...]
    block_size: int = 0
    """Matches of its block; 0: one for each seat."""


def facts_of(
    record: MatchRecord,
    *,
    counts: bool | None = None,
    ratings: Sequence[int] | None = None,
    errors: Sequence[int] = (),
    block_size: int = 0,
) -> MatchFacts:
    """Return the facts of a record.

    `counts` overrules whether it counts (local play rates nothing, and reports it); `ratings` and `errors` are by seat.
    """
    count = len(record.seats)
    charged: list[list[int]] = [[] for _ in range(count)]
    late, substitutes = [0] * count, [0] * count
    strikes: list[list[Termination]] = [[] for _ in range(count)]
    for move in record.moves:
        late[move.seat] += move.late
        if move.by is By.SEAT:
            charged[move.seat].append(move.charge_us)
        else:
            substitutes[move.seat] += 1
    for fault in record.faults:
        if fault.kind is FaultKind.STRIKE:
            charged[fault.seat].append(fault.charge_us)
            late[fault.seat] += fault.late
            strikes[fault.seat].append(fault.termination)
    result = record.result
    return MatchFacts(
        match=record.match,
        block=record.block,
        counts=record.counts if counts is None else counts,
        termination=result.termination,
        ended=record.ended,
        seats=tuple(
            SeatFacts(
                bot=row.bot,
                version=row.bot_version,
                placement=result.placements[seat],
                score=result.scores[seat],
                termination=result.seats[seat],
                charged_us=tuple(charged[seat]),
                late=late[seat],
                strikes=tuple(strikes[seat]),
                substitutes=substitutes[seat],
                errors=errors[seat] if errors else 0,
                rating=ratings[seat] if ratings else None,
            )
            for seat, row in enumerate(record.seats)
        ),
        block_size=block_size,
    )
