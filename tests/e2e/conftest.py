"""Where end-to-end tests play: a folder with processes, ended and checked when the test is over."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from tests.support.e2e import Site


@pytest.fixture
def site() -> Iterator[Site]:
    """A folder of the test's own; a fault in a server's log, or a process left behind, fails the test."""
    with Site() as made:
        yield made


@pytest.fixture(autouse=True)
def no_unexpected_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What runs in the test's own process logs no error either."""
    yield
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert not errors
