"""From what a person names to a bot's class: `mybot.py:MyBot`, `package.module:Class`, or the name of an installed
bot (entry point group `agon.bots`). Whatever is wrong with it is a LoadError of one line.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Mapping
from hashlib import blake2b
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from agon_bots.sdk.bot import Bot
from agon_bots.sdk.errors import LoadError
from agon_bots.sdk.text import told
from agon_engine.core import OptionsError
from agon_engine.registry import game_names, get_game

ENTRY_POINTS = "agon.bots"
MAX_TEXT = 64
"""Characters of a version or an instance, as the contract has it."""


class PlayedGame(NamedTuple):
    """A game that a bot plays: its rules version is that of this installation, since the view's types are too."""

    name: str
    version: int
    seats: tuple[int, ...]
    """Empty: all that the game has."""


def load_bot(spec: str) -> type[Bot]:
    """Return the class that `FILE.py[:CLASS]`, `MODULE:CLASS` or the name of an installed bot stands for.

    Without CLASS the file must define one bot. The class is checked. Raise LoadError for anything that is wrong.
    """
    place, separator, name = spec.partition(":")
    if place.endswith(".py"):
        module = _import_file(Path(place))
        found = _named(module, place, name) if separator else _only(module, place)
    elif separator:
        found = _named(_import_module(place), place, name)
    else:
        found = _installed(spec)
    check_bot(found, spec)
    bot_class: type[Bot] = found
    return bot_class


def check_bot(found: Any, label: str = "") -> tuple[PlayedGame, ...]:
    """Return what a bot's class says it plays. Raise LoadError where it is no bot, or one that could never play."""
    label = label or getattr(found, "__name__", repr(found))
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise LoadError(f"{label} is no subclass of agon_bots.Bot: {found!r}")
    if found.choose is Bot.choose:
        raise LoadError(f"{label} lacks its one method: def choose(self, turn)")

    _check_call(found, (), f"{label} must be made without arguments")
    for method in ("choose", "start", "over"):
        _check_call(getattr(found, method), (None, None), f"{label}.{method} must take (self, and one value)")
    for attribute in ("name", "version"):
        text = getattr(found, attribute)
        if not isinstance(text, str) or len(text) > MAX_TEXT or not text.isprintable():
            raise LoadError(f"{label}.{attribute} is printable text of at most {MAX_TEXT} characters, not {text!r}")
    if type(found.slots) is not int or not 1 <= found.slots <= 1_000_000:
        raise LoadError(f"{label}.slots is a whole number of matches from 1, not {found.slots!r}")
    return _games(found.games, label)


def _check_call(function: Any, arguments: tuple[object, ...], problem: str) -> None:
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError) as error:
        raise LoadError(f"{problem}: {error}") from error


def _games(games: Any, label: str) -> tuple[PlayedGame, ...]:
    if isinstance(games, str) or not isinstance(games, (Mapping, list, tuple, set, frozenset)):
        raise LoadError(f"{label}.games is a list of names, or a dict from names to seat counts, not {games!r}")

    played = []
    for name in games or game_names():
        try:
            spec = get_game(name).spec
            seats = tuple(sorted(games[name])) if isinstance(games, Mapping) and games else ()
            for count in seats:
                spec.check_seats(count)
        except (OptionsError, TypeError) as error:
            raise LoadError(f"{label}.games: {error}") from error

        played.append(PlayedGame(spec.name, spec.version, seats))
    return tuple(played)


# -- files and modules ---------------------------------------------------------------------------------------


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise LoadError(f"no such file: {str(path)!r}")

    path = path.resolve()
    # Two bots may both be called mybot.py; each file is a module of its own, imported once.
    module_name = f"agon_bot_{blake2b(str(path).encode(), digest_size=6).hexdigest()}_{path.stem}"
    if module_name in sys.modules:
        return sys.modules[module_name]

    location = importlib.util.spec_from_file_location(module_name, path)
    assert location is not None
    assert location.loader is not None
    module = importlib.util.module_from_spec(location)
    sys.modules[module_name] = module
    # As when Python runs the file itself: what lies beside it can be imported.
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        location.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise LoadError(_why(path.name, path, error)) from error

    return module


def _import_module(name: str) -> ModuleType:
    # At the end, so that nothing that lies here can stand in for a library.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise LoadError(_why(name, None, error)) from error


def _why(name: str, path: Path | None, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f'{name} ends the program when it is imported; put run(…) under if __name__ == "__main__":'

    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    if line is None and path is not None:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = lines[-1] if lines else None
    where = f", line {line}" if line is not None else ""
    what = next(iter(told(error, str).splitlines()), "")
    return f"{name} does not import{where}: {type(error).__name__}: {what}"


def _named(module: ModuleType, place: str, name: str) -> Any:
    if name and hasattr(module, name):
        return getattr(module, name)

    bots = [bot.__name__ for bot in _bots_of(module)]
    raise LoadError(f"{place} has no class {name!r}; the bots in it: {', '.join(bots) or 'none'}")


def _only(module: ModuleType, place: str) -> Any:
    bots = _bots_of(module)
    if len(bots) == 1:
        return bots[0]

    names = ", ".join(bot.__name__ for bot in bots)
    if not bots:
        raise LoadError(f"{place} defines no subclass of agon_bots.Bot")
    raise LoadError(f"{place} defines several bots ({names}); name one: {place + ':' + bots[0].__name__!r}")


def _bots_of(module: ModuleType) -> list[type[Bot]]:
    return [
        item
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, Bot) and item.__module__ == module.__name__
    ]


def _installed(name: str) -> Any:
    found = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in found:
        bots = ", ".join(sorted(found)) or "none"
        raise LoadError(f"no bot is called {name!r}; installed are {bots}; else name FILE.py:CLASS or MODULE:CLASS")
    try:
        return found[name].load()
    except Exception as error:
        raise LoadError(_why(f"the installed bot {name}", None, error)) from error
