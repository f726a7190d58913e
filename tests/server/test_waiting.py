"""Work that has to wait is told of once, not as often as it is tried."""

from __future__ import annotations

import logging

import pytest

from agon_server import waiting as module
from agon_server.store.errors import Away, StoreUnavailableError
from agon_server.waiting import Failing, Waiting


def test_each_reason_is_said_once_and_the_end_of_the_wait_too(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    waiting = Waiting(logging.getLogger("test"), "the archive")
    waiting.over()
    for _ in range(1_000):
        waiting.because(ValueError("the disk is full"))
        waiting.because(ValueError("the store is away"))
    waiting.over()
    waiting.over()
    waiting.because(ValueError("the disk is full"))

    assert caplog.messages == [
        "the archive has to wait: the disk is full",
        "the archive has to wait: the store is away",
        "the archive goes on",
        "the archive has to wait: the disk is full",
    ]


def test_reasons_that_differ_each_time_fill_no_log(caplog: pytest.LogCaptureFixture) -> None:
    waiting = Waiting(logging.getLogger("test"), "the archive")
    for number in range(1_000):
        waiting.because(ValueError(f"attempt {number} failed"))

    assert len(caplog.messages) == 5


def test_errors_of_one_kind_are_one_reason_however_they_read(caplog: pytest.LogCaptureFixture) -> None:
    waiting = Waiting(logging.getLogger("test"), "the archive")
    waiting.because(StoreUnavailableError("connection refused"))
    waiting.because(StoreUnavailableError("no such file"))
    waiting.because(StoreUnavailableError("its disk is full", Away.DISK))

    assert caplog.messages == [
        "the archive has to wait: connection refused",
        "the archive has to wait: its disk is full",
    ]


async def test_a_failure_that_comes_again_and_again_fills_no_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing(logging.getLogger("test"), "claiming")
    for _ in range(1_000):
        failing.because(KeyError("secret"))

    assert len(caplog.messages) == 5
    assert caplog.messages[0].startswith("claiming failed and begins anew:\nKeyError")
    assert "secret" not in caplog.text

    monkeypatch.setattr(module, "FAILURES_SECONDS", 0.0)
    failing.because(KeyError("secret"))

    assert caplog.messages[5].startswith("claiming failed and begins anew (after 995 failures that were not told):")
