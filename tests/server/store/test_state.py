"""The state of the store, as those see it who need it."""

from __future__ import annotations

import asyncio
import logging

import pytest

from agon_server.store.errors import Away, StoreUnavailableError
from agon_server.store.state import NOTICED_SECONDS, Back, StoreState

GONE = StoreUnavailableError("its disk is full", Away.DISK)


class Broken:
    """A listener with a bug."""

    def store_away(self) -> None:
        raise ValueError("secret")

    async def store_back(self, _how: Back) -> None:
        raise ValueError("secret")


class Notes:
    """A listener that notes its name and what it was told."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self._name = name
        self._notes = notes

    def store_away(self) -> None:
        self._notes.append(f"{self._name} away")

    async def store_back(self, how: Back) -> None:
        self._notes.append(f"{self._name} {how.value}")


async def test_listeners_are_told_in_their_order_and_once() -> None:
    state, notes = StoreState(), list[str]()
    for name in ("one", "two"):
        state.listen(Notes(name, notes))
    state.leave(GONE)
    state.leave(GONE)
    await state.come_back(Back.SAME)

    assert notes == ["one away", "two away", "one same", "two same"]


async def test_why_it_is_away_changes_and_every_call_is_told_it() -> None:
    state = StoreState()
    state.ensure_here()
    state.leave(GONE)
    state.leave(StoreUnavailableError("it still reads its data", Away.LOADING))

    assert not state.is_here
    assert state.reason == "it still reads its data"
    with pytest.raises(StoreUnavailableError, match="reads its data") as caught:
        state.ensure_here()
    assert caught.value.why is Away.LOADING

    await state.come_back(Back.SAME)
    state.ensure_here()
    assert state.reason == ""


async def test_a_listener_with_a_bug_keeps_nobody_from_being_told(caplog: pytest.LogCaptureFixture) -> None:
    state, notes = StoreState(), list[str]()
    state.listen(Broken())
    state.listen(Notes("other", notes))
    state.leave(GONE)
    await state.come_back(Back.RESTARTED)

    assert notes == ["other away", "other restarted"]
    assert state.is_here
    assert "secret" not in caplog.text
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2


async def test_who_waits_for_it_goes_on_when_it_is_here() -> None:
    state = StoreState()
    await state.wait_here()
    gone = asyncio.create_task(state.wait_away())
    state.leave(GONE)
    await gone
    back = asyncio.create_task(state.wait_here())
    await asyncio.sleep(0)
    assert not back.done()

    await state.come_back(Back.SAME)
    await back


async def test_how_long_it_was_away_is_known_for_a_while() -> None:
    state = StoreState()
    assert state.absent(3_600) == 0
    for _ in range(2):
        state.leave(GONE)
        await state.come_back(Back.SAME)

    assert 2 * NOTICED_SECONDS <= state.absent(3_600) < 2 * NOTICED_SECONDS + 60
    assert state.absent(0) == 0


async def test_after_it_was_emptied_no_call_is_let_through() -> None:
    state = StoreState()
    await state.come_back(Back.EMPTIED)

    with pytest.raises(StoreUnavailableError, match="was emptied") as caught:
        state.ensure_here()
    assert caught.value.why is Away.EMPTIED
