"""The ladder role of a server: takes the lease, folds results and pairs, until it is cancelled or another server leads.

One task does both in turn, so neither needs a lock; a second one reads the results stream ahead, a third renews the
lease, a fourth hears when bots come and go. Nothing polls: an idle role wakes for its lease alone.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, suppress

from agon_server.ladders.fold import BATCH, Fold
from agon_server.ladders.lease import Lease
from agon_server.ladders.pairing import Pairing
from agon_server.ladders.tables import Tables
from agon_server.queue.feed import Ended, Feed
from agon_server.queue.results import Batch, Results
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError, StoreError
from agon_server.waiting import Failing, Waiting

log = logging.getLogger(__name__)

AHEAD = 4
"""Batches that are read before they are folded."""
LOOK_MS = 5_000
"""The longest time between two rounds of pairing: what no event tells of (a silent bot) is noticed then."""
RETRY_MS = 60_000
"""How often ladders that could not be folded are tried again."""
GATHER_MS = 50
"""What happens first is folded and paired after at once; what happens within this time after it, all together then."""
PACE = 10
"""After a round that held the loop for t the next one waits for `PACE * t`: planning takes a tenth of the time."""
NEXT_TRY_MS = 2_500
"""How long to wait, at most, before asking for the lead again: a server that ends gives it back early."""
AWAY_SECONDS = 0.5
"""How long to wait before trying again, when the store does not answer or the lease was lost."""


class LadderRole:
    """Leads, or waits to lead, while `run` runs."""

    def __init__(self, store: Store, results: Results, lease: Lease, fold: Fold, pairing: Pairing) -> None:
        self._store = store
        self._results = results
        self._feed = Feed(store)
        self._tables = Tables(store)
        self._lease = lease
        self._fold = fold
        self._pairing = pairing
        self._wake = asyncio.Event()
        self._batches: asyncio.Queue[Batch[Ended]] = asyncio.Queue()
        self._waiting = Waiting(log, "the work on the ladders")
        self._failing = Failing(log, "the ladder role")
        self._is_said = False
        """That this process leads is the last that the log told."""
        self.token: int | None = None
        """The fencing token while this process leads; None while it waits."""

    async def run(self) -> None:
        """Fold and pair for ever, whenever the lease is this server's; cancel to end."""
        while True:
            try:
                await self._lead_once()
            except FencedError as error:
                self._lost(str(error))
                await asyncio.sleep(AWAY_SECONDS)
            except StoreError as error:
                self._waiting.because(error)
                await asyncio.sleep(AWAY_SECONDS)
            except Exception as error:
                self._failing.because(error)
                await asyncio.sleep(AWAY_SECONDS)

    async def catch_up(self) -> None:
        """Fold the results that there are, once and without pairing, unless another server leads. Not while `run` runs.

        For a server that ends: it pairs no more, and what its last matches brought shall still be in the tables.
        """
        token = await self._lease.acquire()
        if token is None:
            return

        try:
            await self._results.register(keys.LADDER_READER)
            await self._fold.begin(token)
            await self._pairing.begin(token)
            batch = await self._feed.after(str(await self._tables.cursor()), BATCH)
            while batch.cursor:
                await self._take(batch)
                batch = await self._feed.after(batch.cursor, BATCH)
        except FencedError:
            log.info("another server leads the ladders now and folds what is left")
        finally:
            # A table that is rated again is no reason to wait: the next server to lead does it.
            await self._fold.stop()
            with suppress(StoreError):
                await self._lease.release(token)

    async def leave(self) -> None:
        """Let another server lead at once, however `run` and `catch_up` were cut off. After both."""
        with suppress(StoreError):
            await self._lease.leave()

    async def _lead_once(self) -> None:
        token = await self._lease.acquire()
        if token is None:
            # What ended the lead may have been a call that was not answered in time, as where a process stood still.
            self._lost("another server leads them now")
            await asyncio.sleep(min(self._lease.ttl_ms / 4, NEXT_TRY_MS) / 1000)
            return

        self._waiting.over()
        log.info("leading the ladders under token %d", token)
        self._is_said = True
        self.token = token
        self._wake = asyncio.Event()
        self._batches = asyncio.Queue(AHEAD)
        # Registered before anything is read: from here on nothing is trimmed that is not folded.
        await self._results.register(keys.LADDER_READER)
        cursor = str(await self._tables.cursor())
        tasks = [
            asyncio.create_task(self._work(token), name="fold and pair"),
            asyncio.create_task(self._read(cursor), name="read results"),
            asyncio.create_task(self._renew(token), name="renew the ladder lease"),
            asyncio.create_task(self._listen(), name="hear bots come and go"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self.token = None
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._fold.stop()
            with suppress(StoreError):
                await self._lease.release(token)

    def _lost(self, why: str) -> None:
        if self._is_said:
            log.warning("no longer leading the ladders: %s", why)
            self._is_said = False

    async def _renew(self, token: int) -> None:
        while True:
            await asyncio.sleep(self._lease.ttl_ms / 4000)
            if not await self._lease.renew(token):
                raise FencedError("the lease was lost")

    async def _read(self, cursor: str) -> None:
        loop = asyncio.get_running_loop()
        async with self._store.waiter() as waiter:
            while True:
                batch = await self._feed.wait_after(waiter, cursor, BATCH, wait_ms=60_000)
                if not batch.cursor:
                    continue
                read_at, cursor = loop.time(), batch.cursor
                await self._batches.put(batch)
                self._wake.set()
                if batch.size < BATCH:
                    await asyncio.sleep(read_at + GATHER_MS / 1000 - loop.time())

    async def _listen(self) -> None:
        async with aclosing(self._store.subscribe(keys.PRESENCE_CHANGES)) as changes:
            async for _ in changes:
                self._wake.set()

    async def _work(self, token: int) -> None:
        await self._fold.begin(token, self._wake.set)
        await self._pairing.begin(token)
        loop = asyncio.get_running_loop()
        not_before = retried = loop.time()
        wanted = True
        while True:
            self._wake.clear()
            while not self._batches.empty():
                await self._take(self._batches.get_nowait())
            await self._fold.go_on()
            if loop.time() - retried >= RETRY_MS / 1000:
                await self._fold.retry_failed()
                retried = loop.time()
            if wanted and loop.time() >= not_before:
                begun = loop.time()
                wanted = await self._pairing.round()
                not_before = max(begun + GATHER_MS / 1000, loop.time() + PACE * self._pairing.spent)
            seconds = not_before - loop.time() if wanted else self._until_due()
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, seconds)):
                    await self._wake.wait()
            wanted = True

    def _until_due(self) -> float:
        """Return in how many seconds a round is due though nothing happens."""
        due_in = self._pairing.due_in()
        return (LOOK_MS if due_in is None else min(LOOK_MS, due_in)) / 1000

    async def _take(self, batch: Batch[Ended]) -> None:
        await self._fold.take(batch)
        self._pairing.take(batch)
        await self._pairing.save(batch.cursor)
