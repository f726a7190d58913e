"""`agon cards`: the cards of a game as people read them, by what the game says of itself; or as a file to change."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from agon_engine.core.game import Game
from agon_engine.registry import get_game
from agon_server.cli.command import a_path
from agon_server.cli.options import OptionsOption, given_options
from agon_server.cli.output import Output
from agon_server.config import ConfigError
from agon_server.surroundings import SurroundingsError, reason_of

EXAMPLES = """
agon cards GAME
agon cards GAME ID
agon cards GAME --option NAME=FILE
agon cards GAME --export FILE
"""
_NEAR = 5
"""So many ids are told that an unknown one may have meant."""


def cards(
    out: Output,
    game: Annotated[str, typer.Argument(metavar="GAME", help="Whose cards; `agon games` lists the games.")],
    card: Annotated[
        str, typer.Argument(metavar="ID", help="One card in full, by its id or the end of it; else all, a line each.")
    ] = "",
    option: OptionsOption = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", parser=a_path, help="Write the set to a new file, to change it."),
    ] = None,
) -> None:
    """Show the cards of a game, or one of them in full.

    With --option NAME=FILE those of a file, such as another card set, and the hash that names it elsewhere. With
    --export FILE the set is written as such a file, its cards in the order in which views number them.
    """
    played, _ = given_options(get_game(game), option or ())
    reference = played.reference()
    if not reference:
        raise ConfigError(f"{game} has no cards to show")
    if export is not None:
        if card:
            raise ConfigError(f"--export writes a whole set: leave the id out, {card!r}")
        _export(out, played, export)
        return

    if card:
        card = _meant(card, reference, game)
        out.json({"id": card, "text": reference[card]})
        out.text(reference[card])
        return

    out.json([{"id": name, "text": text} for name, text in reference.items()])
    out.table(("id", "what it is~", "text~"), [_row(name, text) for name, text in reference.items()])
    for name, file in played.files.items():
        out.line(f"{name}={file.hash} is how ladders, matches and records name this file")
    out.hint(f"`agon cards {game} ID` shows how the rules read one")


def _export(out: Output, played: Game[Any], path: Path) -> None:
    """Write the file of the option that takes one. Raise ConfigError where there is none, or something is there."""
    name = next((option.name for option in played.spec.options if option.is_file), None)
    if name is None:
        raise ConfigError(f"{played.spec.name} has no option that is a file, and so no set to change")

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(played.own_file(name))
    except FileExistsError:
        raise ConfigError(f"--export writes a new file, and there is one: {str(path)!r}") from None
    except OSError as error:
        raise SurroundingsError(f"--export cannot write {str(path)!r}: {reason_of(error)}") from None

    out.json({"option": name, "file": str(path)})
    out.line(f"written; change it, then `agon cards {played.spec.name} --option {name}={path}` says what is wrong")


def _meant(card: str, reference: Collection[str], game: str) -> str:
    """Return the id that was typed, or the only one that ends with it. Raise ConfigError, with those that are near."""
    if card in reference:
        return card

    ends = tuple(f"{mark}{card.lower()}" for mark in "-.")
    found = [name for name in reference if name.lower().endswith(ends)]
    if len(found) == 1:
        return found[0]

    near = ", ".join(found or _near(card, reference))
    raise ConfigError(
        f"{game} has {'several cards' if found else 'no card'} {card!r}; "
        + (f"{'they' if found else 'near'} are {near}" if near else f"see `agon cards {game}`")
    )


def _row(card: str, text: str) -> tuple[str, str, str]:
    """Return a card's id, what it is and what it does. A first line `NAME (ID): …` says again which card it is."""
    first, _, more = text.partition("\n")
    _, named, rest = first.partition(f" ({card}): ")
    return card, rest if named else first, more.partition("\n")[0]


def _near(card: str, known: Collection[str]) -> list[str]:
    """Return ids that may have been meant: those with the text in them, then those that are written much like it."""
    text = card.lower()
    found = [name for name in known if text in name] + get_close_matches(text, known, _NEAR, 0.5)
    return list(dict.fromkeys(found))[:_NEAR]
