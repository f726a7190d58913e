"""`python -m agon_bots run BOT …`: runs a bot on servers where only the light base is installed.

BOT is FILE.py[:CLASS], MODULE:CLASS or the name of an installed bot; everything else is as in a bot's own `run`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from agon_bots.sdk.errors import BotError, InterruptedRunError
from agon_bots.sdk.loading import load_bot
from agon_bots.sdk.running import log, run_parsed, start_log
from agon_bots.sdk.settings import add_arguments


def main(argv: Sequence[str] | None = None, prog: str = "python -m agon_bots") -> int:
    """Run a bot as the command line says; return the exit code. `prog` is what its help calls it."""
    parser = argparse.ArgumentParser(prog=prog, description="Bots on Agon servers.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="run")
    run = commands.add_parser("run", help="play on servers", description="Play on Agon servers with a bot.")
    run.add_argument("bot", metavar="BOT", help="FILE.py[:CLASS], MODULE:CLASS or the name of an installed bot")
    add_arguments(run)
    arguments = parser.parse_args(argv)
    start_log("debug" if arguments.debug else arguments.log)
    try:
        bot_class = load_bot(arguments.bot)
    except BotError as error:
        log.error("%s", error, exc_info=arguments.debug)
        return error.exit_code
    except KeyboardInterrupt:
        log.warning("interrupted while the bot was loaded")
        return InterruptedRunError.exit_code

    return run_parsed(bot_class, arguments)


if __name__ == "__main__":
    sys.exit(main())
