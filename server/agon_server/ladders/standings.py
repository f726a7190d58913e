"""A ladder's table for those who read it: services, commands, pages. Intervals are bootstrapped off the loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from agon_ladder.standings import StandingRow, standings
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.tables import Tables
from agon_server.store.connection import Store


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
    failed: str = ""
    """Why the ladder is not folded now, so that the table is old; empty while it is."""


class StandingsReader:
    """Reads tables; keeps the last one of each ladder until it changes."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._tables = Tables(store)
        self._kept: dict[str, tuple[str, Standings]] = {}

    async def read(self, name: str) -> Standings:
        """Return the table of a ladder. Raise UnknownLadderError, or TableDamagedError when it needs a rebuild."""
        ladder = await self._catalogue.get(name)
        version = await self.version(name)
        kept = self._kept.get(name)
        if kept is not None and kept[0] == version and kept[1].ladder == ladder:
            return kept[1]

        table = await self._tables.load(name, ladder.seats, ladder.system, ladder.rotations)
        rows = await asyncio.to_thread(standings, table.state)
        read = Standings(ladder, tuple(rows), table.state.results, str(table.state.position), table.failed)
        # Of the version that was asked for first: a step in between only makes the next call read again.
        self._kept[name] = version, read
        return read

    async def version(self, name: str) -> str:
        """Return a text that changes whenever the ladder's table does; one cheap call, for those who watch."""
        return await self._tables.version(name)
