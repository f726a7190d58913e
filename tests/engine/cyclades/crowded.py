"""Crowded positions, which matches hardly come to: seats with one island beside one with many, islands without a free
slot, seas full of fleets, purses empty or full, the supply nearly used up. Nothing here decides what is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from tests.engine.cyclades.positions import BUILDING, CREATURE, Dice, Table, lay_out

from agon_engine.core import OptionValue
from agon_engine.cyclades import CycladesState
from agon_engine.cyclades.board import BOARDS
from agon_engine.cyclades.data import BUILDINGS_EACH, FLEETS, TROOPS, winning_number
from agon_engine.cyclades.enums import SHUFFLED_GODS

FIGURINES = ("minotaur", "chiron", "medusa", "polyphemus")
T = TypeVar("T")


def crowded_turns(seats: int, number: int, decisions: int = 25) -> Iterator[CycladesState]:
    """Lay a crowded position out, go on at random from it, and yield the state at so many decisions."""
    position = _Position(seats, number)
    state = position.lay().state
    while state.decision is not None and decisions:
        yield state
        state.apply(position.pick(state.decision.actions))
        decisions -= 1


class _Position:
    def __init__(self, seats: int, number: int) -> None:
        self.seats = seats
        self.board = BOARDS[seats]
        self.dice = Dice(number)
        self.isles: dict[int, list[str]] = {}
        self.seas: dict[str, str] = {}

    def pick(self, things: Sequence[T]) -> T:
        return things[self.dice.below(len(things))]

    def lay(self) -> Table:
        """Seat 0 has most of the map, some others have one island."""
        self._share_out()
        self._build()
        stands = self._place_figurines()
        self._sail(stands.get("polyphemus", 0))
        cards = [name for name in CREATURE if name not in ("none", *stands)]
        spaces = [cards.pop(self.dice.below(len(cards))) for _ in range(3)]
        gods = [god.name.lower() for god in SHUFFLED_GODS]
        god = gods.pop(self.dice.below(len(gods)))
        seat = self.pick((0, 0, 0, self.dice.below(self.seats)))
        others = [other for other in range(self.seats) if other != seat]
        return lay_out(
            self.seats,
            god,
            seat=seat,
            isles={f"IS{island}": " ".join(words) for island, words in self.isles.items()},
            seas=self.seas,
            gold={each: self.pick((0, 1, 2, 5, 20, 230)) for each in range(self.seats)},
            priests={each: self.dice.below(4) for each in range(self.seats)},
            philosophers={each: self.dice.below(4) for each in range(self.seats)},
            spaces=" ".join(spaces),
            discard=" ".join(cards[: self.dice.below(len(cards))]),
            later=f"{gods[0]}:{others[0]}",
            apollo=" ".join(map(str, others[1:])),
            options=self._options(),
        )

    def _options(self) -> dict[str, OptionValue]:
        return {
            "metropolis_over_buildings": self.pick(("remove", "forbid")),
            "attacker_port_bonus": self.pick((False, True)),
        }

    def _share_out(self) -> None:
        free = list(range(1, self.board.islands + 1))
        owners = [*range(self.seats), *(self.pick((0, 0, 0, 1, -1)) for _ in range(len(free) - self.seats))]
        reserves = [TROOPS] * self.seats
        for owner in owners:
            island = free.pop(self.dice.below(len(free)))
            if owner >= 0:
                troops = min(reserves[owner], self.pick((0, 1, 1, 2, 4)))
                reserves[owner] -= troops
                self.isles[island] = [str(owner), f"x{troops}", *["horn"] * self.dice.below(2)]

    def _build(self) -> None:
        """Fill the islands with buildings of three kinds a seat, so that none has a set, and with Metropolises."""
        kinds = list(BUILDING)
        missing = [self.pick(kinds) for _ in range(self.seats)]
        left = dict.fromkeys(kinds, BUILDINGS_EACH)
        metropolises = [self.dice.below(winning_number(self.seats)) for _ in range(self.seats)]
        for island, words in self.isles.items():
            owner, slots = int(words[0]), self.board.slots[island]
            if metropolises[owner] and self.dice.below(2):
                metropolises[owner] -= 1
                slots -= self.board.covered[island]
                words.append("metropolis")
            for _ in range(slots - self.pick((0, 0, 1))):
                kind = self.pick([kind for kind in kinds if kind != missing[owner]])
                if left[kind]:
                    left[kind] -= 1
                    words.append(kind)

    def _place_figurines(self) -> dict[str, int]:
        """Return where figurines stand."""
        stands: dict[str, int] = {}
        for name in FIGURINES:
            island = self.pick(list(self.isles))
            if self.dice.below(2) and island not in stands.values():
                stands[name] = island
                self.isles[island].append(f"{name}:{self.dice.below(self.seats)}")
        return stands

    def _sail(self, polyphemus: int) -> None:
        reserves = [FLEETS] * self.seats
        for sea in range(1, self.board.seas + 1):
            owner = self.dice.below(self.seats)
            fleets = min(reserves[owner], self.pick((0, 1, 1, 3)))
            if fleets and sea not in self.board.island_seas[polyphemus]:
                reserves[owner] -= fleets
                self.seas[self.board.sea_names[sea]] = f"{owner} x{fleets}"
        calm = [name for name in self.board.sea_names[1:] if name not in self.seas]
        if self.dice.below(2):
            self.seas[self.pick(calm)] = "kraken"
