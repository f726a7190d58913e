"""`agon play`: a tournament at home, without a server. What it takes; `local` does it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agon_engine.core.record import Deals
from agon_engine.core.rotations import Rotations
from agon_server.cli.command import a_path
from agon_server.cli.options import OptionsOption
from agon_server.cli.output import Output

EXAMPLES = """
agon play GAME --bots random,greedy --matches 100
agon play GAME --bots mybot.py:MyBot,greedy --seats 3 --jobs 4 --records matches.jsonl.gz
agon play GAME --bots mybot.py,greedy --option NAME=VALUE --seed 7 --json
agon play GAME --bots mybot.py,greedy --report report.html
agon play GAME --bots mybot.py,greedy,random --rotations all
agon play GAME --bots new.py,old.py --sprt elo0=0,elo1=10 --matches 50000
"""

MATCHES = 100
AT_MOST = 100_000
"""With --sprt. A test of 10 normalized Elo takes about 7,000 matches where one of its hypotheses is true."""


class OnError(StrEnum):
    """What a seat does when its bot fails, by the SDK's words; its own enum would have every command load the SDK."""

    RESIGN = "resign"
    RANDOM = "random"


def play(
    out: Output,
    game: Annotated[str, typer.Argument(metavar="GAME", help="What is played; `agon games` lists them.")],
    bots: Annotated[
        str, typer.Option("--bots", metavar="BOT,BOT", help="FILE.py[:CLASS], MODULE:CLASS or an installed bot each.")
    ],
    matches: Annotated[
        int | None,
        typer.Option(
            "--matches",
            min=1,
            help=f"So many, in whole blocks; with --sprt at most.  [default: {MATCHES}, with --sprt {AT_MOST}]",
        ),
    ] = None,
    seats: Annotated[
        int | None, typer.Option("--seats", help="Seats of a match.  [default: one for each bot, if the game has it]")
    ] = None,
    option: OptionsOption = None,
    deals: Annotated[
        Deals, typer.Option("--deals", help="shared: the matches of a block have one deal, which takes luck out.")
    ] = Deals.SHARED,
    rotations: Annotated[
        Rotations,
        typer.Option("--rotations", help="A block's matches; all: all permutations, for 2 and 3 seats."),
    ] = Rotations.CYCLIC,
    seed: Annotated[
        str | None, typer.Option("--seed", metavar="TEXT", help="Makes deals, seats and the bots' draws repeatable.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", help="Worker processes; 0 plays in this one.  [default: one a CPU]")
    ] = None,
    records: Annotated[
        Path | None, typer.Option("--records", metavar="FILE", parser=a_path, help="Write the records there, gzipped.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", parser=a_path, help="Write a report there: a .html page, .json or .txt."
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="elo0=N,elo1=N",
            help="Play until it is decided whether the first bot is elo1 (10) rather than elo0 (0) stronger than the "
            "others; also alpha, beta (0.05), and model: normalized Elo or logistic.",
        ),
    ] = None,
    on_error: Annotated[
        OnError, typer.Option("--on-error", help="A bot that raises: give the match up, or draw an action at random.")
    ] = OnError.RESIGN,
    ceiling: Annotated[
        float, typer.Option("--ceiling", metavar="SECONDS", help="The longest that a call of a bot may take.")
    ] = 60.0,
) -> None:
    """Play matches between bots here, without a server.

    Every line-up is played under all rotations of its seats. Time is measured and shown to the bots, and enforced by
    the ceiling alone. Where a bot's code fails in all its matches, the exit code is 1. Score is the mean pairwise
    score: 1 for each opponent placed below, a half for a tie; the interval is 95 %, by block bootstrap.

    With --sprt the exit code is 0 where H1 was accepted (the first bot is elo1 stronger), 1 for H0, and 4 where
    --matches were played and neither was. Two bots are compared, or one for each seat.
    """
    # Here and not above: nothing else of the command line needs the SDK.
    from agon_server.cli.local import Wanted, play_locally

    play_locally(
        out,
        Wanted(
            game=game,
            bots=bots,
            matches=matches or (MATCHES if sprt is None else AT_MOST),
            seats=seats,
            options=tuple(option or ()),
            deals=deals,
            rotations=rotations,
            seed=seed,
            jobs=jobs,
            records=records,
            report=report,
            sprt=sprt,
            on_error=on_error.value,
            ceiling=ceiling,
        ),
    )
