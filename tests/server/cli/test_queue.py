"""What `agon queue` prints of a queue that is longer than what it lists."""

from __future__ import annotations

import io
from typing import Any

import pytest

from agon.codec import admin
from agon.codec.ladder import MatchPhase
from agon_server.cli import queue
from agon_server.cli.output import Output

ITEM = admin.QueueItem(
    match="m",
    phase=MatchPhase.WAITING,
    game="toy",
    version=1,
    ladder="toy-2",
    block="",
    index=0,
    attempt=0,
    bots=("a", "b"),
    age_ms=1,
    owner="",
    epoch=0,
    deliveries=0,
    progress=0,
    idle_ms=0,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class FakeDoor:
    async def call(self, _method: object, request: admin.InspectQueueRequest) -> admin.InspectQueueResponse:
        return admin.InspectQueueResponse(
            items=(ITEM,) * min(3, request.limit), waiting=2, running=1, dead=0, oldest_ms=1
        )


@pytest.mark.parametrize(("limit", "more"), [(1, "2 more are not listed; `--limit` lists up to 1000"), (3, "")])
async def test_a_list_says_how_many_more_there_are(limit: int, more: str) -> None:
    stream = Terminal()
    door: Any = FakeDoor()

    await queue.ls(Output(as_json=False, stream=stream), door, limit)

    assert "1 run, 2 wait" in stream.getvalue()
    assert more in stream.getvalue()
    assert ("more are not listed" in stream.getvalue()) == bool(more)


async def test_a_count_that_lags_behind_says_so() -> None:
    stream = Terminal()
    door: Any = FakeDoor()

    await queue.ls(Output(as_json=False, stream=stream), door, 1)

    assert "decisions  how many there were when its server last renewed its lease" in stream.getvalue()
