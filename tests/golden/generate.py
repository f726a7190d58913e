"""Golden playthroughs: whole matches as readable text, reviewed as a difference when rules change.

    python tests/golden/generate.py [GAME]        (or: make golden GAME=name)

writes them anew for one game or for all; `test_golden.py` writes them to memory and compares. Each game has one with
its fewest seats and default options, one with its most seats and its OPTIONS (drawn ones where it has none), one with
drawn options in which seats fail, and one for each number of seats that none of these has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agon_engine.conformance import Before, Case, misbehave
from agon_engine.core import (
    By,
    Chance,
    Deal,
    Decision,
    Event,
    FaultKind,
    FaultPolicy,
    Game,
    Maker,
    OnFault,
    OptionsError,
    OptionValue,
    Table,
    TimeControl,
    option_text,
)
from agon_engine.registry import game_names, get_game

FOLDER = Path(__file__).parent
WIDTH = 118
VIEW_EVERY = 60
"""Decisions between two drawings of a view."""
FAULT_EVERY = 100
"""One in about so many decisions goes wrong in the playthrough with faults."""
IN_FULL = 60_000
"""After so many characters a decision is one line: who was asked what, and the choice."""
OPTIONS: dict[str, Mapping[str, OptionValue]] = {"elysium": {"families": "apollo,ares,hades,hermes,zeus"}}
"""By game: what its longest playthrough shows, where chance would not see to it."""


class Playthrough(NamedTuple):
    seats: int
    seed: int
    faults: bool
    options: Mapping[str, OptionValue] | None = None
    """None: those of the seed's case."""

    def path(self, game: str) -> Path:
        return FOLDER / game / f"{self.seats}-seats-seed-{self.seed}{'-faults' if self.faults else ''}.txt"


def playthroughs(game: Game[Any]) -> list[Playthrough]:
    spec = game.spec
    middle = (spec.min_seats + spec.max_seats) // 2
    played = [
        Playthrough(spec.min_seats, 0, faults=False),
        Playthrough(spec.max_seats, 1, faults=False, options=OPTIONS.get(spec.name)),
        Playthrough(middle, 2, faults=True),
    ]
    seen = {playthrough.seats for playthrough in played}
    return [*played, *(Playthrough(seats, 3, faults=False) for seats in spec.seat_counts if seats not in seen)]


def playthrough_text(game: Game[Any], playthrough: Playthrough) -> str:
    """Play a match by seeded choices and return all that happened in it, with a line feed at the end."""
    return "\n".join(_lines(game, playthrough)) + "\n"


def _lines(game: Game[Any], playthrough: Playthrough) -> Iterator[str]:
    seats, seed, faults, options = playthrough
    case = Case(game, seats, seed)
    deal = Deal.of(game, seats, case.options if options is None else options, case.secret)
    choices = case.chance("golden")
    goes_wrong = misbehave(choices, often=4 * FAULT_EVERY) if faults else None
    table = Table(game, deal, FaultPolicy(OnFault.SUBSTITUTE), TimeControl())

    yield f"game     {game.spec.name}, rules version {game.spec.version}"
    yield f"seats    {seats}"
    yield f"seed     {case.secret.hex()}"
    for name, value in deal.options.items():
        yield f"option   {name}={option_text(value)}"
    yield "shown    #decision, listed actions, > the chosen, then events: code, seat, maker unless it is the seat,"
    yield "         [what its audience is told instead]; ! what went wrong; = the view of the seat that is asked"
    yield ""
    yield from _events(table.events)
    written = 0
    while table.decision is not None and written < IN_FULL:
        for line in _decision(game, table, choices, goes_wrong):
            written += len(line) + 1
            yield line
    if table.decision is not None:
        yield ""
        yield "from here on a decision is one line"
    while table.decision is not None:
        asked = f"#{len(table.moves)} seat {table.decision.seat}: {table.decision.prompt}"
        yield " ".join([asked, *(line for line in _step(table, choices, goes_wrong) if line[0] in ">!")])

    result = table.result
    assert result is not None
    yield ""
    yield from _view(game, table, None)
    yield ""
    yield f"ended    {result.termination} after {len(table.moves)} decisions"
    for seat, (placement, score) in enumerate(zip(result.placements, result.scores, strict=True)):
        parts = ", ".join(f"{name} {points}" for name, points in table.state.standing().parts[seat] if points)
        yield f"seat {seat}   placement {placement}, score {score} ({parts}), {result.seats[seat]}"
    yield f"digest   {table.state.digest()}"


def _decision(game: Game[Any], table: Table, choices: Chance, goes_wrong: Before | None) -> Iterator[str]:
    assert table.decision is not None
    number = len(table.moves)
    if number and number % VIEW_EVERY == 0:
        yield from _view(game, table, table.decision.seat)
    yield ""
    yield from _question(game, number, table.decision)
    yield from _step(table, choices, goes_wrong)


def _step(table: Table, choices: Chance, goes_wrong: Before | None) -> Iterator[str]:
    moves, faults, events = len(table.moves), len(table.faults), len(table.events)
    if goes_wrong is not None:
        goes_wrong(table)
    if table.decision is not None and (len(table.moves), len(table.faults)) == (moves, faults):
        table.choose(table.decision.seat, choices.choice("action", table.decision.actions))
    for fault in table.faults[faults:]:
        what = "a strike" if fault.kind is FaultKind.STRIKE else "falls"
        yield f"! seat {fault.seat} {what}: {fault.termination}"
    for move in table.moves[moves:]:
        attempts = f" at attempt {move.attempts}" if move.attempts > 1 else ""
        yield f"> {move.action}{f' by a substitute for seat {move.seat}' if move.by is By.SUBSTITUTE else attempts}"
    yield from _events(table.events[events:])


def _question(game: Game[Any], number: int, decision: Decision) -> Iterator[str]:
    yield f"#{number} seat {decision.seat}: {decision.prompt}"
    line = " "
    for index, action in enumerate(decision.actions):
        code = f" {game.notation.code(action)}{' |' if index + 1 < len(decision.actions) else ''}"
        if len(line) + len(code) > WIDTH:
            yield line
            line = " "
        line += code
    yield line


def _events(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        seat = "" if event.seat is None else f", seat {event.seat}"
        maker = "" if event.maker is Maker.SEAT else f", {event.maker.name.lower()}"
        told = f" [{', '.join(map(str, event.audience))}: {event.secret}]" if event.secret else ""
        yield f"    {event.code or '(nothing)'}{seat}{maker}{told}"


def _view(game: Game[Any], table: Table, seat: int | None) -> Iterator[str]:
    yield ""
    for line in game.render(table.state.view(seat)).split("\n"):
        yield f"= {line}".rstrip()


def main(arguments: Sequence[str]) -> int:
    try:
        games = [get_game(name) for name in arguments or game_names()]
    except OptionsError as error:
        sys.stderr.write(f"{error}\n")
        return 2

    for game in games:
        folder = FOLDER / game.spec.name
        folder.mkdir(exist_ok=True)
        for stale in folder.glob("*.txt"):
            stale.unlink()
        for playthrough in playthroughs(game):
            path = playthrough.path(game.spec.name)
            path.write_text(playthrough_text(game, playthrough), encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(FOLDER.parents[1])}  {path.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
