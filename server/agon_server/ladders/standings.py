"""A ladder's table for those who read it: services, commands, pages. Intervals are bootstrapped off the loop."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from agon_ladder.standings import StandingRow, standings
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.encoding import SeasonOver
from agon_server.ladders.tables import Tables
from agon_server.store.connection import Store

PAST_KEPT: Final = 32
"""Tables of past seasons that are kept in memory."""


@dataclass(frozen=True, slots=True)
class Standings:
    """A ladder's table at one point of its results."""

    ladder: LadderDef
    rows: tuple[StandingRow, ...]
    """Best first."""
    results: int
    """Rated matches that the table rests on."""
    position: str
    """Of the last of them in the results stream."""
    season: str
    """The label of its season."""
    ended: int = 0
    """When that ended, in milliseconds since 1970; 0 while it is running."""
    failed: str = ""
    """Why the ladder is not folded now, so that the table is old; empty while it is."""


class StandingsReader:
    """Reads tables; keeps the last one of each ladder until it changes."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._tables = Tables(store)
        self._kept: dict[str, tuple[str, Standings]] = {}
        self._past: OrderedDict[tuple[str, str, str], Standings] = OrderedDict()
        """By ladder, season and version of the ladder's table."""

    async def read(self, name: str) -> Standings:
        """Return the table of a ladder. Raise UnknownLadderError, or TableDamagedError when it needs a rebuild."""
        ladder = await self._catalogue.get(name)
        version = await self.version(name)
        kept = self._kept.get(name)
        if kept is not None and kept[0] == version and kept[1].ladder == ladder:
            return kept[1]

        table = await self._tables.load(name, ladder.seats, ladder.system, ladder.rotations)
        rows = await asyncio.to_thread(standings, table.state)
        state = table.state
        read = Standings(
            ladder, tuple(rows), state.season_results, str(state.position), state.season.label, failed=table.failed
        )
        # Of the version that was asked for first: a step in between only makes the next call read again.
        self._kept[name] = version, read
        return read

    async def read_past(self, name: str, label: str) -> Standings | None:
        """Return the table of a season that is over; None where there is none of that label. Raise as `read` does."""
        ladder = await self._catalogue.get(name)
        # A purge reaches into past seasons too, by a table that is replaced.
        key = (name, label, await self.version(name))
        if (kept := self._past.get(key)) is not None:
            return replace(kept, ladder=ladder)

        final = await self._tables.season(name, label)
        if final is None:
            return None

        rows = await asyncio.to_thread(standings, final.table)
        ended = final.ended.position
        read = Standings(ladder, tuple(rows), final.results, str(ended), label, ended.time)
        self._past[key] = read
        if len(self._past) > PAST_KEPT:
            self._past.popitem(last=False)
        return read

    async def seasons(self, name: str) -> list[SeasonOver]:
        """Return the seasons of a ladder that are over, oldest first. Raise TableDamagedError as `read` does."""
        return await self._tables.seasons(name)

    async def version(self, name: str) -> str:
        """Return a text that changes whenever the ladder's table does; one cheap call, for those who watch."""
        return await self._tables.version(name)
