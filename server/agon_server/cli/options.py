"""`--option NAME=VALUE` as people type it: a value, or, of an option that takes one, a file's path. Files are read
here, and all that is wrong with one is said at once."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from agon_engine.core.errors import FileError, OptionsError
from agon_engine.core.game import Game
from agon_engine.core.options import OptionValue
from agon_server.cli.failures import Mistakes
from agon_server.config import ConfigError
from agon_server.surroundings import SMALL, read_up_to, reason_of

OptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="An option of the game, or NAME=FILE where it takes one; repeatable."
    ),
]


def given_options(game: Game[Any], texts: Iterable[str]) -> tuple[Game[Any], dict[str, OptionValue]]:
    """Return the game with the files that were typed, and the options that were typed as values.

    Raise OptionsError for an option that cannot be, ConfigError for one that is given twice, ConfigError or Mistakes
    for a file that cannot be used.
    """
    options: dict[str, OptionValue] = {}
    for text in each_once(texts):
        name, separator, value = text.partition("=")
        if separator and game.spec.option(name).is_file and not _is_value(game, text):
            game = with_file_at(game, name, value, flag=f"--option {name}")
        else:
            name, options[name] = game.spec.parse_option(text)
    return game, options


def each_once(texts: Iterable[str]) -> Iterator[str]:
    """Yield the options as they were typed. Raise ConfigError for one that is given twice."""
    named: set[str] = set()
    for text in texts:
        name = text.partition("=")[0]
        if name in named:
            raise ConfigError(f"--option {name} is given twice; give it once, not also as {text!r}")

        named.add(name)
        yield text


def _is_value(game: Game[Any], text: str) -> bool:
    try:
        game.spec.parse_option(text)
    except OptionsError:
        return False
    return True


def with_file_at(game: Game[Any], option: str, path: str, *, flag: str) -> Game[Any]:
    """Return the game with a file for an option. Raise ConfigError or Mistakes where that cannot be used; `flag` is
    what named it."""
    try:
        return game.with_file(option, _text_at(path, flag))
    except FileError as error:
        raise Mistakes(f"{flag}: {path!r} cannot be used", error.mistakes) from None


def _text_at(path: str, flag: str) -> str:
    if not path:
        raise ConfigError(f"{flag}: expected a file's path, not ''")
    try:
        return read_up_to(Path(path), SMALL).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{flag}: not UTF-8 at byte {error.start}: {path!r}") from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigError(f"{flag}: a file for an option has at most {SMALL >> 20} MiB: {path!r}") from None
        raise ConfigError(f"{flag}: cannot read {path!r}: {reason_of(error)}") from None
