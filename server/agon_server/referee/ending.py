"""The end of a match outside of it: its result is stored for good, and only then its seats are told."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from agon_engine.core.record import line_hash
from agon_server.queue.claim import Claim, Dead, Finish, Finished
from agon_server.queue.queue import NO_RECORD
from agon_server.store.errors import StoreError, StoreUnavailableError
from agon_server.waiting import Waiting

if TYPE_CHECKING:
    from agon_server.metrics import Metrics
    from agon_server.queue.queue import Queue
    from agon_server.referee.elsewhere import Elsewhere
    from agon_server.referee.match import Match
    from agon_server.referee.offering import Offering

log = logging.getLogger(__name__)

RETRY_SECONDS = 0.5
MAX_RETRY_SECONDS = 5.0
"""The first and the longest pause before a result is given again to a store that was away."""


class Endings:
    """Stores the results of one referee."""

    def __init__(self, server: str, queue: Queue, elsewhere: Elsewhere, metrics: Metrics) -> None:
        """`elsewhere` keeps the Overs for bots that come back later."""
        self._server = server
        self._queue = queue
        self._elsewhere = elsewhere
        self._metrics = metrics
        self._storing = Waiting(log, "storing results")

    async def store_and_tell(self, match: Match, claim: Claim, ended: str) -> bool:
        """Store the record of a match that is over, then tell its seats. Return False, nobody being told, where another
        result counts or another referee has the match. `ended`: when, as records write it."""
        entry = match.entry
        record = match.record(claim.servers or (self._server,), ended)
        line = record.to_line()
        record_hash = line_hash(line)
        began = time.perf_counter()
        finished = await self._stored(claim, line, record_hash, match)
        self._metrics.finish_seconds.observe(time.perf_counter() - began)
        if not finished.stored:
            log.warning("the result of match %s was not taken: %s", entry.match, finished.status)
            return False

        pieces = match.tell_over(record_hash, entry.seed if finished.deal_over else "")
        self._elsewhere.remember(entry, pieces)
        assert match.table.result is not None
        self._metrics.for_game(entry.game).finished[match.table.result.termination].inc()
        return True

    async def tell_dead(self, dead: Dead, offering: Offering) -> None:
        """Tell the seats of a dead letter once that is on disk: a store that is killed before has it no longer, and
        the match is delivered once more."""
        try:
            if await self._queue.is_kept(dead.match, NO_RECORD):
                offering.tell_dead(dead)
        except StoreError as error:
            # Who joins the match is told where it is.
            log.debug("the seats of dead letter %s are not told: %s", dead.match, error)

    async def _stored(self, claim: Claim, line: str, record_hash: str, match: Match) -> Finished:
        """Store a result for good, however long the store is away: it is safe to repeat, and is repeated where the
        store has lost it in a restart."""
        result = match.table.result
        assert result is not None
        delay = RETRY_SECONDS
        while True:
            finished: Finished | None = None
            try:
                finished = await self._queue.finish(claim, record=line, record_hash=record_hash, result=result)
                if finished.status is Finish.FENCED:
                    # The store may have lost the claim.
                    (lost,) = await self._queue.restore_many([(claim, match.lines)])
                    if not lost:
                        await asyncio.sleep(delay)
                        continue
                is_kept = not finished.stored or await self._queue.is_kept(claim.entry.match, record_hash)
            except StoreError as error:
                if finished is None and not isinstance(error, StoreUnavailableError):
                    raise
                # What is stored is stored, whatever is refused afterwards: its seats are told in the end.
                self._storing.because(error)
                await asyncio.sleep(delay)
                delay = min(MAX_RETRY_SECONDS, delay * 2)
            else:
                self._storing.over()
                if is_kept:
                    return finished
