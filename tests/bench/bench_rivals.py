"""Agon beside public engines: moves a second of random play from Python, each engine in a process of its own, all on
one core, in interleaved rounds with the same fixed loop.

Which games, and why: Catan (Catanatron, rules in Python) is a modern board game of 2 to 4 seats with hidden cards, many
kinds of moves and long matches, the nearest to ours that pip has. Gin rummy is a card game of taking from a row or a
pile and melding sets and runs, as Legends are; RLCard has its rules in Python, OpenSpiel in C++ behind a binding, so it
shows both. Block dominoes is the one of OpenSpiel's games in Python with hidden pieces and more than a dozen moves.
A move of one game is not a move of another: what a ratio says is how many decisions a bot's author gets for a second.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.report import Line, Remark, Row, median, progress, spread

from agon_engine.registry import game_names, get_game

PYTHON = Path(".venv-rivals/bin/python")
ROOT = Path(__file__).parents[2]


@dataclass(slots=True, eq=False)
class Contestant:
    """A game of an engine with so many seats, and the process that plays it."""

    engine: str
    game: str
    seats: int
    label: str
    note: str = ""
    name: str = ""
    """Engine and version, as the process says."""
    speeds: list[float] = field(default_factory=list)
    """Moves a second, by round."""
    loops: list[float] = field(default_factory=list)
    process: subprocess.Popen[str] | None = None

    def start(self, core: int) -> str:
        """Start its process; return what is missing, or nothing."""
        python = sys.executable if self.engine == "agon" else str(ROOT / PYTHON)
        command = [python, "-m", "tests.bench.contestant", self.engine, self.game, str(self.seats), str(core)]
        try:
            self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except FileNotFoundError:
            return f"there is no {PYTHON}; make rivals installs it"

        answer = self._read()
        self.name = answer.get("name", "")
        return str(answer.get("missing", ""))

    def play(self, seconds: float) -> None:
        """Play a round."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        answer = self._read()
        self.speeds.append(answer["moves"] / answer["seconds"])
        self.loops.append(answer["calibration"])

    def stop(self) -> None:
        """End its process."""
        if self.process is not None:
            self.process.communicate()

    def _read(self) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.label} ended: its process returned {self.process.wait()}")

        answer: dict[str, Any] = json.loads(line)
        return answer


def rivals() -> list[Contestant]:
    """Return what Agon is compared with."""
    return [
        Contestant("catanatron", "catan", 2, "Catanatron: Catan, 2 seats", "rules in Python"),
        Contestant("catanatron", "catan", 4, "Catanatron: Catan, 4 seats", "rules in Python"),
        Contestant("rlcard", "gin_rummy", 2, "RLCard: gin rummy, 2 seats", "rules in Python, observations included"),
        Contestant("open_spiel", "gin_rummy", 2, "OpenSpiel: gin rummy, 2 seats", "rules in C++"),
        Contestant("open_spiel", "python_block_dominoes", 2, "OpenSpiel: block dominoes, 2 seats", "rules in Python"),
    ]


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Measure every registered game against every rival with as many seats. What is not installed is left out and
    said; it is no failure."""
    rounds, seconds = (1, 0.3) if quick else (7, 1.0)
    core = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    others = rivals()
    counts = {rival.seats for rival in others}
    ours = [
        Contestant("agon", game, seats, f"{game} {seats} seats")
        for game in game_names()
        for seats in get_game(game).spec.seat_counts
        if seats in counts
    ]
    with ExitStack() as stack:
        playing = []
        for contestant in [*ours, *others]:
            stack.callback(contestant.stop)
            missing = contestant.start(core)
            if not missing:
                playing.append(contestant)
            elif contestant in others:
                yield Remark(f"not compared: {contestant.label}: {missing}")
            else:
                raise RuntimeError(f"{contestant.label}: {missing}")
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            for contestant in playing:
                contestant.play(seconds)

    for contestant in playing:
        in_loop = [speed * loop for speed, loop in zip(contestant.speeds, contestant.loops, strict=True)]
        details = {**spread(contestant.speeds), "in a calibration loop": median(in_loop)}
        note = "; ".join(part for part in (contestant.name, contestant.note) if part)
        yield Row(f"{contestant.label}: random play", median(contestant.speeds), "moves/s", "", note, details)
    for our in ours:
        for rival in others:
            if rival in playing and rival.seats == our.seats:
                ratios = [one / other for one, other in zip(our.speeds, rival.speeds, strict=True)]
                yield Row(f"{our.label} over {rival.label}", median(ratios), "ratio", details=spread(ratios))
