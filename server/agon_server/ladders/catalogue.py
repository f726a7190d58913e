"""The ladders of an installation, as kept in the store: made, closed, listed. Their tables are kept by `tables`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from agon_engine.core.options import GameFile
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import TimeControl
from agon_engine.registry import game_names, get_game
from agon_server.config import DEFAULT_HOUSE_GAMES
from agon_server.ladders.definitions import DefinitionError, LadderDef, LadderExistsError, UnknownLadderError, define
from agon_server.ladders.tournaments import deals_of
from agon_server.store import keys
from agon_server.store.connection import Store

log = logging.getLogger(__name__)

_read = lru_cache(maxsize=1_000)(LadderDef.from_json)
"""Pairing reads all definitions again and again, and they hardly ever change."""


class Catalogue:
    """All ladders, open and closed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(self, ladder: LadderDef, files: Iterable[GameFile] = ()) -> LadderDef:
        """Keep a new ladder, stamped with the time, and in the same step the files that its options name; return it.

        Does not check that all of them are there. Raise LadderExistsError when the name is taken.
        """
        if ladder.schedule is not None:
            await deals_of(self._store, ladder.name)  # drawn before anything rests on it
        made = replace(ladder, created=await self._store.now_ms())
        flat = [item for file in files for item in file]
        if not await self._store.script("ladder_create", made.name, made.to_json(), *flat):
            raise LadderExistsError(f"there is a ladder of that name already: {made.name!r}")

        return made

    async def close(self, name: str) -> LadderDef:
        """Make no new matches for a ladder from now on; running ones count. Return it; closing it again is no error.

        Raise UnknownLadderError when there is none of that name.
        """
        return await self._change(name, is_open=False)

    async def open(self, name: str) -> LadderDef:
        """Make matches for a ladder that was closed; return it. Opening an open one is no error.

        Raise UnknownLadderError when there is none of that name.
        """
        return await self._change(name, is_open=True)

    async def _change(self, name: str, *, is_open: bool) -> LadderDef:
        while True:
            text = await self._text(name)
            changed = replace(_read(text), open=is_open)
            # Whoever changed it in between is not overwritten.
            if await self._store.script("ladder_change", name, text, changed.to_json()):
                return changed

    async def get(self, name: str) -> LadderDef:
        """Return a ladder. Raise UnknownLadderError when there is none of that name; the message lists all."""
        return _read(await self._text(name))

    async def _text(self, name: str) -> bytes:
        text: bytes | None = await self._store.command("HGET", keys.LADDERS, name)
        if text is None:
            names = ", ".join(ladder.name for ladder in await self.list()) or "none"
            raise UnknownLadderError(f"the ladders here are {names}, not {name!r}")

        return text

    async def make_first(
        self,
        time: TimeControl,
        policy_of: Callable[[int], FaultPolicy],
        games: Iterable[str] | None = None,
        *,
        house_games: int = DEFAULT_HOUSE_GAMES,
    ) -> list[LadderDef]:
        """Make one open ladder for each game and seat count, once in the life of a store; return what was made.

        `policy_of` gives the failure policy for a seat count; `games` are all registered ones by default. A crash
        in between is made good by the next call.
        """
        if await self._store.command("EXISTS", keys.LADDERS_MADE):
            return []

        made = []
        for game in game_names() if games is None else games:
            for seats in get_game(game).spec.seat_counts:
                ladder = define(game=game, seats=seats, time=time, policy=policy_of(seats), house_games=house_games)
                try:
                    made.append(await self.create(ladder))
                except LadderExistsError:
                    continue
        await self._store.command("SET", keys.LADDERS_MADE, "1")
        return made

    async def list(self) -> list[LadderDef]:
        """Return all ladders in the order of their creation, those of one moment by game and seats.

        One whose definition cannot be read is left out and said so in the log: the others go on.
        """
        flat = await self._store.command("HGETALL", keys.LADDERS)
        ladders = []
        for name, text in zip(flat[::2], flat[1::2], strict=True):
            try:
                ladders.append(_read(text))
            except DefinitionError as error:
                log.error("ladder %r is left out: %s", name.decode(), error)
        return sorted(ladders, key=lambda ladder: (ladder.created, ladder.game, ladder.seats, ladder.name))
