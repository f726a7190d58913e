"""Reading `[[bots]]`: who plays, and how each runs. What can be known of that before the start is checked here: that
files, programs and installed bots are there, and that files have the classes that are named, for the game.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, NamedTuple

from agon_server.names import BOT_NAME, BOT_RULE
from agon_server.surroundings import reason_of
from agon_server.tournaments.asking import Asked, WrongError, did_you_mean, flag, list_of, name_of, shown, text
from agon_server.tournaments.bot_source import check_source
from agon_server.tournaments.definition import BotDef, Runs

ENTRY_POINTS: Final = "agon.bots"
"""The group under which installed bots are found, as the SDK does."""
MAX_BOTS: Final = 2_000
_HOW: Final = (
    'bot = "FILE.py:CLASS" or an installed bot runs in one process, command = ["PROGRAM"] as one of its own, '
    'connected = "NAME" is a bot of a server'
)
_CLASS: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


class Field:
    """The bots of a file as far as they could be read."""

    def __init__(
        self, tables: Sequence[Asked], folder: Path, *, are_needed: bool = True, game: str = "", seats: int = 0
    ) -> None:
        """Read all of them; paths are relative to `folder`. Where they are needed it is checked whether they are there,
        and for the game and its seats, where those are known."""
        installed = {point.name for point in entry_points(group=ENTRY_POINTS)}
        self.bots: list[BotDef] = []
        self.names: dict[str, Asked] = {}
        """The first table with each name, in the order of the file."""
        self._connected: dict[str, Asked] = {}
        self.count = len(tables)
        for table in tables[:MAX_BOTS]:
            bot = _bot(table, _There(folder, installed, are_needed, game, seats))
            if bot is None:
                continue
            self._first(self.names, "name", bot.name, table)
            if bot.connected:
                self._first(self._connected, "connected", bot.connected, table)
            self.bots.append(bot)

    @property
    def is_whole(self) -> bool:
        """Whether every bot has a name of its own."""
        return len(self.names) == self.count

    def _first(self, there: dict[str, Asked], key: str, value: str, table: Asked) -> None:
        first = there.setdefault(value, table)
        if first is not table:
            line = table.mistakes.line((*first.path, key))
            where = f" in line {line}" if line else ""
            table.mistakes.add((*table.path, key), f"each bot is there once; another one{where} is {shown(value)} too")


class _There(NamedTuple):
    """Where bots are."""

    folder: Path
    installed: Collection[str]
    are_needed: bool
    """Whether they must be there."""
    game: str
    seats: int


def _bot(table: Asked, there: _There) -> BotDef | None:
    """Return a bot; None where it has no name. How it runs is empty where that is a mistake."""
    name = table.need("name", name_of(BOT_NAME, BOT_RULE), 'name = "mine"')
    bot = table.get("bot", lambda value: _class(value, there), "")
    command = table.get("command", lambda value: _command(value, there), ())
    connected = table.get("connected", name_of(BOT_NAME, BOT_RULE), "")
    trusted = table.get("trusted", flag, False)
    table.done()
    given = [how.value for how in Runs if table.has(how.value)]
    if len(given) != 1:
        what = f"{' and '.join(given)} contradict each other" if given else "how it runs is missing"
        table.mistakes.add(table.path, f"{what}: {_HOW}")
    if name is None:
        return None

    return BotDef(name=name, bot=bot, command=command, connected=connected, trusted=trusted, folder=there.folder)


def _class(value: Any, there: _There) -> str:
    spec = text(value)
    place, separator, name = spec.partition(":")
    if place.endswith(".py"):
        if separator and not name.isidentifier():
            raise WrongError(f"expected FILE.py or FILE.py:CLASS, not {shown(spec)}")
        known = _file(there, place)
        if there.are_needed:
            check_source(there.folder / known, name, there.game, there.seats)
        return f"{known}{separator}{name}"
    if separator:
        if not _CLASS.fullmatch(spec):
            raise WrongError(f"expected FILE.py:CLASS, MODULE:CLASS or an installed bot, not {shown(spec)}")
        return spec
    if there.are_needed and spec not in there.installed:
        meant = did_you_mean(spec, there.installed)
        raise WrongError(
            f"expected FILE.py:CLASS, MODULE:CLASS or an installed bot, of which there are "
            f"{', '.join(sorted(there.installed)) or 'none'}, not {shown(spec)}{'; ' + meant if meant else ''}"
        )
    return spec


def _command(value: Any, there: _There) -> tuple[str, ...]:
    program, *arguments = list_of(text, "a program and its arguments")(value)
    if os.sep not in program:
        if there.are_needed and shutil.which(program) is None:
            raise WrongError(
                f"no program of that name is found by PATH; one beside the file is ./NAME, not {shown(program)}"
            )
        return (program, *arguments)

    named = _file(there, program)
    path = there.folder / named
    if there.are_needed and not os.access(path, os.X_OK):
        raise WrongError(
            f"this file cannot be run as a program (chmod +x), or name what runs it first: {shown(str(path))}"
        )
    return (named if os.sep in named else f".{os.sep}{named}", *arguments)


def _file(there: _There, name: str) -> str:
    """Return a file's path as it is known by: from the folder, where it lies in it or was named so."""
    known = os.path.normpath(name)
    if os.path.isabs(known) and Path(known).is_relative_to(there.folder):
        known = os.path.relpath(known, there.folder)
    if not there.are_needed:
        return known
    path = there.folder / known
    try:
        found = path.is_file()
    except OSError as error:
        raise WrongError(f"cannot look for the file ({reason_of(error)}): {shown(str(path))}") from None
    if not found:
        raise WrongError(f"there is no such file: {shown(str(path))}")
    return known
