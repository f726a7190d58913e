"""`agon tournament status` and `report`: what a tournament's folder says, while it is played or after. Nothing here
plays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agon.codec.ledger import ReportFormat
from agon_server.cli.output import Output
from agon_server.cli.tournament.table import described_row, print_table, tell_given_up
from agon_server.cli.tournament.where import folder_of, tell_changed
from agon_server.tournaments.bot_files import BotFiles
from agon_server.tournaments.conduct import Conduct, ErrorBook
from agon_server.tournaments.definition import TournamentDef, kind_of
from agon_server.tournaments.errors import ChangedError
from agon_server.tournaments.folder import TournamentFolder, recalled
from agon_server.tournaments.progress import Progress
from agon_server.tournaments.standings import standings


def tell_status(out: Output, definition: TournamentDef, file: Path, data: Path | None) -> None:
    """Print how far it has come."""
    with _looked(definition, file, data) as (definition, folder):
        conduct = Conduct()
        progress = recalled(definition, folder, conduct)
        described = _status(definition, folder, progress) | _conduct(folder, conduct)
        out.json(described)
        over = "over" if progress.is_over else f"{progress.remaining} left"
        out.line(f"{definition.name}: {progress.done} of {progress.planned} matches are played, {over}")
        if progress.round_name:
            out.line(progress.round_name)
        tell_given_up(out, progress.given_up)
        for text in conduct.told():
            out.text(text)


def tell_report(
    out: Output,
    definition: TournamentDef,
    file: Path,
    data: Path | None,
    form: ReportFormat | None = None,
    to: Path | None = None,
) -> None:
    """Print how the bots stand; where a form is named, the whole report in it instead, or write it to a file."""
    with _looked(definition, file, data) as (definition, folder):
        conduct = Conduct()
        progress = recalled(definition, folder, conduct)
        if form is None:
            tell(out, definition, folder, progress, conduct)
            return

        from agon_ladder.report.forms import Form
        from agon_server.cli.tournament.report_file import write_report

        write_report(out, definition, folder, progress, Form(form.value), to)


def tell(
    out: Output, definition: TournamentDef, folder: TournamentFolder, progress: Progress, conduct: Conduct
) -> None:
    """Print how the bots stand, what went wrong with them, and where the records are."""
    table = standings(progress, definition.name)
    described = _status(definition, folder, progress) | _conduct(folder, conduct)
    out.json({**described, "standings": [described_row(row) for row in table]})
    title = f"{definition.name}: {kind_of(definition.format)}, {definition.game}, {definition.seats} seats, "
    title += f"{progress.done} matches"
    if not progress.is_over:
        title += f", {progress.remaining} left to play"
    print_table(out, table, progress.schedule.tie_breaks, title)
    tell_given_up(out, progress.given_up)
    for change in BotFiles.read(folder.path).changes:
        out.line(change.told)
    _tell_conduct(out, folder, conduct)
    out.hint(f"the records are in {folder.records}; `agon replay verify` proves them")


@contextmanager
def _looked(
    definition: TournamentDef, file: Path, data: Path | None
) -> Iterator[tuple[TournamentDef, TournamentFolder]]:
    """Open the folder to read it, with the definition that the tournament began with, whatever the file says now."""
    with TournamentFolder.read(folder_of(file, data)) as folder:
        try:
            folder.kept.check_same(definition.to_json())
        except ChangedError as error:
            tell_changed(file, error)
            definition = folder.kept.as_it_began()
        yield definition, folder


def _tell_conduct(out: Output, folder: TournamentFolder, conduct: Conduct) -> None:
    """Print how often bots did not play to the end, and what their code raised, of each the first traceback."""
    for text in conduct.told():
        out.text(text)
    book, bots = ErrorBook(folder.path), set[str]()
    for error in book.errors:
        out.text(f"{error.bot}: {error.line}, first in match {error.match}")
        if error.traceback and error.bot not in bots:
            bots.add(error.bot)
            out.text("\n".join(f"  {line}" for line in error.traceback.splitlines()))
    if book.errors:
        out.line(f"their tracebacks are in {book.path}")


def _conduct(folder: TournamentFolder, conduct: Conduct) -> dict[str, Any]:
    return {
        "ended_otherwise": {
            bot: {str(why): count for why, count in ended.items()} for bot, ended in conduct.otherwise.items()
        },
        "errors": [error._asdict() for error in ErrorBook(folder.path).errors],
    }


def _status(definition: TournamentDef, folder: TournamentFolder, progress: Progress) -> dict[str, Any]:
    files = BotFiles.read(folder.path)
    return {
        "name": definition.name,
        "format": kind_of(definition.format),
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
        "round_name": progress.round_name,
        "given_up": progress.given_up,
        "tie_breaks": progress.schedule.tie_breaks,
        "folder": str(folder.path),
        "bot_files": files.now,
        "changed_bots": [change._asdict() for change in files.changes],
    }
