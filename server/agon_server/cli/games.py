"""`agon games`: what this installation can play."""

from __future__ import annotations

from typing import Annotated

import typer

from agon_engine.core.options import GameSpec, Option, option_text
from agon_engine.registry import game_names, get_game
from agon_server.cli.output import Output


def games(
    out: Output,
    game: Annotated[str, typer.Argument(metavar="GAME", help="One game with what its options may be; else all.")] = "",
) -> None:
    """List the games of this installation, or show one.

    With their rules versions, seat counts and options.
    """
    if game:
        _show(out, get_game(game).spec)
        return

    specs = [get_game(name).spec for name in game_names()]
    out.json([_described(spec) for spec in specs])
    out.table(
        ("game", "rules#", "seats", "hidden information", "options"),
        [
            (
                spec.name,
                spec.version,
                _seats(spec),
                spec.has_hidden_information,
                ", ".join(f"{option.name}={option_text(option.default)}" for option in spec.options),
            )
            for spec in specs
        ],
    )
    out.hint("`agon games GAME` shows what its options may be")


def _show(out: Output, spec: GameSpec) -> None:
    out.json(_described(spec))
    hidden = "hidden information" if spec.has_hidden_information else "no hidden information"
    out.line(f"{spec.name}: {_seats(spec)} seats, rules {spec.version}, {hidden}")
    out.line(f"a match asks at most {spec.max_decisions} times")
    out.table(
        ("option", "default", "allowed", "what it does~"),
        [(option.name, option_text(option.default), _allowed(option), option.help) for option in spec.options],
    )


def _seats(spec: GameSpec) -> str:
    return f"{spec.min_seats} to {spec.max_seats}"


def _allowed(option: Option) -> str:
    """Return what can be listed; `…` stands for more, which the help of the option tells."""
    more = (["…"] if option.read else []) + (["FILE"] if option.is_file else [])
    return ", ".join([*map(option_text, option.allowed), *more])


def _described(spec: GameSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "version": spec.version,
        "min_seats": spec.min_seats,
        "max_seats": spec.max_seats,
        "has_hidden_information": spec.has_hidden_information,
        "max_decisions": spec.max_decisions,
        "options": [
            {
                "name": option.name,
                "default": option_text(option.default),
                "allowed": [option_text(value) for value in option.allowed],
                "is_open": option.read is not None,
                "is_file": option.is_file,
                "help": option.help,
            }
            for option in spec.options
        ],
    }
