"""`agon tournament status` and `report`: what a tournament's folder says, while it is played or after. Nothing here
plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agon.codec.admin import ReportFormat
from agon_server.cli.failures import Mistakes
from agon_server.cli.output import Output
from agon_server.config import ConfigError
from agon_server.tournaments.definition import Runs, TournamentDef
from agon_server.tournaments.errors import ChangedError
from agon_server.tournaments.folder import TournamentFolder, recalled
from agon_server.tournaments.progress import Progress
from agon_server.tournaments.reading import TournamentFileError, read_tournament
from agon_server.tournaments.standings import Standing, standings

COLUMNS = ("rank#", "bot~", "points#", "score#", "Elo#", "95 %#", "matches#", "blocks#")
LEGEND = """
points  1 for each opponent placed below in a match, 1/2 for a tie; byes count
score   points as a share of all that could be had
Elo     the same as points above the opponents met here; 95 %  its interval
blocks  complete ones, on which all this rests; ?  too few to tell"""


@dataclass(frozen=True, slots=True)
class Where:
    """Which server, as it was typed."""

    data: Path | None = None
    server: str | None = None
    ca: Path | None = None
    insecure: bool = False

    def typed(self) -> list[str]:
        """Return the options that name it."""
        parts = [("--data", self.data), ("--server", self.server), ("--ca", self.ca)]
        named = [text for flag, value in parts if value is not None for text in (flag, str(value))]
        return [*named, *(["--insecure"] if self.insecure else [])]


def check_all_connected(definition: TournamentDef) -> None:
    """Raise ConfigError where some bots are connected and others are to be started here."""
    others = [bot.name for bot in definition.bots if bot.runs is not Runs.CONNECTED]
    if others:
        raise ConfigError(
            "where one bot is connected to a server all are: connect the others by `agon bot run`, and name them as "
            f"connected: {others!r}"
        )


def read_definition(file: Path) -> TournamentDef:
    """Return what a file defines. Raise Mistakes, with all that is wrong with it."""
    try:
        return read_tournament(file)
    except TournamentFileError as error:
        raise Mistakes(f"{str(file)!r} cannot be used", error.mistakes) from None


def folder_of(file: Path, data: Path | None) -> Path:
    """Return where a tournament is kept."""
    return file.with_suffix(".agon") if data is None else data


def server_folder(folder: Path) -> Path:
    """Return the data folder of the server that is started for a tournament kept in a folder."""
    return folder / "server"


def tell_status(out: Output, definition: TournamentDef, file: Path, data: Path | None) -> None:
    """Print how far it has come."""
    with _looked(definition, file, data) as folder:
        progress = recalled(definition, folder)
        described = _status(definition, folder, progress)
        out.json(described)
        over = "over" if progress.is_over else f"{progress.remaining} left"
        out.line(f"{definition.name}: {progress.done} of {progress.planned} matches are played, {over}")
        if not progress.is_over and progress.schedule.rounds > 1:
            out.line(f"round {progress.round + 1} of {progress.schedule.rounds}")
        if progress.given_up:
            out.line(f"blocks that could not be played to their end: {', '.join(progress.given_up)}")


def tell_report(
    out: Output,
    definition: TournamentDef,
    file: Path,
    data: Path | None,
    form: ReportFormat | None = None,
    to: Path | None = None,
) -> None:
    """Print how the bots stand; where a form is named, the whole report in it instead, or write it to a file."""
    with _looked(definition, file, data) as folder:
        progress = recalled(definition, folder)
        if form is None:
            tell(out, definition, folder, progress)
            return

        from agon_ladder.report.forms import Form
        from agon_server.cli.tournament_file import write_report

        write_report(out, definition, folder, progress, Form(form.value), to)


def tell(out: Output, definition: TournamentDef, folder: TournamentFolder, progress: Progress) -> None:
    """Print how the bots stand, and where the records are."""
    table = standings(progress, definition.name)
    out.json({**_status(definition, folder, progress), "standings": [described_row(row) for row in table]})
    title = f"{definition.name}: {definition.game}, {definition.seats} seats, {progress.done} matches"
    if not progress.is_over:
        title += f", {progress.remaining} left to play"
    print_table(out, table, progress.schedule.tie_breaks, title)
    if progress.given_up:
        out.line(f"blocks that could not be played to their end: {', '.join(progress.given_up)}")
    out.hint(f"the records are in {folder.records}; `agon replay verify` proves them")


def print_table(out: Output, table: Sequence[Standing], tie_breaks: Sequence[str], title: str) -> None:
    """Print the rows of a tournament's table, and what its columns mean."""
    out.table((*COLUMNS, *(f"{name}#?" for name in tie_breaks)), [_cells(row) for row in table], title=title)
    out.hint(LEGEND)


@contextmanager
def _looked(definition: TournamentDef, file: Path, data: Path | None) -> Iterator[TournamentFolder]:
    with TournamentFolder.read(folder_of(file, data)) as folder:
        try:
            folder.kept.check_same(definition.to_json())
        except ChangedError as error:
            raise Mistakes(f"{file}: {error}", error.differences) from None

        yield folder


def _status(definition: TournamentDef, folder: TournamentFolder, progress: Progress) -> dict[str, Any]:
    return {
        "name": definition.name,
        "game": definition.game,
        "version": definition.version,
        "seats": definition.seats,
        "deals": definition.deals,
        "definition": folder.kept.hash,
        "started": folder.kept.started,
        "is_over": progress.is_over,
        "planned": progress.planned,
        "done": progress.done,
        "remaining": progress.remaining,
        "round": progress.round + (not progress.is_over),
        "rounds": progress.schedule.rounds,
        "given_up": progress.given_up,
        "folder": str(folder.path),
    }


def described_row(standing: Standing) -> dict[str, Any]:
    """Return what `--json` tells of a row."""
    row, interval = standing.row, standing.interval
    return {
        "rank": row.rank,
        "bot": row.bot,
        "points": row.half_points / 2,
        "score": standing.score,
        "elo": None if standing.elo is None else standing.elo / 1000,
        "elo_low": interval.low / 1000,
        "elo_high": interval.high / 1000,
        "matches": row.matches,
        "blocks": row.blocks,
        "byes": row.byes,
        "tie_breaks": list(row.tie_breaks),
    }


def _cells(standing: Standing) -> tuple[object, ...]:
    row, interval = standing.row, standing.interval
    return (
        row.rank,
        row.bot,
        f"{row.half_points / 2:.1f}",
        "?" if standing.score is None else f"{standing.score:.3f}",
        "?" if standing.elo is None else f"{standing.elo / 1000:+.0f}",
        "?" if interval.blocks < 2 else f"{interval.low / 1000:+.0f} to {interval.high / 1000:+.0f}",
        row.matches,
        row.blocks,
        *(f"{value:.1f}" for value in row.tie_breaks),
    )
