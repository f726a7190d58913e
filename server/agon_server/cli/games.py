"""`agon games`: what this installation can play."""

from __future__ import annotations

from agon_engine.core.options import GameSpec, option_text
from agon_engine.registry import game_names, get_game
from agon_server.cli.output import Output


def games(out: Output) -> None:
    """List the games of this installation.

    With their rules versions, seat counts and options.
    """
    specs = [get_game(name).spec for name in game_names()]
    out.json([_described(spec) for spec in specs])
    out.table(
        ("game", "rules#", "seats", "hidden information", "options"),
        [
            (
                spec.name,
                spec.version,
                f"{spec.min_seats} to {spec.max_seats}",
                spec.has_hidden_information,
                ", ".join(f"{option.name}={option_text(option.default)}" for option in spec.options),
            )
            for spec in specs
        ],
    )
    for spec in specs:
        for option in spec.options:
            allowed = "|".join([*map(option_text, option.allowed), *(["FILE"] if option.is_file else [])])
            out.hint(f"\n{spec.name} {option.name}={allowed}\n  {option.help}")


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
                "is_file": option.is_file,
                "help": option.help,
            }
            for option in spec.options
        ],
    }
