"""The tables of the archive's index, and how an index that an earlier version made is brought up to date."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

VERSION = 3
"""What `PRAGMA user_version` of an index says; 0 is one from before it was kept. Rises with every change of a table."""
FORMAT = "1"
"""How the files are written."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS results (
    ms INTEGER NOT NULL, number INTEGER NOT NULL,
    match TEXT NOT NULL UNIQUE,
    facts TEXT NOT NULL,
    file TEXT, start INTEGER, bytes INTEGER, line INTEGER,
    told TEXT,
    PRIMARY KEY (ms, number)
)""",
    "CREATE INDEX IF NOT EXISTS by_ladder ON results (json_extract(facts, '$.ladder'), ms, number)",
    "CREATE INDEX IF NOT EXISTS by_block ON results (json_extract(facts, '$.block'), ms, number)",
    """CREATE TABLE IF NOT EXISTS seats (
    bot TEXT NOT NULL, ms INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (bot, ms, number)
) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS unread (id TEXT PRIMARY KEY, reason TEXT NOT NULL, fields TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS rulings (
    ms INTEGER NOT NULL, number INTEGER NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (ms, number)
)""",
)
_PLAYED = "SELECT ms, number, file, start, bytes, line FROM results WHERE file IS NOT NULL ORDER BY ms, number"

BotsOf = Callable[[str, int, int, int], Iterable[str]]
"""Names the bots of a record that lies in a file: name, start and bytes of its member, number of its line."""


class SchemaError(Exception):
    """The index cannot be used by this version; the message says what to do."""


def is_empty(index: sqlite3.Connection) -> bool:
    """Tell whether nothing was ever made in the index."""
    return _version(index) == 0 and not _has(index, "about")


def is_current(index: sqlite3.Connection) -> bool:
    """Tell whether the index has all tables of this version. Raise SchemaError for one of a later version."""
    version = _version(index)
    if version > VERSION:
        raise SchemaError(
            f"its index is of a later version of Agon ({version}, this one reads up to {VERSION}), install that one"
        )

    return version == VERSION


def prepare(index: sqlite3.Connection, start: str, bots_of: BotsOf) -> None:
    """Make the tables, or those that an earlier version did not have yet; within a transaction of the caller's.

    `start` is the cursor of a new archive.
    """
    is_new, had_seats = not _has(index, "about"), _has(index, "seats")
    if not is_new and not _has_column(index, "results", "told"):
        # What it would hold is read from the records of these, as it was before.
        index.execute("ALTER TABLE results ADD COLUMN told TEXT")
    for table in _TABLES:
        index.execute(table)
    if is_new:
        about = [("format", FORMAT), ("name", f"archive:{secrets.token_hex(4)}"), ("cursor", start)]
        index.executemany("INSERT INTO about VALUES (?, ?)", about)
    elif not had_seats:
        _fill_seats(index, bots_of)
    index.execute(f"PRAGMA user_version = {VERSION}")


def check_format(index: sqlite3.Connection) -> None:
    """Raise SchemaError for an archive whose files have another format."""
    found = index.execute("SELECT value FROM about WHERE name = 'format'").fetchone()
    if found is None or found[0] != FORMAT:
        raise SchemaError(f"its files have another format than {FORMAT!r}: {found and found[0]!r}")


def _fill_seats(index: sqlite3.Connection, bots_of: BotsOf) -> None:
    rows: list[tuple[Any, ...]] = index.execute(_PLAYED).fetchall()
    for ms, number, *where in rows:
        seats = [(bot, ms, number) for bot in bots_of(*where)]
        index.executemany("INSERT OR IGNORE INTO seats VALUES (?, ?, ?)", seats)


def _version(index: sqlite3.Connection) -> int:
    return int(index.execute("PRAGMA user_version").fetchone()[0])


def _has(index: sqlite3.Connection, table: str) -> bool:
    asked = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return index.execute(asked, (table,)).fetchone() is not None


def _has_column(index: sqlite3.Connection, table: str, column: str) -> bool:
    return column in {row[1] for row in index.execute(f"PRAGMA table_info({table})")}
