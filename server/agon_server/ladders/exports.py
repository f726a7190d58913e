"""What a ladder has, as CSV or JSON Lines for other programs: row by row, in the order of the results.

    records   a row a match that was played; as JSON Lines the records themselves, which `agon replay` reads
    results   a row a seat of each match that is over; one without a seat for a match that was not played
    ratings   a row a seat of each rated match, from the first one on: folded again from the results

In CSV a text that does not begin with a letter, a digit or a bracket, or holds a control character, is written as a
JSON string: it begins with `"`, which no spreadsheet takes for a formula, and `json.loads` gives it back. Names of
bots, ladders and servers cannot need that; what bots call their versions can. Absent values are empty, and null in
JSON.
A shared deal's record is left out until its block is over, as everywhere.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any, Final

from agon_engine.core.record import Deals
from agon_ladder.errors import ResultError
from agon_ladder.fold import LadderState
from agon_ladder.results import MatchResult
from agon_ladder.rulings import Purge, Season, purged_by
from agon_server.moments import moment
from agon_server.queue.reading import read_result
from agon_server.queue.record_line import read_parts
from agon_server.queue.results import Entry, Kind, Result

PIECE: Final = 1 << 16
"""Characters after which what is written so far is handed on."""
_PLACED: Final = ("id", "match", "ladder", "season", "block", "place", "attempt", "purge")
"""Of each result: its id in the results stream, where it belongs, and the purge that keeps it from counting."""
RECORD_COLUMNS: Final = (
    *_PLACED,
    *("game", "version", "rated", "deals", "seed", "commitment", "moves", "termination", "epoch", "servers"),
    *("started", "ended", "hash", "record"),
)
RESULT_COLUMNS: Final = (
    *_PLACED,
    *("ended", "kind", "rated", "termination", "server", "reason"),
    *("seat", "bot", "owner", "bot_version", "placement", "score", "seat_termination"),
)
RATING_COLUMNS: Final = (*_PLACED, "ended", "seat", "bot", "placement", "before", "after", "change", "sigma")
"""Ratings in points; sigma is after the match, and absent where the rating system has none."""


class What(StrEnum):
    """What is exported."""

    RECORDS = "records"
    RESULTS = "results"
    RATINGS = "ratings"


class Form(StrEnum):
    """How it is written."""

    CSV = "csv"
    JSONL = "jsonl"


Row = Sequence[Any]
IsOpen = Callable[[str], Awaitable[bool]]
"""Whether the shared deal of a block is still secret."""


async def exported(
    entries: AsyncIterable[Entry],
    state: LadderState,
    purges: Sequence[Purge],
    what: What,
    form: Form,
    is_open: IsOpen,
) -> AsyncIterator[str]:
    """Yield the file in pieces of whole lines. `state` is the ladder's empty table, `purges` are those that stand."""
    write = _CsvLines() if form is Form.CSV else _JsonLines()
    columns = {What.RECORDS: RECORD_COLUMNS, What.RESULTS: RESULT_COLUMNS, What.RATINGS: RATING_COLUMNS}[what]
    lines, size = [write.head(columns)], 0
    async for result in entries:
        if not isinstance(result, Result):
            if isinstance(result, Season):
                with suppress(ResultError):  # as the fold refused it
                    state.begin_season(result)
            continue
        read = _read(result)
        purge = purged_by(purges, read) if read is not None else None
        placed = _placed(result, state.season.label, "" if purge is None else purge.id)
        if what is What.RECORDS:
            if result.kind is not Kind.PLAYED or await _is_secret(result, is_open):
                continue
            made = [write.record(placed, result)]
        else:
            rows = (
                _result_rows(placed, result, counts=result.rated and purge is None)
                if what is What.RESULTS
                else _rating_rows(placed, read, state, purged=purge is not None)
            )
            made = [write.row(columns, row) for row in rows]
        lines += made
        size += sum(map(len, made))
        if size >= PIECE:
            yield "".join(lines)
            lines, size = [], 0
    if rest := "".join(lines):
        yield rest


async def _is_secret(result: Result, is_open: IsOpen) -> bool:
    # What is no shared deal's record has not this text in it, or is asked for in vain.
    return f'"deals":"{Deals.SHARED}"' in result.record and bool(result.block) and await is_open(result.block)


# -- rows ------------------------------------------------------------------------------------------------------


def _read(result: Result) -> MatchResult | None:
    try:
        return read_result(result)
    except ResultError:
        return None


def _placed(result: Result, season: str, purge: str) -> tuple[Any, ...]:
    return (result.id, result.match, result.ladder, season, result.block, result.index, result.attempt, purge)


def _record_row(placed: Row, result: Result) -> Row:
    try:
        head, moves, end = read_parts(result.record)
        facts = [head[name] for name in ("game", "version", "rated", "deals", "seed", "commitment")]
        facts += [moves, end["result"]["termination"], end["epoch"], " ".join(end["servers"])]
        facts += [end["started"], end["ended"]]
    except (LookupError, RecursionError, TypeError, ValueError):
        # A damaged record is told as it lies there.
        facts = [None] * 12
    return (*placed, *facts, result.record_hash, result.record)


def _result_rows(placed: Row, result: Result, *, counts: bool) -> Iterator[Row]:
    over = (_moment(result.ended), result.kind, counts, result.termination, result.server, result.reason)
    try:
        head, _, end = read_parts(result.record)
        ends = end["result"]
        seats: list[Row] = [
            (
                seat,
                *(row["bot"], row["owner"], row["bot_version"]),
                *(ends["placements"][seat], ends["scores"][seat], ends["seats"][seat]),
            )
            for seat, row in enumerate(head["seats"])
        ]
    except (LookupError, RecursionError, TypeError, ValueError):
        seats = []
    for told in seats or [(None,) * 7]:
        yield (*placed, *over, *told)


def _rating_rows(placed: Row, read: MatchResult | None, state: LadderState, *, purged: bool) -> Iterator[Row]:
    try:
        rows = state.apply(read, purged=purged).rows if read is not None else ()
    except ResultError:
        return

    estimate = state.rating_system.estimate
    for row in rows:
        before, (after, sigma) = estimate(row.before).value, estimate(row.after)
        points = (before / 1000, after / 1000, (after - before) / 1000, None if sigma is None else sigma / 1000)
        yield (*placed, _moment(row.position.time), row.seat, row.bot, row.placement, *points)


def _moment(milliseconds: int) -> str:
    return moment(milliseconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# -- lines -----------------------------------------------------------------------------------------------------


class _CsvLines:
    def head(self, columns: Sequence[str]) -> str:
        return self._line(columns)

    def row(self, _columns: Sequence[str], row: Row) -> str:
        return self._line([_csv_cell(value) for value in row])

    def record(self, placed: Row, result: Result) -> str:
        return self.row(RECORD_COLUMNS, _record_row(placed, result))

    def _line(self, cells: Sequence[Any]) -> str:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        return line.getvalue()


class _JsonLines:
    def head(self, _columns: Sequence[str]) -> str:
        return ""

    def row(self, columns: Sequence[str], row: Row) -> str:
        return json.dumps(dict(zip(columns, row, strict=True)), separators=(",", ":")) + "\n"

    def record(self, placed: Row, result: Result) -> str:
        try:
            read_parts(result.record)
        except (RecursionError, ValueError):
            return self.row(RECORD_COLUMNS, _record_row(placed, result))

        is_line = result.record.isprintable()
        return result.record + "\n" if is_line else self.row(RECORD_COLUMNS, _record_row(placed, result))


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str) or not value:
        return value

    is_plain = value.isprintable() and (value[0].isalnum() or value[0] in "([{")
    return value if is_plain else json.dumps(value)
