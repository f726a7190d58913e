"""`agon ladder`: its commands, by what they are for."""

from __future__ import annotations

import typer

from agon_server.cli.command import command
from agon_server.cli.ladder.checks import audit, rebuild
from agon_server.cli.ladder.export import export
from agon_server.cli.ladder.making import close, create, file
from agon_server.cli.ladder.report import report
from agon_server.cli.ladder.ruling import accept_loss, purge, purges, season, seasons
from agon_server.cli.ladder.standing import ls, show


def add(ladder: typer.Typer) -> None:
    """Add the commands to their noun."""
    command(
        ladder,
        "create",
        examples=(
            "agon ladder create --game GAME --seats 2\n"
            "agon ladder create blitz --game GAME --seats 3 --move 0.5 --bank 5 --on-fault substitute\n"
            "agon ladder create lab --game GAME --seats 2 --option NAME=VALUE --deals shared\n"
            "agon ladder create own --game GAME --seats 2 --option NAME=FILE\n"
            "agon ladder create bayes --game GAME --seats 4 --system weng-lin"
        ),
    )(create)
    command(ladder, "close", examples="agon ladder close blitz")(close)
    command(ladder, "ls", examples="agon ladder ls\nagon ladder ls --json")(ls)
    command(
        ladder,
        "show",
        examples="agon ladder show blitz\nagon ladder show blitz --watch\nagon ladder show blitz --season spring",
    )(show)
    command(
        ladder,
        "season",
        examples=(
            "agon ladder season blitz --start autumn --why 'the summer is over'\n"
            "agon ladder season blitz --start rules-2 --hard --why 'new rules'"
        ),
    )(season)
    command(ladder, "seasons", examples="agon ladder seasons blitz")(seasons)
    command(
        ladder,
        "purge",
        examples=(
            "agon ladder purge blitz --bot hector --dry-run\n"
            "agon ladder purge blitz --bot hector --since 2030-03-17 --why 'it played for two owners'\n"
            "agon ladder purge blitz --server-name east-1 --why 'its clock was wrong'\n"
            "agon ladder purge blitz --undo ID --why 'it was another bot'"
        ),
    )(purge)
    command(ladder, "purges", examples="agon ladder purges blitz")(purges)
    command(
        ladder,
        "accept-loss",
        examples="agon ladder accept-loss blitz --why 'the disk with the archive is gone'",
    )(accept_loss)
    command(ladder, "file", examples="agon ladder file HASH > cards.json")(file)
    command(ladder, "rebuild", examples="agon ladder rebuild blitz")(rebuild)
    command(
        ladder,
        "audit",
        examples="agon ladder audit\nagon ladder audit blitz --all --json\nagon ladder audit blitz --trades",
    )(audit)
    command(
        ladder,
        "export",
        examples=(
            "agon ladder export blitz --what ratings --format csv --out ratings.csv\n"
            "agon ladder export blitz --what records --format jsonl | agon replay verify -"
        ),
    )(export)
    command(
        ladder,
        "report",
        examples=(
            "agon ladder report blitz\n"
            "agon ladder report blitz --format html --out blitz.html\n"
            "agon ladder report blitz --format csv --out blitz-tables\n"
            "agon ladder report blitz --season spring --format html --out spring.html"
        ),
    )(report)
