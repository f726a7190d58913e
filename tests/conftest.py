"""What holds for all tests: a property's examples have no deadline of their own, since the machine may be busy; and
Ctrl-C works for what they start, also where they run in the background of a shell, which lets it be ignored; and a
test has the same name in every process, since bytes, which may hold a time or be drawn, are no part of it; and what
grpc says on one test's loop of the loop before, which is closed, is in no log that a test reads."""

from __future__ import annotations

import logging
import signal

import pytest
from hypothesis import settings

settings.register_profile("agon", deadline=None)
settings.load_profile("agon")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    return argname if isinstance(val, bytes) else None


def pytest_configure() -> None:
    logging.getLogger("asyncio").addFilter(lambda record: "PollerCompletionQueue" not in record.getMessage())
