"""Log lines at level error fail a test of bots that did not expect (and clear) them."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

OF_THE_FAKE_SERVER = "servicer method"
"""Said by gRPC where a handler's stream is cancelled by the client and by the server's end at the same time."""


@pytest.fixture(autouse=True)
def no_unexpected_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert not [line for line in errors if OF_THE_FAKE_SERVER not in line]
