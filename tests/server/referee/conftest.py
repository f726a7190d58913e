"""What all tests of the referee share: an error in its log fails the test, unless the test looks at the log itself."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


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
