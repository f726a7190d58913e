"""Short ways through the queue, for tests that are about one step of it."""

from __future__ import annotations

import json

from tests.support.valkey import GAMES

from agon_engine.core.policy import Result, Termination
from agon_server.queue.claim import Claim, Finished, Lease
from agon_server.queue.entry import MatchEntry
from agon_server.queue.queue import Queue
from agon_server.store import keys
from agon_server.store.connection import Store


def server(store: Store, name: str = "one", *, lease_ms: int = 60_000, max_deliveries: int = 5) -> Queue:
    return Queue(store, server=name, address=f"{name}:7420", lease_ms=lease_ms, max_deliveries=max_deliveries)


async def claimed(queue: Queue) -> Claim:
    taken = await queue.claim(GAMES)
    assert isinstance(taken, Claim)
    return taken


def ended(claim: Claim, why: Termination = Termination.SCORE) -> Result:
    """Return a result of the claimed match: all seats share the first place."""
    seats = len(claim.entry.seats)
    return Result(why, (1,) * seats, (0,) * seats, (why,) * seats)


async def renew(queue: Queue, claim: Claim, progress: int) -> Lease:
    (lease,) = await queue.renew_many([(claim, progress)])
    return lease


async def finish(queue: Queue, claim: Claim, record: str = "{}", why: Termination = Termination.SCORE) -> Finished:
    return await queue.finish(claim, record=record, record_hash=f"hash of {record}", result=ended(claim, why))


async def write_result(store: Store, match: MatchEntry, /, **others: str) -> str:
    """Write what the results stream tells of a played match, without its record and with these other fields; return the
    entry's id."""
    facts = {name: getattr(match, name) for name in ("game", "version", "ladder", "block", "index", "attempt")}
    fields = {
        "kind": "played",
        "match": match.match,
        "facts": json.dumps(facts),
        "termination": "score",
        "rated": "1",
        "again": "0",
        "server": "server-1",
        "epoch": "1",
        "reason": "",
        "hash": "h",
        **others,
    }
    written = await store.command("XADD", keys.RESULTS, "*", *(part for field in fields.items() for part in field))
    return str(written.decode())
