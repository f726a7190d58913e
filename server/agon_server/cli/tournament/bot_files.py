"""What `agon tournament run` and `resume` do about the files of bots: they are those of the start, or it is said."""

from __future__ import annotations

from pathlib import Path

from agon_server.cli.failures import Mistakes
from agon_server.tournaments.bot_files import BotFiles, hashes_of
from agon_server.tournaments.definition import TournamentDef
from agon_server.tournaments.errors import ChangedError


def keep_bot_files(file: Path, folder: Path, definition: TournamentDef, after: int, *, may_change: bool) -> None:
    """Keep which files the bots are from here on, `after` so many matches. Raise Mistakes where they have changed and
    may not."""
    try:
        BotFiles.read(folder).keep(folder, hashes_of(definition), after, may_change=may_change)
    except ChangedError as error:
        what = f"{file}: {error}; --changed-bots goes on with these, and tables then say so"
        raise Mistakes(what, error.differences) from None
