"""`agon tournament run` and `resume` at work, where the bots are played on this machine by the SDK's local play."""

from __future__ import annotations

import shlex
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
from agon_server.config import ConfigError
from agon_server.surroundings import processors
from agon_server.tournaments.definition import Runs, TournamentDef
from agon_server.tournaments.errors import BegunError, ChangedError
from agon_server.tournaments.folder import TournamentFolder, recalled
from agon_server.tournaments.local import play
from agon_server.tournaments.progress import Progress
from agon_server.tournaments.proof import proof_of

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
        rounds = progress.schedule.rounds
        parts = [
            f"[{'=' * filled}{'-' * (_BAR - filled)}] {100 * done // planned} %",
            f"{done} of {planned} matches",
            *([f"round {min(progress.round + 1, rounds)} of {rounds}"] if rounds > 1 else []),
        ]
        if self.ended:
            pace = self.ended / max(0.001, monotonic() - self.began)
            parts += [f"{pace:.1f}/s", f"{told_time(progress.remaining / pace)} left"]
        return ", ".join(parts)


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
    """Begin the tournament of a file, or go on with it, until it is over.

    Raise Negative where a block could not be played to its end, or a bot's code failed in all its matches.
    """
    definition = read_definition(file)
    if elsewhere := [bot.name for bot in definition.bots if bot.runs is not Runs.BOT]:
        raise ConfigError(
            f"a bot that is connected or has a command cannot play in a tournament yet; give it a `bot`: {elsewhere!r}"
        )
    names = tuple(bot.name for bot in definition.bots)
    with _opened(definition, file, folder_of(file, data), resumes=resumes) as folder:
        progress = recalled(definition, folder)
        if not resumes:
            _announce(out, definition, progress)
        run = _Run(progress)

        def seen(match: LocalMatch) -> None:
            run.count(match, names)
            line.show(run.line())

        try:
            with _bot_errors(), _terminable(), out.live() as line:
                line.show(run.line())
                play(definition, folder, progress, _jobs(definition, jobs), seen)
        except KeyboardInterrupt:
            sys.stderr.write(f"agon: {_kept(progress)}; go on with `{_again(file, data)}`\n")
            raise
        tell(out, definition, folder, progress)
    _judge(run, progress)


def _opened(definition: TournamentDef, file: Path, path: Path, *, resumes: bool) -> TournamentFolder:
    given = definition.to_json()
    if not resumes:
        try:
            return TournamentFolder.begin(path, given)
        except BegunError as error:
            raise BegunError(
                f"{error}; go on with `agon tournament resume {file}`, or begin another by --data"
            ) from None

    folder = TournamentFolder.open(path)
    try:
        folder.kept.check_same(given)
    except ChangedError as error:
        folder.close()
        raise Mistakes(f"{file}: {error}", error.differences) from None
    return folder


def _announce(out: Output, definition: TournamentDef, progress: Progress) -> None:
    """Print what is planned, and the proof that it is fair. Raise ScheduleError where it is not."""
    schedule = progress.schedule
    rounds = f"{schedule.rounds} round{'s' if schedule.rounds != 1 else ''}"
    at_most = "at most " if schedule.is_adaptive else ""
    out.line(
        f"{definition.name}: {definition.game}, {definition.seats} seats, {len(definition.bots)} bots, {rounds}, "
        f"{at_most}{schedule.planned_blocks} blocks, {at_most}{progress.planned} matches"
    )
    for line in proof_of(definition, schedule):
        out.line(line)


def _jobs(definition: TournamentDef, typed: int | None) -> int:
    if typed is not None:
        return typed
    return definition.concurrency or processors()


def _judge(run: _Run, progress: Progress) -> None:
    failed = [
        f"{bot} failed in all its {known.seats} matches: {known.first}"
        for bot, known in run.bots.items()
        if known.seats == known.failed
    ]
    if progress.given_up:
        failed.append(f"so many blocks could not be played to their end: {len(progress.given_up)}")
    if failed:
        raise Negative("; ".join(failed))


def _kept(progress: Progress) -> str:
    return f"{progress.done} of {progress.planned} matches are kept"


def _again(file: Path, data: Path | None) -> str:
    return shlex.join(["agon", "tournament", "resume", str(file), *(["--data", str(data)] if data else [])])


@contextmanager
def _bot_errors() -> Iterator[None]:
    """Give the SDK's errors the exit codes that it has for them."""
    try:
        yield
    except BotError as error:
        raise Failed(str(error), error.exit_code) from error


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
