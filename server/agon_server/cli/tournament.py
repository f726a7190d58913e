"""`agon tournament`: run, resume, watch and report tournaments that a TOML file defines. What each takes;
`tournament_play` and `tournament_report` do it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agon_server.cli.command import a_path, command
from agon_server.cli.output import Output

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", parser=a_path, help="The tournament's definition, in TOML.")
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", parser=a_path, help="Where it is kept.  [default: FILE with .agon for its ending]"
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=0,
        help="Worker processes; 0 plays in this one.  [default: as the file says, else one a CPU]",
    ),
]


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


def run(out: Output, file: FileArgument, data: DataOption = None, jobs: JobsOption = None) -> None:
    """Play a tournament from its start.

    Every match is kept as soon as it is over. Whatever ends this, Ctrl-C or a power cut, `agon tournament resume` goes
    on with what is left, with the same schedule and deals. The exit code is 1 where a bot's code fails in all its
    matches, or a block cannot be played to its end.
    """
    # Here and not above: nothing else of the command line needs the SDK.
    from agon_server.cli.tournament_play import play_here

    play_here(out, file, data, jobs, resumes=False)


def resume(out: Output, file: FileArgument, data: DataOption = None, jobs: JobsOption = None) -> None:
    """Go on with a tournament that was interrupted.

    The file must say what it said at the start; what differs is listed. How many matches are played at a time may
    change.
    """
    from agon_server.cli.tournament_play import play_here

    play_here(out, file, data, jobs, resumes=True)


def status(out: Output, file: FileArgument, data: DataOption = None) -> None:
    """Tell how far a tournament has come, while it is played or after."""
    from agon_server.cli.tournament_report import tell_status

    tell_status(out, file, data)


def report(out: Output, file: FileArgument, data: DataOption = None) -> None:
    """Show how the bots stand, while the tournament is played or after.

    Points, ranks and intervals rest on complete blocks alone: line-ups that were played under all rotations of their
    seats.
    """
    from agon_server.cli.tournament_report import tell_report

    tell_report(out, file, data)
