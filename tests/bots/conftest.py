"""What tests of bots share: servers that they script; and a log line at level error, if a test did not expect
(and clear) it, fails the test."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator

import pytest
from tests.support.fake_server import FakeServer

OF_THE_FAKE_SERVER = "servicer method"
"""Said by gRPC where a handler's stream is cancelled by the client and by the server's end at the same time."""


@pytest.fixture(autouse=True)
def no_unexpected_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert not [line for line in errors if OF_THE_FAKE_SERVER not in line]


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with FakeServer() as server:
        yield server


@pytest.fixture
async def other() -> AsyncIterator[FakeServer]:
    async with FakeServer() as server:
        yield server
