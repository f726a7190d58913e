"""The files that stand for the material of games' options: in the store under their hashes, put there with the ladder
that names them, and never changed. Every server of the store reads them from there when a match needs one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from agon_engine.core.game import Game
from agon_engine.core.options import GameFile, OptionValue
from agon_engine.registry import game_of, get_game
from agon_server.store import keys
from agon_server.store.connection import Store

log = logging.getLogger(__name__)

GAMES_KEPT = 32
"""Games with files that are ready to be played; then the one that was made ready first is forgotten."""


class Files:
    """The files of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._games: dict[tuple[str, tuple[str, ...]], Game[Any]] = {}

    async def text(self, file: str) -> str | None:
        """Return the text of a file by its hash; None where the store has none, or something else under that hash."""
        raw = await self._store.command("HGET", keys.FILES, file)
        if raw is None:
            return None

        text: str = raw.decode("utf-8", "replace")
        if GameFile.of(text).hash != file:
            log.error("the store has something else under the hash of file %s", file)
            return None
        return text

    async def game(self, name: str, options: Mapping[str, OptionValue]) -> Game[Any]:
        """Return the game that is played with these options.

        Raise OptionsError for options that the game does not have, MissingFileError where the store lacks a file that
        they name, FileError for one that this version of the game cannot play with.
        """
        spec = get_game(name).spec
        checked = spec.check_options(options)
        named = tuple(spec.files_of(checked).values())
        if not named:
            return get_game(name)

        if (known := self._games.get((name, named))) is not None:
            return known
        texts = {file: text for file in named if (text := await self.text(file)) is not None}
        # To read a file takes longer than a loop that plays may stand still.
        game = await asyncio.to_thread(game_of, name, checked, texts)
        while len(self._games) >= GAMES_KEPT:
            del self._games[next(iter(self._games))]
        self._games[name, named] = game
        return game
