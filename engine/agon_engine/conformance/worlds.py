"""Pairs of positions that differ only in what a seat may not know: what the leak test compares, in the engine and, with
whole matches played from them, on the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agon_engine.conformance.walk import Case
from agon_engine.core import Chance, Game, Seat, State

Swaps = Callable[[State[Any], Seat, Chance], Iterable[State[Any]]]
"""Given a state that it must not change, a seat and randomness: states in which hidden facts are exchanged, a card of
another's hand for one of the deck, say, so that the seat may see no difference; everything else as it is, the order
of the deck and the match's chance too. Such a world stays with the first one for longer than one that is drawn anew,
where the seat's own next card is already another."""


@dataclass(frozen=True, slots=True)
class World:
    """Two states in which a seat has seen the same. Both are the caller's own, to be played on."""

    seat: Seat
    known: State[Any]
    """As the match is."""
    other: State[Any]
    """As it might be, for all that the seat may know. Its past events need not be those of the match."""
    moves: int
    """Moves before this position."""
    origin: str
    """How the other state was made: `sample` or `swap`."""

    @property
    def name(self) -> str:
        return f"after {self.moves} moves, seat {self.seat}, {self.origin}"


def worlds(
    game: Game[Any], seats: int, seed: int = 0, positions: int = 30, *, swaps: Swaps | None = None
) -> Iterator[World]:
    """Yield pairs of states for each seat at some positions of a seeded random match.

    The other state is drawn from the seat's view by the game's own `sample`, or made by `swaps`. The deal is that of
    `Case(game, seats, seed)`; a `Table` of it goes on from a world with `state=world.known`. Whether the pair
    really looks the same to the seat is for the caller to compare.
    """
    case = Case(game, seats, seed, positions)
    for number, state in case.sights():
        for seat in range(seats):
            chance = case.chance(f"world {number} {seat}")
            yield World(seat, state.clone(), game.sample(state.view(seat), chance), number, "sample")
            if swaps is not None:
                for other in swaps(state, seat, chance):
                    yield World(seat, state.clone(), other, number, "swap")
