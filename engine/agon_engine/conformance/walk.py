"""Seeded random matches for the checks to look at: which deal, which options, which choices, which positions.

What is looked at there is the checks' own; nothing here asserts anything about a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from agon_engine.core import (
    SEED_BYTES,
    Action,
    Chance,
    Deal,
    FaultPolicy,
    Game,
    OnFault,
    OptionValue,
    RulesBug,
    State,
    Table,
    Termination,
    TimeControl,
    Timing,
)


@dataclass(frozen=True, slots=True)
class Case:
    """A match to look at: everything in it follows from these values."""

    game: Game[Any]
    seats: int
    seed: int = 0
    positions: int = 30
    """How many positions of the match are looked at by checks that cannot afford all."""

    @property
    def secret(self) -> bytes:
        """The match's seed."""
        return blake2b(f"{self.game.spec.name} {self.seed}".encode(), digest_size=SEED_BYTES).digest()

    def chance(self, label: str) -> Chance:
        """Return randomness for the check's own choices, which is none of the match's."""
        return Chance(self.secret).fork(f"conformance/{label}")

    @property
    def options(self) -> dict[str, OptionValue]:
        """The defaults for seed 0, else drawn ones."""
        game = self.game
        if self.seed == 0:
            return game.check_options({})

        chance = self.chance("options")
        drawn = [option for option in game.spec.options if option.name not in game.files]
        values = {option.name: chance.choice(option.name, (*option.allowed, *option.examples)) for option in drawn}
        return game.check_options(values)

    @property
    def deal(self) -> Deal:
        return Deal.of(self.game, self.seats, self.options, self.secret)

    def start(self) -> State[Any]:
        return self.game.start(self.seats, Chance(self.secret), self.options)

    def walk(self) -> Iterator[tuple[int, State[Any]]]:
        """Yield the number of moves and the state before each decision and at the end: one object that moves on.

        Raise RulesBug for a match that asks more often than its game says.
        """
        state, choices, most = self.start(), self.chance("choices"), self.game.spec.max_decisions
        number = 0
        yield number, state
        while state.decision is not None:
            if number >= most:
                raise RulesBug(f"more decisions than the game can have: {most!r}")

            state.apply(choices.choice("action", state.decision.actions))
            number += 1
            yield number, state

    def actions(self) -> list[Action]:
        """Return the choices of the walk."""
        state, choices = self.start(), self.chance("choices")
        made: list[Action] = []
        while state.decision is not None and len(made) < self.game.spec.max_decisions:
            made.append(choices.choice("action", state.decision.actions))
            state.apply(made[-1])
        return made

    def sights(self) -> Iterator[tuple[int, State[Any]]]:
        """Walk, but yield at most `positions` of the positions, evenly spread, the first and the last among them."""
        length = len(self.actions())
        count = min(self.positions, length + 1)
        wanted = {round(index * length / max(1, count - 1)) for index in range(count)}
        for number, state in self.walk():
            if number in wanted:
                yield number, state


Before = Callable[[Table], None]


def play_match(case: Case, *, faults: bool = False, policy: FaultPolicy | None = None) -> Table:
    """Play a whole match on the driver, with times, and where asked with seats that fail in all ways."""
    choices = case.chance("match")
    before = misbehave(choices) if faults else None
    table = Table(case.game, case.deal, policy or FaultPolicy(OnFault.SUBSTITUTE), TimeControl())
    while table.decision is not None:
        if before is not None:
            before(table)
        if table.decision is not None:
            action = choices.choice("action", table.decision.actions)
            table.choose(table.decision.seat, action, _timing(choices))
    return table


def misbehave(choices: Chance, often: int = 16) -> Before:
    """Return what makes a table's seats fail now and then: call it before a choice.

    One in `often` decisions sees a missed deadline, one unusable answers only, one a single such answer, one a fall
    of some seat.
    """

    def before(table: Table) -> None:
        decision = table.decision
        assert decision is not None
        kind = choices.below("misbehave", often)
        if kind == 0:
            table.strike(decision.seat, Termination.TIMEOUT, _timing(choices))
        elif kind == 1:
            while table.unusable(decision.seat) > 0:
                pass
            table.strike(decision.seat, Termination.ILLEGAL, _timing(choices))
        elif kind == 2:
            table.unusable(decision.seat)
        elif kind == 3:
            why = choices.choice("why", (Termination.RESIGNED, Termination.DISCONNECT, Termination.PROTOCOL))
            table.fall(choices.below("who", table.deal.seats), why)

    return before


def _timing(choices: Chance) -> Timing:
    elapsed, host, latency, thought = (choices.below("time", top) for top in (3_000_000, 100_000, 5_000, 2_000_000))
    return Timing(elapsed, host, latency, thought)


def fingerprint(game: Game[Any], seats: int, seed: int = 0) -> str:
    """Return a hash of all that a match shows: states, questions, events and views.

    It must be the same in every process; compare it between some with another PYTHONHASHSEED.
    """
    seen = blake2b(digest_size=32)
    told = 0
    for _, state in Case(game, seats, seed).walk():
        decision = state.decision
        asked = None if decision is None else (decision.seat, decision.prompt, decision.actions)
        events = [tuple(event) for event in state.events_since(told)]
        told = state.events_count
        views = [state.view(seat) for seat in (*range(seats), None)]
        seen.update(repr((state.digest(), asked, events, views)).encode())
    return seen.hexdigest()
