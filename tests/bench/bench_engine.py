"""How fast the rules are: random and greedy playouts; and, at each decision of random ones, what the decision itself, a
view for the acting seat and a clone to look ahead with cost."""

from __future__ import annotations

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


def costs_of(game: Game[Any], seats: int, matches: int) -> Costs:
    """Play so many random matches; time each decision, the view for the seat that is asked next, and a clone."""
    costs = Costs()
    pick = 12_345
    for number in range(matches):
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
    return costs


def _playouts(
    game: Game[Any], seats: int, what: str, rounds: list[Played], loops: list[float], bar: str = ""
) -> Iterator[Row]:
    """Yield the speed of playouts, by round: so many decisions a second, and while the fixed loop ran in that round."""
    speeds = [played.decisions / played.seconds for played in rounds]
    total = Played()
    for played in rounds:
        total += played
    label = f"{game.spec.name} {seats} seats: {what} playouts"
    in_loop = [speed * loop for speed, loop in zip(speeds, loops, strict=True)]
    details = {**spread(speeds), "in a calibration loop": median(in_loop)}
    yield Row(label, median(speeds), "decisions/s", bar, details=details)
    details = {"matches": total.matches, "decisions each": total.decisions / total.matches}
    if counts := promise(game.spec.name).counts:
        details[f"{counts}s each"] = total.count / total.matches
    details["share ended by a cap"] = total.capped / total.matches
    matches = median([played.matches / played.seconds for played in rounds])
    yield Row(label, matches, "matches/s", details=details)


def _of_one(game: Game[Any], seats: int, rounds: int, seconds: float, matches: int) -> Iterator[Line]:
    """Measure one game with so many seats; rounds of both kinds and of the fixed loop alternate."""
    bars = promise(game.spec.name)
    label = f"{game.spec.name} {seats} seats"
    greedy = greedy_choices(game)
    at_random, by_greed, loops = [], [], []
    for number in range(rounds):
        first = number * MATCHES
        loops.append(calibration(CALIBRATION_SHARE))
        at_random.append(play(game, seats, seconds, first=first))
        if greedy is not None:
            by_greed.append(play(game, seats, seconds, choose=greedy, first=first))
    bar = "" if is_compiled() else f">= {bars.decisions}"  # promised of plain Python
    yield from _playouts(game, seats, "random", at_random, loops, bar)
    if greedy is None:
        yield Remark(f"{label}: no greedy playouts, the house bot does not play it")
    else:
        yield from _playouts(game, seats, "greedy", by_greed, loops)

    costs = costs_of(game, seats, matches)
    for what, values, limit in (
        ("a decision", costs.decision, None),
        ("a view for the acting seat", costs.view, bars.view_us),
        ("a clone to look ahead", costs.clone, bars.clone_us),
    ):
        details = {"mean": sum(values) / len(values), "p99": quantile(values, 0.99)}
        bar = "" if limit is None else f"<= {limit:g}"
        yield Row(f"{label}: {what}, p50", quantile(values, 0.5), "us", bar, details=details)
    ratio = sum(costs.view) / sum(costs.decision)
    bar = "" if bars.view_ratio is None else f"<= {bars.view_ratio:g}"
    yield Row(f"{label}: a view over the decision's own cost", ratio, "ratio", bar)


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Measure every registered game at every seat count."""
    rounds, seconds, matches = (1, 0.3, 3) if quick else (5, 1.0, 50)
    for name in game_names():
        game = get_game(name)
        for seats in game.spec.seat_counts:
            yield from _of_one(game, seats, rounds, seconds, matches)
