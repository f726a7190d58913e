"""`agon replay`: records as readable text, and the proof that they are true. Needs no server.

A record is a match that is over, so all that was hidden in it is shown.
"""

from __future__ import annotations

import errno
import gzip
import sys
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from agon_engine.core.errors import RecordError
from agon_engine.core.record import MatchRecord
from agon_engine.core.record_file import read_records
from agon_engine.core.replay import mismatches
from agon_engine.registry import game_names, get_game
from agon_server.cli.command import a_path
from agon_server.cli.failures import Negative
from agon_server.cli.match_text import told
from agon_server.cli.output import Output
from agon_server.cli.record_games import RecordGames
from agon_server.config import ConfigError
from agon_server.surroundings import read_stream, read_up_to, reason_of

MAX_FILE = 1 << 30
_SQLITE = b"SQLite format 3\0"
_ARCHIVES = ("records", "server/records")
"""Where the folders of tournaments and servers have their records."""

FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", parser=a_path, help="A file of records, gzipped or not; - reads standard input."),
]
MatchOption = Annotated[str | None, typer.Option("--match", metavar="ID", help="Only the match of this id.")]


GivenOption = Annotated[
    list[str] | None,
    typer.Option("--file", metavar="FILE", help="A file that the records' options name by its hash; repeatable."),
]


def show(
    out: Output,
    file: FileArgument,
    match: MatchOption = None,
    given: GivenOption = None,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the board after every move.")] = False,
    seat: Annotated[int | None, typer.Option("--seat", help="Draw the board as this seat saw it.")] = None,
) -> None:
    """Play the matches of a file again and tell them move by move, as text.

    What a move answers is told in front of it where its code alone does not say that: `PROMPT? ACTION`.
    """
    games = RecordGames(given or ())
    for record in _selected(file, _bytes_of(file), match):
        if out.as_json:
            out.json(record.to_line())
        else:
            for line in told(record, games.of(record), boards=boards, seat=seat):
                out.text(line)


def verify(
    out: Output,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            parser=a_path,
            help="Files of records, gzipped or not, or folders that have some; - reads standard input.",
        ),
    ],
    match: MatchOption = None,
    given: GivenOption = None,
) -> None:
    """Play the matches of files again and compare what comes of them.

    The folder may be an archive's, a tournament's or a server's.

    Deal, commitment, choices, times, strikes, result and final state are compared. Exits with 1 when
    a record states something that its replay does not give.
    """
    games = RecordGames(given or ())
    checked = 0
    false: list[tuple[str, list[str]]] = []
    files = [file for named in files for file in _files_of(named)]
    with out.live() as progress:
        for number, file in enumerate(files, 1):
            progress.show(f"reading {file} …")
            data = _bytes_of(file)
            pace = _Pace(_count_lines(data) if match is None else 0)
            which = f"file {number} of {len(files)}, " if len(files) > 1 else ""
            for record in _selected(file, data, match):
                found = mismatches(record, games.of(record))
                checked += 1
                if found:
                    false.append((record.match, found))
                progress.show(f"{which}{pace.told()}, {len(false)} false so far")
    out.json({"checked": checked, "false": [{"match": name, "differences": found} for name, found in false]})
    for name, found in false:
        for difference in found:
            out.text(f"{name}: {difference}")
    if false:
        raise Negative(f"{len(false)} of {checked} records are not what their replay gives")
    out.line(f"{checked} {'record is' if checked == 1 else 'records are'} true: replayed, and nothing differs")


class _Pace:
    """How far the records of one file are."""

    def __init__(self, records: int) -> None:
        """`records` is how many there are, 0 where nobody knows."""
        self._records = records
        self._done = 0
        self._began = monotonic()

    def told(self) -> str:
        """Count one more, and tell how many are done and how long the others take."""
        self._done += 1
        took = monotonic() - self._began
        if self._done > self._records or not took:
            return f"{self._done} records checked"

        left = took / self._done * (self._records - self._done)
        pace = f"{self._done / took:.0f} a second, {int(left) // 60}:{int(left) % 60:02} left"
        return f"{self._done} of {self._records} records checked, {pace}"


# -- records of a file -----------------------------------------------------------------------------------------


def _files_of(named: Path) -> list[Path]:
    """Return the files of records in a folder; what is none as it is."""
    if not named.is_dir():
        return [named]

    for folder in (named, *(named / name for name in _ARCHIVES)):
        if found := sorted(file for file in folder.glob("*.jsonl*") if file.name.endswith((".jsonl", ".jsonl.gz"))):
            return found
    raise ConfigError(f"the folder has no files of records, *.jsonl or *.jsonl.gz: {str(named)!r}")


def _count_lines(data: bytes) -> int:
    """Return how many lines a file has, 0 where it is damaged: what is wrong with it is said as it is read."""
    if data[:2] != b"\x1f\x8b":
        return data.count(b"\n")

    lines = 0
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as unpacked:
            while chunk := unpacked.read(1 << 16):
                lines += chunk.count(b"\n")
    except (EOFError, OSError, zlib.error):
        return 0
    return lines


def _selected(file: Path, data: bytes, match: str | None) -> Iterator[MatchRecord]:
    """Read the records of a file that are asked for. Raise RecordError with the file's name; at least one is read."""
    if data.startswith(_SQLITE):
        raise RecordError(
            f"{file} is a database, as an archive has one beside its records: name the folder, or *.jsonl.gz in it"
        )
    found = False
    try:
        for record in read_records(data):
            if match is None or record.match == match:
                found = True
                _check_installed(record)
                yield record
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from None
    if not found:
        raise RecordError(f"{file} has no record" + (f" of match {match!r}" if match is not None else ""))


def _bytes_of(file: Path) -> bytes:
    try:
        return read_stream(sys.stdin.buffer, MAX_FILE) if str(file) == "-" else read_up_to(file, MAX_FILE)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigError(f"a file of records is at most {MAX_FILE >> 20} MiB; split it: {str(file)!r}") from None
        raise ConfigError(f"cannot read {str(file)!r}: {reason_of(error)}") from None


def _check_installed(record: MatchRecord) -> None:
    """Raise RecordError for a record of a game, or of rules, that are not installed here."""
    if record.game not in game_names():
        raise RecordError(f"the record of match {record.match} is of a game that is not installed: {record.game!r}")
    if record.version != (installed := get_game(record.game).spec.version):
        raise RecordError(
            f"the record of match {record.match} is of {record.game} rules version {record.version}, this installation "
            f"has {installed}; install the version of Agon that played it"
        )
