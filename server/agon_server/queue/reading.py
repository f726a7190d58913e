"""Results read from their records as rebuilds and audits need them: only the head and the end of a record are parsed.
What it tells can be kept beside it, so that the next rebuild need not read it again.
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
from agon_server.queue.results import Kind, Result


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A result that counts in no ladder, since it cannot be read or has not its own record."""

    position: Position
    match: str
    ladder: str
    reason: str


Told = MatchResult | Unreadable | Ruling
"""What a ladder folds."""


def recorded(entry: Result | Ruling) -> Told:
    """Return an entry as rebuild and audit see it: a result as its record tells it."""
    if not isinstance(entry, Result):
        return entry

    try:
        return read_result(entry)
    except ResultError as error:
        return Unreadable(Position(*entry.order), entry.match, entry.ladder, str(error))


def read_result(result: Result) -> MatchResult:
    """Return a result as its record tells it. Raise ResultError when that cannot be read or is another match's.

    One that was never played (a dead letter, cancelled while it waited) has no bots and does not count.
    """
    facts: dict[str, Any] = {
        "position": Position(*result.order),
        "match": result.match,
        "ladder": result.ladder,
        "block": result.block,
        "place": result.index,
        "attempt": result.attempt,
    }
    if result.kind is not Kind.PLAYED:
        facts |= {"may_rate": False, "servers": (result.server,) if result.server else ()}
        return MatchResult(**facts, bots=(), placements=(), terminations=(), termination=result.termination)

    try:
        head, _, end = read_parts(result.record)
        outcome = Outcome.of_parts(head, end)
        read = MatchResult(
            **facts,
            may_rate=result.rated,
            servers=tuple(_text(server) for server in end["servers"]),
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
    if not is_named(result.record, result.match, result.block, result.ladder):
        # Nor was it counted live, where no more than this is looked at.
        raise ResultError(f"the record of match {result.match} does not begin as records do: {result.id!r}")
    if result.outcome is None:
        # The same: live it is the stream that tells it.
        raise ResultError(f"the stream does not tell how match {result.match} ended: {result.id!r}")

    return read


def is_named(record: str, match: str, block: str, ladder: str) -> bool:
    """Tell whether a record, of which the beginning is enough, names match, block and ladder where all records do."""
    return record.startswith(f'"match":"{match}","block":"{block}","ladder":"{ladder}",', record.find(",") + 1)


def _text(value: Any) -> str:
    if type(value) is not str or not value.isascii():
        raise ValueError(f"not a text of ASCII: {value!r}")

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
