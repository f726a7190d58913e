"""The fold of the results stream into the tables of all ladders, by the one process that has the lease.

A batch of results and seasons becomes one step a ladder, written whole or not at all. What is in memory is a copy of
what is stored: whenever a step fails, the copy is dropped and read again. So a process may die anywhere, be told a
batch twice or be overtaken by another one, and each result still counts once.

A purge, the undoing of one, and the acceptance of a loss change what was folded long ago: the ladder waits, marked as
one that is not folded, while its table is rated again beside the loop and replaced, and then catches up. Where the
process dies meanwhile, the next one comes to the same ruling and does the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from agon_ladder.audit import Tally
from agon_ladder.errors import LadderError, ResultError
from agon_ladder.fold import FinalTable, LadderState, Step
from agon_ladder.results import MatchResult, Position
from agon_ladder.rulings import Ruling, Season
from agon_server.archive.folder import ArchiveError
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.encoding import TableDamagedError
from agon_server.ladders.history import History, HistoryGapError
from agon_server.ladders.rebuild import Auditor
from agon_server.ladders.tables import RERATED, Change, MovedError, Table, Tables
from agon_server.queue.feed import Ended, told
from agon_server.queue.reading import Told, Unreadable
from agon_server.queue.results import Batch
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError, StoreError, StoreUnavailableError
from agon_server.trace import places

log = logging.getLogger(__name__)

BATCH = 800
"""Results that become one step at most: the more, the fewer rows of the table are written for each."""
AT_ONCE = 50
"""Of these, how many are folded before the loop may play: a millisecond or two."""
MAX_MOVED = 5
"""How often a step is tried again at once where the table was replaced under it."""
_TELLING = (ArchiveError, HistoryGapError, LadderError, MovedError, StoreError, TableDamagedError)
"""Errors that are raised on purpose: their texts name nothing that is hidden, those of others could."""


class Fold:
    """Folds results while its token is the newest. `begin` comes first, and again after any exception of `take`."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        history: History,
        count_ratings: Callable[[int], None] = lambda _: None,
        rerate: Callable[[str, Position], Awaitable[None]] | None = None,
    ) -> None:
        """`count_ratings` is told how many ratings were changed, for metrics. `rerate` rates a ladder again up to a
        ruling there; by default this process does."""
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
        self._rerate = rerate or Auditor(store, catalogue, history).rerate
        self._rerating: dict[str, asyncio.Task[None]] = {}
        self._wake: Callable[[], None] = lambda: None

    async def begin(self, token: int, wake: Callable[[], None] = lambda: None) -> None:
        """Start under a new fencing token, with nothing in memory, and catch up what was left behind.

        `wake` is called when a ladder was rated again, so that `go_on` is due.
        """
        await self.stop()
        self._wake = wake
        self._token = token
        self._known = {}
        self._failed = set()
        for ladder in await self._catalogue.list():
            if await self._store.command("HEXISTS", keys.TABLE + ladder.name, "failed"):
                self._failed.add(ladder.name)
        await self._mind_the_gap()
        await self.retry_failed()

    async def _mind_the_gap(self) -> None:
        """Where somebody took results out of the stream that were not folded: fold them from the archive, and say which
        ones nobody has."""
        cursor = await self._tables.cursor()
        gone = Position.parse(await self._history.trimmed_to())
        if gone <= cursor:
            return

        try:
            await self._history.check_whole(cursor)
        except HistoryGapError as error:
            await self._set_aside(str(gone), "", "", f"not folded, as are those before it after {cursor}: {error}")
        else:
            self._failed.update(ladder.name for ladder in await self._catalogue.list())

    async def stop(self) -> None:
        """End what runs beside; it is taken up again by the next `begin`, here or elsewhere."""
        tasks = list(self._rerating.values())
        self._rerating = {}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def go_on(self) -> None:
        """Catch up ladders that were rated again."""
        for ladder in [name for name, task in self._rerating.items() if task.done()]:
            task = self._rerating.pop(ladder)
            try:
                task.result()
            except StoreUnavailableError:
                raise
            except Exception as error:
                await self._fail(ladder, error)
                continue
            self._failed.discard(ladder)
            self._known.pop(ladder, None)
            await self._catch_up(ladder)

    async def settle(self) -> None:
        """Wait until no ladder is being rated again, and catch them up."""
        while self._rerating:
            await asyncio.wait(self._rerating.values())
            await self.go_on()

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

    async def take(self, batch: Batch[Ended]) -> None:
        """Fold a batch of the stream. Results that were folded before change nothing.

        A ladder that cannot be folded is noted as failed and left out from then on; the others go on (X15). Raise
        FencedError when another process has the lease, StoreError when the store fails: then `begin` anew.
        """
        for unread in batch.unread:
            await self._set_aside(unread.id, "", "", unread.reason)
        if batch.gone:
            await self._mind_the_gap()
            await self.retry_failed()
        by_ladder: dict[str, list[Told]] = {}
        repeats = await self._history.repeats(batch.results)
        for entry in batch.entries:
            if isinstance(entry, Ended) and entry.id in repeats:
                again = f"the match has a result already: {repeats[entry.id]!r}"
                await self._set_aside(entry.id, entry.match, entry.ladder, again)
            elif ladder := entry.ladder:
                by_ladder.setdefault(ladder, []).append(told(entry))
        for ladder, entries in by_ladder.items():
            if ladder not in self._failed:
                await self._guarded(ladder, entries)

    async def retry_failed(self) -> None:
        """Try to fold what failed ladders have missed."""
        for ladder in sorted(self._failed - self._rerating.keys()):
            self._failed.discard(ladder)
            self._known.pop(ladder, None)
            await self._catch_up(ladder)

    async def _catch_up(self, ladder: str) -> None:
        try:
            position = (await self._table(ladder)).state.position
            async for chunk in self._history.told(ladder, position):
                await self._guarded(ladder, chunk)
                if ladder in self._failed:
                    return
        except (FencedError, StoreUnavailableError):
            raise
        except Exception as error:
            # The table, the archive, or results that nobody has any more: the ladder's own trouble.
            await self._fail(ladder, error)
            return

        await self._tables.set_failed(self._token, ladder, "")

    async def _guarded(self, ladder: str, entries: Sequence[Told]) -> None:
        try:
            await self._fold(ladder, entries)
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

    async def _fold(self, ladder: str, entries: Sequence[Told]) -> None:
        for _ in range(MAX_MOVED):
            try:
                table = await self._table(ladder)
            except UnknownLadderError as error:
                for entry in entries:
                    await self._set_aside_entry(entry, str(error))
                return

            try:
                ruling = await self._step(table, entries)
                if ruling is not None:
                    await self._rate_again(ladder, ruling)
                return
            except MovedError:
                self._known.pop(ladder, None)
            except BaseException:
                # Memory may be ahead of the store now.
                self._known.pop(ladder, None)
                raise
        raise MovedError(f"its table does not stay where it is, after {MAX_MOVED!r} tries")

    async def _step(self, table: Table, entries: Sequence[Told]) -> Ruling | None:
        """Fold entries in one step; up to a ruling that changes what was folded before, which is returned."""
        state = table.state
        before = state.position
        bots: set[str] = set()
        blocks: set[str] = set()
        rated: list[Step] = []
        seasons: list[FinalTable] = []
        ruling: Ruling | None = None
        for number, entry in enumerate(entries, start=1):
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            if entry.position <= state.position:
                continue
            try:
                if isinstance(entry, MatchResult):
                    step = state.apply(entry)
                elif isinstance(entry, Unreadable):
                    await self._set_aside_entry(entry, entry.reason)
                    continue
                elif isinstance(entry, Season):
                    # With thousands of bots it takes tens of milliseconds, and the loop plays.
                    seasons.append(await asyncio.to_thread(state.begin_season, entry))
                    bots.update(state.bots)
                    blocks.update(state.partial)
                    continue
                else:
                    ruling = entry
                    break
            except ResultError as error:
                await self._set_aside_entry(entry, str(error))
                continue
            bots.update(step.bots)
            blocks.update(step.blocks)
            if step.is_rated:
                rated.append(step)
        if state.position == before:
            return ruling

        change = Change(before, frozenset(bots), frozenset(blocks), rated, tuple(seasons))
        await self._tables.step(self._token, table, change)
        ratings = sum(len(step.after) for step in rated)
        self._count_ratings(ratings)
        tally = self._tallies[state.ladder]
        self._tallies[state.ladder] = tally._replace(until=state.position, ratings=tally.ratings + ratings)
        return ruling

    async def _rate_again(self, ladder: str, ruling: Ruling) -> None:
        """Let the ladder wait while its table is rated again."""
        log.info("ladder %s is rated again, by ruling %s of %s", ladder, ruling.id, ruling.actor)
        self._known.pop(ladder, None)
        self._failed.add(ladder)
        await self._tables.set_failed(self._token, ladder, RERATED)
        task = asyncio.ensure_future(self._rerate(ladder, ruling.position))
        task.add_done_callback(lambda _: self._wake())
        self._rerating[ladder] = task

    async def _table(self, ladder: str) -> Table:
        table = self._known.get(ladder)
        if table is None:
            known = await self._catalogue.get(ladder)
            table = self._known[ladder] = await self._tables.load(ladder, known.seats, known.system, known.rotations)
            position = table.state.position
            self._tallies[ladder] = Tally(position, position, 0, table.generation)
        return table

    async def _set_aside_entry(self, entry: Told, reason: str) -> None:
        match = "" if isinstance(entry, Ruling) else entry.match
        await self._set_aside(str(entry.position), match, entry.ladder, reason)

    async def _set_aside(self, result_id: str, match: str, ladder: str, reason: str) -> None:
        """Keep what cannot be taken where an operator finds it; the fold goes on without it."""
        log.error("result %s of match %r is set aside: %s", result_id, match, reason)
        await self._tables.set_aside(self._token, result_id, {"match": match, "ladder": ladder, "reason": reason})
