"""`agon tournament run` and `resume` at work, where the bots are played on this machine by the SDK's local play."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import FrameType

from agon_bots import BotError, LocalMatch
from agon_server.cli.failures import Failed, Mistakes, Negative
from agon_server.cli.output import Output
from agon_server.cli.tournament_report import folder_of, read_definition, tell
from agon_server.tournaments.errors import BegunError, ChangedError, NotBegunError
from agon_server.tournaments.folder import Kept, TournamentFolder
from agon_server.tournaments.local import LocalTournament, play, recall
from agon_server.tournaments.progress import Progress

_BAR = 20
"""Characters of the progress bar."""


@dataclass(slots=True)
class _Failures:
    """How often a bot's own code failed in this run."""

    seats: int = 0
    failed: int = 0
    first: str = ""


@dataclass(slots=True)
class _Run:
    """What is counted while matches are played."""

    progress: Progress
    began: float = field(default_factory=monotonic)
    ended: int = 0
    bots: dict[str, _Failures] = field(default_factory=dict)

    def count(self, match: LocalMatch, names: tuple[str, ...]) -> None:
        """Count a match in."""
        self.ended += 1
        first: dict[int, str] = {}
        for seat, fault in match.faults:
            first.setdefault(seat, fault.line)
        for seat, index in enumerate(match.plan.bots):
            known = self.bots.setdefault(names[index], _Failures())
            known.seats += 1
            if seat in first:
                known.failed += 1
                known.first = known.first or first[seat]

    def line(self) -> str:
        """Return the progress line."""
        progress = self.progress
        done, planned = progress.done + progress.lost, max(1, progress.planned)
        filled = _BAR * done // planned
        seconds = max(0.001, monotonic() - self.began)
        pace = self.ended / seconds
        left = told_time(progress.remaining / pace) if pace else "?"
        rounds = f", round {min(progress.round + 1, progress.planned_rounds)} of {progress.planned_rounds}"
        return (
            f"[{'=' * filled}{'-' * (_BAR - filled)}] {100 * done // planned} %, {done} of {planned} matches"
            f"{rounds if progress.planned_rounds > 1 else ''}, {pace:.1f}/s, {left} left"
        )


def told_time(seconds: float) -> str:
    """Return a time as people say it.

    >>> [told_time(seconds) for seconds in (3.2, 75, 7380, 200_000)]
    ['4 s', '1 min 15 s', '2 h 3 min', '2 d 7 h']
    """
    left = int(-(-seconds // 1))
    for size, unit, below, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if left >= size:
            rest = left % size // below
            return f"{left // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{left} s"


def play_here(out: Output, file: Path, data: Path | None, jobs: int | None, *, resumes: bool) -> None:
    """Begin the tournament of a file, or go on with it, until it is over."""
    definition = read_definition(file)
    path = folder_of(file, data)
    with _opened(definition, file, path, resumes=resumes) as folder:
        progress = definition.progress()
        recall(folder, progress)
        _announce(out, definition, progress, path, resumes=resumes)
        tournament = definition.local()
        run = _Run(progress)
        try:
            with _bot_errors(), _interruptible(), out.live() as line:
                line.show(run.line())

                def seen(match: LocalMatch) -> None:
                    run.count(match, tuple(tournament.bots))
                    line.show(run.line())

                play(tournament, folder, progress, definition.jobs(jobs), seen)
        except KeyboardInterrupt:
            sys.stderr.write(
                f"agon: {progress.done} of {progress.planned} matches are kept; "
                f"go on with `agon tournament resume {file}{_also(data)}`\n"
            )
            raise
        tell(out, definition, folder, progress)
    _judge(run, progress)
