"""A tournament's table for those who read it: services and commands. Made beside the loop, which plays."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.tournaments import read_progress
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.tournaments.standings import Standing, standings

CHEAP_SECONDS: Final = 0.05
"""A table that is made as fast is made anew for whoever asks after each match."""
PACE: Final = 20
"""A table that takes longer is kept for so many times as long: those who look on cost a twentieth of a processor."""


@dataclass(frozen=True, slots=True)
class TournamentStandings:
    """How far a tournament has come, and how its bots stand."""

    planned: int
    """Matches in all; while rounds follow from results: at most."""
    done: int
    lost: int
    round: int
    """The first one that is not over, from 1; once all is played, the last one."""
    rounds: int
    round_name: str
    """What people call it; empty where there is only one, and once all is played."""
    is_over: bool
    given_up: tuple[str, ...]
    table: tuple[Standing, ...]
    """Best first."""
    tie_breaks: tuple[str, ...]
    due: frozenset[str]
    """The bots of which something is left to play in the rounds that are open."""


@dataclass(frozen=True, slots=True)
class _Kept:
    of: tuple[int, int]
    """When the tournament was made, and what was played of it when its table was made, which only grows."""
    until: float
    """By the loop's clock."""
    standings: TournamentStandings


class TournamentReader:
    """Reads the tables of tournaments; keeps the last one of each until more was played."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, _Kept] = {}
        self._makes: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Each table is made once for all who ask meanwhile."""

    async def read(self, ladder: LadderDef, *, is_now: bool) -> TournamentStandings:
        """Return the table of a tournament as it is now, or, where that is not asked for and it takes long to make, as
        it was a while ago.

        Raise ResultError where what was played cannot be read.
        """
        loop = asyncio.get_running_loop()
        async with self._makes[ladder.name]:
            of = ladder.created, int(await self._store.command("HLEN", keys.PLAYED + ladder.name))
            kept = self._kept.get(ladder.name)
            if kept is not None and (kept.of == of or (not is_now and loop.time() < kept.until)):
                return kept.standings

            began = loop.time()
            made = await self._made(ladder)
            took = loop.time() - began
            until = loop.time() + PACE * took if took > CHEAP_SECONDS else 0.0
            # Of what was counted first: what has come since only makes the next call read again.
            self._kept[ladder.name] = _Kept(of, until, made)
            return made

    async def _made(self, ladder: LadderDef) -> TournamentStandings:
        progress = await read_progress(self._store, ladder)
        table = await asyncio.to_thread(standings, progress, ladder.name)
        return TournamentStandings(
            planned=progress.planned,
            done=progress.done,
            lost=progress.lost,
            round=progress.round + (not progress.is_over),
            rounds=progress.schedule.rounds,
            round_name=await asyncio.to_thread(lambda: progress.round_name),
            is_over=progress.is_over,
            given_up=tuple(progress.given_up),
            table=tuple(table),
            tie_breaks=progress.schedule.tie_breaks,
            due=frozenset(await asyncio.to_thread(progress.bots_due)),
        )
