"""Rulings of organisers, put among the results: each once, whatever becomes of whoever asked for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

from agon_ladder.errors import ResultError
from agon_ladder.results import START, Position
from agon_ladder.rulings import Loss, Ruling, Season, Undo, facts_of, kind_of, read_ruling
from agon_server.store import keys
from agon_server.store.connection import Store


class Ruled(StrEnum):
    """What became of a ruling that was to be made."""

    MADE = "made"
    REPEAT = "repeat"
    """It was made before, under the same id."""
    TAKEN = "taken"
    """Another ruling has done this already."""
    OTHER = "other"
    """Another ruling has this id."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a ruling."""

    ruled: Ruled
    position: Position
    """Of its entry, or of that of the other one with its id; START where another one has done it."""
    by: str = ""
    """The other ruling's id."""


class Rulings:
    """Makes and lists rulings."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def make(self, ruling: Ruling) -> Answer:
        """Put a ruling, whose position does not count, in the results stream. One of this id that is there stays as it
        is, and so do a season of this label, an undoing of this purge and the acceptance of this loss."""
        facts = json.dumps(facts_of(ruling), separators=(",", ":"))
        only = f"season {ruling.label}" if isinstance(ruling, Season) else ""
        only = f"undo {ruling.purge}" if isinstance(ruling, Undo) else only
        only = f"loss {ruling.until}" if isinstance(ruling, Loss) else only
        answer, told = await self._store.script(
            "rule", ruling.ladder, ruling.id, kind_of(ruling), ruling.actor, ruling.why, facts, only
        )
        ruled = Ruled(answer.decode())
        if ruled is Ruled.TAKEN:
            return Answer(ruled, START, told.decode())
        return Answer(ruled, Position.parse(told.decode()))

    async def list(self, ladder: str) -> list[Ruling]:
        """Return all rulings about a ladder, oldest first."""
        flat = await self._store.command("HGETALL", keys.RULINGS + ladder)
        found = []
        for name, text in zip(flat[::2], flat[1::2], strict=True):
            if b" " in name:
                continue  # what can be done once, and by which ruling it was
            position, kind, told = text.decode().split(" ", 2)
            data = json.loads(told)
            ruled = {"id": name.decode(), "ladder": ladder, "actor": data["actor"], "why": data["why"]}
            try:
                found.append(read_ruling(kind, Position.parse(position), ruled, json.loads(data["facts"])))
            except ResultError:
                # Of a later version; its entry is set aside with its reason.
                continue
        return sorted(found, key=lambda ruling: ruling.order)
