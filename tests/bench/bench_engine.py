"""How fast the rules are: random and greedy playouts; and, at each decision of random ones, what the decision itself, a
view for the acting seat and a clone to look ahead with cost."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

from tests.bench.calibration import calibration
from tests.bench.games import promise
from tests.bench.playouts import Played, begin, draw, greedy_choices, play
from tests.bench.report import Line, Remark, Row, median, quantile, spread

from agon_engine.core.chance import Chance
from agon_engine.core.compiled import is_compiled
from agon_engine.core.game import Game
from agon_engine.registry import game_names, get_game

CALIBRATION_SHARE = 0.25
"""Of the fixed loop, in each round."""
MATCHES = 1_000_000
"""More than a round plays: the next one begins with another match."""


@dataclass(slots=True)
class Costs:
    """Microseconds at each decision."""

    decision: list[float] = field(default_factory=list)
    view: list[float] = field(default_factory=list)
    clone: list[float] = field(default_factory=list)


def costs_of(game: Game[Any], seats: int, matches: int, first: int = 0) -> Costs:
    """Play so many random matches from the first one on; time each decision, the view for the seat that is asked next,
    and a clone. Without the garbage collector, which would come in whatever makes objects, for all that were made."""
    costs = Costs()
    pick = 12_345
    gc.disable()
    try:
        for number in range(first, first + matches):
            state = begin(game, seats, number)
            while (decision := state.decision) is not None:
                lookahead = Chance(pick.to_bytes(16, "little"))
                at = perf_counter_ns()
                state.view(decision.seat)
                viewed = perf_counter_ns()
                state.clone(lookahead)
                cloned = perf_counter_ns()
                pick = draw(pick)
                action = decision.actions[(pick >> 8) % len(decision.actions)]
                before = perf_counter_ns()
                state.apply(action)
                after = perf_counter_ns()
                costs.view.append((viewed - at) / 1_000)
                costs.clone.append((cloned - viewed) / 1_000)
                costs.decision.append((after - before) / 1_000)
    finally:
        gc.enable()
    return costs


def _speeds(
    game: Game[Any], seats: int, what: str, rounds: list[Played], loops: list[float], bar: str = ""
) -> Iterator[Row]:
    """Yield the speed of playouts, by round: so many decisions a second, and while the fixed loop ran in that round."""
    speeds = [played.speed for played in rounds]
    total = Played()
    for played in rounds:
        total += played
    label = f"{game.spec.name} {seats} seats: {what} playouts"
    in_loop = [speed * loop for speed, loop in zip(speeds, loops, strict=True)]
    details = {**spread(speeds), "in a calibration loop": median(in_loop)}
    yield Row(label, median(speeds), "decisions/s", bar, details=details)
    details = {"of": total.matches, "decisions each": total.decisions / total.matches}
    if counts := promise(game.spec.name).counts:
        details[f"{counts}s each"] = total.count / total.matches
    details["share ended by a cap"] = total.capped / total.matches
    matches = median([played.matches / played.seconds for played in rounds])
    yield Row(label, matches, "matches/s", details=details)


def _of_one(game: Game[Any], seats: int, rounds: int, seconds: float, matches: int) -> Iterator[Line]:
    """Measure one game with so many seats; rounds of all kinds alternate."""
    bars = promise(game.spec.name)
    label = f"{game.spec.name} {seats} seats"
    greedy = greedy_choices(game)
    at_random, viewed, by_greed, loops, costs = [], [], [], [], []
    for number in range(rounds):
        first = number * MATCHES
        loops.append(calibration(CALIBRATION_SHARE))
        at_random.append(play(game, seats, seconds, first=first))
        viewed.append(play(game, seats, seconds, views=True, first=first))
        if greedy is not None:
            by_greed.append(play(game, seats, seconds, choose=greedy, first=first))
        costs.append(costs_of(game, seats, matches, first))
    bar = "" if is_compiled() else f">= {bars.decisions}"  # promised of plain Python
    yield from _speeds(game, seats, "random", at_random, loops, bar)
    if greedy is None:
        yield Remark(f"{label}: no greedy playouts, the house bot does not play it")
    else:
        yield from _speeds(game, seats, "greedy", by_greed, loops)

    for what, by_round, limit in (
        ("a decision", [cost.decision for cost in costs], None),
        ("a view for the acting seat", [cost.view for cost in costs], bars.view_us),
        ("a clone to look ahead", [cost.clone for cost in costs], bars.clone_us),
    ):
        halves = [quantile(values, 0.5) for values in by_round]
        details = {**spread(halves), "p99": median([quantile(values, 0.99) for values in by_round])}
        bar = "" if limit is None else f"<= {limit:g}"
        yield Row(f"{label}: {what}, p50", median(halves), "us", bar, details=details)
    ratios = [bare.speed / seen.speed - 1 for bare, seen in zip(at_random, viewed, strict=True)]
    bar = "" if bars.view_ratio is None else f"<= {bars.view_ratio:g}"
    yield Row(f"{label}: a view over the rules' own cost", median(ratios), "ratio", bar, details=spread(ratios))


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Measure every registered game at every seat count."""
    rounds, seconds, matches = (1, 0.3, 2) if quick else (5, 1.0, 20)
    for name in game_names():
        game = get_game(name)
        for seats in game.spec.seat_counts:
            yield from _of_one(game, seats, rounds, seconds, matches)
