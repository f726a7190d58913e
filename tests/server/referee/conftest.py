"""What all tests of the referee share: an error in its log fails the test, unless the test looks at the log itself; and
for tests of streams, one with low limits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator

import pytest
from tests.support.doors import Door
from tests.support.streams import LIMITS, Client, StreamBench, settle

from agon_engine.core import FaultPolicy, OnFault


class Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def nothing_unexpected_in_the_log(request: pytest.FixtureRequest) -> Iterator[None]:
    heard = Heard()
    log = logging.getLogger("agon_server")
    log.addHandler(heard)
    yield
    log.removeHandler(heard)
    if "caplog" not in request.fixturenames:
        assert [record.getMessage() for record in heard.records] == []


@pytest.fixture
async def bench() -> AsyncIterator[StreamBench]:
    async with StreamBench(limits=LIMITS, policy=FaultPolicy(OnFault.SUBSTITUTE)) as bench:
        yield bench

    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.fixture
async def client(bench: StreamBench) -> Client:
    """Return a bot's end of a stream that has been welcomed."""
    client = bench.connect()
    await settle()
    client.wire.forget()
    return client


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """A referee that claims; it leaves no task behind."""
    door = Door()
    door.start()
    yield door
    await door.referee.stop()

    assert asyncio.all_tasks() == {asyncio.current_task()}
