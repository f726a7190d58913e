"""The games that this installation knows; a new game is one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from agon_engine.core.errors import OptionsError
from agon_engine.core.game import Game

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
