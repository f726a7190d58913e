"""The store's calls against a real embedded Valkey: how long a finish takes, and how many matches pass through."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from pathlib import Path

from tests.bench.load import GAME, duel
from tests.bench.report import Row, quantile

from agon_engine.core.policy import Result, Termination
from agon_engine.registry import get_game
from agon_server.accounts import Accounts
from agon_server.presence import BotGame, Presence, Present
from agon_server.queue.claim import Claim
from agon_server.queue.queue import Queue
from agon_server.store.connection import Store, open_store
from agon_server.store.folder import DataFolder

RECORD_BYTES = 16_000
"""About what a record of a real match has."""
BOTS = ("left", "right")


async def queue_duels(store: Store, queue: Queue, matches: int) -> None:
    """Connect two bots, and queue so many matches between them."""
    accounts, presence = Accounts(store), Presence(store)
    for bot in BOTS:
        await accounts.register(bot)
        await presence.put(
            Present(
                bot=bot,
                instance="",
                token=secrets.token_hex(8),
                process="bench",
                slots=matches,
                games=(BotGame(GAME, 0),),
            )
        )
    for _ in range(matches):
        assert await queue.enqueue(duel(*BOTS, secrets.token_bytes(16)))


async def _pass_through(store: Store, matches: int, *, to_disk: bool = False) -> tuple[list[float], float]:
    """Queue, claim and finish so many matches; return the seconds of each finish, waiting `to_disk` too, and of all."""
    queue = Queue(store, server="bench")
    version = get_game(GAME).spec.version
    record = "x" * RECORD_BYTES
    began = time.perf_counter()
    await queue_duels(store, queue, matches)
    ends = (Termination.SCORE,) * 2
    result = Result(Termination.SCORE, (1, 2), (10, 5), ends)
    finishes = []
    for _ in range(matches):
        claim = await queue.claim({(GAME, version)})
        assert isinstance(claim, Claim)
        at = time.perf_counter()
        finished = await queue.finish(claim, record=record, record_hash=claim.entry.match, result=result)
        assert finished.stored
        if to_disk:
            assert await queue.is_kept(claim.entry.match, claim.entry.match)
        finishes.append(time.perf_counter() - at)
    return finishes, time.perf_counter() - began


async def _measure(matches: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder, DataFolder.open(Path(folder) / "data") as data:
        store = await open_store(None, data)
        try:
            finishes, seconds = await _pass_through(store, matches)
            await store.command("FLUSHALL")
            kept, _ = await _pass_through(store, matches // 10, to_disk=True)
        finally:
            await store.aclose()
    return [
        Row("finish: p50", 1e3 * quantile(finishes, 0.5), "ms", "<= 1", f"records of {RECORD_BYTES} bytes"),
        Row("finish: p99", 1e3 * quantile(finishes, 0.99), "ms"),
        Row("finish, until it is on disk: p50", 1e3 * quantile(kept, 0.5), "ms", "", "Over waits for it"),
        Row("finish, until it is on disk: p99", 1e3 * quantile(kept, 0.99), "ms"),
        Row("enqueue, claim and finish, one after the other", matches / seconds, "matches/s"),
    ]


def measure(*, quick: bool = False) -> list[Row]:
    """Measure with append-only file on, as every server runs it."""
    return asyncio.run(_measure(200 if quick else 5_000))
