"""Games between Nim, in which nothing is hidden, and the toy game, in which seats hold hands: what comes is rolled,
lies in a pile that nobody sees, or shows at the end alone. Each can say of itself that it hides something, or does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tests.support.open_game import HEAPS, NOTATION, NimState, NimView

from agon_engine.core import (
    Action,
    Chance,
    Decision,
    Event,
    Game,
    GameSpec,
    Maker,
    OptionValue,
    Outcome,
    Seat,
    standard_placements,
)


class RollingState(NimState):
    """Each move is followed by a roll, which all see."""

    __slots__ = ("chance", "pile", "shown")
    FIELDS: ClassVar[tuple[str, ...]] = (*NimState.FIELDS, "chance", "pile", "shown")

    def __init__(self, heaps: tuple[int, ...], taken: tuple[int, ...], turn: Seat, chance: Chance) -> None:
        super().__init__(heaps, taken, turn)
        self.chance = chance
        self.pile: list[int] = []
        self.shown: list[int] = []

    def deal(self, shown: tuple[int, ...]) -> None:
        """Draw what is hidden."""
        self.shown = list(shown)

    def come(self) -> None:
        """Show what comes after a move."""
        self.show(self.chance.below("die", 6))

    def show(self, number: int) -> None:
        self.shown.append(number)
        self._events.append(Event(f"shows {number}", None, Maker.CHANCE))

    def _play(self, decision: Decision, action: Action) -> None:
        super()._play(decision, action)
        self.come()

    def view(self, seat: Seat | None) -> NimView:
        return super().view(seat)._replace(shown=tuple(self.shown))


class PiledState(RollingState):
    """Each move turns up a card of a pile, whose order nobody knows."""

    __slots__ = ()

    def deal(self, shown: tuple[int, ...]) -> None:
        super().deal(shown)
        self.pile = [card for card in range(sum(HEAPS)) if card not in shown]
        self.chance.shuffle("pile", self.pile)

    def come(self) -> None:
        self.show(self.pile.pop())


class PrizeState(RollingState):
    """What the last stick is worth nobody knows before the end."""

    __slots__ = ()

    def deal(self, shown: tuple[int, ...]) -> None:
        super().deal(shown)
        self.pile = [self.chance.below("prize", 100)]

    def come(self) -> None:
        """Nothing comes."""

    def standing(self) -> Outcome:
        parts = tuple((("last stick", points * self.pile[0]),) for points in super().standing().scores)
        scores = tuple(part[0][1] for part in parts)
        return Outcome(scores, standard_placements(scores), parts)


class IdleState(PrizeState):
    """There is a number that nobody knows, and it is for nothing."""

    __slots__ = ()

    def standing(self) -> Outcome:
        return NimState.standing(self)


class Drawn(Game[NimView]):
    """Nim with such a state: see `drawn`."""

    notation = NOTATION
    state_class: ClassVar[type[RollingState]]

    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> RollingState:
        self.spec.check_seats(seats)
        self.spec.check_options(options or {})
        return self._dealt(HEAPS, (0,) * seats, 0, chance, ())

    def sample(self, view: NimView, chance: Chance) -> RollingState:
        return self._dealt(view.heaps.sticks, view.taken, view.turn, chance, view.shown)

    def _dealt(
        self, heaps: tuple[int, ...], taken: tuple[int, ...], turn: Seat, chance: Chance, shown: tuple[int, ...]
    ) -> RollingState:
        state = self.state_class(heaps, taken, turn, chance)
        state.deal(shown)
        return state

    def render(self, view: NimView) -> str:
        return f"heaps {view.heaps.sticks}, taken {view.taken}, shown {view.shown}"


def drawn(state_class: type[RollingState], *, hides: bool) -> Drawn:
    """Make a game of a state, and of whether it says that it hides something."""
    facts = {"state_class": state_class, "spec": GameSpec("nim", 1, 2, 3, hides, sum(HEAPS))}
    made: Drawn = type("Drawn", (Drawn,), facts)()
    return made


SOUND = [drawn(RollingState, hides=False), drawn(PiledState, hides=True), drawn(PrizeState, hides=True)]
LIARS = {
    drawn(RollingState, hides=True): "states drawn from views never differ",
    drawn(IdleState, hides=True): "states drawn from views never differ",
    drawn(PiledState, hides=False): "has other facts: for seat 0 view.shown",
    drawn(PrizeState, hides=False): "has other facts: the outcome is",
}
"""Games that say of themselves what is not so, with what the suite says."""
