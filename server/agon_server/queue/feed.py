"""The results stream as those read it who fold and pair: each result as a ladder needs it, without its record, of which
no more is looked at than tells whose it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from agon_ladder.results import MatchResult, Position
from agon_ladder.rulings import Ruling
from agon_server.queue.reading import Told, Unreadable, is_named
from agon_server.queue.results import Batch, Kind, order, read_batch, read_facts, read_outcome
from agon_server.store import keys
from agon_server.store.connection import MAX_BLOCK_MS, Store, Waiter

_BEGINNING_BYTES = 256
"""Of a record: enough for match, block and ladder."""
_AT_ONCE = 100
"""Entries that are read in one turn of the loop: a millisecond or two."""


class Ended(NamedTuple):
    """One ended match."""

    id: str
    """In the stream."""
    kind: Kind
    result: MatchResult
    """As the stream tells it; one that was never played (a dead letter, cancelled while it waited) has no bots."""
    plays_again: bool
    """Whether its place in the block is to be played again."""
    reason: str
    """Why it is dead or cancelled."""
    flaw: str = ""
    """Why it counts in no ladder; empty where it can."""

    @property
    def order(self) -> Position:
        return self.result.position

    @property
    def match(self) -> str:
        return self.result.match

    @property
    def ladder(self) -> str:
        return self.result.ladder

    @property
    def told(self) -> MatchResult | Unreadable:
        """What a ladder folds."""
        result = self.result
        return Unreadable(result.position, result.match, result.ladder, self.flaw) if self.flaw else result


def told(entry: Ended | Ruling) -> Told:
    """Return what a ladder folds of an entry."""
    return entry.told if isinstance(entry, Ended) else entry


class Feed:
    """Access to the results stream for a registered reader: of what may be trimmed, the record may be gone already."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def after(self, cursor: str, count: int) -> Batch[Ended]:
        """Return up to `count` entries after the cursor, in order, and whether one was taken out before that."""
        found = await self._store.command("XRANGE", keys.RESULTS, f"({cursor}", "+", "COUNT", count)
        if not found:
            return Batch()

        ids = [entry_id for entry_id, _ in found]
        gone, begins = await self._store.script("record_beginnings", _BEGINNING_BYTES, *ids)
        entries = [(*entry, begin) for entry, begin in zip(found, begins, strict=True)]
        batch = read_batch(entries[:_AT_ONCE], _ended)
        for start in range(_AT_ONCE, len(entries), _AT_ONCE):
            # The loop may play meanwhile.
            await asyncio.sleep(0)
            batch += read_batch(entries[start : start + _AT_ONCE], _ended)
        # What is trimmed lies before the cursor of every reader.
        was_read = gone in ids or order(gone.decode()) <= order(cursor)
        return batch if was_read else replace(batch, gone=gone.decode())

    async def wait_after(self, waiter: Waiter, cursor: str, count: int, wait_ms: int) -> Batch[Ended]:
        """Return up to `count` entries after the cursor as `after` does; wait up to `wait_ms` for the first one.

        The waiter is to be the caller's own, kept from call to call. May be cancelled at any time.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_ms / 1000
        while not (batch := await self.after(cursor, count)).cursor and loop.time() < deadline:
            left_ms = max(1, min(int((deadline - loop.time()) * 1000), MAX_BLOCK_MS))
            await waiter.command("XREAD", "COUNT", 1, "BLOCK", left_ms, "STREAMS", keys.RESULTS, cursor)
        return batch


def _ended(entry_id: str, fields: Mapping[str, str], begins: bytes) -> Ended:
    facts, outcome = read_facts(fields), read_outcome(fields)
    match, was_played, flaw = facts.match, facts.kind is Kind.PLAYED, ""
    if was_played:
        # Earlier versions wrote the record into the entry itself.
        beginning = begins.decode("ascii", "replace") or fields.get("record", "")
        if outcome is None:
            flaw = f"the record of match {match} cannot be read: {entry_id!r}"
        elif not is_named(beginning, match, facts.block, facts.ladder):
            flaw = f"the record of match {match} is lost, or is another one's: {entry_id!r}"
    result = MatchResult(
        Position(*order(entry_id)),
        match,
        facts.ladder,
        outcome.bots if outcome is not None else (),
        outcome.placements if outcome is not None else (),
        outcome.terminations if outcome is not None else (),
        facts.termination,
        was_played and facts.rated,
        facts.block,
        facts.place,
        facts.attempt,
        servers=(facts.server,) if facts.server else (),
    )
    return Ended(entry_id, facts.kind, result, facts.plays_again, facts.reason, flaw)
