"""`greedy`: rates every listed action by what it is worth now and plays the best one; it does not look ahead.

This shell knows no game. What an action is worth says the game's own module, by the view alone; a new game is a module
with a function `rate`, and its line in `HEURISTICS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from agon_bots.sdk.bot import Bot, Turn

HEURISTICS = {
    "cyclades": "agon_bots.house.greedy.cyclades:rate",
    "elysium": "agon_bots.house.greedy.elysium:rate",
    "ephyran": "agon_bots.house.greedy.ephyran:rate",
}


class Rate(Protocol):
    """A game's heuristic."""

    def __call__(self, game: Any, view: Any, actions: Sequence[str]) -> list[float]:
        """Return what each action is worth to the view's seat; only their order matters. `game` is what the match
        plays with."""


@cache
def heuristic(game: str) -> Rate:
    """Return the heuristic of a game. Raise KeyError where there is none."""
    module, _, attribute = HEURISTICS[game].partition(":")
    rate: Rate = getattr(import_module(module), attribute)
    return rate


class GreedyBot(Bot):
    """Plays the games that it has a heuristic for, with any number of seats; the same again under `--seed`."""

    name = "greedy"
    version = "1"
    games = tuple(HEURISTICS)
    slots = 16
    quick = True

    def choose(self, turn: Turn) -> int:
        if len(turn.actions) == 1:
            return 0

        worth = heuristic(turn.match.game)(turn.match.engine, turn.view, turn.actions)
        best = max(worth)
        places = [index for index, value in enumerate(worth) if value == best]
        return places[0] if len(places) == 1 else turn.random.choice(places)
