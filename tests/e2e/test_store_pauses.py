"""The store cannot be used for a while, in mid-match: bots hear of it, clocks stand still, health says why."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from time import monotonic

import pytest
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, sharing
from tests.support.raw_bot import RawBot

from agon.codec.frames import Choose, Decide, Down, Notice, NoticeKind, Refused, RefusedCode
from agon_server.store.connection import Store

MOVE = 1.0
"""Seconds; there is no bank."""


async def ask(store: OwnStore, *command: str | int) -> None:
    connection = Store(store.url)
    try:
        await connection.command(*command)
    finally:
        await connection.aclose()


async def begin(store: OwnStore, way: str) -> None:
    if way == "held still":
        store.hold_still()
    elif way == "memory full":
        await ask(store, "CONFIG", "SET", "maxmemory", 1)
    else:
        await ask(store, "REPLICAOF", "127.0.0.1", 1)


async def end(store: OwnStore, way: str) -> None:
    if way == "held still":
        store.go_on()
    elif way == "memory full":
        await ask(store, "CONFIG", "SET", "maxmemory", 0)
    else:
        await ask(store, "REPLICAOF", "NO", "ONE")


def why_not(server: ServerProcess) -> str:
    """Return what /healthz says while the server does not serve."""
    try:
        with urllib.request.urlopen(f"http://{server.metrics}/healthz") as response:
            raise AssertionError(response.status)
    except urllib.error.HTTPError as error:
        return error.read().decode()


async def asked_first(*bots: RawBot) -> tuple[RawBot, Down, Decide]:
    """Return who is asked the first decision of a match, and how."""
    await until(lambda: any(bot.all(Decide) for bot in bots), what="a decision is asked")
    (bot,) = [bot for bot in bots if bot.all(Decide)]
    return (bot, *await bot.next(Decide))


WAYS = {
    "held still": "does not answer; is it paused, or held up?",
    "memory full": "has no memory left, and so takes nothing; raise its maxmemory",
    "a replica": "is a replica, which takes nothing; give the primary's URL",
}


@pytest.mark.parametrize("way", WAYS)
async def test_while_no_choice_can_be_stored_bots_are_told_and_clocks_stand_still(site: Site, way: str) -> None:
    """X9, T8."""
    store = await OwnStore.started(site)
    server = await sharing(site, store, "one", f"time.move={MOVE}", "time.bank=0", "lease=600", "time.connect=60")
    await server.close_ladders("ephyran-2")
    tokens = [await server.register(name) for name in ("ajax", "briseis")]
    async with RawBot(server.address, tokens[0], slots=1) as one, RawBot(server.address, tokens[1], slots=1) as two:
        await asyncio.gather(one.start_match(), two.start_match())
        bot, frame, decide = await asked_first(one, two)
        await begin(store, way)
        began = monotonic()
        for each in (one, two):
            assert (await each.next(Notice))[1].kind is NoticeKind.PAUSED
        await until(lambda: monotonic() > began + 3 * MOVE, what="far more has passed than a decision may take")

        assert not await server.serving()
        assert WAYS[way] in await asyncio.to_thread(why_not, server)
        async with RawBot(server.address, tokens[0], slots=0) as late:
            await late.ended()
            assert [body.code for _, body in late.all(Refused)] == [RefusedCode.NOT_SERVING]

        await end(store, way)
        for each in (one, two):
            assert (await each.next(Notice))[1].kind is NoticeKind.RESUMED
        await until(server.serving, what="it serves again", every=CALL_SECONDS)
        await bot.answer(frame, Choose(decide.decision, 0))
        for each in (one, two):
            await each.play()
        await until(server.matches, what="the match ends", every=CALL_SECONDS)
        record = (await server.records())[0]

    move = record.moves[0]
    assert record.faults == ()
    assert move.elapsed_us > 3e6 * MOVE
    assert move.elapsed_us - move.host_us < 1e6 * MOVE
