"""The tables of all ladders as kept in the store: read whole, written in steps, replaced by a rebuild.

A step is one script that compares fencing token, generation and position, and writes what changed, or nothing.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agon_ladder.errors import MissingLibraryError, ResultError
from agon_ladder.fold import FinalTable, LadderState, RatingRow, Step
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.ratings import DEFAULT_SYSTEM
from agon_ladder.results import Position
from agon_server.ladders.encoding import (
    SeasonOver,
    TableDamagedError,
    begun_json,
    read_rows,
    row_list,
    season_list,
    season_over,
    to_json_text,
)
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError

RERATED = "it is rated again, since a purge was made or undone, or a loss accepted"
"""Why a ladder is not folded for a while."""
ROWS_PER_READ = 500
_ROWS_AT_ONCE = 400
"""Results whose rating rows are written in one turn of the loop: a millisecond."""
_MADE_WITHIN_MS = 3_600_000
"""A table that is made to replace another one is done within an hour of its last rows."""
ROWS_KEPT = 100_000
"""Of so many rated matches of a ladder, the newest, the rating rows are kept: about 10 MB. No table is made from them;
an audit checks the table against the records of all matches, and the rows of these."""


class MovedError(Exception):
    """The stored table is not where the caller thought; it is to be loaded again."""


class Written(StrEnum):
    """What a script that writes answers."""

    OK = "ok"
    FENCED = "fenced"
    MOVED = "moved"


@dataclass(slots=True)
class Table:
    """A ladder's table as loaded."""

    state: LadderState
    generation: int = 0
    """Rises when a rebuild replaces the table."""
    failed: str = ""
    """Why the ladder is not folded now; empty while it is."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a batch of results changed in a state: to be written in one step."""

    before: Position
    """The state's position before the batch."""
    bots: frozenset[str]
    blocks: frozenset[str]
    rated: Sequence[Step]
    """What rated results changed, in their order."""
    seasons: tuple[FinalTable, ...] = ()
    """That were ended."""


class Tables:
    """Reads and writes the tables of all ladders."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.rows_kept = ROWS_KEPT

    async def load(
        self, ladder: str, seats: int, system: str = DEFAULT_SYSTEM, rotations: Rotations = Rotations.CYCLIC
    ) -> Table:
        """Return a ladder's table as it is at one moment; an empty one where nothing was folded yet.

        Raise TableDamagedError when it cannot be read, MissingLibraryError when its rating system cannot be had here.
        """
        flat_facts, flat_bots, flat_blocks = await self._store.script("ladder_load", ladder)
        facts = _texts(flat_facts)
        try:
            state = LadderState.from_json(
                {
                    "ladder": ladder,
                    "seats": int(facts.get("seats", seats)),
                    "rotations": rotations,
                    "system": facts.get("system", system),
                    "position": facts.get("position", "0-0"),
                    "results": int(facts.get("results", 0)),
                    "season": json.loads(facts.get("season", "null")),
                    "bots": {bot: json.loads(row) for bot, row in _texts(flat_bots).items()},
                    "partial": {block: json.loads(row) for block, row in _texts(flat_blocks).items()},
                }
            )
            return Table(state, int(facts.get("generation", 0)), facts.get("failed", ""))
        except MissingLibraryError:
            raise
        except (ResultError, ValueError) as error:
            raise TableDamagedError(f"the table of ladder {ladder} cannot be read: {error}") from None

    async def load_facts(
        self, ladder: str, seats: int, system: str = DEFAULT_SYSTEM, rotations: Rotations = Rotations.CYCLIC
    ) -> Table:
        """Return a table without its rows: where it is, its generation, whether it failed. For one that is damaged.

        Raise TableDamagedError when not even these can be read.
        """
        facts = _texts(await self._store.command("HGETALL", keys.TABLE + ladder))
        try:
            position = Position.parse(facts.get("position", "0-0"))
            state = LadderState(ladder, seats, system, position, rotations=rotations)
            return Table(state, int(facts.get("generation", 0)), facts.get("failed", ""))
        except ValueError as error:
            raise TableDamagedError(f"the table of ladder {ladder} cannot be read: {error}") from None

    async def cursor(self) -> Position:
        """Return the position up to which all ladders that did not fail are folded."""
        return Position.parse(_text(await self._store.command("GET", keys.LADDER_CURSOR) or b"0-0"))

    async def version(self, ladder: str) -> str:
        """Return a text that changes with every step and replacement of a table, and when it fails; one cheap call."""
        facts = await self._store.command("HMGET", keys.TABLE + ladder, "generation", "position", "failed")
        return " ".join(_text(fact or b"-") for fact in facts)

    async def step(self, token: int, table: Table, change: Change) -> None:
        """Write what folding a batch has changed in the table.

        Raise FencedError or MovedError when nothing was written, since another process has the lease, or the stored
        table is not where this one was before the batch.
        """
        state = table.state
        blocks = {block: state.partial[block].to_json() if block in state.partial else None for block in change.blocks}
        seasons: list[str | int] = [0]
        if change.seasons:
            # Beside the loop, which plays: these are whole tables.
            seasons = await asyncio.to_thread(season_list, change.seasons)
            bots = await asyncio.to_thread(_bot_list, state, change.bots)
        else:
            bots = _bot_list(state, change.bots)
        rows: list[str] = []
        for start in range(0, len(change.rated), _ROWS_AT_ONCE):
            # The loop may play meanwhile.
            await asyncio.sleep(0)
            rows += row_list(change.rated[start : start + _ROWS_AT_ONCE])
        answer = await self._store.script(
            "ladder_step",
            token,
            state.ladder,
            table.generation,
            str(change.before),
            str(state.position),
            state.results,
            state.seats,
            state.system,
            to_json_text(begun_json(state.season)),
            self.rows_kept,
            *bots,
            len(blocks),
            *(part for block, left in blocks.items() for part in (block, "" if left is None else to_json_text(left))),
            len(change.rated),
            *rows,
            *seasons,
        )
        _check(answer, state.ladder)

    async def set_failed(self, token: int, ladder: str, reason: str) -> None:
        """Note why a ladder is not folded now; an empty reason, once it is caught up, takes the note away.

        Raise FencedError when another process has the lease.
        """
        _check(await self._store.script("ladder_failed", token, ladder, reason), ladder)

    async def set_aside(self, token: int, result_id: str, kept: dict[str, str]) -> None:
        """Keep what is told of a result that no ladder can take where an operator finds it.

        Raise FencedError when another process has the lease.
        """
        _check(await self._store.script("set_aside", token, result_id, json.dumps(kept)), kept["ladder"])

    # -- rating rows -----------------------------------------------------------------------------------------

    async def rows(self, ladder: str, generation: int, until: Position) -> AsyncIterator[RatingRow]:
        """Iterate over the rating rows up to a position, in the order of the results and by seat.

        Raise TableDamagedError for a row that cannot be read.
        """
        key = _rows_key(ladder, generation)
        start = "-"
        while True:
            entries = await self._store.command("XRANGE", key, start, str(until), "COUNT", ROWS_PER_READ)
            for entry_id, flat in entries:
                for row in read_rows(ladder, _text(entry_id), _texts(flat)):
                    yield row
            if len(entries) < ROWS_PER_READ:
                return
            start = f"({_text(entries[-1][0])}"

    async def rated_between(self, ladder: str, after: Position, until: Position) -> int:
        """Return how many rated results after a position and up to another one have rating rows."""
        generation = await self._store.command("HGET", keys.TABLE + ladder, "generation")
        start, count = f"({after}", 0
        while entries := await self._store.command(
            "XRANGE", _rows_key(ladder, int(generation or 0)), start, str(until), "COUNT", ROWS_PER_READ
        ):
            count += len(entries)
            start = f"({_text(entries[-1][0])}"
        return count

    async def results_without_rows(self, ladder: str) -> int:
        """Return of how many rated results, the first ones of the ladder, the rating rows are not kept any more."""
        results = await self._store.command("HGET", keys.TABLE + ladder, "results")
        return max(0, int(results or 0) - self.rows_kept)

    # -- a rebuild replaces the table ------------------------------------------------------------------------

    def replacement(self, ladder: str) -> Replacement:
        """Begin to make a table that is to replace the live one of a ladder."""
        return Replacement(self._store, ladder, self.rows_kept)

    async def replace(
        self, table: Table, rebuilt: LadderState, made: Replacement, seasons: Sequence[FinalTable] = ()
    ) -> None:
        """Put a rebuilt state in the place of the live table, with the rating rows that were made and the seasons that
        are over. Raise MovedError when the live one has gone on meanwhile.

        `table` is the live one as it was compared.
        """
        answer = await self._store.script(
            "ladder_replace",
            rebuilt.ladder,
            table.generation,
            str(table.state.position),
            str(rebuilt.position),
            rebuilt.results,
            rebuilt.seats,
            rebuilt.system,
            to_json_text(begun_json(rebuilt.season)),
            made.key,
            *_bot_list(rebuilt, rebuilt.bots),
            len(rebuilt.partial),
            *(part for block, left in rebuilt.partial.items() for part in (block, to_json_text(left.to_json()))),
            *season_list(seasons),
        )
        _check(answer, rebuilt.ladder)

    # -- seasons that are over -------------------------------------------------------------------------------

    async def seasons(self, ladder: str) -> list[SeasonOver]:
        """Return the seasons of a ladder that are over, oldest first, without their tables.

        Raise TableDamagedError for one that cannot be read.
        """
        flat = await self._store.command("HGETALL", keys.SEASONS + ladder)
        found = [season_over(ladder, _text(about)) for about in flat[1::2]]
        return sorted(found, key=lambda season: season.ended.position)

    async def season(self, ladder: str, label: str) -> FinalTable | None:
        """Return a season that is over with its table; None where there is none of that label.

        Raise TableDamagedError for one that cannot be read.
        """
        about = await self._store.command("HGET", keys.SEASONS + ladder, label)
        if about is None:
            return None

        season = season_over(ladder, _text(about))
        text = await self._store.command("GET", _season_key(ladder, label))
        try:
            return FinalTable(
                season.begun, season.ended, season.results, LadderState.from_json(json.loads(text or "{}"))
            )
        except MissingLibraryError:
            raise
        except (ResultError, ValueError) as error:
            raise TableDamagedError(f"season {label} of ladder {ladder} cannot be read: {error}") from None


class Replacement:
    """The rating rows of a table that is to replace a live one, under a key of their own: whoever else makes one for
    the same ladder does not meet them."""

    def __init__(self, store: Store, ladder: str, rows_kept: int) -> None:
        self._store = store
        self.rows_kept = rows_kept
        self.key = f"{keys.RATINGS}{ladder}:new-{secrets.token_hex(8)}"

    async def add(self, rated: Sequence[Step]) -> None:
        """Store the rating rows of rated results."""
        await self._store.script("ladder_rows", self.key, self.rows_kept, _MADE_WITHIN_MS, *row_list(rated))

    async def drop(self) -> None:
        """Take the rows away, where they have not become a table's."""
        await self._store.command("UNLINK", self.key)


def _check(answer: bytes, ladder: str) -> None:
    written = Written(_text(answer))
    if written is Written.FENCED:
        raise FencedError(f"another process folds now, ladder {ladder!r}")
    if written is Written.MOVED:
        raise MovedError(f"the table has moved on, of ladder {ladder!r}")


def _rows_key(ladder: str, generation: int) -> str:
    return f"{keys.RATINGS}{ladder}:{generation}"


def _bot_list(state: LadderState, bots: Iterable[str]) -> list[str | int]:
    names = sorted(bots)
    return [len(names), *(part for bot in names for part in (bot, to_json_text(state.bots[bot].to_json())))]


def _season_key(ladder: str, label: str) -> str:
    return f"{keys.SEASON}{ladder}:{label}"


def _text(value: bytes) -> str:
    return value.decode()


def _texts(flat: Sequence[bytes]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in zip(flat[::2], flat[1::2], strict=True)}
