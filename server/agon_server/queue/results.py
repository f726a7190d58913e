"""The results stream: every ended match once, and what organisers rule about ladders, in the order that ladder and
archive have for ever. Readers keep their own cursors in the store; what all of them have taken may be trimmed.

Records lie beside the stream. Both are read here, by one script, so that nothing is trimmed in between; who folds and
pairs reads results without them, by `feed`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from agon_engine.core.policy import Termination
from agon_ladder.results import Position
from agon_ladder.rulings import KINDS, Loss, Purge, Ruling, Season, facts_of, kind_of, read_ruling
from agon_server.names import GAME_NAME, LADDER_NAME, RULING_ID, SERVER_NAME
from agon_server.queue.ids import are_ids
from agon_server.queue.outcome import Outcome
from agon_server.store import keys
from agon_server.store.connection import Store

START = "0-0"
"""The cursor before the first result."""
KEEP = 1_000
"""Of the newest results so many stay in the stream when all readers have taken them: what is asked for most."""
_TRIM_AT_ONCE = 100
"""Results that one call trims, so that it does not hold the store up."""
_REASON_LENGTH = 200
"""Of the error that says why an entry cannot be read."""


class Kind(StrEnum):
    """What a result tells of."""

    PLAYED = "played"
    DEAD = "dead"
    """It became a dead letter: no record, its slots are free, its place in the block is not played."""
    CANCELLED = "cancelled"
    """It was cancelled before any referee had it: no record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One ended match, with its record."""

    id: str
    """In the stream, `MS-N`; later results have greater ids (compare with `order`)."""
    kind: Kind
    match: str
    game: str
    version: int
    ladder: str
    block: str
    index: int
    attempt: int
    rated: bool
    """Whether it counts: queued as rated, and its termination does."""
    termination: Termination
    server: str
    """Who ran it last; empty where nobody did."""
    epoch: int
    reason: str
    """Why it is dead or cancelled."""
    record_hash: str
    record: str
    """The record's line; empty unless played, or where it is lost."""
    plays_again: bool
    """Whether its place in the block is to be played again."""
    outcome: Outcome | None
    """Who played and how it ended for each; None unless played, or where an old result's record is damaged."""

    @property
    def ended(self) -> int:
        """When, in milliseconds since 1970 by the store's clock."""
        return self.order[0]

    @property
    def order(self) -> tuple[int, int]:
        """The id as numbers, which compare."""
        return order(self.id)


Entry = Result | Ruling
"""What the stream is made of."""


class Placed(Protocol):
    """A result in any form: it has its place in the stream."""

    @property
    def order(self) -> tuple[int, int]: ...


R_co = TypeVar("R_co", bound=Placed, covariant=True)


@dataclass(frozen=True, slots=True)
class Unread:
    """An entry of the results stream that is neither: somebody else's, damaged, or of a newer version."""

    id: str
    reason: str
    fields: tuple[str, ...] = ()
    """All that it holds: name, value …; bytes that are no UTF-8 as `\\xff`."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[R_co]):
    """Consecutive entries of the results stream."""

    results: Sequence[R_co] = ()
    unread: Sequence[Unread] = ()
    cursor: str = ""
    """The id of the last entry; empty where there was none."""
    rulings: Sequence[Ruling] = ()
    gone: str = ""
    """The id of the newest entry that was taken out of the stream before it was read; empty where none was."""

    def __add__(self, later: Batch[R_co]) -> Batch[R_co]:
        """Join the entries that follow on these."""
        return Batch(
            [*self.results, *later.results],
            [*self.unread, *later.unread],
            later.cursor,
            (*self.rulings, *later.rulings),
            later.gone or self.gone,
        )

    @property
    def size(self) -> int:
        return len(self.results) + len(self.unread) + len(self.rulings)

    @property
    def entries(self) -> Sequence[R_co | Ruling]:
        """Results and rulings in the order of the stream."""
        if not self.rulings:
            return self.results
        return sorted([*self.results, *self.rulings], key=lambda entry: entry.order)


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What became of an attempt to trim the stream."""

    went: int
    waiting: int
    """Results that are too many, and stay since a reader has not taken them."""
    slowest: str
    """The reader that has taken least."""


def order(cursor: str) -> tuple[int, int]:
    """Return a cursor as numbers, which compare."""
    first, _, second = cursor.partition("-")
    return int(first), int(second)


class Results:
    """A reader's access to the results stream."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def after(self, cursor: str, count: int = 100) -> Batch[Result]:
        """Return up to `count` entries after the cursor, in order, results with their records."""
        return _with_records(await self._store.script("results", "XRANGE", f"({cursor}", "+", count))

    async def before(self, cursor: str, after: str, count: int = 100) -> Batch[Result]:
        """Return up to `count` entries between two cursors, the latest first, results with their records; an empty
        `cursor` is the stream's end."""
        newest = f"({cursor}" if cursor else "+"
        return _with_records(await self._store.script("results", "XREVRANGE", newest, f"({after}", count))

    async def trimmed_to(self) -> str:
        """Return the id of the newest result that was trimmed (`0-0`: none); what is older is in the archive alone."""
        if not await self._store.command("EXISTS", keys.RESULTS):
            return START
        about = await self._store.command("XINFO", "STREAM", keys.RESULTS)
        return str(dict(zip(about[::2], about[1::2], strict=True))[b"max-deleted-entry-id"].decode())

    async def find(self, match: str) -> Result | None:
        """Return the result of a match while the stream has it and it can be read; older ones are in the archive."""
        entry_id = (await self.places([match])).get(match)
        if entry_id is None:
            return None

        results = _with_records(await self._store.script("results", "XRANGE", entry_id, entry_id, 1)).results
        return results[0] if results else None

    async def places(self, matches: Sequence[str]) -> dict[str, str]:
        """Return the ids of the results of some matches, by match, as far as the store remembers them: for a day."""
        found = await self._store.command("MGET", *[keys.RESULT + match for match in matches]) if matches else ()
        known = [(match, _PLACE.match(told)) for match, told in zip(matches, found, strict=True) if told is not None]
        return {match: place[1].decode() for match, place in known if place is not None}

    # -- readers -------------------------------------------------------------------------------------------------

    async def register(self, reader: str) -> str:
        """Announce a reader before it reads, so that nothing is trimmed before it has taken it; return its cursor."""
        await self._store.command("HSETNX", keys.READERS, reader, START)
        cursor = await self._store.command("HGET", keys.READERS, reader)
        return START if cursor is None else str(cursor.decode())  # the store may have been emptied in between

    async def advance(self, reader: str, cursor: str) -> None:
        """Say that the reader has taken all results up to the cursor for good. Never goes back."""
        await self._store.script("advance", reader, cursor)

    async def readers(self) -> dict[str, str]:
        """Return all readers with their cursors."""
        flat = await self._store.command("HGETALL", keys.READERS)
        return {name.decode(): cursor.decode() for name, cursor in zip(flat[::2], flat[1::2], strict=True)}

    async def forget(self, reader: str) -> None:
        """Take out a reader that never comes again, so that it does not hold trimming up."""
        await self._store.command("HDEL", keys.READERS, reader)

    async def trim(self, keep: int = KEEP) -> Trimmed:
        """Remove what all readers have taken, but for the newest `keep`.

        Does nothing before there are an archive and a ladder (readers `archive:…` and `ladder:…`).
        """
        total = 0
        while True:
            went, waiting, slowest = await self._store.script("trim", keep, _TRIM_AT_ONCE)
            total += went
            if not went:
                return Trimmed(total, waiting, slowest.decode())


def _with_records(found: Sequence[Any]) -> Batch[Result]:
    return read_batch(found, _result)


# -- entries -----------------------------------------------------------------------------------------------------


class Facts(NamedTuple):
    """What an entry says of a match, but for its outcome and record."""

    kind: Kind
    match: str
    game: str
    version: int
    ladder: str
    block: str
    place: int
    """In the block."""
    attempt: int
    rated: bool
    termination: Termination
    server: str
    epoch: int
    reason: str
    record_hash: str
    plays_again: bool


# By dictionary, which takes a fraction of what an enum takes: the stream is read fast.
_KINDS: Final = {kind.value: kind for kind in Kind}
_TERMINATIONS: Final = {termination.value: termination for termination in Termination}
_QUEUED: Final = itemgetter("game", "version", "ladder", "block", "index", "attempt")
_QUEUED_TYPES: Final = (str, int, str, str, int, int)
_PLACE: Final = re.compile(rb"[a-z]+ (\d{1,16}-\d{1,16}) ")
"""How that begins which the store remembers of the result of a match; what else stands there is as if forgotten."""
_FLAGS: Final = {"0": False, "1": True}
_MAX_INT: Final = 2**53 - 1
_MAX_ID: Final = 2**63 - 1
"""Of each part of an id: the greatest integer of SQLite, which archives are indexed by."""
_SHORT_ID: Final = 19
"""Ids of so many characters are below that."""
_raw_decoded: Final = json.JSONDecoder().raw_decode


def read_batch(found: Sequence[Any], read: Callable[[str, Mapping[str, str], bytes], R_co]) -> Batch[R_co]:
    """Read entries, each with its id, its fields and its record or how that begins. `read` reads those of matches, and
    raises LookupError, RecursionError, TypeError or ValueError for one that it cannot."""
    results: list[R_co] = []
    unread: list[Unread] = []
    rulings: list[Ruling] = []
    for entry_id, flat, record in found:
        try:
            # Most ids are so short that they need no look.
            if len(entry_id) > _SHORT_ID and max(order(entry_id.decode())) > _MAX_ID:
                raise ValueError("its id is greater than an archive can hold")
            fields = dict(zip(_names(tuple(flat[::2])), map(bytes.decode, flat[1::2]), strict=True))
            if fields["kind"] in KINDS:
                rulings.append(ruling_of(entry_id.decode(), fields))
            else:
                results.append(read(entry_id.decode(), fields, record))
        except (LookupError, RecursionError, TypeError, ValueError) as error:
            whole = tuple(part.decode("utf-8", "backslashreplace") for part in flat)
            why = f"no result can be read from it: {type(error).__name__} {str(error)[:_REASON_LENGTH]}"
            unread.append(Unread(entry_id.decode(), why, whole))
    return Batch(results, unread, found[-1][0].decode() if found else "", tuple(rulings))


@lru_cache(maxsize=16)
def _names(names: tuple[bytes, ...]) -> tuple[str, ...]:
    """Decode the names of an entry's fields, which are the same in nearly all."""
    return tuple(name.decode() for name in names)


def ruling_of(entry_id: str, fields: Mapping[str, str]) -> Ruling:
    """Read a ruling from the fields of its entry. Raise LookupError or ValueError for anything else."""
    ruled = {"id": fields["ruling"], **{name: fields[name] for name in ("ladder", "actor", "why")}}
    ruling = read_ruling(fields["kind"], Position.parse(entry_id), ruled, json.loads(fields["facts"]))
    if RULING_ID.fullmatch(ruling.id) is None or LADDER_NAME.fullmatch(ruling.ladder) is None:
        raise ValueError(f"not a ruling about a ladder: {(ruling.id, ruling.ladder)!r}")
    if isinstance(ruling, Season) and LADDER_NAME.fullmatch(ruling.label) is None:
        raise ValueError(f"not the label of a season: {ruling.label!r}")
    if isinstance(ruling, Purge) and not (0 <= ruling.since <= _MAX_INT and 0 <= ruling.until <= _MAX_INT):
        raise ValueError(f"not moments: {(ruling.since, ruling.until)!r}")
    if isinstance(ruling, Loss) and ruling.results > _MAX_INT:
        raise ValueError(f"not a number of results: {ruling.results!r}")

    return ruling


def fields_of(ruling: Ruling) -> dict[str, str]:
    """Return the fields of a ruling's entry, which `ruling_of` reads."""
    told = {"kind": kind_of(ruling), "ruling": ruling.id, "ladder": ruling.ladder, "actor": ruling.actor}
    return {**told, "why": ruling.why, "facts": json.dumps(facts_of(ruling))}


def read_facts(fields: Mapping[str, str]) -> Facts:
    """Read what an entry says of a match. Raise as `read_batch` says, here and below."""
    queued = _QUEUED(_decoded(fields["facts"]))
    if tuple(map(type, queued)) != _QUEUED_TYPES:
        raise ValueError(f"not the facts of a match: {queued!r}")

    game, version, ladder, block, index, attempt = queued
    match, server = fields["match"], fields["server"]
    if not (are_ids(match, block) and _can_be(game, version, ladder, server)):
        raise ValueError(f"not the names of a match: {(match, block, game, version, ladder, server)!r}")
    if not (0 <= index <= _MAX_INT and 0 <= attempt <= _MAX_INT):
        raise ValueError(f"not a place of a block: {(index, attempt)!r}")

    return Facts(
        _KINDS[fields["kind"]],
        match,
        game,
        version,
        ladder,
        block,
        index,
        attempt,
        _FLAGS[fields["rated"]],
        _TERMINATIONS[fields["termination"]],
        server,
        int(fields["epoch"]),
        fields["reason"],
        fields["hash"],
        _FLAGS[fields["again"]],
    )


@lru_cache(maxsize=256)
def _can_be(game: str, version: int, ladder: str, server: str) -> bool:
    """Tell whether there can be such ones; ladder and server may be empty. They are the same in most entries."""
    if not 1 <= version <= _MAX_INT or GAME_NAME.fullmatch(game) is None:
        return False
    names = ((LADDER_NAME, ladder), (SERVER_NAME, server))
    return all(not name or pattern.fullmatch(name) is not None for pattern, name in names)


def _decoded(text: str) -> Any:
    """Read JSON as scripts and this package write it, with nothing around it: in less time than `json.loads` takes."""
    value, end = _raw_decoded(text)
    if end != len(text):
        raise ValueError(f"something stands behind it: {text[end:][:_REASON_LENGTH]!r}")

    return value


def read_outcome(fields: Mapping[str, str]) -> Outcome | None:
    """Read the outcome that an entry tells."""
    if text := fields.get("outcome"):
        return Outcome.from_json(_decoded(text))

    # Earlier versions wrote the record into the entry, and the first of them no outcome.
    return Outcome.stored(None, fields.get("record", ""))


def _result(entry_id: str, fields: Mapping[str, str], record: bytes) -> Result:
    line = record.decode("utf-8", "backslashreplace") or fields.get("record", "")
    facts = read_facts(fields)._asdict()
    return Result(id=entry_id, index=facts.pop("place"), **facts, record=line, outcome=read_outcome(fields))
