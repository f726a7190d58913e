"""A ladder's report: for people as text or a page, for programs as JSON or CSV."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final, TextIO

import typer

from agon.codec import admin, ledger
from agon.codec.errors import CodecError
from agon.codec.ledger import ReportFormat
from agon_server.cli.command import a_path
from agon_server.cli.door import Door
from agon_server.cli.ladder.names import NameArgument
from agon_server.cli.output import Output
from agon_server.cli.whole_file import whole_file
from agon_server.config import ConfigError
from agon_server.operations.errors import InvalidError
from agon_server.surroundings import reason_of

_FILE_NAME: Final = re.compile(r"[a-z_]{1,40}\.[a-z]{1,8}")


async def report(
    out: Output,
    door: Door,
    name: NameArgument,
    form: Annotated[ReportFormat, typer.Option("--format", help="text, json, csv or html.")] = ReportFormat.TEXT,
    to: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            parser=a_path,
            help="Write there; csv: a folder.  [default: standard output]",
        ),
    ] = None,
    season: Annotated[
        str, typer.Option("--season", metavar="LABEL", help="Of a season that is over.  [default: the running one]")
    ] = "",
) -> None:
    """Report on a season of a ladder, from all its records.

    Standings with live ratings, strengths fitted to all complete blocks and their 95 % intervals; ratings over time;
    who scored how much against whom; what each seat is worth; faults by kind; time charged. html is a page that needs
    no other file; csv is a file for each table, which pandas reads as it is.
    """
    form = ReportFormat.JSON if out.as_json else form
    if form is ReportFormat.CSV and to is None:
        raise InvalidError("csv is a file for each table: name a folder for them by --out DIR")

    request = ledger.ReportLadderRequest(name, form, season)
    if to is None:
        await _print(out, door, request)
    elif form is ReportFormat.CSV:
        await _fill(door, request, to)
        out.hint(f"the tables of ladder {name} are in {to}")
    else:
        with whole_file(to) as file:
            async for piece in door.watch(admin.REPORT_LADDER, request):
                file.write(piece.text)
        out.hint(f"the report on ladder {name} is in {to}")


async def _print(out: Output, door: Door, request: ledger.ReportLadderRequest) -> None:
    async for piece in door.watch(admin.REPORT_LADDER, request):
        out.raw(piece.text)


async def _fill(door: Door, request: ledger.ReportLadderRequest, folder: Path) -> None:
    """Write all files into a folder, made where it is missing; they are there when all are whole."""
    files: dict[str, TextIO] = {}
    with ExitStack() as stack:
        async for piece in door.watch(admin.REPORT_LADDER, request):
            if piece.file not in files:
                if not _FILE_NAME.fullmatch(piece.file):
                    raise CodecError(f"the server names a file of the report as none is called: {piece.file[:80]!r}")
                _make(folder)
                files[piece.file] = stack.enter_context(whole_file(folder / piece.file))
            files[piece.file].write(piece.text)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {str(folder)!r}: {reason_of(error)}") from None
