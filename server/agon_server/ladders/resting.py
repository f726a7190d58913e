"""Which bots rest after a match that they did not come to: who pairs tells the store, and whoever lists bots reads it.
It informs people alone; pairing goes by what it remembers itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from agon_ladder.pairing.rests import LONGEST_REST_MS
from agon_server.store import keys
from agon_server.store.connection import Store


async def write_rests(store: Store, until: Mapping[str, int]) -> None:
    """Tell who rests, and until when; all others do not. It is forgotten when the longest rest is over."""
    await store.command("SET", keys.RESTS, json.dumps(dict(until), separators=(",", ":")), "PX", LONGEST_REST_MS)


async def read_rests(store: Store, now: int) -> Mapping[str, int]:
    """Return who rests at that moment, by name, and until when."""
    text = await store.command("GET", keys.RESTS)
    if text is None:
        return {}

    return {bot: until for bot, until in json.loads(text).items() if until > now}
