"""`agon cards`: the cards of a game as people read them, by what the game says of itself."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated

import typer

from agon_engine.registry import get_game
from agon_server.cli.options import OptionsOption, given_options
from agon_server.cli.output import Output
from agon_server.config import ConfigError

EXAMPLES = """
agon cards GAME
agon cards GAME ID
agon cards GAME --option NAME=FILE
"""
_NEAR = 5
"""So many ids are told that an unknown one may have meant."""


def cards(
    out: Output,
    game: Annotated[str, typer.Argument(metavar="GAME", help="Whose cards; `agon games` lists the games.")],
    card: Annotated[str, typer.Argument(metavar="ID", help="One card in full; else all, a line each.")] = "",
    option: OptionsOption = None,
) -> None:
    """Show the cards of a game, or one of them in full.

    With --option NAME=FILE those of a file, such as another card set, and the hash that names it elsewhere.
    """
    played, _ = given_options(get_game(game), option or ())
    reference = played.reference()
    if not reference:
        raise ConfigError(f"{game} has no cards to show")
    if card and card not in reference:
        near = ", ".join(_near(card, reference))
        raise ConfigError(
            f"{game} has no card {card!r}; " + (f"near are {near}" if near else f"see `agon cards {game}`")
        )

    if card:
        out.json({"id": card, "text": reference[card]})
        out.text(reference[card])
        return

    out.json([{"id": name, "text": text} for name, text in reference.items()])
    out.table(("id", "what it is~", "text~"), [_row(name, text) for name, text in reference.items()])
    for name, file in played.files.items():
        out.line(f"{name}={file.hash} is how ladders, matches and records name this file")
    out.hint(f"`agon cards {game} ID` shows how the rules read one")


def _row(card: str, text: str) -> tuple[str, str, str]:
    """Return a card's id, what it is and what it does. A first line `NAME (ID): …` says again which card it is."""
    first, _, more = text.partition("\n")
    _, named, rest = first.partition(f" ({card}): ")
    return card, rest if named else first, more.partition("\n")[0]


def _near(card: str, known: Iterable[str]) -> list[str]:
    """Return ids that may have been meant: those with the text in them, then those that are written much like it."""
    names = list(known)
    text = card.lower()
    found = [name for name in names if text in name] + get_close_matches(text, names, _NEAR, 0.5)
    return list(dict.fromkeys(found))[:_NEAR]
