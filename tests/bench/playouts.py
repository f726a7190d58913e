"""Playouts: whole matches without a server, all seats at random or greedy."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.bench.games import promise

from agon_bots.house.greedy import HEURISTICS, heuristic
from agon_engine.core.chance import Chance
from agon_engine.core.game import Action, Game, State

Choose = Callable[[State[Any]], Action]
"""Chooses at the state's open decision."""


def draw(last: int) -> int:
    """Return the next of cheap random numbers, which are the same in every run; use it without its low 8 bits."""
    return (last * 1_103_515_245 + 12_345) & 0x7FFFFFFF


def greedy_choices(game: Game[Any]) -> Choose | None:
    """Return what chooses as the house bot `greedy` does, its view and the actions' texts included; None where it does
    not play the game."""
    if game.spec.name not in HEURISTICS:
        return None

    rate, codes, pick = heuristic(game.spec.name), game.notation.codes, 12_345

    def choose(state: State[Any]) -> Action:
        nonlocal pick
        decision = state.decision
        assert decision is not None
        actions = decision.actions
        if len(actions) == 1:
            return actions[0]

        worth = rate(game, state.view(decision.seat), tuple([codes[action] for action in actions]))
        best = max(worth)
        places = [index for index, value in enumerate(worth) if value == best]
        pick = draw(pick)
        return actions[places[(pick >> 8) % len(places)]]

    return choose


def begin(game: Game[Any], seats: int, number: int) -> State[Any]:
    """Return the match of that number at its first decision."""
    return game.start(seats, Chance(number.to_bytes(16, "little")))


@dataclass(slots=True)
class Played:
    """What playouts have come to."""

    seconds: float = 0.0
    """Of CPU time."""
    decisions: int = 0
    matches: int = 0
    capped: int = 0
    """Matches that a bound of the rules ended."""
    count: int = 0
    """Of what the game counts (`Promise.counts`), over all matches."""

    @property
    def speed(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds

    def __iadd__(self, other: Played) -> Played:
        self.seconds += other.seconds
        self.decisions += other.decisions
        self.matches += other.matches
        self.capped += other.capped
        self.count += other.count
        return self


def play(
    game: Game[Any], seats: int, seconds: float, *, choose: Choose | None = None, views: bool = False, first: int = 0
) -> Played:
    """Play whole matches for at least that long, at random where nothing chooses.

    `views`: with a view for the acting seat at each decision; `first`: the number of the first match.
    """
    counts = promise(game.spec.name).counts
    played = Played()
    pick = 12_345
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        state = begin(game, seats, first + played.matches)
        decisions = 0
        while (decision := state.decision) is not None:
            if views:
                state.view(decision.seat)
            if choose is None:  # here, since a call would be a twentieth of what is measured
                pick = (pick * 1_103_515_245 + 12_345) & 0x7FFFFFFF
                action = decision.actions[(pick >> 8) % len(decision.actions)]
            else:
                action = choose(state)
            state.apply(action)
            decisions += 1
        outcome = state.outcome()
        assert outcome is not None
        played.decisions += decisions
        played.matches += 1
        played.capped += outcome.by_cap
        if counts:
            played.count += getattr(state, counts)
    played.seconds = spent
    return played
