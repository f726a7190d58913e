"""The archive as a reader of the results stream: takes each result once it is on disk in the store, and says how far it
is, so that the stream can be trimmed. How it lies on disk is `folder`'s."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from agon_ladder.rulings import Ruling
from agon_server.archive.folder import ArchiveError, ArchiveFolder
from agon_server.queue.feed import Feed
from agon_server.queue.reading import Told
from agon_server.queue.results import KEEP, Entry, Result, Results, Trimmed, order
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import StoreError
from agon_server.waiting import Failing, Waiting

_AT_ONCE = 500
_WAIT_MS = 10_000
RETRY_SECONDS = (1.0, 2.0, 5.0, 10.0, 30.0)
"""How long a failure is waited out, the first, the second …; the last one from then on."""

HELD_UP = 1_000
"""Results that a reader may hold up before it is told; one that was away for a while is soon through."""
_TELL_SECONDS = 600.0

log = logging.getLogger(__name__)


class Archive:
    """The archive in one folder. The methods that are not coroutines read the disk and are for a worker thread."""

    def __init__(self, path: Path, store: Store, results: Results, *, linger: float = 1.0, keep: int = KEEP) -> None:
        """Open the folder, made when missing. `linger` is how many seconds results are gathered for one write, `keep`
        how many of the newest stay in the stream too.

        Raise ArchiveError when it is damaged.
        """
        self.folder = ArchiveFolder(path)
        self._store = store
        self._results = results
        self._feed = Feed(store)
        self._linger = linger
        self._keep = keep
        self._registered = False
        self._tell_after = 0.0
        self._reader = self.folder.reader
        self._taking = asyncio.Lock()

    async def run(self) -> None:
        """Take results as they come, for ever, and trim the stream; cancel to end. What fails is tried again."""
        failures = 0
        waiting, failing = Waiting(log, "the archive"), Failing(log, "the archive")
        async with self._store.waiter() as waiter:
            while True:
                try:
                    cursor = await self._register()
                    if (await self._feed.wait_after(waiter, cursor, 1, _WAIT_MS)).cursor:
                        await asyncio.sleep(self._linger)
                        await self.drain()
                        self._tell_held_up(await self._results.trim(self._keep))
                except (ArchiveError, StoreError) as error:
                    waiting.because(error)
                except Exception as error:
                    failing.because(error)
                else:
                    failures = 0
                    waiting.over()
                    continue
                await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
                failures += 1

    def _tell_held_up(self, trimmed: Trimmed) -> None:
        """Say who lets the stream grow, now and then."""
        now = asyncio.get_running_loop().time()
        if trimmed.waiting >= HELD_UP and now >= self._tell_after:
            self._tell_after = now + _TELL_SECONDS
            log.warning(
                "the results stream has %d results more than it needs, since reader %r has not taken them; start its "
                "server again, or if that is gone for good run HDEL %s %s in the store",
                trimmed.waiting,
                trimmed.slowest,
                keys.READERS,
                trimmed.slowest,
            )

    async def drain(self) -> int:
        """Take all results that there are now; return how many. Raise ArchiveError or StoreError where it cannot.

        An entry of the stream that is no result is kept as it is, so that nothing is lost when the stream is trimmed.
        """
        taken = 0
        async with self._taking:
            cursor = await self._register()
            while (batch := await self._results.after(cursor, _AT_ONCE)).cursor:
                await self._store.wait_durable()
                taken += await asyncio.to_thread(self.folder.append, batch.results, batch.unread, batch.rulings)
                for unread in batch.unread:
                    log.error("entry %s of the results stream is set aside: %s", unread.id, unread.reason)
                cursor = batch.cursor
                await self._results.advance(self._reader, cursor)
        return taken

    async def _register(self) -> str:
        """Return the cursor, announced to the store before the first read."""
        # Whoever reads the folder in a thread may have its lock.
        cursor = await asyncio.to_thread(lambda: self.cursor)
        if not self._registered:
            await self._results.register(self._reader)
            await self._results.advance(self._reader, cursor)
            await self._forget_others()
            trimmed = await self._results.trimmed_to()
            if order(trimmed) > order(cursor):
                await asyncio.to_thread(self.folder.lack, trimmed)
                log.error(
                    "the archive lacks the results after %s up to %s: the store has trimmed them. Ladders are audited "
                    "and rebuilt by a server whose archive has all",
                    cursor,
                    trimmed,
                )
            self._registered = True
        return cursor

    async def _forget_others(self) -> None:
        """Forget earlier archives where there can be no other: the embedded store is that of this data folder alone."""
        if self._store.embedded is None:
            return
        for reader in await self._results.readers():
            if reader.startswith("archive:") and reader != self._reader:
                log.warning("the archive that was known as %s is gone; results no longer wait for it", reader)
                await self._results.forget(reader)

    def find(self, match: str) -> Result | None:
        """Return the archived result of a match, its record included."""
        return self.folder.find(match)

    def results(self, after: str = "0-0") -> Iterator[Result]:
        """Iterate over all archived results after the cursor, in the order of the stream."""
        return self.folder.results(after)

    def entries(self, after: str = "0-0", ladder: str = "") -> Iterator[Entry]:
        """Iterate over all archived results and rulings after the cursor, or over a ladder's, in the order of the
        stream."""
        return self.folder.entries(after, ladder)

    def told(self, ladder: str, after: str = "0-0") -> Iterator[Told]:
        """Iterate over a ladder's archived entries after the cursor, results as their records told them."""
        return self.folder.told(ladder, after)

    def rulings(self) -> list[Ruling]:
        """Return all archived rulings, in the order of the stream."""
        return self.folder.rulings()

    def places(self, matches: Sequence[str]) -> dict[str, str]:
        """Return the ids of the archived results of some matches, by match."""
        return self.folder.places(matches)

    @property
    def cursor(self) -> str:
        """The id of the last result that is in the archive."""
        return self.folder.cursor

    @property
    def lacks(self) -> str:
        """The id up to which results are missing; `0-0`: none."""
        return self.folder.lacks

    def latest(self, count: int, *, before: str = "", ladder: str = "", bot: str = "") -> list[Result]:
        """Return archived results, the latest first: before the cursor, of the ladder, with the bot, where given."""
        return self.folder.latest(count, before=before, ladder=ladder, bot=bot)

    def of_block(self, block: str) -> list[Result]:
        """Return the archived results of a block, in the order in which they ended."""
        return self.folder.of_block(block)

    def close(self) -> None:
        self.folder.close()
