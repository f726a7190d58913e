"""`agon tournament status` and `report`: what a tournament's folder says, while it is played or after. Nothing here
plays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agon_server.cli.failures import Mistakes
from agon_server.cli.output import Output
from agon_server.tournaments.definition import TournamentDef
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


def read_definition(file: Path) -> TournamentDef:
    """Return what a file defines. Raise Mistakes, with all that is wrong with it."""
    try:
        return read_tournament(file)
    except TournamentFileError as error:
        raise Mistakes(f"{str(file)!r} cannot be used", error.mistakes) from None


def folder_of(file: Path, data: Path | None) -> Path:
    """Return where a tournament is kept."""
    return file.with_suffix(".agon") if data is None else data


def tell_status(out: Output, file: Path, data: Path | None) -> None:
    """Print how far it has come."""
    definition, folder, progress = _looked(file, data)
    with folder:
        described = _status(definition, folder, progress)
        out.json(described)
        over = "over" if progress.is_over else f"{progress.remaining} left"
        out.line(f"{definition.name}: {progress.done} of {progress.planned} matches are played, {over}")
        if not progress.is_over and progress.schedule.rounds > 1:
            out.line(f"round {progress.round + 1} of {progress.schedule.rounds}")
        if progress.given_up:
            out.line(f"blocks that could not be played to their end: {', '.join(progress.given_up)}")


def tell_report(out: Output, file: Path, data: Path | None) -> None:
    """Print how the bots stand."""
    definition, folder, progress = _looked(file, data)
    with folder:
        tell(out, definition, folder, progress)


def tell(out: Output, definition: TournamentDef, folder: TournamentFolder, progress: Progress) -> None:
    """Print how the bots stand, and where the records are."""
    table = standings(progress, definition.name)
    out.json({**_status(definition, folder, progress), "standings": [_described(row) for row in table]})
    tie_breaks = progress.schedule.tie_breaks
    title = f"{definition.name}: {definition.game}, {definition.seats} seats, {progress.done} matches"
    if not progress.is_over:
        title += f", {progress.remaining} left to play"
    columns = (*COLUMNS, *(f"{name}#?" for name in tie_breaks))
    out.table(columns, [_cells(row) for row in table], title=title)
    out.hint(LEGEND)
    if progress.given_up:
        out.line(f"blocks that could not be played to their end: {', '.join(progress.given_up)}")
    out.hint(f"the records are in {folder.records}; `agon replay verify` proves them")


def _looked(file: Path, data: Path | None) -> tuple[TournamentDef, TournamentFolder, Progress]:
    definition = read_definition(file)
    folder = TournamentFolder.read(folder_of(file, data))
    try:
        folder.kept.check_same(definition.to_json())
        return definition, folder, recalled(definition, folder)
    except ChangedError as error:
        folder.close()
        raise Mistakes(f"{file}: {error}", error.differences) from None
    except BaseException:
        folder.close()
        raise


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


def _described(standing: Standing) -> dict[str, Any]:
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
