"""Who is where at the end (C10.4, C10.5, C7.12). Pure; moves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agon_engine.core import Outcome, Seat, standard_placements
from agon_engine.cyclades.data import winning_number
from agon_engine.cyclades.enums import Ending, TieBreak

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState


def metropolises_of(state: CycladesState, seat: Seat) -> int:
    return (state.metropolises & state.isles[seat]).bit_count()


def most_metropolises(state: CycladesState) -> int:
    """Return how many Metropolises the seat with the most has."""
    return max([(state.metropolises & isles).bit_count() for isles in state.isles])


def outcome_of(state: CycladesState) -> Outcome:
    """Rank the seats as they stand. The score is the number of Metropolises; gold and islands only rank."""
    scores = tuple([metropolises_of(state, seat) for seat in range(state.seats)])
    placements = standard_placements([rank_key(state, seat) for seat in range(state.seats)])
    parts = tuple((("metropolises", score),) for score in scores)
    return Outcome(scores, placements, parts, by_cap=state.ending is Ending.CAP)


def rank_key(state: CycladesState, seat: Seat) -> tuple[int, ...]:
    """Return what a seat is ranked by: a greater key is a better place."""
    if seat in state.fallen:
        return (0, state.fallen.index(seat))

    owned, gold = metropolises_of(state, seat), state.purses[seat]
    if owned < winning_number(state.seats):
        return (1, owned, state.isles[seat].bit_count(), gold)

    if state.tie_break is TieBreak.GOLD:
        return (2, gold)

    return (2, owned, gold)
