"""Putting a match into the queue: the one call behind `Queue.enqueue` and `Desk.requeue`."""

from __future__ import annotations

import json

from agon_engine.core.record import Deals
from agon_server.queue.entry import MatchEntry
from agon_server.store.connection import Store
from agon_server.store.errors import DuplicateMatchError, UnknownMatchError
from agon_server.store.keys import queue_stream


async def submit(store: Store, entry: MatchEntry, *, replaces: str = "") -> bool:
    """Queue a match and reserve its slots; with `replaces` in exchange for that dead letter.

    Return False when a slot is not free. Raise DuplicateMatchError, or UnknownMatchError for the dead letter.
    """
    answer = await store.script(
        "enqueue",
        entry.match,
        queue_stream(entry.game, entry.version),
        entry.game,
        entry.to_json(),
        json.dumps([seat.place for seat in entry.seats]),
        _facts(entry),
        entry.block,
        entry.index,
        entry.attempt,
        entry.block_size,
        shared_deal(entry),
        replaces,
    )
    what = answer[0].decode()
    if what == "duplicate":
        match = answer[1].decode()
        raise DuplicateMatchError(f"this place of the block was queued before, as match {match!r}", match)
    if what == "unknown":
        raise UnknownMatchError(f"there is no dead letter {replaces!r}")
    return bool(what == "queued")


def shared_deal(entry: MatchEntry) -> str:
    """Return the name of the deal that other matches have too: the block's id; empty where there are none."""
    return entry.block if entry.deals is Deals.SHARED and entry.block_size > 1 else ""


def _facts(entry: MatchEntry) -> str:
    """Return what a result repeats of the entry, whoever ends the match."""
    return json.dumps(
        {
            "game": entry.game,
            "version": entry.version,
            "ladder": entry.ladder,
            "block": entry.block,
            "index": entry.index,
            "attempt": entry.attempt,
        },
        separators=(",", ":"),
    )
