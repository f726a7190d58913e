"""The folder of a tournament that is played on this machine:

    tournament.json   what is played, as the file said at the start; its format's version and its hash
    records/          an archive, as a server has one: the records, and of each result what tables need
    bots.json         which files the bots are (`bot_files`)
    errors.json       what the bots' code raised, where it did (`conduct`)
    lock              held by the process that plays

`tournament.json` is written once, whole; all that changes is the archive, which takes a record and its result in one
step. So nothing can disagree after a `kill -9`, and every tool for archives and record files reads what was played.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from agon_engine.core.policy import RATED_TERMINATIONS
from agon_ladder.errors import ResultError
from agon_server.archive.folder import ArchiveFolder
from agon_server.queue.results import Result, order
from agon_server.store.folder import RECORDS, DataFolder, is_installation, write_private
from agon_server.surroundings import SMALL, read_up_to, reason_of
from agon_server.tournaments.conduct import Conduct
from agon_server.tournaments.definition import TournamentDef
from agon_server.tournaments.errors import BegunError, ChangedError, NotBegunError, TournamentError
from agon_server.tournaments.places import read_block_id
from agon_server.tournaments.progress import Progress

FORMAT: Final = 2
"""The version of `tournament.json`; rises with every change of what it means (R16)."""
_FILE: Final = "tournament.json"
_MAX_WAITING: Final = 1_000
"""Results that may wait for the disk."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a tournament was when it began."""

    definition: Mapping[str, Any]
    """All that decides which matches are played and how they end, by name; values of JSON."""
    started: str
    """UTC."""

    @property
    def hash(self) -> str:
        """What the definition is known by: BLAKE2b-128 over its canonical JSON, in hex."""
        return blake2b(_canonical(self.definition).encode(), digest_size=16).hexdigest()

    def check_same(self, given: Mapping[str, Any]) -> None:
        """Raise ChangedError, with all that differs, unless this is the definition that the tournament began with."""
        if _canonical(given) == _canonical(self.definition):
            return

        before, now = _flat(self.definition), _flat(given)
        differences = [
            f"{name} was {before.get(name, 'not given')} at the start, and is {now.get(name, 'not given')}"
            for name in [*before, *(name for name in now if name not in before)]
            if before.get(name) != now.get(name)
        ]
        for name, items in self.definition.items():
            was, is_now = _order(items), _order(given.get(name))
            if was != is_now and sorted(was) == sorted(is_now):
                differences.append(f"the order of {name} was {', '.join(was)} at the start, and is {', '.join(is_now)}")
        raise ChangedError("the tournament began with another definition", differences)

    def as_it_began(self) -> TournamentDef:
        """Return the definition, to tell of what was played. Raise TournamentError where it is damaged."""
        try:
            return TournamentDef.from_json(self.definition)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise TournamentError(f"the kept definition of the tournament is damaged: {error!r}") from None

    def to_json(self) -> bytes:
        data = {"format": FORMAT, "hash": self.hash, "started": self.started, "definition": dict(self.definition)}
        return (json.dumps(data, indent=1) + "\n").encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Read what `to_json` wrote. Raise ValueError, KeyError, TypeError or RecursionError for anything else."""
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError(f"its format is {data['format']!r}, this version of Agon reads {FORMAT}")

        kept = cls(dict(data["definition"]), str(data["started"]))
        if kept.hash != data["hash"]:
            raise ValueError("its hash does not fit what it says")
        return kept


def _canonical(definition: Mapping[str, Any]) -> str:
    return json.dumps(definition, sort_keys=True, separators=(",", ":"))


def _flat(value: Any, name: str = "") -> dict[str, str]:
    """Return all values in it as JSON, each by the names that lead to it; items of lists by their own, if they have
    one, else by their number."""
    if isinstance(value, list) and value:
        value = dict(_named(item, number) for number, item in enumerate(value, 1))
    elif not isinstance(value, Mapping):
        return {name: json.dumps(value, ensure_ascii=False)}

    found: dict[str, str] = {}
    for key, item in value.items():
        found |= _flat(item, f"{name}.{key}" if name else key)
    return found


def _named(item: Any, number: int) -> tuple[str, Any]:
    if isinstance(item, Mapping) and "name" in item:
        return str(item["name"]), {key: inner for key, inner in item.items() if key != "name"}

    return str(number), item


def _order(value: Any) -> list[str]:
    """Return the names of what is in a list, in its order; none for all else."""
    if not isinstance(value, list):
        return []
    return [name for item in value if (name := _named(item, 0)[0]) != "0"]


class TournamentFolder:
    """A tournament's folder, open. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path, kept: Kept, archive: ArchiveFolder, lock: DataFolder | None) -> None:
        """Use `begin`, `open` or `read`."""
        self.path = path
        self.kept = kept
        self._archive = archive
        self._lock = lock
        self._last = order(archive.cursor)
        self.added = 0
        """Results that count, added since it was opened."""

    @classmethod
    def begin(cls, path: Path, definition: Mapping[str, Any]) -> Self:
        """Make the folder of a new tournament, under its lock.

        Raise BegunError where it has one already, TournamentError where it is something else's, DataFolderError where
        it is in use or cannot be made, ArchiveError where its archive is damaged.
        """
        if is_installation(path) or ((path / RECORDS).exists() and not (path / _FILE).exists()):
            raise TournamentError(f"that is a server's data folder; choose another by --data: {str(path)!r}")

        def make() -> Kept:
            if (path / _FILE).exists():
                raise BegunError(f"there is a tournament in the folder already: {str(path)!r}")
            kept = Kept(dict(definition), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
            write_private(path / _FILE, kept.to_json())
            return kept

        return cls._locked(path, make)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the folder of a tournament that has begun, under its lock; raise NotBegunError where there is none, and
        else as `begin` does."""
        _read_kept(path)  # before a folder and a lock are made
        return cls._locked(path, lambda: _read_kept(path))

    @classmethod
    def _locked(cls, path: Path, kept: Callable[[], Kept]) -> Self:
        with ExitStack() as stack:
            lock = stack.enter_context(DataFolder.open(path))
            found = kept()
            archive = ArchiveFolder(lock.sub(RECORDS))
            stack.pop_all()
        return cls(path, found, archive, lock)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open the folder to read it, while another process may play. Raise as `open` does."""
        kept = _read_kept(path)
        return cls(path, kept, ArchiveFolder(path / RECORDS), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._archive.close()
        if self._lock is not None:
            self._lock.close()

    @property
    def records(self) -> Path:
        """The folder of the records."""
        return self.path / RECORDS

    def results(self) -> Iterator[Result]:
        """Iterate over the results so far, in the order in which the matches ended."""
        return self._archive.results()

    def append(self, results: Sequence[Result]) -> None:
        """Keep results, in one step; on disk when it returns."""
        self._archive.append(results)
        self.added += sum(result.termination in RATED_TERMINATIONS for result in results)

    def next_id(self) -> str:
        """Return the id of the next result: greater than all before, as those of a results stream are."""
        now = time.time_ns() // 1_000_000
        last, number = self._last
        self._last = (now, 0) if now > last else (last, number + 1)
        return f"{self._last[0]}-{self._last[1]}"


def recalled(definition: TournamentDef, folder: TournamentFolder, conduct: Conduct | None = None) -> Progress:
    """Return how far a tournament has come, by the results that its folder has; `conduct` counts how seats ended.

    Raise ScheduleError where the format cannot be, ResultError for a result that the schedule does not have.
    """
    progress = Progress(definition.schedule(), definition.seats, definition.places)
    for result in folder.results():
        if result.outcome is None:
            raise ResultError(f"the record of match {result.match} cannot be read: {result.id!r}")
        place = read_block_id(result.block, result.index)
        if conduct is not None:
            conduct.add(result.outcome.bots, result.outcome.terminations)
        if result.termination in RATED_TERMINATIONS:
            progress.take(place, result.outcome.bots, result.outcome.placements)
        else:
            progress.missed(place)
    return progress


def _read_kept(path: Path) -> Kept:
    file = path / _FILE
    try:
        return Kept.from_json(read_up_to(file, 64 * SMALL))
    except FileNotFoundError:
        raise NotBegunError(
            f"no tournament has begun in that folder; `agon tournament run` begins it: {str(path)!r}"
        ) from None
    except OSError as error:
        raise TournamentError(f"cannot read a tournament's file ({reason_of(error)}): {str(file)!r}") from None
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise TournamentError(f"a tournament's file is damaged ({error}): {str(file)!r}") from None


class Writer:
    """Keeps results in a thread of its own, all that came meanwhile in one step: who plays never waits for the disk.

    Leaving the `with` block waits until all is kept.
    """

    def __init__(self, append: Callable[[Sequence[Result]], None]) -> None:
        self._append = append
        self._queue: queue.Queue[Result | None] = queue.Queue(_MAX_WAITING)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="keep results")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._queue.put(None)
        self._thread.join()
        if kind is None:
            self._check()

    def put(self, result: Result) -> None:
        """Keep a result soon. Raise what an earlier one could not be kept for."""
        self._check()
        self._queue.put(result)

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        while (result := self._queue.get()) is not None:
            batch, ends = [result], False
            while not (ends or self._queue.empty()):
                more = self._queue.get()
                ends = more is None
                batch += [more] if more is not None else []
            # Once something could not be kept, nothing after it is: what is kept is always how far it had come.
            if self._error is None:
                try:
                    self._append(batch)
                except BaseException as error:
                    self._error = error
            if ends:
                return
