"""House bots beside a server: what their processes are told, and that they are started until they run. That they play,
and end with it, is shown end to end."""

from __future__ import annotations

import asyncio
import errno
import os
from typing import Never

import pytest
from tests.support.valkey import until

from agon_server.launch import house
from agon_server.launch.house import HouseBots, environment


def test_a_bot_process_gets_its_token_and_no_setting_of_the_server() -> None:
    """A store's password is nothing for a bot, whoever has written it."""
    server = {"PATH": "/bin", "AGON_REDIS": "redis://:secret@db", "AGON_ADMIN_TOKEN": "secret", "AGON_TOKEN": "other"}

    assert environment(server, "agon_x") == {"PATH": "/bin", "AGON_TOKEN": "agon_x"}


async def stays() -> bool:
    return False


async def test_a_retired_bot_is_started_again_when_that_is_taken_back_and_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answers = iter([False, True, True, True, False])
    runs = 0

    async def run(*_: object) -> int:
        nonlocal runs
        runs += 1
        return 1 if runs == 1 else await asyncio.get_running_loop().create_future()

    async def is_sent_away() -> bool:
        return next(answers)

    async def runs_again() -> bool:
        return runs == 2

    monkeypatch.setattr(HouseBots, "_run", run)
    monkeypatch.setattr(house, "MAX_DELAY", 0.001)
    bots = HouseBots("127.0.0.1:1")
    bots.start("greedy", "agon_x", slots=1, is_sent_away=is_sent_away)
    await until(runs_again)
    await bots.stop()

    assert caplog.messages == ["house bot greedy is retired; it starts again when that is taken back"]


async def test_a_machine_without_room_for_a_process_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = 0

    async def refuse(*_: object, **__: object) -> Never:
        nonlocal asked
        asked += 1
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    async def asked_often() -> bool:
        return asked >= 3

    monkeypatch.setattr(house, "start_child", refuse)
    monkeypatch.setattr(house, "FIRST_DELAY", 0.001)
    bots = HouseBots("127.0.0.1:1")
    bots.start("greedy", "agon_x", slots=1, is_sent_away=stays)
    await until(asked_often)
    await bots.stop()

    assert caplog.messages[0].startswith(
        "house bot greedy cannot be started (resource temporarily unavailable); it starts"
    )
