"""The games that records were played with: of records whose options name files, with the files that people give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agon_engine.core.errors import OptionsError, RecordError
from agon_engine.core.game import Game
from agon_engine.core.options import GameFile
from agon_engine.core.record import MatchRecord
from agon_engine.registry import game_of, get_game
from agon_server.cli.options import with_file_at


class RecordGames:
    """The games of records of installed games, by their options and the files at some paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Nothing is read before a record needs it."""
        self._paths = tuple(dict.fromkeys(paths))
        self._read: dict[tuple[str, str, str], GameFile] = {}

    def of(self, record: MatchRecord) -> Game[Any]:
        """Return the game with which a record is replayed.

        Raise RecordError for options that the game does not have, or a file that was not given; ConfigError or Mistakes
        for a given one that cannot be used.
        """
        game = get_game(record.game)
        try:
            options = game.spec.check_options(record.options)
        except OptionsError as error:
            raise RecordError(f"the record of match {record.match}: {error}") from None

        named = game.spec.files_of(options)
        texts = {file: self._text(game, record.match, option, file) for option, file in named.items()}
        return game_of(record.game, options, texts)

    def _text(self, game: Game[Any], match: str, option: str, file: str) -> str:
        """Return the text of a file by its hash, from the path where it is."""
        others = []
        for path in self._paths:
            key = (game.spec.name, option, path)
            if key not in self._read:
                self._read[key] = with_file_at(game, option, path, flag="--file").files[option]
            if self._read[key].hash == file:
                return self._read[key].text
            others.append(f"{path!r} is {self._read[key].hash}")

        raise RecordError(
            f"match {match} was played with a file for option {option}, {file}; "
            + (f"give that one by --file: {', '.join(others)}" if others else "give it by --file FILE")
            + f" (`agon ladder file {file}` prints it where its server has it)"
        )
