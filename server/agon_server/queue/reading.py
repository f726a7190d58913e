"""Results as the queue stores them, read as the ladder needs them: live from what stands in the stream, in a rebuild
and an audit from the record, of which only the head and the end are parsed. What a record tells can be kept beside it,
so that the next rebuild need not read it again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agon_engine.core.policy import Termination
from agon_engine.core.record import Deals
from agon_ladder.errors import ResultError
from agon_ladder.results import MatchResult, Position
from agon_ladder.rulings import Ruling
from agon_server.queue.outcome import Outcome, read_terminations
from agon_server.queue.record_line import read_parts
from agon_server.queue.results import Ended, Kind, Result


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A result that counts in no ladder, since it cannot be read or has not its own record."""

    position: Position
    match: str
    ladder: str
    reason: str


Told = MatchResult | Unreadable | Ruling
"""What a ladder folds."""


def live(entry: Ended | Ruling) -> Told:
    """Return an entry as fold and pairing see it: a result as the stream tells it."""
    return _told(entry, live_result) if isinstance(entry, Ended) else entry


def recorded(entry: Result | Ruling) -> Told:
    """Return an entry as rebuild and audit see it: a result as its record tells it."""
    return _told(entry, read_result) if isinstance(entry, Result) else entry


def _told(result: Any, read: Any) -> MatchResult | Unreadable:
    try:
        told: MatchResult = read(result)
    except ResultError as error:
        return Unreadable(Position(*result.order), result.match, result.ladder, str(error))

    return told


def live_result(result: Ended) -> MatchResult:
    """Return a result as the stream tells it.

    Raise ResultError where it has no outcome, or not the record of its match: that is known by how it begins. One that
    was never played (a dead letter, cancelled while it waited) has no bots and does not count.
    """
    if result.kind is not Kind.PLAYED:
        return _not_played(result)

    outcome = result.outcome
    if outcome is None:
        raise ResultError(f"the record of match {result.match} cannot be read: {result.id!r}")
    begins = result.record if isinstance(result, Result) else result.begins
    named = f'"match":"{result.match}","block":"{result.block}","ladder":"{result.ladder}",'
    if not begins.startswith(named, begins.find(",") + 1):
        raise ResultError(f"the record of match {result.match} is lost, or is another one's: {result.id!r}")

    return MatchResult(
        Position(*result.order),
        result.match,
        result.ladder,
        outcome.bots,
        outcome.placements,
        outcome.terminations,
        result.termination,
        result.rated,
        result.block,
        result.index,
        result.attempt,
        servers=(result.server,) if result.server else (),
    )


def _not_played(result: Ended) -> MatchResult:
    facts = _facts(result) | {"may_rate": False}
    return MatchResult(**facts, bots=(), placements=(), terminations=(), termination=result.termination)


def _facts(result: Ended) -> dict[str, Any]:
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


# -- kept beside the record ------------------------------------------------------------------------------------


def told_text(read: MatchResult) -> str:
    """Return what a fold needs of a result as JSON, beside its position, match and ladder."""
    outcome = (read.bots, read.placements, read.terminations, read.termination, read.servers)
    return json.dumps((read.may_rate, read.block, read.place, read.attempt, *outcome), separators=(",", ":"))


def told_result(position: Position, match: str, ladder: str, text: str) -> MatchResult:
    """Read what `told_text` gave, by whoever has kept it. Raise LookupError, TypeError or ValueError for what cannot
    be that."""
    may_rate, block, place, attempt, bots, placements, ends, termination, servers = json.loads(text)
    return MatchResult(
        position,
        match,
        ladder,
        tuple(bots),
        tuple(placements),
        read_terminations(ends),
        Termination(termination),
        may_rate,
        block,
        place,
        attempt,
        servers=tuple(servers),
    )
