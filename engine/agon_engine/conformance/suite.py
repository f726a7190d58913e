"""All checks of the suite under their names, bound to a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from agon_engine.conformance import copies, leaks, rules, views
from agon_engine.conformance.walk import Case
from agon_engine.conformance.worlds import Swaps
from agon_engine.core import Game

_CHECKS: tuple[tuple[str, Callable[[Case], None]], ...] = (
    ("facts", rules.check_facts),
    ("files", rules.check_files),
    ("notation", rules.check_notation),
    ("decisions", rules.check_decisions),
    ("refusals", rules.check_refusals),
    ("events", rules.check_events),
    ("pieces", rules.check_pieces),
    ("scores", rules.check_scores),
    ("fields", copies.check_fields),
    ("clones", copies.check_clones),
    ("lookahead", copies.check_lookahead),
    ("determinism", copies.check_determinism),
    ("replay", copies.check_replay),
    ("views", views.check_views),
    ("parts", views.check_parts),
    ("samples", views.check_samples),
    ("rendering", views.check_rendering),
    ("hidden information", views.check_hidden_information),
)


@dataclass(frozen=True, slots=True)
class Check:
    """A named demand on a game: call it with seats and a seed; AssertionError says what is not fulfilled."""

    name: str
    game: Game[Any]
    run: Callable[[Case], None]

    def __call__(self, seats: int, seed: int = 0, positions: int = 30) -> None:
        """Check a match; `positions` bounds how many positions the costly checks look at."""
        case = Case(self.game, seats, seed, positions)
        try:
            self.run(case)
        except AssertionError as error:
            where = f"{self.game.spec.name}, {seats} seats, seed {seed}"
            raise AssertionError(f"{self.name}: {where}: {error}") from error

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def checks(game: Game[Any], swaps: Swaps | None = None) -> list[Check]:
    """Return all checks of a game. With `swaps` the leak test has closer pairs of worlds to compare: see `worlds`."""
    made = [Check(name, game, run) for name, run in _CHECKS]
    made.append(Check("leaks", game, partial(leaks.check_leaks, swaps=swaps)))
    return made
