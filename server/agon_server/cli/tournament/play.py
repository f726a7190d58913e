"""`agon tournament run` and `resume` at work, where the bots are played on this machine by the SDK's local play."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from agon_bots import MAX_JOBS, LocalMatch
from agon_server.cli.failures import Mistakes, Negative
from agon_server.cli.local import bot_errors
from agon_server.cli.output import Output
from agon_server.cli.tournament.bot_files import keep_bot_files
from agon_server.cli.tournament.kept import tell
from agon_server.cli.tournament.meter import Meter
from agon_server.cli.tournament.where import folder_of
from agon_server.config import ConfigError
from agon_server.surroundings import processors
from agon_server.tournaments.conduct import Conduct, ErrorBook, KeptError
from agon_server.tournaments.definition import TournamentDef
from agon_server.tournaments.errors import BegunError, ChangedError
from agon_server.tournaments.folder import TournamentFolder, recalled
from agon_server.tournaments.local import play
from agon_server.tournaments.progress import Progress
from agon_server.tournaments.proof import plan_of


@dataclass(slots=True)
class _Failures:
    """How often a bot's own code failed in this run."""

    seats: int = 0
    failed: int = 0
    first: str = ""


@dataclass(slots=True)
class _Run:
    """What is counted while matches are played."""

    conduct: Conduct
    book: ErrorBook
    bots: dict[str, _Failures] = field(default_factory=dict)

    def count(self, match: LocalMatch, names: tuple[str, ...]) -> Iterator[str]:
        """Count a match in; yield what is to be told of it: each error that is the first of its kind."""
        first: dict[int, str] = {}
        for seat, fault in match.faults:
            first.setdefault(seat, fault.line)
            bot = names[match.plan.bots[seat]]
            if self.book.add(KeptError(bot, match.plan.match_id, fault.kind, fault.line, fault.traceback)):
                yield f"{bot}: {fault.line}, in match {match.plan.match_id}; more of it is in {self.book.path}"
        self.conduct.add([names[index] for index in match.plan.bots], match.result.seats)
        for seat, index in enumerate(match.plan.bots):
            known = self.bots.setdefault(names[index], _Failures())
            known.seats += 1
            if seat in first:
                known.failed += 1
                known.first = known.first or first[seat]


def play_here(
    out: Output,
    definition: TournamentDef,
    file: Path,
    data: Path | None,
    jobs: int | None,
    *,
    resumes: bool,
    may_change: bool = False,
) -> None:
    """Begin the tournament of a file, or go on with it, until it is over.

    Raise Negative where a block could not be played to its end, or a bot's code failed in all its matches.
    """
    names = tuple(bot.name for bot in definition.bots)
    processes = _jobs(definition, jobs)
    with _opened(definition, file, folder_of(file, data), resumes=resumes) as folder:
        conduct = Conduct()
        progress = recalled(definition, folder, conduct)
        keep_bot_files(file, folder.path, definition, progress.done, may_change=may_change)
        planned = [] if resumes else plan_of(definition, progress.schedule, has_secret_deals=False)
        before = progress.done
        run, meter = _Run(conduct, ErrorBook(folder.path)), Meter(progress.done + progress.lost)

        def show() -> None:
            line.show(meter.line(progress.done + progress.lost, progress.planned, progress.round_name))

        def ready() -> None:
            for text in planned:
                line.print(text)

        def seen(match: LocalMatch) -> None:
            for news in run.count(match, names):
                line.note(f"agon: {news}")
            show()

        try:
            with bot_errors(), _terminable(), out.live() as line:
                show()
                play(definition, folder, progress, processes, seen, ready)
        except KeyboardInterrupt:
            # Not what was counted: of a match that has just ended it may have come before the keeping.
            kept = f"{before + folder.added} of {progress.planned} matches are kept"
            sys.stderr.write(f"agon: {kept}; go on with `{_again(file, data)}`\n")
            raise
        tell(out, definition, folder, progress, conduct)
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


def _jobs(definition: TournamentDef, typed: int | None) -> int:
    """Return how many processes play. Raise ConfigError for too many, before anything has begun."""
    jobs = (definition.concurrency or processors()) if typed is None else typed
    if not 0 <= jobs <= MAX_JOBS:
        what = "--jobs" if typed is not None else "here concurrency"
        raise ConfigError(f"{what} is a number of processes, at most {MAX_JOBS}, not {jobs!r}")
    return jobs


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


def _again(file: Path, data: Path | None) -> str:
    return shlex.join(["agon", "tournament", "resume", str(file), *(["--data", str(data)] if data else [])])


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
