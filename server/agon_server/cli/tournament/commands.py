"""What the commands of `agon tournament` take: `show` the name of a tournament of a server, all others the file that
defines one. What does it is loaded when one is used: it needs the store's client and numpy, other commands do not.
"""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from agon.codec.ledger import ReportFormat
from agon_server.cli.command import CaOption, InsecureFlag, ServerOption, a_path
from agon_server.cli.door import Door
from agon_server.cli.output import Output

Awaited = Coroutine[Any, Any, None] | None
"""What a command leaves to be run on a loop: where it asks a server."""
FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", parser=a_path, help="The tournament's definition, in TOML.")
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        parser=a_path,
        help="Where it is kept; of connected bots, the server's data folder.  [default: FILE, ending in .agon]",
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


ChangedFlag = Annotated[
    bool, typer.Option("--changed-bots", help="Go on though files of bots are others than before; tables then say so.")
]


def run(
    out: Output,
    file: FileArgument,
    data: DataOption = None,
    jobs: JobsOption = None,
    server: ServerOption = None,
    ca: CaOption = None,
    insecure: InsecureFlag = False,
) -> Awaited:
    """Play a tournament from its start.

    Bots with a `bot` are played in worker processes here, those with a `command` connect to a server that is started
    for them, and connected ones play on the server where they are. Every match is kept as soon as it is over. Whatever
    ends this, Ctrl-C or a power cut, `agon tournament resume` goes on with what is left, by the same schedule. The exit
    code is 1 where a bot's code fails in all its matches, or a block cannot be played to its end.
    """
    from agon_server.cli.tournament.ways import Where, play

    return play(out, file, jobs, Where(data, server, ca, insecure), resumes=False)


def resume(
    out: Output,
    file: FileArgument,
    data: DataOption = None,
    jobs: JobsOption = None,
    changed_bots: ChangedFlag = False,
    server: ServerOption = None,
    ca: CaOption = None,
    insecure: InsecureFlag = False,
) -> Awaited:
    """Go on with a tournament that was interrupted, or follow one that a server plays.

    The file must say what it said at the start, and the bots' files must be those of the start; what differs is listed.
    How many matches are played at a time may change.
    """
    from agon_server.cli.tournament.ways import Where, play

    return play(out, file, jobs, Where(data, server, ca, insecure), resumes=True, may_change=changed_bots)


def status(
    out: Output,
    file: FileArgument,
    data: DataOption = None,
    server: ServerOption = None,
    ca: CaOption = None,
    insecure: InsecureFlag = False,
) -> Awaited:
    """Tell how far a tournament has come, while it is played or after."""
    from agon_server.cli.tournament.ways import Where, look

    return look(out, file, Where(data, server, ca, insecure), is_report=False)


def report(
    out: Output,
    file: FileArgument,
    data: DataOption = None,
    form: Annotated[
        ReportFormat | None,
        typer.Option("--format", help="The whole report: text, json, csv or html.  [default: the standings alone]"),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", parser=a_path, help="Write it there; csv: a folder.  [default: standard output]"
        ),
    ] = None,
    server: ServerOption = None,
    ca: CaOption = None,
    insecure: InsecureFlag = False,
) -> Awaited:
    """Show how the bots stand, while the tournament is played or after.

    Points, ranks and intervals rest on complete blocks alone: line-ups that were played under all rotations of their
    seats. The whole report, from the records, has fitted strengths, who scored what against whom, what each seat is
    worth, faults by kind and time.
    """
    from agon_server.cli.tournament.ways import Where, look

    return look(out, file, Where(data, server, ca, insecure), is_report=True, form=form, to=to)


async def show(
    out: Output, door: Door, name: Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")]
) -> None:
    """Show how the bots of a server's tournament stand, by the ranking of its format.

    Everybody may ask, without the tournament's file and without a token. Points, ranks and intervals rest on complete
    blocks alone.
    """
    from agon_server.cli.tournament.telling import show_there

    await show_there(out, door, name)
