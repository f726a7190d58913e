"""What the fold of results has made, and what it must have made."""

from __future__ import annotations

import json

from tests.support.ladder_store import Ladders

from agon_ladder.fold import LadderState
from agon_ladder.rulings import Season, purged_by, standing
from agon_server.queue.reading import read_result
from agon_server.queue.results import Result
from agon_server.store import keys


async def stored(ladders: Ladders, name: str, seats: int = 2) -> LadderState:
    return (await ladders.tables.load(name, seats)).state


async def folded_by_hand(ladders: Ladders, name: str, seats: int = 2) -> LadderState:
    """Fold the whole stream without the code under test."""
    entries = (await ladders.results.after("0-0", 100_000)).entries
    purges = standing(entry for entry in entries if not isinstance(entry, Result))
    state = LadderState(name, seats)
    for entry in entries:
        if entry.ladder != name:
            continue
        if isinstance(entry, Season):
            state.begin_season(entry)
        elif isinstance(entry, Result):
            read = read_result(entry)
            state.apply(read, purged=purged_by(purges, read) is not None)
        else:
            state.pass_over(entry.position)
    return state


async def set_aside(ladders: Ladders) -> dict[str, dict[str, str]]:
    """Return what is noted of each entry that was set aside, by id."""
    flat = await ladders.store.command("HGETALL", keys.SET_ASIDE)
    return {name.decode(): json.loads(text) for name, text in zip(flat[::2], flat[1::2], strict=True)}
