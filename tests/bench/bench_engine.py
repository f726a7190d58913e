"""How fast the rules are: random playouts, and a view for the acting seat at each decision beside them."""

from __future__ import annotations

import time

from tests.bench.report import Row, median

from agon_engine.core.chance import Chance
from agon_engine.core.compiled import is_compiled
from agon_engine.core.game import Game
from agon_engine.registry import game_names, get_game

DECISIONS_PER_SECOND = 60_000


def playouts(game: Game, seats: int, seconds: float, *, views: bool) -> float:  # type: ignore[type-arg]  # any game
    """Play random matches for about that long; return decisions a second."""
    pick = 12_345
    decisions = 0
    number = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        number += 1
        state = game.start(seats, Chance(number.to_bytes(16, "little")))
        while (decision := state.decision) is not None:
            if views:
                state.view(decision.seat)
            pick = (pick * 1_103_515_245 + 12_345) & 0x7FFFFFFF
            state.apply(decision.actions[(pick >> 8) % len(decision.actions)])
            decisions += 1
    return decisions / (time.process_time() - began)


def measure(*, quick: bool = False) -> list[Row]:
    """Measure every registered game at every seat count; rounds with and without views alternate."""
    rounds, seconds = (1, 0.3) if quick else (5, 1.0)
    rows = []
    for name in game_names():
        game = get_game(name)
        for seats in game.spec.seat_counts:
            plain, viewed = [], []
            for _ in range(rounds):
                plain.append(playouts(game, seats, seconds, views=False))
                viewed.append(playouts(game, seats, seconds, views=True))
            rules = median(plain)
            cost = median([1 / seen - 1 / bare for bare, seen in zip(plain, viewed, strict=True)])
            label = f"{name} {seats} seats"
            bar = "" if is_compiled() else f">= {DECISIONS_PER_SECOND}"  # promised of plain Python
            rows.append(Row(f"{label}: random playouts", rules, "decisions/s", bar))
            rows.append(Row(f"{label}: a view over the rules' own cost", cost * rules, "ratio", "<= 1"))
    return rows
