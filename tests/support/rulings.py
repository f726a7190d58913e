"""Rulings about a ladder of three seats, and what must be true of it after each."""

from __future__ import annotations

from typing import Any

from tests.support.folds import folded_by_hand, stored
from tests.support.ladder_store import Ladders

from agon_ladder.fold import LadderState
from agon_ladder.results import START, Position
from agon_ladder.rulings import Purge, Ruling, Season, Undo
from agon_server.queue.ids import new_id
from agon_server.queue.rulings import Ruled, Rulings

NAME = "ephyran-3"
WHO: dict[str, Any] = {"position": START, "ladder": NAME, "actor": "ann", "why": "because"}


def season(label: str = "autumn", keep: int = 50, id_: str = "") -> Season:
    return Season(**{**WHO, "id": id_ or new_id()}, label=label, keep=keep)


def purge(id_: str = "", **facts: Any) -> Purge:
    return Purge(**{**WHO, "id": id_ or new_id(), **facts})


def undo(of: str) -> Undo:
    return Undo(**{**WHO, "id": new_id()}, purge=of)


async def rule(ladders: Ladders, ruling: Ruling) -> Position:
    answer = await Rulings(ladders.store).make(ruling)
    assert answer.ruled is Ruled.MADE
    return answer.position


async def live(ladders: Ladders) -> LadderState:
    return await stored(ladders, NAME, 3)


async def assert_true(ladders: Ladders) -> None:
    """The live table is what the results and rulings give, and an audit finds nothing."""
    assert (await live(ladders)).canonical() == (await folded_by_hand(ladders, NAME, 3)).canonical()
    assert (await ladders.auditor.audit(NAME)).findings == ()
