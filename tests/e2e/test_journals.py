"""Journals against real servers and a real store: what a killed store has lost of them is written again, and one that
cannot be followed costs its own match alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack

import pytest
from tests.support.by_hand import begin, lines, play_to
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, sharing
from tests.support.players import held, playing
from tests.support.proxy import Proxy
from tests.support.raw_bot import RawBot

from agon.codec.frames import Decide, Over, Welcome
from agon_engine.core import FaultPolicy
from agon_engine.core.replay import verify
from agon_engine.registry import get_game
from agon_server.queue.desk import Desk
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.ids import new_id
from agon_server.queue.queue import Queue
from agon_server.store import keys
from agon_server.store.connection import Store

PATIENT = ("time.move=600", "time.connect=600", "time.ready=600", "ping=1", "lease=3600")
NAMES = ("ajax", "briseis")


@pytest.mark.parametrize("moment", ["the match was queued", "it was claimed", "some choices were accepted"])
async def test_a_match_goes_on_though_the_store_has_lost_its_last_moments(site: Site, moment: str) -> None:
    """X9, X11: the referee writes them again; what bots were asked is not asked again, and the result counts once."""
    store = await OwnStore.started(site)
    server = await sharing(site, store, "one", *PATIENT)
    await server.close_ladders()
    tokens = [await server.register(name) for name in NAMES]
    async with AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(RawBot(server.address, token, slots=1)) for token in tokens]
        for bot in bots:
            await bot.next(Welcome)
        on_disk = store.lines_on_disk()
        match = await queue_match(store)
        if moment == "it was claimed":
            on_disk = store.lines_on_disk()
        assert await begin(bots) == match
        if moment == "some choices were accepted":
            await play_to(bots, match, 5)
            on_disk = store.lines_on_disk()
        asked = await play_to(bots, match, 12)
        before = await lines(store, match)
        store.kill()
        store.fall_back(on_disk)
        await store.start()
        await until(server.serving, what="the server serves again", every=CALL_SECONDS)

        assert await lines(store, match) == before

        for bot in bots:
            await bot.play()
        [(frame, over), _] = [await bot.next(Over, match=match) for bot in bots]
        ids = [[body.decision for _, body in bot.all(Decide)] for bot in bots]

    [record] = [record for record in await server.records() if record.match == match]
    assert (frame.epoch, over.record_hash) == (1, record.hash())
    assert record.servers == ("one",)
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in ids)
    assert asked.decision <= max(map(len, ids))
    verify(record, get_game(record.game))
    assert await store.reserved() == {}
    assert "no longer run here" not in server.log


async def queue_match(store: OwnStore) -> str:
    """Queue a match of no ladder, so that nobody but its referee knows of it; return its id."""
    opened = Store(store.url)
    entry = MatchEntry(
        match=new_id(),
        game="ephyran",
        version=1,
        seats=tuple(SeatEntry(name, name) for name in NAMES),
        seed="5" * 32,
        policy=FaultPolicy.default(2),
        block=new_id(),
    )
    try:
        assert await Queue(opened, server="test").enqueue(entry)
    finally:
        await opened.aclose()
    return entry.match


BREAKS: dict[str, Callable[[str], list[tuple[str | bytes | int, ...]]]] = {
    "cut": lambda key: [("LSET", key, 2, b'[2,"abcd","choi')],
    "gap": lambda key: [("LSET", key, 1, "gone"), ("LREM", key, 1, "gone")],
    "foreign": lambda key: [("RPUSH", key, b'[99,"zzzz","fall",0,"resigned"]')],
    "no list": lambda key: [("DEL", key), ("SET", key, "x")],
}


@pytest.mark.parametrize("what", BREAKS)
async def test_a_broken_journal_costs_its_own_match_alone(site: Site, what: str) -> None:
    store = await OwnStore.started(site)
    first = await sharing(site, store, "one", *PATIENT)
    await first.close_ladders("ephyran-2")
    async with Proxy(first.address) as door, playing(first, *NAMES, at=(door.address,)) as company:
        owned = await held(first, company, "one")
        first.kill()
        broken, *others = sorted(owned)
        opened = Store(store.url)
        try:
            for command in BREAKS[what](keys.JOURNAL + broken):
                await opened.command(*command)
            second = await sharing(site, store, "one", *PATIENT)
            door.target = second.address
            await second.close_ladders()
            company.go_on()
            await until(lambda: over(second, others), what="the others are played", every=CALL_SECONDS)
            await second.settled()
            letters = await Desk(opened).dead()
        finally:
            await opened.aclose()

    assert [letter.match for letter in letters] == [broken]
    assert letters[0].reason.startswith("its journal ")
    assert f"match {broken} is a dead letter: {letters[0].reason}" in second.log
    assert {record.epoch for record in await second.records() if record.match in others} == {2}
    assert await store.reserved() == {}


async def over(server: ServerProcess, matches: list[str]) -> bool:
    return {match.match for match in await server.matches()} >= set(matches)
