"""Nim: a game in which nothing is hidden and nothing is random, for tests of what follows from the contract there.

Whoever takes the last stick of the last heap wins; all others share the second place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from agon_engine.core import (
    Action,
    Chance,
    Decision,
    Event,
    Game,
    GameSpec,
    Maker,
    Notation,
    OptionValue,
    Outcome,
    Seat,
    State,
    standard_placements,
)

HEAPS = (3, 4, 5)
NOTATION = Notation("nim", [f"take {count} {heap}" for heap in range(len(HEAPS)) for count in range(1, 6)])


class Heaps(NamedTuple):
    sticks: tuple[int, ...]


class NimView(NamedTuple):
    seat: Seat | None
    turn: Seat
    heaps: Heaps
    taken: tuple[int, ...]
    shown: tuple[int, ...] = ()
    """What has come by chance, in games that add something to this one."""


class NimState(State[NimView]):
    __slots__ = ("heaps", "part", "taken", "turn")
    FIELDS: ClassVar[tuple[str, ...]] = ("heaps", "taken", "turn")
    CACHES: ClassVar[tuple[str, ...]] = ("part",)
    notation = NOTATION

    def __init__(self, heaps: tuple[int, ...], taken: tuple[int, ...], turn: Seat) -> None:
        super().__init__()
        self.heaps = list(heaps)
        self.taken = list(taken)
        self.turn = turn
        self.part = Heaps(heaps)
        self._ask()

    def _ask(self) -> None:
        actions = [5 * heap + count for heap, left in enumerate(self.heaps) for count in range(min(left, 5))]
        self.decision = Decision(self.turn, "take", tuple(actions)) if actions else None

    def _play(self, decision: Decision, action: Action) -> None:
        heap, count = action // 5, action % 5 + 1
        self.heaps[heap] -= count
        self.taken[decision.seat] += count
        self._events.append(Event(NOTATION.code(action), decision.seat, Maker.SEAT))
        if any(self.heaps):
            self.turn = (self.turn + 1) % len(self.taken)
        self._ask()

    def view(self, seat: Seat | None) -> NimView:
        if self.part.sticks != tuple(self.heaps):
            self.part = Heaps(tuple(self.heaps))
        return NimView(seat, self.turn, self.part, tuple(self.taken))

    def outcome(self) -> Outcome | None:
        return self.standing() if self.decision is None else None

    def standing(self) -> Outcome:
        won = tuple(int(not any(self.heaps) and seat == self.turn) for seat in range(len(self.taken)))
        return Outcome(won, standard_placements(won), tuple((("last stick", points),) for points in won))

    def inventory(self) -> Mapping[str, int]:
        return {"sticks": sum(self.heaps) + sum(self.taken)}


class Nim(Game[NimView]):
    spec = GameSpec("nim", 1, 2, 3, has_hidden_information=False, max_decisions=sum(HEAPS))
    notation = NOTATION

    def start(self, seats: int, _chance: Chance, options: Mapping[str, OptionValue] | None = None) -> NimState:
        self.spec.check_seats(seats)
        self.spec.check_options(options or {})
        return NimState(HEAPS, (0,) * seats, 0)

    def sample(self, view: NimView, _chance: Chance) -> NimState:
        return NimState(view.heaps.sticks, view.taken, view.turn)

    def render(self, view: NimView) -> str:
        return f"heaps {view.heaps.sticks}, taken {view.taken}"


class SecretiveNim(Nim):
    """Says that it hides something."""

    spec = GameSpec("nim", 1, 2, 3, has_hidden_information=True, max_decisions=sum(HEAPS))


GAME = Nim()
