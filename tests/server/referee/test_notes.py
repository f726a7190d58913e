"""Lines for bots' private logs on their way to the store."""

from __future__ import annotations

import pytest

from agon_server.accounts import Accounts
from agon_server.referee.notes import WAITING, Notes
from agon_server.store.errors import StoreUnavailableError


class Log(Accounts):
    """Keeps what is stored, unless the store is away."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}
        self.away = False

    async def append_notes(self, bot: str, lines: object) -> None:
        if self.away:
            raise StoreUnavailableError("away")
        assert isinstance(lines, list)
        self.lines.setdefault(bot, []).extend(lines)


async def test_a_bot_that_talks_too_much_loses_its_own_lines_alone_and_its_log_says_how_many() -> None:
    """L5."""
    log = Log()
    notes = Notes(log)
    for number in range(WAITING + 7):
        notes.add("talker", f"line {number}")
    notes.add("other", "mine")
    await notes.store()

    assert log.lines["other"] == ["mine"]
    assert log.lines["talker"][-2:] == [f"line {WAITING - 1}", "dropped 7 lines that came too fast"]
    assert len(log.lines["talker"]) == WAITING + 1


async def test_lines_wait_while_the_store_is_away_and_keep_their_order() -> None:
    log = Log()
    notes = Notes(log)
    log.away = True
    notes.add("bot", "first")
    with pytest.raises(StoreUnavailableError):
        await notes.store()
    notes.add("bot", "second")
    log.away = False
    await notes.store()
    await notes.store()

    assert log.lines == {"bot": ["first", "second"]}


async def test_no_more_lines_wait_than_may_however_long_the_store_is_away() -> None:
    log = Log()
    notes = Notes(log)
    log.away = True
    for _ in range(3):
        for number in range(WAITING):
            notes.add("bot", f"line {number}")
        with pytest.raises(StoreUnavailableError):
            await notes.store()
    log.away = False
    await notes.store()

    assert len(log.lines["bot"]) == WAITING + 1
    assert log.lines["bot"][-1] == f"dropped {2 * WAITING} lines that came too fast"
