"""All commands of `agon`, put together: nouns, then verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from agon_engine import __version__
from agon_server.cli import (
    bot,
    cards,
    demo,
    doctor,
    games,
    ladder,
    match,
    play,
    queue,
    replay,
    serve,
    settings,
    tournament,
)
from agon_server.cli.command import Session, command, group

app = typer.Typer(
    name="agon",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Agon: a tournament server for bots that play board games.",
    epilog=(
        "\b\nFirst steps:\n"
        "  agon demo                                  see it work, in a minute\n"
        "  agon games                                 what can be played\n"
        "  agon play GAME --bots random,greedy        a tournament at home, without a server\n"
        "  agon serve                                 a server with its ladders\n"
        "\n\b\nExit codes:\n"
        "  0 ok   1 a negative result   2 the command or a file is wrong   3 its surroundings are\n"
        "  4 no decision (--sprt)   130 Ctrl-C"
    ),
)


def _print_version(given: bool) -> None:
    if given:
        typer.echo(f"agon {__version__}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    session: Session = ctx.ensure_object(Session)
    session.debug = debug


command(app, "serve", examples=serve.EXAMPLES)(serve.serve)
command(app, "demo", examples=demo.EXAMPLES)(demo.demo)
command(app, "play", examples=play.EXAMPLES)(play.play)
command(app, "doctor", examples="agon doctor\nagon doctor --data /var/lib/agon --json")(doctor.doctor)
command(app, "games", examples="agon games\nagon games GAME\nagon games --json")(games.games)
command(app, "cards", examples=cards.EXAMPLES)(cards.cards)
command(app, "settings", examples="agon settings\nagon settings --json")(settings.settings)
bot.add(group(app, "bot", "Bots: register, run, list, suspend, retire, read their logs."))
ladder.add(group(app, "ladder", "Ladders: make, show, close, rebuild and audit them."))
match.add(group(app, "match", "Matches: what happened in them, and who used how much time."))
tournament.add(group(app, "tournament", "Tournaments: run what a file defines, resume it, and see how the bots stand."))
queue.add(group(app, "queue", "The queue: what waits and runs, and what nobody could play."))

_replay = group(app, "replay", "Records: tell a match as text, or prove that a record is true.")
command(
    _replay,
    "show",
    examples="agon replay show matches.jsonl.gz\nagon match record ID | agon replay show - --boards",
)(replay.show)
command(
    _replay,
    "verify",
    examples="agon replay verify matches.jsonl.gz\nagon replay verify *.jsonl.gz\nagon replay verify FILE --match ID",
)(replay.verify)
