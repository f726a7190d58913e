"""`agon tournament run` and `resume` where bots are programs of their own: a server is started for the tournament, in
its folder, and the bots as processes that connect to it like any other bot.

    server/   the data folder of that server: the tournament, its results and records
    logs/     what the server and the bots say

The server plays as every server does, so what was played is true whatever ends this. A bot whose process ends is
started again; until it is back its seats wait for the connect limit, and fall by it.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from agon.codec import admin, ladder, tournament as calls
from agon_server.child import Child
from agon_server.cli.door import Door, open_door
from agon_server.cli.output import Output
from agon_server.cli.processes import POLL_SECONDS, Processes, end
from agon_server.cli.tournament.bot_files import keep_bot_files
from agon_server.cli.tournament.server import announce, begun, follow, found, is_there, planned
from agon_server.cli.tournament.where import folder_of, server_folder
from agon_server.config import ConfigError
from agon_server.names import BOT_NAME, BOT_RULE
from agon_server.services.admin_file import write_admin_file
from agon_server.store.errors import FolderInUseError
from agon_server.store.folder import DataFolder, is_installation
from agon_server.surroundings import SurroundingsError, processors, reason_of
from agon_server.tournaments.bot_files import BotFiles
from agon_server.tournaments.definition import BotDef, Runs, TournamentDef
from agon_server.tournaments.errors import BegunError, NotBegunError

_SERVE = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--drain", "5", "--set", "deliveries=100")
"""Each time that the command is killed its matches are delivered once more, and none of them shall be lost by that."""
ENDING_SECONDS = 15.0
FIRST_DELAY = 0.2
MAX_DELAY = 10.0
MAX_STARTS = 5
"""A bot that ended so often and was never seen connected cannot play, and the tournament does not wait for it."""


async def play_beside(
    out: Output, definition: TournamentDef, file: Path, data: Path | None, *, resumes: bool, may_change: bool = False
) -> None:
    """Begin the tournament of a file, or go on with it, until it is over."""
    for bot in definition.bots:
        if not BOT_NAME.fullmatch(bot.name):
            raise ConfigError(f"a bot that connects to a server has a name of {BOT_RULE}, not {bot.name!r}")
    folder = folder_of(file, data)
    server_data = server_folder(folder)
    if resumes and not is_installation(server_data):
        raise NotBegunError(f"no tournament has begun in that folder; `agon tournament run` begins it: {str(folder)!r}")
    if not resumes and is_installation(server_data):
        raise BegunError(
            f"there is a tournament in the folder already: {str(folder)!r}; go on with "
            f"`agon tournament resume {file}`, or begin another by --data"
        )
    try:
        (folder / "logs").mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--data: cannot write to {str(folder)!r}: {reason_of(error)}") from None

    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        async with AsyncExitStack() as stack:
            if resumes:
                await _ended(server_data)
            processes = await stack.enter_async_context(Processes(folder / "logs"))
            server = await processes.start_server(server_data, _SERVE)
            door = await stack.enter_async_context(open_door(server_data))
            await _close_endless(door, definition.name)
            tokens = {bot.name: await _token_of(door, bot.name) for bot in definition.bots}
            plan = () if resumes else planned(definition)
            # One that was killed at its very start has a server, but no tournament yet.
            is_made = resumes and await is_there(door, definition)
            done = (await found(door, definition, file)).standings.done if is_made else 0
            keep_bot_files(file, folder, definition, done, may_change=may_change)
            tournament = await begun(door, definition, file, resumes=is_made)
            announce(out, plan)
            bots = await stack.enter_async_context(_Bots(processes, server.address, definition))
            bots.start(tokens)
            await follow(out, door, tournament, bots.check, BotFiles.read(folder).changes, bots.told)
    except asyncio.CancelledError:
        again = shlex.join(["agon", "tournament", "resume", str(file), *(["--data", str(data)] if data else [])])
        sys.stderr.write(f"agon: what was played is kept; go on with `{again}`\n")
        raise


async def _ended(data: Path) -> None:
    """Wait for the end of a server whose command was killed, and that still ends; see that no address of it is left.

    Raise FolderInUseError where it does not end, as one does whose command runs.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + ENDING_SECONDS
    while True:
        try:
            with DataFolder.open(data):
                write_admin_file(data, "")
                return
        except FolderInUseError:
            if loop.time() > deadline:
                raise
            await asyncio.sleep(POLL_SECONDS)


async def _close_endless(door: Door, name: str) -> None:
    """Let the server's own ladders make no matches."""
    for known in (await door.call(ladder.LIST_LADDERS, ladder.ListLaddersRequest(open_only=True))).ladders:
        if known.name != name:
            await door.call(admin.CLOSE_LADDER, admin.CloseLadderRequest(known.name))


async def _token_of(door: Door, name: str) -> str:
    known = {bot.name for bot in (await door.call(ladder.LIST_BOTS, ladder.ListBotsRequest())).bots}
    is_known = name in known
    # What runs here is the organiser's own, which says whether deals are shared.
    request = admin.RegisterBotRequest(name, renew=is_known, trusted=not is_known)
    return (await door.call(admin.REGISTER_BOT, request)).token


class _Bots:
    """The bots' processes, each started again when it ends; leaving the `async with` ends them all."""

    def __init__(self, processes: Processes, address: str, definition: TournamentDef) -> None:
        self._processes = processes
        self._address = address
        self._definition = definition
        self._tasks: list[asyncio.Task[None]] = []
        self._seen: set[str] = set()
        """The bots that were connected at some time."""
        self._ends: Counter[tuple[str, int]] = Counter()
        """How often each bot's process ended by itself, by exit code."""
        self._news: list[str] = []

    async def __aenter__(self) -> _Bots:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def start(self, tokens: dict[str, str]) -> None:
        for bot in self._definition.bots:
            self._tasks.append(asyncio.create_task(self._keep(bot, tokens[bot.name])))

    def check(self, tournament: calls.Tournament) -> Sequence[str]:
        """Return what there is to tell since the last look. Raise SurroundingsError where the server has ended, or a
        bot cannot play at all."""
        self._seen |= {bot.name for bot in self._definition.bots} - set(tournament.absent)
        self._processes.check()
        for task in self._tasks:
            if task.done():
                task.result()
        news, self._news = self._news, []
        return news

    def told(self) -> list[str]:
        """Return how often processes ended by themselves, a line for each bot and exit code."""
        return [
            f"{bot}: its process ended by itself {count} time{'s' if count != 1 else ''}, with exit code {code}; what "
            f"it said is in {self._processes.log(f'bot-{bot}')}"
            for (bot, code), count in sorted(self._ends.items())
        ]

    async def _keep(self, bot: BotDef, token: str) -> None:
        """Start the bot again whenever it ends, later each time: it may fail in one match and not in another."""
        delay, starts = FIRST_DELAY, 0
        while True:
            code = await self._run(bot, token)
            starts += 1
            self._ends[bot.name, code] += 1
            if self._ends[bot.name, code] == 1:
                self._news.append(
                    f"the process of {bot.name} ended with exit code {code} and is started again; the last that it "
                    f"said is {self._processes.last_line(_log_of(bot))!r}"
                )
            if starts >= MAX_STARTS and bot.name not in self._seen:
                raise SurroundingsError(
                    f"bot {bot.name} ended {starts} times, with exit code {code}, and never came to play; the last "
                    f"that it said is {self._processes.last_line(_log_of(bot))!r}"
                )
            await asyncio.sleep(delay)
            delay = min(MAX_DELAY, 2 * delay)

    async def _run(self, bot: BotDef, token: str) -> int:
        process: Child = await self._processes.start_command(
            _log_of(bot), self._command(bot), {"AGON_SERVER": self._address, "AGON_TOKEN": token}, bot.folder
        )
        try:
            return await process.wait()
        finally:
            await end(process)

    def _command(self, bot: BotDef) -> Sequence[str]:
        if bot.runs is Runs.COMMAND:
            return bot.started

        slots = self._definition.concurrency or processors()
        return (sys.executable, "-P", "-m", "agon_bots", "run", bot.loaded, "--slots", str(slots))


def _log_of(bot: BotDef) -> str:
    return f"bot-{bot.name}"
