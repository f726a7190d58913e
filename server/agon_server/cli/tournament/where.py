"""Where a tournament is: its file, the folder beside it, or a server."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from agon_server.cli.failures import Mistakes
from agon_server.cli.output import printable
from agon_server.config import ConfigError
from agon_server.tournaments.definition import Runs, TournamentDef
from agon_server.tournaments.errors import ChangedError
from agon_server.tournaments.reading import TournamentFileError, read_tournament

TOLD_DIFFERENCES = 3
"""Of a changed file, in the one line that says so."""


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


def read_definition(file: Path, *, needs_bots: bool = True) -> TournamentDef:
    """Return what a file defines. Raise Mistakes, with all that is wrong with it.

    `needs_bots`: they are to play, so that they must be there.
    """
    try:
        return read_tournament(file, needs_bots=needs_bots)
    except TournamentFileError as error:
        raise Mistakes(f"{str(file)!r} cannot be used", error.mistakes) from None


def tell_changed(file: Path, error: ChangedError) -> None:
    """Say that the file is no longer the one that what is told rests on, and what differs."""
    shown, left = error.differences[:TOLD_DIFFERENCES], len(error.differences) - TOLD_DIFFERENCES
    what = "; ".join(shown) + (f"; and {left} more" if left > 0 else "")
    told = f"{file} has changed since the tournament began, which is told as it began: {what}"
    sys.stderr.write(f"agon: {printable(told)}\n")


def folder_of(file: Path, data: Path | None) -> Path:
    """Return where a tournament is kept."""
    return file.with_suffix(".agon") if data is None else data


def server_folder(folder: Path) -> Path:
    """Return the data folder of the server that is started for a tournament kept in a folder."""
    return folder / "server"
