"""What a command prints on a terminal, without a server: a door that answers with what a test says."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from typing import Any

import pytest
from tests.server.cli.conftest import game

from agon.codec import ladder as calls
from agon.codec.calls import Method
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game
from agon_server.cli.output import Output

WIDTH = 80
MOMENT = "2030-03-17T17:46:40.123Z"
NAMES = ("greedy-1", "random-1", "greedy-2", "random-2")


class FakeDoor:
    """Answers every call with what it was made with, or, where that is a dict, with what it has for the method."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def call(self, method: Method[Any, Any], _request: Any) -> Any:
        return self._answer[method.path] if isinstance(self._answer, dict) else self._answer

    async def watch(self, _method: Method[Any, Any], _request: Any) -> Any:
        yield self._answer


def ladder_of(seats: int) -> calls.Ladder:
    spec = get_game(game()).spec
    return calls.Ladder(
        name=f"{game()}-{seats}",
        game=game(),
        version=1,
        seats=seats,
        options={option.name: str(option.default).lower() for option in spec.options},
        time=TimeControl(),
        policy=FaultPolicy.default(seats),
        deals=Deals.FRESH,
        open=True,
        created=MOMENT,
        house_games=200,
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, show: Callable[[Output], Any], width: int = WIDTH) -> list[str]:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", str(width))
    stream = Terminal()
    done = show(Output(stream=stream))
    if done is not None:
        asyncio.run(done)
    return [line.rstrip() for line in stream.getvalue().splitlines()]
