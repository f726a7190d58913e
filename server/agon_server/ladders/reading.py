"""Results as the queue stores them, read as the ladder needs them. Of a record's line only the head and the end are
parsed: the moves between them are most of it, and no rating depends on them.
"""

from __future__ import annotations

from typing import Any

from agon_engine.core.policy import Termination
from agon_engine.core.record import Deals
from agon_ladder.errors import ResultError
from agon_ladder.results import MatchResult, Position
from agon_server.queue.record_line import read_parts
from agon_server.queue.results import Kind, Result


def read_result(result: Result) -> MatchResult:
    """Return a result as the ladder sees it. Raise ResultError when its record cannot be read or is another match's.

    One that was never played (a dead letter, cancelled while it waited) has no bots and does not count.
    """
    position = Position.parse(result.id)
    facts: dict[str, Any] = {
        "position": position,
        "match": result.match,
        "ladder": result.ladder,
        "may_rate": result.rated,
        "block": result.block,
        "place": result.index,
        "attempt": result.attempt,
    }
    if result.kind is not Kind.PLAYED:
        return MatchResult(
            **facts | {"may_rate": False}, bots=(), placements=(), terminations=(), termination=result.termination
        )

    try:
        head, _, end = read_parts(result.record)
        outcome = end["result"]
        read = MatchResult(
            **facts,
            bots=tuple(_name(seat["bot"]) for seat in head["seats"]),
            placements=tuple(_placement(placement) for placement in outcome["placements"]),
            terminations=tuple(Termination(why) for why in outcome["seats"]),
            termination=Termination(outcome["termination"]),
            deals=Deals(head["deals"]),
            commitment=_name(head["commitment"]),
        )
        named = (head["match"], head["ladder"], head["block"], read.termination)
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        raise ResultError(f"the record of match {result.match} cannot be read ({error}): {result.id!r}") from None

    if named != (result.match, result.ladder, result.block, result.termination):
        raise ResultError(f"the record of match {result.match} is another one's: {named!r}")

    return read


def _name(value: Any) -> str:
    if type(value) is not str:
        raise ValueError(f"not a text: {value!r}")

    return value


def _placement(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"not a placement: {value!r}")

    return value
