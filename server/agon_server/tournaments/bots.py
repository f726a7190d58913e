"""Reading `[[bots]]`: who plays, and how each runs. What can be known of that before the start is checked here: that
files, programs and installed bots are there.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from agon_server.names import BOT_NAME, BOT_RULE
from agon_server.surroundings import reason_of
from agon_server.tournaments.asking import Asked, WrongError, did_you_mean, flag, list_of, name_of, shown, text
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

    def __init__(self, tables: Sequence[Asked], folder: Path) -> None:
        """Read all of them; paths are relative to `folder`."""
        installed = {point.name for point in entry_points(group=ENTRY_POINTS)}
        self.bots: list[BotDef] = []
        self.names: dict[str, Asked] = {}
        """The first table with each name, in the order of the file."""
        self._connected: dict[str, Asked] = {}
        self.count = len(tables)
        for table in tables[:MAX_BOTS]:
            bot = _bot(table, folder, installed)
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


def _bot(table: Asked, folder: Path, installed: Collection[str]) -> BotDef | None:
    """Return a bot; None where it has no name. How it runs is empty where that is a mistake."""
    name = table.need("name", name_of(BOT_NAME, BOT_RULE), 'name = "mine"')
    bot = table.get("bot", lambda value: _class(value, folder, installed), "")
    command = table.get("command", lambda value: _command(value, folder), ())
    connected = table.get("connected", name_of(BOT_NAME, BOT_RULE), "")
    trusted = table.get("trusted", flag, False)
    table.done()
    given = [how.value for how in Runs if table.has(how.value)]
    if len(given) != 1:
        what = f"{' and '.join(given)} contradict each other" if given else "how it runs is missing"
        table.mistakes.add(table.path, f"{what}: {_HOW}")
    if name is None:
        return None

    return BotDef(name=name, bot=bot, command=command, connected=connected, trusted=trusted)


def _class(value: Any, folder: Path, installed: Collection[str]) -> str:
    spec = text(value)
    place, separator, name = spec.partition(":")
    if place.endswith(".py"):
        if separator and not name.isidentifier():
            raise WrongError(f"expected FILE.py or FILE.py:CLASS, not {shown(spec)}")
        return f"{_file(folder, place)}{separator}{name}"
    if separator:
        if not _CLASS.fullmatch(spec):
            raise WrongError(f"expected FILE.py:CLASS, MODULE:CLASS or an installed bot, not {shown(spec)}")
        return spec
    if spec not in installed:
        meant = did_you_mean(spec, installed)
        raise WrongError(
            f"expected FILE.py:CLASS, MODULE:CLASS or an installed bot, of which there are "
            f"{', '.join(sorted(installed)) or 'none'}, not {shown(spec)}{'; ' + meant if meant else ''}"
        )
    return spec


def _command(value: Any, folder: Path) -> tuple[str, ...]:
    program, *arguments = list_of(text, "a program and its arguments")(value)
    if os.sep not in program:
        if shutil.which(program) is None:
            raise WrongError(
                f"no program of that name is found by PATH; one beside the file is ./NAME, not {shown(program)}"
            )
        return (program, *arguments)

    path = _file(folder, program)
    if not os.access(path, os.X_OK):
        raise WrongError(f"this file cannot be run as a program (chmod +x), or name what runs it first: {shown(path)}")
    return (path, *arguments)


def _file(folder: Path, name: str) -> str:
    path = folder / name
    try:
        found = path.is_file()
    except OSError as error:
        raise WrongError(f"cannot look for the file ({reason_of(error)}): {shown(str(path))}") from None
    if not found:
        raise WrongError(f"there is no such file: {shown(str(path))}")
    return str(path)
