"""`agon bot`: register bots, run them, list, suspend, resume and retire them, and read their logs."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from agon.codec import admin, ladder as calls
from agon_server.cli.actor import ByOption, user_name
from agon_server.cli.command import command
from agon_server.cli.door import Door
from agon_server.cli.output import Output, to_seconds
from agon_server.operations.errors import InvalidError

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The bot's name.")]

PROGRAM = """\
import signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
from agon_bots.__main__ import main
signal.signal(signal.SIGINT, signal.default_int_handler)
raise SystemExit(main(prog="agon bot"))
"""
"""As `python -m agon_bots`, but for Ctrl-C while it is imported, which ends it without a traceback."""
PASS_ON = {"ignore_unknown_options": True}
"""Options that are not ours go on with the other arguments."""


class PassesOn(TyperCommand):
    """A command whose first argument is ours: all that stands behind it goes on, `--help` too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        if args and not args[0].startswith("-"):
            args = [args[0], "--", *args[1:]]
        return super().parse_args(ctx, args)


def add(bot: typer.Typer) -> None:
    """Add the commands to their noun."""
    command(
        bot,
        "register",
        examples=(
            "agon bot register hector\nagon bot register hector --owner priam > token\nagon bot register hector --renew"
        ),
    )(register)
    command(bot, "ls", examples="agon bot ls\nagon bot ls --json")(ls)
    command(
        bot,
        "run",
        examples=(
            "AGON_TOKEN=... agon bot run mybot.py:MyBot --server 127.0.0.1:7420\n"
            "agon bot run greedy --server arena.example:7420 --token-file token"
        ),
        has_debug=False,
        cls=PassesOn,
        context_settings=PASS_ON,
    )(run)
    command(bot, "log", examples="agon bot log hector\nAGON_TOKEN=... agon bot log hector --server HOST:PORT")(log)
    command(bot, "suspend", examples="agon bot suspend hector --reason 'plays for two owners'")(suspend)
    command(bot, "resume", examples="agon bot resume hector")(resume)
    command(
        bot,
        "retire",
        examples=(
            "agon bot retire hector --reason 'its author has left'\n"
            "agon bot retire hector --version 1.3 --reason 'crashes on big maps'\n"
            "agon bot retire hector --version 1.3 --undo"
        ),
    )(retire)
    command(bot, "trust", examples="agon bot trust hector\nagon bot trust hector --no")(trust)


async def register(
    out: Output,
    door: Door,
    name: NameArgument,
    owner: Annotated[
        str, typer.Option("--owner", help="Its author. Bots of one owner never meet in rated matches.")
    ] = "",
    renew: Annotated[
        bool, typer.Option("--renew", help="Give a registered bot a new token instead of a lost one.")
    ] = False,
    trusted: Annotated[bool, typer.Option("--trusted", help="It does not remember from match to match.")] = False,
) -> None:
    """Register a bot and print its token.

    The token is shown this once; keep it as you keep a password.
    """
    answer = await door.call(admin.REGISTER_BOT, admin.RegisterBotRequest(name, owner, renew, trusted))
    out.json(answer)
    out.line(answer.token)
    out.hint(f"\nThis is the token of {answer.name}, shown this once. Put it into AGON_TOKEN or a file, then")
    out.hint("  agon bot run FILE.py:CLASS --server HOST:PORT")


async def ls(out: Output, door: Door) -> None:
    """List all registered bots, and what their connected processes play.

    A bot that does not come to a match gets none for a while: it rests, longer each time, for two minutes at most.
    """
    answer = await door.call(calls.LIST_BOTS, calls.ListBotsRequest())
    out.json(answer.bots)
    out.table(
        (
            *("bot", "owner?", "version?", "processes#", "slots#", "games?", "house", "trusted", "rests until?"),
            *("suspended", "retired"),
        ),
        [
            (
                bot.name,
                bot.owner,
                bot.bot_version,
                bot.processes,
                bot.slots,
                ", ".join(bot.games),
                bot.house,
                bot.house or bot.trusted,
                to_seconds(bot.rests_until),
                bot.suspended,
                _retired(bot),
            )
            for bot in answer.bots
        ],
    )
    for bot in answer.bots:
        if bot.rests_until:
            out.hint(f"{bot.name} rests until {to_seconds(bot.rests_until)}: it did not come to a match")


def _retired(bot: calls.Bot) -> str:
    """Return what of a bot is retired: nothing, all, or its versions; of these the empty one in quotes."""
    return "all" if bot.retired else ", ".join(version or "''" for version in bot.retired_versions)


def run(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="FILE.py:CLASS, MODULE:CLASS or an installed bot.")],
    options: Annotated[list[str] | None, typer.Argument(metavar="OPTIONS", help="Of the SDK.")] = None,
) -> None:
    """Play on a server with a bot, until Ctrl-C. All options are the SDK's: `agon bot run SPEC --help` lists them."""
    # The bot takes this process over: signals and exit codes are its own then, and no second interpreter waits.
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-c", PROGRAM, "run", spec, *(options or ())])  # noqa: S606  # no shell is meant


async def log(
    out: Output,
    door: Door,
    name: NameArgument,
    lines: Annotated[int, typer.Option("--lines", min=1, max=10_000, help="At most so many of the newest.")] = 1_000,
) -> None:
    """Print a bot's private log: the lines that it sent by Note.

    For the admin, and for its owner, who has its token in AGON_TOKEN.
    """
    answer = await door.call(admin.READ_BOT_LOG, admin.ReadBotLogRequest(name, lines))
    out.json(answer)
    for line in answer.lines:
        out.text(line)
    if answer.suspended:
        out.text(f"the bot is suspended: {answer.suspended}")
    for each in answer.retirements:
        what = "the bot" if each.version is None else f"version {each.version!r}"
        out.text(f"{what} is retired since {to_seconds(each.when)}, by {each.actor}: {each.reason}")


async def suspend(
    out: Output,
    door: Door,
    name: NameArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why; its owner can read it.")],
) -> None:
    """Keep a bot from new matches; running ones go on."""
    answer = await door.call(admin.SUSPEND_BOT, admin.SuspendBotRequest(name, reason))
    out.json(answer)
    out.line(f"{name} is suspended; `agon bot resume {name}` lets it play again")


async def resume(out: Output, door: Door, name: NameArgument) -> None:
    """Let a suspended bot play again."""
    answer = await door.call(admin.RESUME_BOT, admin.ResumeBotRequest(name))
    out.json(answer)
    out.line(f"{name} may play again")


async def retire(
    out: Output,
    door: Door,
    name: NameArgument,
    version: Annotated[
        str | None, typer.Option("--version", metavar="V", help="Only this version, as its processes name it.")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; its owner can read it.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Let what was retired play again.")] = False,
    by: ByOption = "",
) -> None:
    """Retire a bot, or one version of it: it gets no new matches, and plays what it has begun.

    Then its processes are sent away, and no new ones are let in. Of other versions the newest that is connected plays
    on. Without --version all are retired, those to come too: the bot stays in the tables, marked, and its open blocks
    are given up.
    """
    what = name if version is None else f"version {version!r} of {name}"
    if undo:
        if reason or by:
            raise InvalidError("--undo goes only with --version")
        unretired = await door.call(admin.UNRETIRE_BOT, admin.UnretireBotRequest(name, version))
        out.json(unretired)
        out.line(f"{what} may play again")
        return
    if not reason:
        raise InvalidError("a retirement needs a reason: --reason TEXT")

    answer = await door.call(admin.RETIRE_BOT, admin.RetireBotRequest(name, version, by or user_name(), reason))
    out.json(answer)
    chosen = "" if version is None else f" --version {shlex.quote(version)}"
    out.line(f"{what} is retired; `agon bot retire {name}{chosen} --undo` lets it play again")


async def trust(
    out: Output,
    door: Door,
    name: NameArgument,
    no: Annotated[bool, typer.Option("--no", help="Take the trust back.")] = False,
) -> None:
    """Say whether a bot may play shared deals.

    That is for bots that do not remember from one match to another: with a shared deal they would see in one match of
    a block what is hidden in another. House bots always may; where one takes part that may not, the block has a fresh
    deal for each match.
    """
    answer = await door.call(admin.TRUST_BOT, admin.TrustBotRequest(name, trusted=not no))
    out.json(answer)
    out.line(f"{name} may{' not' if no else ''} play shared deals")
