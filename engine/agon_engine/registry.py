"""The games that this installation knows; a new game is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from agon_engine.core.errors import MissingFileError, OptionsError
from agon_engine.core.game import Game
from agon_engine.core.options import OptionValue

_GAMES = {
    "cyclades": "agon_engine.cyclades:GAME",
    "elysium": "agon_engine.elysium:GAME",
    "ephyran": "agon_engine.ephyran:GAME",
}


def game_names() -> tuple[str, ...]:
    """Return the names of all games, in alphabetical order."""
    return tuple(sorted(_GAMES))


@cache
def get_game(name: str) -> Game[Any]:
    """Return a game by its name. Raise OptionsError when there is none of that name; the message lists all."""
    if name not in _GAMES:
        raise OptionsError(f"unknown game {name!r}; this installation has {', '.join(game_names())}")

    module, _, attribute = _GAMES[name].partition(":")
    game: Game[Any] = getattr(import_module(module), attribute)
    return game


_NO_FILES: Mapping[str, str] = {}


def game_of(name: str, options: Mapping[str, OptionValue], files: Mapping[str, str] = _NO_FILES) -> Game[Any]:
    """Return the game that is played with these checked options. `files` has the texts of files by their hashes.

    Raise MissingFileError where it lacks one that the options name, FileError for a text that this version of the game
    cannot play with.
    """
    game = get_game(name)
    named = game.spec.files_of(options)
    for option, file in named.items():
        if file not in files:
            raise MissingFileError(option, file)

    if named:
        game = _with_files(name, tuple((option, files[file]) for option, file in named.items()))
        game.check_options(options)
    return game


@lru_cache(maxsize=32)
def _with_files(name: str, files: tuple[tuple[str, str], ...]) -> Game[Any]:
    """Return a game with files; one object as long as it is used, since what is kept for it is kept by that."""
    game = get_game(name)
    for option, text in files:
        game = game.with_file(option, text)
    return game
