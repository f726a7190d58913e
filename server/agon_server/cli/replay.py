"""`agon replay`: records as readable text, and the proof that they are true. Needs no server.

A record is a match that is over, so all that was hidden in it is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from agon_engine.core.driver import Table
from agon_engine.core.errors import RecordError
from agon_engine.core.game import Event, Maker, option_text
from agon_engine.core.record import MatchRecord
from agon_engine.core.record_file import read_records
from agon_engine.core.replay import mismatches, replay
from agon_engine.registry import game_names, get_game
from agon_server.cli.failures import Negative
from agon_server.cli.output import Output
from agon_server.config import ConfigError

MAX_FILE = 1 << 30

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A file of records, gzipped or not; - reads standard input.")
]
MatchOption = Annotated[str | None, typer.Option("--match", metavar="ID", help="Only the match of this id.")]


def show(
    out: Output,
    file: FileArgument,
    match: MatchOption = None,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the board after every move.")] = False,
    seat: Annotated[int | None, typer.Option("--seat", help="Draw the board as this seat saw it.")] = None,
) -> None:
    """Play the matches of a file again and tell them move by move, as text."""
    for record in _selected(file, match):
        if out.as_json:
            out.json(record.to_line())
        else:
            for line in told(record, boards=boards, seat=seat):
                out.text(line)


def verify(out: Output, file: FileArgument, match: MatchOption = None) -> None:
    """Play the matches of a file again and compare what comes of them.

    Deal, commitment, choices, times, strikes, result and final state are compared. Exits with 1 when
    a record states something that its replay does not give.
    """
    checked = 0
    false: list[tuple[str, list[str]]] = []
    with out.live() as progress:
        for record in _selected(file, match):
            found = mismatches(record, get_game(_known(record)))
            checked += 1
            if found:
                false.append((record.match, found))
            progress.show(f"{checked} records checked, {len(false)} of them false")
    out.json({"checked": checked, "false": [{"match": name, "differences": found} for name, found in false]})
    for name, found in false:
        for difference in found:
            out.text(f"{name}: {difference}")
    if false:
        raise Negative(f"{len(false)} of {checked} records are not what their replay gives")
    out.line(f"{checked} {'record is' if checked == 1 else 'records are'} true: replayed, and nothing differs")


# -- records of a file -----------------------------------------------------------------------------------------


def _selected(file: Path, match: str | None) -> Iterator[MatchRecord]:
    """Read the records of a file that are asked for. Raise RecordError with the file's name; at least one is read."""
    found = False
    try:
        for record in read_records(_bytes_of(file)):
            if match is None or record.match == match:
                found = True
                yield record
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from None
    if not found:
        raise RecordError(f"{file} has no record" + (f" of match {match!r}" if match is not None else ""))


def _bytes_of(file: Path) -> bytes:
    if str(file) == "-":
        return sys.stdin.buffer.read(MAX_FILE)
    try:
        if file.stat().st_size > MAX_FILE:
            raise ConfigError(f"a file of records is at most {MAX_FILE >> 20} MiB; split it: {str(file)!r}")
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {str(file)!r}: {(error.strerror or 'unknown error').lower()}") from None


def _known(record: MatchRecord) -> str:
    if record.game not in game_names():
        raise RecordError(f"the record of match {record.match} is of a game that is not installed: {record.game!r}")

    return record.game


# -- telling a match -------------------------------------------------------------------------------------------


def told(record: MatchRecord, *, boards: bool = False, seat: int | None = None) -> Iterator[str]:
    """Tell a match as text, in pieces: who played what, what happened, how it ended.

    Raise RecordError for a record of a game or rules version that is not installed, or a seat that it has not.
    """
    game = get_game(_known(record))
    if seat is not None and not 0 <= seat < len(record.seats):
        raise RecordError(f"match {record.match} has seats 0 to {len(record.seats) - 1}, not {seat!r}")

    pieces: list[str] = []
    said = [0, 0]

    def on_step(table: Table) -> None:
        moves, events = said
        for number in range(moves, len(table.moves)):
            move = table.moves[number]
            by = "" if move.by.value == "seat" else f"  ({move.by.value})"
            charge = f"  [{move.charge_us / 1e6:.3f} s]" if move.charge_us else ""
            pieces.append(f"{number + 1:4}  {_name(record, move.seat):<{width}}  {move.action}{by}{charge}")
        pieces.extend(_happened(record, event) for event in table.events[events:] if _is_news(event))
        said[:] = len(table.moves), len(table.events)
        if boards:
            pieces.append("\n" + game.render(table.state.view(seat)) + "\n")

    width = max(len(_name(record, number)) for number in range(len(record.seats)))
    yield _heading(record)
    table = replay(record, game, on_step)
    yield from pieces
    if not boards:
        yield "\n" + game.render(table.state.view(seat))
    yield "\n" + _ending(record)


def _name(record: MatchRecord, seat: int) -> str:
    return f"{seat} {record.seats[seat].bot}"


def _is_news(event: Event) -> bool:
    """Tell whether an event says more than the move before it did."""
    return event.maker not in (Maker.SEAT, Maker.SUBSTITUTE)


def _happened(record: MatchRecord, event: Event) -> str:
    whom = f" {_name(record, event.seat)}:" if event.seat is not None else ""
    return f"       {event.maker.name.lower()}:{whom} {event.secret or event.code}"


def _heading(record: MatchRecord) -> str:
    options = ", ".join(f"{name}={option_text(value)}" for name, value in sorted(record.options.items()))
    place = f"ladder {record.ladder}" if record.ladder else "no ladder"
    lines = [
        f"match {record.match}: {record.game}, rules version {record.version}, {len(record.seats)} seats, {place}",
        f"{record.started} to {record.ended}, {len(record.moves)} moves; {options}",
    ]
    lines += [
        f"  seat {number}: {row.bot} {row.bot_version}".rstrip() + f", shown to the others as {row.alias}"
        for number, row in enumerate(record.seats)
    ]
    return "\n".join(lines) + "\n"


def _ending(record: MatchRecord) -> str:
    result = record.result
    lines = [f"over by {result.termination.value}" + ("" if result.rated else ", unrated")]
    order = sorted(range(len(record.seats)), key=lambda seat: (result.placements[seat], seat))
    lines += [
        f"  {result.placements[seat]}. {_name(record, seat)}: {result.scores[seat]} points"
        + ("" if result.seats[seat].value == "score" else f", {result.seats[seat].value}")
        for seat in order
    ]
    return "\n".join(lines) + "\n"
