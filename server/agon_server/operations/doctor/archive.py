"""The archive's folder for the doctor: what its index says and what lies on disk, read without changing either, and the
checks of it."""

from __future__ import annotations

import gzip
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from agon.codec.admin import Condition
from agon_server.archive.folder import INDEX
from agon_server.operations.doctor.suspicion import Suspicion
from agon_server.queue.results import START, order
from agon_server.surroundings import reason_of

SUFFIX = ".jsonl.gz"
_READ = 3
"""Of the newest files so many have their last member read."""


@dataclass(frozen=True, slots=True)
class Member:
    """One part of a file, as the index knows it."""

    start: int
    size: int
    records: int


@dataclass(frozen=True, slots=True)
class ArchiveLook:
    """Everything that the checks of an archive judge."""

    path: Path
    problem: str = ""
    """Why the index cannot be read; all else is then what the disk alone says."""
    cursor: str = START
    indexed: dict[str, int] = field(default_factory=dict)
    """The size of each file by the index, in bytes."""
    members: dict[str, Sequence[Member]] = field(default_factory=dict)
    """By file, in their order."""
    sizes: dict[str, int] = field(default_factory=dict)
    """The size of each file on disk."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Why a file, or its last member, cannot be read."""


def look_at_archive(path: Path) -> ArchiveLook | None:
    """Read an archive's folder, the index first; None where there is none. Blocking."""
    if not path.is_dir():
        return None

    problem, cursor = "", START
    indexed: dict[str, int] = {}
    members: dict[str, list[Member]] = defaultdict(list)
    try:
        if (path / INDEX).is_file() and (path / INDEX).stat().st_size:
            # Where nobody has it open and nobody was killed with it, even reading would leave files beside it.
            how = "mode=ro" if (path / f"{INDEX}-wal").exists() else "immutable=1"
            with closing(sqlite3.connect(f"file:{quote(str(path / INDEX))}?{how}", uri=True)) as index:
                [(cursor,)] = index.execute("SELECT value FROM about WHERE name = 'cursor'").fetchall()
                indexed = dict(index.execute("SELECT name, bytes FROM files").fetchall())
                for name, *member in index.execute(
                    "SELECT file, start, bytes, COUNT(*) FROM results WHERE file IS NOT NULL "
                    "GROUP BY file, start ORDER BY file, start"
                ):
                    members[name].append(Member(*member))
    except (OSError, ValueError, sqlite3.Error) as error:
        problem = str(error) or type(error).__name__
    sizes = {file.name: file.stat().st_size for file in path.glob(f"*{SUFFIX}")}
    return ArchiveLook(path, problem, cursor, indexed, dict(members), sizes, _unreadable(path, sizes, members))


def _unreadable(path: Path, sizes: dict[str, int], members: dict[str, list[Member]]) -> dict[str, str]:
    found = {}
    for number, name in enumerate(sorted(sizes, reverse=True)):
        try:
            with (path / name).open("rb") as file:
                if number < _READ and members.get(name):
                    last = members[name][-1]
                    file.seek(last.start)
                    records = gzip.decompress(file.read(last.size)).count(b"\n")
                    if records != last.records:
                        found[name] = f"its last part has {records} records, the index {last.records}"
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            found[name] = f"its last part is damaged ({error})"
        except OSError as error:
            found[name] = f"it cannot be read: {reason_of(error)}"
    return found


def check_archive(look: ArchiveLook, trimmed: str) -> list[Suspicion]:
    """Return all that is suspicious about an archive. `trimmed` is the newest result that the store has no more."""
    return [*index(look), *files(look), *lacking(look, trimmed)]


def index(look: ArchiveLook) -> Iterator[Suspicion]:
    """The index itself."""
    where = str(look.path / INDEX)
    if look.problem:
        remedy = f"bring {INDEX} back from a copy"
        yield Suspicion("archive", Condition.INCONSISTENT, f"the index cannot be read: {look.problem}", where, remedy)
    elif look.sizes and not look.indexed:
        remedy = f"bring {INDEX} back, or move the files away to begin a new archive"
        what = f"the index knows none of the {len(look.sizes)} files of records"
        yield Suspicion("archive", Condition.INCONSISTENT, what, where, remedy, tuple(sorted(look.sizes.items())))


def files(look: ArchiveLook) -> Iterator[Suspicion]:
    """The files of records against the index."""
    if look.problem:
        return

    copy = "bring it back from a copy; `agon replay verify` tells what is left of it"
    for name in sorted(look.indexed.keys() | look.sizes.keys() if look.indexed else ()):
        where, size, known = str(look.path / name), look.sizes.get(name), look.indexed.get(name)
        if known is None:
            what, remedy = (
                "the index does not know this file",
                "move it away; its records are in the store, or another file",
            )
            yield Suspicion("archive", Condition.ORPHANED, what, where, remedy, size)
        elif size is None or size < known:
            what = "the file is missing" if size is None else f"the file is cut off: it has {size} bytes of {known}"
            yield Suspicion("archive", Condition.INCONSISTENT, what, where, copy, size)
        elif name in look.unreadable:
            yield Suspicion("archive", Condition.INCONSISTENT, look.unreadable[name], where, copy, size)
        elif size > known:
            what = f"a crash left {size - known} bytes behind the last record"
            remedy = f"nothing: the day's next record takes their place; later `truncate -s {known}` does no harm"
            yield Suspicion("archive", Condition.ORPHANED, what, where, remedy, size)
        elif (gap := _gap(look.members.get(name, ()), known)) is not None:
            what = f"the index lacks the records from byte {gap}"
            yield Suspicion("archive", Condition.INCONSISTENT, what, where, f"bring {INDEX} back from a copy", size)


def lacking(look: ArchiveLook, trimmed: str) -> Iterator[Suspicion]:
    """Results that are neither in the archive nor in the store."""
    if not look.problem and order(trimmed) > order(look.cursor):
        what = f"results between {look.cursor} and {trimmed} are in the store no more, and not here"
        remedy = "bring the archive back from its newest copy, or take these from another server's"
        yield Suspicion("archive", Condition.INCONSISTENT, what, str(look.path), remedy, look.cursor)


def _gap(members: Sequence[Member], size: int) -> int | None:
    """Return the first byte that no part covers; None where they cover all."""
    at = 0
    for member in members:
        if member.start != at:
            return at
        at += member.size
    return at if at != size else None
