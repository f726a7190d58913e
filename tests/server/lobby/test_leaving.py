"""Streams of retired bots: told once, let go when nothing of theirs is left, and not let in again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.valkey import connect, entry

from agon.codec.client import decode_down
from agon.codec.frames import Hello, HelloGame, Notice, NoticeKind, RefusedCode
from agon_server.accounts import Accounts
from agon_server.lobby import leaving as module
from agon_server.lobby.leaving import Leaving
from agon_server.presence import Presence, Sign
from agon_server.queue.queue import Queue
from agon_server.referee.stream import BotStream, Ending
from agon_server.retirements import Retirements
from agon_server.store.connection import Store

TOLD = "version '1' of the bot is retired: crashes"


def hello(version: str, *, slots: int = 1, instance: str = "") -> Hello:
    return Hello(token="t", games=(HelloGame("ephyran"),), bot_version=version, slots=slots, instance=instance)


class Stream:
    """What a lobby needs of a stream of hector's."""

    def __init__(self) -> None:
        self.bot = SimpleNamespace(name="hector")
        self.hello = hello("1")
        self.matches: dict[tuple[str, int], object] = {}
        self.heard: list[Notice] = []
        self.ending: Ending | None = None

    def send(self, piece: bytes) -> None:
        for frame in decode_down(piece):
            assert isinstance(frame.body, Notice)
            self.heard.append(frame.body)

    def end(self, ending: Ending) -> None:
        self.ending = ending


async def retired(store: Store) -> tuple[Leaving, Retirements]:
    """Retire version 1 of hector."""
    retirements = Retirements(store)
    await Accounts(store).register("hector")
    await store.command("HSET", "agon:versions:hector", "1", "1")
    await retirements.retire("hector", "1", actor="priam", reason="crashes")
    return Leaving(retirements, Presence(store)), retirements


def a(stream: Stream, sign: Sign) -> list[tuple[BotStream, Sign]]:
    return [(cast("Any", stream), sign)]


async def test_who_is_retired_is_told_once_and_goes_when_its_last_match_is_over(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.0)
    leaving, retirements = await retired(store)
    stream = Stream()
    stream.matches["m", 0] = object()

    await leaving.look(a(stream, Sign.LEAVING))
    await leaving.look(a(stream, Sign.DONE))  # the store has its result, and Over is still to be sent
    assert stream.ending is None
    assert not await leaving.is_sent_away("hector")
    stream.matches.clear()
    await leaving.look(a(stream, Sign.DONE))

    assert [notice.kind for notice in stream.heard] == [NoticeKind.RETIRED]
    assert TOLD in stream.heard[0].message
    assert await leaving.is_sent_away("hector")
    await retirements.unretire("hector", "1")
    assert not await leaving.is_sent_away("hector")
    assert stream.ending == Ending(RefusedCode.RETIRED, TOLD, needed="a version of the bot that is not retired")


async def test_who_has_no_match_left_stays_for_a_while_since_an_over_may_be_on_its_way(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 3_600.0)
    leaving, _ = await retired(store)
    stream = Stream()

    assert leaving.look_seconds is None
    for _ in range(3):
        await leaving.look(a(stream, Sign.DONE))
        assert leaving.look_seconds == 3_600.0
    assert stream.ending is None
    await leaving.look([])  # it has left by itself
    assert leaving.look_seconds is None


async def test_who_is_not_retired_any_more_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.0)
    leaving, retirements = await retired(store)
    stream = Stream()
    await leaving.look(a(stream, Sign.LEAVING))
    await retirements.unretire("hector", "1")

    await leaving.look(a(stream, Sign.DONE))  # as the store said a moment before
    await leaving.look(a(stream, Sign.HERE))

    assert stream.ending is None
    assert leaving.look_seconds is None


async def test_a_retired_version_comes_in_only_for_what_it_has_begun(store: Store) -> None:
    leaving, retirements = await retired(store)
    await connect(store, "hector", "ajax")
    mine = hello("1")

    refused = await leaving.refusal("hector", mine)
    assert refused is not None
    assert (refused.code, refused.message) == (RefusedCode.RETIRED, TOLD)
    assert await leaving.is_sent_away("hector")
    assert await leaving.refusal("hector", hello("2")) is None
    assert not await leaving.is_sent_away("hector")
    assert await leaving.refusal("hector", hello("1", slots=0)) is None

    assert await Queue(store, server="one").enqueue(entry("hector", "ajax"))
    assert await leaving.refusal("hector", mine) is None
    assert await leaving.refusal("hector", hello("1", instance="2")) is not None
    await retirements.retire("hector", None, actor="priam", reason="fell")
    assert await leaving.refusal("ajax", mine) is None
