"""Bots that behave and misbehave, and a client that runs one of them beside a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from tests.support.patience import PATIENCE

from agon_bots import Address, Bot, Client, Match, MatchResult, OnError, Settings, Turn
from agon_bots.sdk.backoff import Backoff


class Recorder(Bot):
    """Plays the first action and keeps what it was told, in the class. `fresh()` makes a class of one's own."""

    games = ("ephyran",)
    quick = True
    made: ClassVar[list[Recorder]]
    turns: ClassVar[list[Turn]]
    results: ClassVar[list[MatchResult]]
    started: ClassVar[list[Match]]

    def __init__(self) -> None:
        self.made.append(self)

    @classmethod
    def fresh(cls, **attributes: Any) -> type[Recorder]:
        lists: dict[str, Any] = {"made": [], "turns": [], "results": [], "started": []}
        return type(cls.__name__, (cls,), {**lists, **attributes})

    def start(self, match: Match) -> None:
        self.started.append(match)

    def choose(self, turn: Turn) -> Any:
        self.turns.append(turn)
        return turn.actions[0]

    def over(self, result: MatchResult) -> None:
        self.results.append(result)


def settings(*addresses: str, **changes: Any) -> Settings:
    """Return settings for servers of a test."""
    servers = tuple(map(Address.parse, addresses))
    return Settings(servers=servers, **{"token": "agon_token", "on_error": OnError.RESIGN, **changes})


def quick_backoff() -> Backoff:
    return Backoff(first=0.01, longest=0.05)


_RUNS: WeakKeyDictionary[Client, asyncio.Task[None]] = WeakKeyDictionary()


async def ended(client: Client) -> None:
    """Wait for a running client's own end, and raise what it raised."""
    async with asyncio.timeout(PATIENCE):
        await asyncio.shield(_RUNS.pop(client))


@asynccontextmanager
async def running(
    bot_class: type[Bot], *addresses: str, backoff: Callable[[], Backoff] = quick_backoff, **changes: Any
) -> AsyncIterator[Client]:
    """Run a client as long as the block lasts, or until its own end."""
    client = Client(bot_class, settings(*addresses, **changes), backoff=backoff)
    task = _RUNS[client] = asyncio.create_task(client.run())
    try:
        yield client
        if task.done() and client in _RUNS:
            task.result()  # it ended, and the test has not seen why
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
