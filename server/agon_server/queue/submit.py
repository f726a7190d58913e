"""Putting matches into the queue: the one call behind `Queue.enqueue`, `Queue.enqueue_many` and `Desk.requeue`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from agon_engine.core.record import Deals
from agon_server.queue.entry import MatchEntry
from agon_server.store.connection import Store
from agon_server.store.errors import DuplicateMatchError, FencedError, UnknownMatchError
from agon_server.store.keys import queue_stream


async def submit(store: Store, entry: MatchEntry, *, replaces: str = "") -> bool:
    """Queue a match and reserve its slots; with `replaces` in exchange for that dead letter.

    Return False when a slot is not free. Raise DuplicateMatchError, or UnknownMatchError for the dead letter.
    """
    ((what, match),) = await submit_many(store, (entry,), replaces=replaces)
    if what == "duplicate":
        raise DuplicateMatchError(f"this place of the block was queued before, as match {match!r}", match)
    if what == "unknown":
        raise UnknownMatchError(f"there is no dead letter {replaces!r}")
    return what == "queued"


async def submit_many(
    store: Store, entries: Sequence[MatchEntry], *, replaces: str = "", token: int | None = None
) -> list[tuple[str, str]]:
    """Queue matches in one call, each as `submit` does; return what the script answers for each, and a name.

    `token` is that of the lease under which they were paired: raise FencedError where there is a newer one.
    """
    args = [arg for entry in entries for arg in queued_args(entry, replaces)]
    answers = await store.script("enqueue", "" if token is None else token, *args)
    if answers == b"fenced":
        raise FencedError("another process pairs now")
    return [(what.decode(), name[0].decode() if name else "") for what, *name in answers]


def queued_args(entry: MatchEntry, replaces: str = "") -> tuple[str | int, ...]:
    """Return what `enqueue` is told of a match."""
    return (
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
