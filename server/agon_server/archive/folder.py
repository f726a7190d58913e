"""The archive on disk: files of records and their index. Blocking; for a worker thread or a process of its own. Knows
no store.

    2026-05-01.jsonl.gz   records as lines, one gzip member a call of `append`; further files of a day end in -2, -3 …
    index.sqlite          of each result its id, its facts, where its record is and what that tells a ladder; rulings;
                          the sizes of the files; the cursor; whole, in the table `unread`, what neither could be read
                          from

A file is written first, then the index in one transaction. So what a crash left behind in a file is beyond the size
that the index knows, and is cut off before the next member: nothing is lost, nothing doubled.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache
from itertools import groupby
from json import dumps, loads
from pathlib import Path
from typing import Any

from agon_engine.core.policy import Termination
from agon_ladder.results import MatchResult, Position
from agon_ladder.rulings import Ruling
from agon_server.archive.schema import SchemaError, check_format, is_current, is_empty, prepare
from agon_server.moments import moment
from agon_server.queue.outcome import Outcome
from agon_server.queue.reading import Told, recorded, told_result, told_text
from agon_server.queue.results import START, Entry, Kind, Result, Unread, fields_of, order, ruling_of

INDEX = "index.sqlite"
GZIP_LEVEL = 4
"""A fifth of the time of the highest level, for 6 % more bytes."""
FILE_BYTES = 64 << 20
"""A file of this size gets no further member; the day goes on in the next one."""
_PAGE = 500
_TOLD_PAGE = 5_000
"""The same without records, of a few hundred bytes each."""
_COLUMNS = "SELECT match, ms, number, facts, file, start, bytes, line FROM"
_SELECT = f"{_COLUMNS} results"
_SELECT_OF_BOT = f"{_COLUMNS} seats CROSS JOIN results USING (ms, number)"
"""In this order, so that the rows come sorted from the index of seats."""
_FIND = f"{_SELECT} WHERE match = ?"
_PLACE = "SELECT match, ms, number FROM results WHERE match = ?"
_AFTER = f"{_SELECT} WHERE (ms, number) > (?, ?) ORDER BY ms, number LIMIT ?"
_ALL_AFTER = """
SELECT * FROM (
    SELECT match, ms, number, facts, file, start, bytes, line FROM results
    WHERE {} AND (ms, number) > (?1, ?2) ORDER BY ms, number LIMIT ?3
) UNION ALL SELECT * FROM (
    SELECT NULL, ms, number, fields, NULL, NULL, NULL, NULL FROM rulings
    WHERE (ms, number) > (?1, ?2) ORDER BY ms, number LIMIT ?3
) ORDER BY ms, number LIMIT ?3"""
"""Of both in one statement, since another process may write the index."""
_ENTRIES_AFTER = _ALL_AFTER.format("?4 = ''")
_LADDER_ENTRIES_AFTER = _ALL_AFTER.format("json_extract(facts, '$.ladder') = ?4")
_TOLD_AFTER = """
SELECT * FROM (
    SELECT match, ms, number, CASE WHEN told IS NULL THEN facts END, file, start, bytes, line, told FROM results
    WHERE json_extract(facts, '$.ladder') = ?4 AND (ms, number) > (?1, ?2) ORDER BY ms, number LIMIT ?3
) UNION ALL SELECT * FROM (
    SELECT NULL, ms, number, fields, NULL, NULL, NULL, NULL, NULL FROM rulings
    WHERE (ms, number) > (?1, ?2) ORDER BY ms, number LIMIT ?3
) ORDER BY ms, number LIMIT ?3"""
_OF_BLOCK = f"{_SELECT} WHERE json_extract(facts, '$.block') = ? ORDER BY ms, number"
_FACTS = tuple(item.name for item in fields(Result) if item.name not in ("id", "match", "record", "outcome"))
_BEFORE = "(ms, number) < (?, ?)"
_OF_LADDER = "json_extract(facts, '$.ladder') = ?"
_WITH_BOT = "bot = ?"


class ArchiveError(Exception):
    """The archive's folder cannot be read or written, or is damaged; the message says which and where."""


class ArchiveFolder:
    """The archive in one folder. Calls may come from several threads."""

    def __init__(self, path: Path, *, file_bytes: int = FILE_BYTES) -> None:
        """Open the archive, made with mode 0700 when missing. Raise ArchiveError when it is damaged."""
        self.path = path
        self._file_bytes = file_bytes
        self._lock = threading.Lock()
        self._read_member = lru_cache(maxsize=4)(self._read_member_uncached)
        with self._errors():
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (path / INDEX).exists():  # before one is made
                self._check_new()
            os.close(os.open(path / INDEX, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._index = sqlite3.connect(path / INDEX, check_same_thread=False, isolation_level=None)
        try:
            with self._errors():
                self._prepare()
        except BaseException:
            self._index.close()
            raise

    def _prepare(self) -> None:
        self._index.execute("PRAGMA journal_mode = WAL")
        self._index.execute("PRAGMA synchronous = FULL")
        if is_empty(self._index):
            self._check_new()
        if not is_current(self._index):
            with self._transaction():
                prepare(self._index, START, self._bots_of)
        check_format(self._index)
        for name, size in self._index.execute("SELECT name, bytes FROM files"):
            file = self.path / name
            if not file.is_file() or file.stat().st_size < size:
                raise ArchiveError(
                    f"a file of the archive is missing or cut off; bring it back from a copy: {str(file)!r}"
                )

    def _check_new(self) -> None:
        if left := list(self.path.glob("*.jsonl.gz")):
            files = "1 file" if len(left) == 1 else f"{len(left)} files"
            raise ArchiveError(
                f"the archive has {files} of records but lacks the index: bring {INDEX} back, or move the files away "
                f"to begin a new one, from {str(self.path)!r}"
            )

    def _bots_of(self, name: str, start: int, size: int, line: int) -> Sequence[str]:
        outcome = Outcome.stored(None, self._read_member(name, start, size)[line])
        return outcome.bots if outcome is not None else ()

    @property
    def reader(self) -> str:
        """The name under which this archive reads the results stream: made once."""
        with self._lock, self._errors():
            return self._about("name")

    @property
    def cursor(self) -> str:
        """The id of the last result that is in the archive."""
        with self._lock, self._errors():
            return self._about("cursor")

    @property
    def lacks(self) -> str:
        """The id up to which results are missing: they were trimmed before this archive took them. START: none."""
        with self._lock, self._errors():
            row = self._index.execute("SELECT value FROM about WHERE name = 'lacks'").fetchone()
            return START if row is None else str(row[0])

    def close(self) -> None:
        with self._lock:
            self._index.close()

    # -- writing -------------------------------------------------------------------------------------------------

    def lack(self, until: str) -> None:
        """Remember for ever that results up to this id are missing."""
        with self._lock, self._errors(), self._transaction():
            self._index.execute("INSERT OR REPLACE INTO about VALUES ('lacks', ?)", (until,))

    def append(self, results: Sequence[Result], unread: Sequence[Unread] = (), rulings: Sequence[Ruling] = ()) -> int:
        """Archive results that follow one another in the stream, and what stands between them; on disk when it returns.
        Return how many results were new.

        What is in the archive already is left as it is, and of two results of a match the first one is taken.
        """
        ids = [result.id for result in results] + [entry.id for entry in unread] + [str(each.order) for each in rulings]
        last = max(ids, key=order, default=START)
        with self._lock, self._errors():
            known = order(self._about("cursor"))
            new: dict[str, Result] = {}
            for result in results:
                if result.order > known and not self._has(result.match):
                    new.setdefault(result.match, result)
            with self._transaction():
                for day, group in groupby(new.values(), key=_day):
                    self._append_day(day, list(group))
                self._index.executemany(
                    "INSERT OR IGNORE INTO unread VALUES (?, ?, ?)",
                    [(entry.id, entry.reason, dumps(entry.fields)) for entry in unread],
                )
                self._index.executemany(
                    "INSERT OR IGNORE INTO rulings VALUES (?, ?, ?)",
                    [(*ruling.order, dumps(fields_of(ruling))) for ruling in rulings if ruling.order > known],
                )
                if order(last) > known:
                    self._index.execute("UPDATE about SET value = ? WHERE name = 'cursor'", (last,))
        return len(new)

    def _append_day(self, day: str, results: list[Result]) -> None:
        # A record is one line: a foreign one that is more must not shift those that follow it.
        lines = [result.record.replace("\n", "\\n") for result in results if result.kind is Kind.PLAYED]
        name, start, size, line = None, None, None, 0
        if lines:
            name, start = self._file_of(day)
            member = gzip.compress("".join(f"{line}\n" for line in lines).encode(), GZIP_LEVEL, mtime=0)
            size = len(member)
            self._write(name, start, member)
            self._index.execute(
                "INSERT INTO files VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes",
                (name, start + size),
            )
        for result in results:
            where = (name, start, size, line) if result.kind is Kind.PLAYED else (None, None, None, None)
            self._index.execute(
                "INSERT INTO results (ms, number, match, facts, file, start, bytes, line, told) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*result.order, result.match, _facts(result), *where, _told(result)),
            )
            line += result.kind is Kind.PLAYED
            self._index.executemany(
                "INSERT OR IGNORE INTO seats VALUES (?, ?, ?)",
                [(bot, *result.order) for bot in (result.outcome.bots if result.outcome is not None else ())],
            )

    def _file_of(self, day: str) -> tuple[str, int]:
        """Return the file that the day's next member goes to, and its size so far."""
        number = 1
        while True:
            name = f"{day}.jsonl.gz" if number == 1 else f"{day}-{number}.jsonl.gz"
            found = self._index.execute("SELECT bytes FROM files WHERE name = ?", (name,)).fetchone()
            if found is None or found[0] < self._file_bytes:
                return name, found[0] if found else 0
            number += 1

    def _write(self, name: str, start: int, member: bytes) -> None:
        handle = os.open(self.path / name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.truncate(start)
            file.seek(start)
            file.write(member)
            file.flush()
            os.fsync(file.fileno())
        if start == 0:
            folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    # -- reading -------------------------------------------------------------------------------------------------

    def find(self, match: str) -> Result | None:
        """Return the archived result of a match, its record included."""
        with self._lock, self._errors():
            row = self._index.execute(_FIND, (match,)).fetchone()
        return None if row is None else self._result(row)

    def results(self, after: str = START) -> Iterator[Result]:
        """Iterate over all archived results after the cursor, in the order of the stream."""
        while True:
            with self._lock, self._errors():
                rows = self._index.execute(_AFTER, (*order(after), _PAGE)).fetchall()
            if not rows:
                return
            for row in rows:
                yield self._result(row)
            after = f"{rows[-1][1]}-{rows[-1][2]}"

    def entries(self, after: str = START, ladder: str = "") -> Iterator[Entry]:
        """Iterate over all archived results and rulings after the cursor, in the order of the stream; over those of one
        ladder where it is given."""
        statement = _LADDER_ENTRIES_AFTER if ladder else _ENTRIES_AFTER
        while True:
            with self._lock, self._errors():
                rows = self._index.execute(statement, (*order(after), _PAGE, ladder)).fetchall()
            if not rows:
                return
            for row in rows:
                if row[0] is not None:
                    yield self._result(row)
                elif (ruling := self._ruling(*row[1:4])).ladder == ladder or not ladder:
                    yield ruling
            after = f"{rows[-1][1]}-{rows[-1][2]}"

    def told(self, ladder: str, after: str = START) -> Iterator[Told]:
        """Iterate over a ladder's archived entries after the cursor, in the order of the stream, results as their
        records told them when they were archived. Records are opened only where that was not kept."""
        while True:
            with self._lock, self._errors():
                rows = self._index.execute(_TOLD_AFTER, (*order(after), _TOLD_PAGE, ladder)).fetchall()
            if not rows:
                return
            for match, ms, number, text, *where, told in rows:
                if told is not None:
                    yield self._told(Position(ms, number), match, ladder, told)
                elif match is not None:
                    yield recorded(self._result((match, ms, number, text, *where)))
                elif (ruling := self._ruling(ms, number, text)).ladder == ladder:
                    yield ruling
            after = f"{rows[-1][1]}-{rows[-1][2]}"

    def _told(self, position: Position, match: str, ladder: str, text: str) -> MatchResult:
        try:
            return told_result(position, match, ladder, text)
        except (LookupError, RecursionError, TypeError, ValueError) as error:
            raise ArchiveError(
                f"the index of the archive is damaged ({error}) at result {position}; bring {INDEX} back from a copy, "
                f"into {str(self.path)!r}"
            ) from None

    def places(self, matches: Sequence[str]) -> dict[str, str]:
        """Return the ids of the archived results of some matches, by match."""
        with self._lock, self._errors():
            found = [self._index.execute(_PLACE, (match,)).fetchone() for match in matches]
        return {row[0]: f"{row[1]}-{row[2]}" for row in found if row is not None}

    def rulings(self) -> list[Ruling]:
        """Return all archived rulings, in the order of the stream."""
        with self._lock, self._errors():
            rows = self._index.execute("SELECT ms, number, fields FROM rulings ORDER BY ms, number").fetchall()
        return [self._ruling(*row) for row in rows]

    def _ruling(self, ms: int, number: int, fields: str) -> Ruling:
        return ruling_of(f"{ms}-{number}", loads(fields))

    def latest(self, count: int, *, before: str = "", ladder: str = "", bot: str = "") -> list[Result]:
        """Return up to `count` archived results, the latest first: before the cursor, of the ladder, with the bot,
        where these are given."""
        asked: list[tuple[str, tuple[Any, ...]]] = []
        if before:
            asked.append((_BEFORE, order(before)))
        if ladder:
            asked.append((_OF_LADDER, (ladder,)))
        if bot:
            asked.append((_WITH_BOT, (bot,)))
        where = " WHERE " + " AND ".join(text for text, _ in asked) if asked else ""
        values = [value for _, given in asked for value in given]
        with self._lock, self._errors():
            rows = self._index.execute(
                f"{_SELECT_OF_BOT if bot else _SELECT}{where} ORDER BY ms DESC, number DESC LIMIT ?", (*values, count)
            ).fetchall()
        return [self._result(row) for row in rows]

    def of_block(self, block: str) -> list[Result]:
        """Return the archived results of a block, in the order in which they ended."""
        with self._lock, self._errors():
            rows = self._index.execute(_OF_BLOCK, (block,)).fetchall()
        return [self._result(row) for row in rows]

    def _result(self, row: tuple[Any, ...]) -> Result:
        match, ms, number, facts, file, start, size, line = row
        told = loads(facts)
        told["kind"] = Kind(told["kind"])
        told["termination"] = Termination(told["termination"])
        record = "" if file is None else self._read_member(file, start, size)[line]
        # Earlier versions have no outcome here, and mean that of the record.
        read = Outcome.stored(told.get("outcome"), record) if told.get("outcome") or "outcome" not in told else None
        told["outcome"] = read
        return Result(id=f"{ms}-{number}", match=match, record=record, **told)

    def _read_member_uncached(self, name: str, start: int, size: int) -> list[str]:
        try:
            with (self.path / name).open("rb") as file:
                file.seek(start)
                return gzip.decompress(file.read(size)).decode().split("\n")[:-1]
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise ArchiveError(f"cannot read the archive ({error}) at byte {start} of {name!r}") from None

    # -- the index -----------------------------------------------------------------------------------------------

    def _about(self, name: str) -> str:
        return str(self._index.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()[0])

    def _has(self, match: str) -> bool:
        return self._index.execute("SELECT 1 FROM results WHERE match = ?", (match,)).fetchone() is not None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._index.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._index.execute("ROLLBACK")
            raise
        self._index.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            # Python's own, as of an index that is closed, have no code; the lowest byte of SQLite's says which kind.
            kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if kind not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise ArchiveError(f"cannot use the archive ({error}): {str(self.path)!r}") from error
            raise ArchiveError(
                f"the index of the archive is damaged ({error}); bring {INDEX} back from a copy, or move it and the "
                f"files of records away to begin a new one, from {str(self.path)!r}"
            ) from error
        except (OSError, SchemaError, sqlite3.Error) as error:
            raise ArchiveError(f"cannot use the archive ({error}): {str(self.path)!r}") from error


def _facts(result: Result) -> str:
    facts = {name: getattr(result, name) for name in _FACTS}
    facts["outcome"] = result.outcome.to_json() if result.outcome is not None else None
    return dumps(facts, separators=(",", ":"))


def _told(result: Result) -> str | None:
    """Return what a ladder needs of a result by its record; None where that cannot be read, or is another one's."""
    told = recorded(result)
    return told_text(told) if isinstance(told, MatchResult) else None


def _day(result: Result) -> str:
    return moment(result.ended).date().isoformat()
