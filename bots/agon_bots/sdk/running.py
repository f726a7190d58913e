"""`run`, with which a bot's file ends: command line, log lines, signals and exit codes around the client."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from agon_bots.sdk.bot import Bot, bot_name
from agon_bots.sdk.client import Client
from agon_bots.sdk.errors import EXIT_OK, BotError, InterruptedRunError
from agon_bots.sdk.loading import check_bot
from agon_bots.sdk.settings import Settings, add_arguments, settings_from

log = logging.getLogger("agon_bots")


def run(bot_class: type[Bot], *servers: str, argv: Sequence[str] | None = None) -> NoReturn:
    """Play on servers until interrupted, as the command line says (`--help` lists it), then exit.

    `servers` are addresses `HOST:PORT` for when neither `--server` nor AGON_SERVER names one. The token comes from
    AGON_TOKEN or a file. Exit codes: 0 done, 1 a negative result, 2 wrong usage, 3 no server answers, 130 Ctrl-C.
    """
    parser = argparse.ArgumentParser(description=f"Play {_games(bot_class)}with {bot_name(bot_class)} on Agon servers.")
    add_arguments(parser)
    sys.exit(run_parsed(bot_class, parser.parse_args(argv), servers))


def run_parsed(bot_class: type[Bot], arguments: argparse.Namespace, servers: Sequence[str] = ()) -> int:
    """Play as parsed flags say; return the exit code. What went wrong is one line on the log."""
    start_log("debug" if arguments.debug else arguments.log)
    try:
        check_bot(bot_class)
        play_on_servers(bot_class, settings_from(arguments, servers))
    except InterruptedRunError as error:
        log.warning("%s", error)
        return error.exit_code
    except BotError as error:
        log.error("%s", error, exc_info=arguments.debug)
        return error.exit_code

    return EXIT_OK


def play_on_servers(bot_class: type[Bot], settings: Settings) -> None:
    """Play until Ctrl-C or SIGTERM: the first takes no new matches and ends the running ones, the second ends at once.

    Return after one SIGTERM. Raise InterruptedRunError after Ctrl-C, and where it had to end at once, another BotError
    for everything else that ends it. For the main thread, since it handles signals.
    """
    client = Client(bot_class, settings)
    signals: list[int] = []
    try:
        asyncio.run(_play(client, signals))
    except KeyboardInterrupt:
        raise InterruptedRunError(f"ended at once, matches running: {len(client.seats)}") from None
    if signal.SIGINT in signals:
        raise InterruptedRunError("interrupted; the matches that ran are over")


async def _play(client: Client, signals: list[int]) -> None:
    """Play; note the signals that come."""
    loop = asyncio.get_running_loop()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        signals.append(number)
        if len(signals) > 1:
            # Raised here and not on the loop, which a bot may be holding up.
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(client.drain)

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        await client.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start_log(level: str) -> None:
    """Send log lines to stderr, unless the program around has set its logging up already."""
    if not logging.getLogger().handlers:
        logging.basicConfig(format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr)
    log.setLevel(level.upper())


def _games(bot_class: type[Bot]) -> str:
    games = getattr(bot_class, "games", ())
    return ", ".join(games) + " " if games and not isinstance(games, str) else ""
