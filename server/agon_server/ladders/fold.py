"""The fold of the results stream into the tables of all ladders, by the one process that has the lease.

A batch of results becomes one step a ladder, written whole or not at all. What is in memory is a copy of what is
stored: whenever a step fails, the copy is dropped and read again. So a process may die anywhere, be told a batch twice
or be overtaken by another one, and each result still counts once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from agon_ladder.audit import Tally
from agon_ladder.errors import LadderError, ResultError
from agon_ladder.fold import LadderState, RatingRow
from agon_server.archive.folder import ArchiveError
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.history import History
from agon_server.ladders.reading import live_result
from agon_server.ladders.tables import Change, MovedError, Table, TableDamagedError, Tables
from agon_server.queue.results import Batch, Result
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError, StoreError, StoreUnavailableError
from agon_server.trace import places

log = logging.getLogger(__name__)

MAX_MOVED = 5
"""How often a step is tried again at once where the table was replaced under it."""
_TELLING = (ArchiveError, LadderError, MovedError, StoreError, TableDamagedError)
"""Errors that are raised on purpose: their texts name nothing that is hidden, those of others could."""


class Fold:
    """Folds results while its token is the newest. `begin` comes first, and again after any exception of `take`."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        history: History,
        count_ratings: Callable[[int], None] = lambda _: None,
    ) -> None:
        """`count_ratings` is told how many ratings were changed, for metrics."""
        self._store = store
        self._catalogue = catalogue
        self._tables = Tables(store)
        self._history = history
        self._count_ratings = count_ratings
        self._token = 0
        self._known: dict[str, Table] = {}
        self._tallies: dict[str, Tally] = {}
        """By ladder, what was counted since its table was loaded."""
        self._failed: set[str] = set()

    async def begin(self, token: int) -> None:
        """Start under a new fencing token, with nothing in memory, and catch up what was left behind."""
        self._token = token
        self._known = {}
        self._failed = set()
        for ladder in await self._catalogue.list():
            if await self._store.command("HEXISTS", keys.TABLE + ladder.name, "failed"):
                self._failed.add(ladder.name)
        await self.retry_failed()

    @property
    def failed(self) -> frozenset[str]:
        """The ladders that are not folded now; their results wait in the stream and the archive."""
        return frozenset(self._failed)

    def tally(self, ladder: str) -> Tally | None:
        """Return what was told to `count_ratings` of a ladder since its table was loaded; None where it is not."""
        return self._tallies.get(ladder) if ladder in self._known else None

    async def state(self, ladder: str) -> LadderState:
        """Return a ladder's table as folded so far; not to be changed."""
        return (await self._table(ladder)).state

    async def take(self, batch: Batch) -> None:
        """Fold a batch of the stream. Results that were folded before change nothing.

        A ladder that cannot be folded is noted as failed and left out from then on; the others go on (X15). Raise
        FencedError when another process has the lease, StoreError when the store fails: then `begin` anew.
        """
        for unread in batch.unread:
            await self._set_aside(unread.id, "", "", unread.reason)
        by_ladder: dict[str, list[Result]] = {}
        for result in batch.results:
            if result.ladder:
                by_ladder.setdefault(result.ladder, []).append(result)
        for ladder, results in by_ladder.items():
            if ladder not in self._failed:
                await self._guarded(ladder, results)

    async def retry_failed(self) -> None:
        """Try to fold what failed ladders have missed."""
        for ladder in sorted(self._failed):
            self._failed.discard(ladder)
            self._known.pop(ladder, None)
            await self._catch_up(ladder)

    async def _catch_up(self, ladder: str) -> None:
        try:
            position = (await self._table(ladder)).state.position
        except (FencedError, StoreUnavailableError):
            raise
        except Exception as error:
            await self._fail(ladder, error)
            return

        async for chunk in self._history.chunks(position):
            await self._guarded(ladder, [result for result in chunk if result.ladder == ladder])
            if ladder in self._failed:
                return
        await self._tables.set_failed(self._token, ladder, "")

    async def _guarded(self, ladder: str, results: Sequence[Result]) -> None:
        try:
            await self._fold(ladder, results)
        except (FencedError, StoreUnavailableError):
            raise
        except Exception as error:
            await self._fail(ladder, error)

    async def _fail(self, ladder: str, error: Exception) -> None:
        reason = str(error) if isinstance(error, _TELLING) else type(error).__name__
        log.error(
            "ladder %s cannot be folded and is left out until a restart or a rebuild: %s\n%s",
            ladder,
            reason,
            places(error),
        )
        self._known.pop(ladder, None)
        self._failed.add(ladder)
        await self._tables.set_failed(self._token, ladder, reason)

    async def _fold(self, ladder: str, results: Sequence[Result]) -> None:
        for _ in range(MAX_MOVED):
            try:
                table = await self._table(ladder)
            except UnknownLadderError as error:
                for result in results:
                    await self._set_aside(result.id, result.match, ladder, str(error))
                return

            try:
                await self._step(table, results)
                return
            except MovedError:
                self._known.pop(ladder, None)
            except BaseException:
                # Memory may be ahead of the store now.
                self._known.pop(ladder, None)
                raise
        raise MovedError(f"its table does not stay where it is, after {MAX_MOVED!r} tries")

    async def _step(self, table: Table, results: Sequence[Result]) -> None:
        state = table.state
        before = state.position
        bots: set[str] = set()
        blocks: set[str] = set()
        rows: list[tuple[RatingRow, ...]] = []
        for result in results:
            if result.order <= state.position:
                continue
            try:
                step = state.apply(live_result(result))
            except ResultError as error:
                await self._set_aside(result.id, result.match, result.ladder, str(error))
                continue
            bots.update(step.bots)
            blocks.update(step.blocks)
            if step.rows:
                rows.append(step.rows)
        if state.position == before:
            return

        change = Change(before, frozenset(bots), frozenset(blocks), tuple(rows))
        await self._tables.step(self._token, table, change)
        ratings = sum(len(match) for match in rows)
        self._count_ratings(ratings)
        tally = self._tallies[state.ladder]
        self._tallies[state.ladder] = tally._replace(until=state.position, ratings=tally.ratings + ratings)

    async def _table(self, ladder: str) -> Table:
        table = self._known.get(ladder)
        if table is None:
            known = await self._catalogue.get(ladder)
            table = self._known[ladder] = await self._tables.load(ladder, known.seats, known.system, known.rotations)
            position = table.state.position
            self._tallies[ladder] = Tally(position, position, 0, table.generation)
        return table

    async def _set_aside(self, result_id: str, match: str, ladder: str, reason: str) -> None:
        """Keep what cannot be taken where an operator finds it; the fold goes on without it."""
        log.error("result %s of match %r is set aside: %s", result_id, match, reason)
        await self._tables.set_aside(self._token, result_id, {"match": match, "ladder": ladder, "reason": reason})
