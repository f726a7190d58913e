"""The results stream as ladders read it: in order, and past entries that nobody understands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agon_server.queue.results import Result, Results
from agon_server.store import keys
from agon_server.store.connection import Store

CHUNK = 50
"""Results read at a time: what one turn of the loop can fold in a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Unread:
    """An entry of the results stream that is no result."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive entries of the results stream."""

    results: Sequence[Result] = ()
    unread: Sequence[Unread] = ()
    cursor: str = ""
    """The id of the last entry; empty where there was none."""


class Feed:
    """Reads the results stream in batches."""

    def __init__(self, store: Store, results: Results) -> None:
        self._store = store
        self._results = results

    async def after(self, cursor: str, wait_ms: int = 0) -> Batch:
        """Return the entries after the cursor, at most `CHUNK`; wait for the first one where there is none yet.

        May be cancelled at any time.
        """
        try:
            if wait_ms:
                results = await self._results.wait_after(cursor, wait_ms, CHUNK)
            else:
                results = await self._results.after(cursor, CHUNK)
        except (LookupError, TypeError, ValueError):
            return await self._one_by_one(cursor)

        return Batch(results, cursor=results[-1].id if results else "")

    async def _one_by_one(self, cursor: str) -> Batch:
        """Read what cannot be read together, so that only the broken entries are left out."""
        results: list[Result] = []
        unread: list[Unread] = []
        for entry_id, _ in await self._store.command("XRANGE", keys.RESULTS, f"({cursor}", "+", "COUNT", CHUNK):
            this = entry_id.decode()
            try:
                results += await self._results.after(cursor, 1)
            except (LookupError, TypeError, ValueError) as error:
                unread.append(Unread(this, f"no result can be read from it: {error!r}"))
            cursor = this
        return Batch(results, unread, cursor)
