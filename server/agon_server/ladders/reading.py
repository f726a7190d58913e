"""Results as the queue stores them, read as the ladder needs them: live from what is stored beside the record, in a
rebuild and an audit from the record itself, of which only the head and the end are parsed.
"""

from __future__ import annotations

import json
from typing import Any

from agon_engine.core.policy import Termination
from agon_engine.core.record import Deals
from agon_ladder.errors import ResultError
from agon_ladder.results import MatchResult, Position
from agon_server.queue.outcome import Outcome
from agon_server.queue.record_line import read_parts
from agon_server.queue.results import Kind, Result


def live_result(result: Result) -> MatchResult:
    """Return a result as fold and pairing see it; its record is opened only where it does not begin as its own does.

    Raise ResultError where it has no outcome, or another match's record. One that was never played (a dead letter,
    cancelled while it waited) has no bots and does not count.
    """
    if result.kind is not Kind.PLAYED:
        return _not_played(result)
    if result.outcome is None:
        raise ResultError(f"the record of match {result.match} cannot be read: {result.id!r}")
    if not _begins_as_its_own(result):
        read_result(result)

    outcome = result.outcome
    return MatchResult(
        **_facts(result),
        bots=outcome.bots,
        placements=outcome.placements,
        terminations=outcome.terminations,
        termination=result.termination,
    )


def _begins_as_its_own(result: Result) -> bool:
    """Tell whether a record names the match, block and ladder of its result where records as they are written do: in
    far less time than reading it takes."""
    named = {"match": result.match, "block": result.block, "ladder": result.ladder}
    start = json.dumps(named, separators=(",", ":"))[1:-1]
    return result.record.startswith(start, result.record.find(",") + 1)


def _not_played(result: Result) -> MatchResult:
    facts = _facts(result) | {"may_rate": False}
    return MatchResult(**facts, bots=(), placements=(), terminations=(), termination=result.termination)


def _facts(result: Result) -> dict[str, Any]:
    return {
        "position": Position(*result.order),
        "match": result.match,
        "ladder": result.ladder,
        "may_rate": result.rated,
        "block": result.block,
        "place": result.index,
        "attempt": result.attempt,
        "servers": (result.server,) if result.server else (),
    }


def read_result(result: Result) -> MatchResult:
    """Return a result as its record tells it. Raise ResultError when that cannot be read or is another match's.

    One that was never played is as `live_result` gives it.
    """
    if result.kind is not Kind.PLAYED:
        return _not_played(result)

    try:
        head, _, end = read_parts(result.record)
        outcome = Outcome.of_parts(head, end)
        read = MatchResult(
            **(_facts(result) | {"servers": tuple(_text(server) for server in end["servers"])}),
            bots=outcome.bots,
            placements=outcome.placements,
            terminations=outcome.terminations,
            termination=Termination(end["result"]["termination"]),
            deals=Deals(head["deals"]),
            commitment=_text(head["commitment"]),
        )
        named = (head["match"], head["ladder"], head["block"], read.termination)
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        raise ResultError(f"the record of match {result.match} cannot be read ({error}): {result.id!r}") from None

    if named != (result.match, result.ladder, result.block, result.termination):
        raise ResultError(f"the record of match {result.match} is another one's: {named!r}")

    return read


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError(f"not a text: {value!r}")

    return value
