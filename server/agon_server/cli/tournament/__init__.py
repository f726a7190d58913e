"""`agon tournament`: its commands, by what they are for."""

from __future__ import annotations

import typer

from agon_server.cli.command import command
from agon_server.cli.tournament.commands import report, resume, run, show, status


def add(tournament: typer.Typer) -> None:
    """Add the commands to their noun."""
    command(
        tournament,
        "run",
        examples="agon tournament run cup.toml\nagon tournament run cup.toml --jobs 8 --data /var/lib/cup\n"
        "agon tournament run cup.toml --json",
    )(run)
    command(tournament, "resume", examples="agon tournament resume cup.toml\nagon tournament resume cup.toml --jobs 2")(
        resume
    )
    command(tournament, "status", examples="agon tournament status cup.toml\nagon tournament status cup.toml --json")(
        status
    )
    command(tournament, "report", examples="agon tournament report cup.toml\nagon tournament report cup.toml --json")(
        report
    )
    command(
        tournament,
        "show",
        examples="agon tournament show cup\nagon tournament show cup --server arena.example:7420 --json",
    )(show)
