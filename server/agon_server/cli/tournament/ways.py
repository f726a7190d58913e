"""Which way a tournament goes: by the SDK here, by programs beside a server of its own, or on a server that runs; and
what is told of it."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from agon.codec.ledger import ReportFormat
from agon_server.cli.output import Output
from agon_server.cli.tournament.kept import tell_report, tell_status
from agon_server.cli.tournament.where import Where, check_all_connected, folder_of, read_definition, server_folder
from agon_server.config import ConfigError
from agon_server.tournaments.bot_files import BotFiles, Change
from agon_server.tournaments.definition import Runs, TournamentDef

__all__ = ["Where", "look", "play"]

Awaited = Coroutine[Any, Any, None] | None
"""What a command leaves to be run on a loop: where it asks a server."""


def play(
    out: Output, file: Path, jobs: int | None, where: Where, *, resumes: bool, may_change: bool = False
) -> Awaited:
    """Play a tournament, or go on with it; `may_change`: also where files of bots are others than before."""
    definition = read_definition(file)
    runs = _runs(definition, where)
    if runs is Runs.CONNECTED:
        from agon_server.cli.tournament.server import play_there

        return play_there(out, definition, file, where, resumes=resumes)
    if runs is Runs.COMMAND:
        from agon_server.cli.tournament.beside import play_beside

        return play_beside(out, definition, file, where.data, resumes=resumes, may_change=may_change)

    # Here and not above: nothing else of the command line needs the SDK. And not on a loop, which would keep Ctrl-C.
    from agon_server.cli.tournament.play import play_here

    play_here(out, definition, file, where.data, jobs, resumes=resumes, may_change=may_change)
    return None


def look(
    out: Output,
    file: Path,
    where: Where,
    *,
    is_report: bool,
    form: ReportFormat | None = None,
    to: Path | None = None,
) -> Awaited:
    """Tell how far a tournament has come, or how its bots stand."""
    if to is not None and form is None:
        raise ConfigError(f"--out is for a whole report: name its form by --format, for {str(to)!r}")

    definition = read_definition(file, needs_bots=False)
    runs = _runs(definition, where)
    if runs is Runs.BOT:
        if is_report:
            tell_report(out, definition, file, where.data, form, to)
        else:
            tell_status(out, definition, file, where.data)
        return None

    from agon_server.cli.tournament.server import report_there, status_there

    changes: Sequence[Change] = ()
    if runs is Runs.COMMAND:
        folder = folder_of(file, where.data)
        changes = BotFiles.read(folder).changes
        where = Where(server_folder(folder))
    if is_report:
        return report_there(out, definition, file, where, form, to, changes)
    return status_there(out, definition, file, where)


def _runs(definition: TournamentDef, where: Where) -> Runs:
    """Return how a tournament is played as a whole: as its neediest bot. Raise ConfigError where it cannot be."""
    kinds = {bot.runs for bot in definition.bots}
    if Runs.CONNECTED in kinds:
        check_all_connected(definition)
        return Runs.CONNECTED
    if where.server is not None:
        raise ConfigError("--server is for tournaments of connected bots; the bots of this one run here")
    return Runs.COMMAND if Runs.COMMAND in kinds else Runs.BOT
