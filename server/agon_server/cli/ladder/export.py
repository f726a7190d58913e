"""A ladder as a file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agon.codec import admin, ledger
from agon.codec.ledger import ExportFormat, ExportKind
from agon_server.cli.command import a_path
from agon_server.cli.door import Door
from agon_server.cli.ladder.names import NameArgument
from agon_server.cli.output import Output
from agon_server.cli.whole_file import whole_file
from agon_server.operations.errors import InvalidError


async def export(
    out: Output,
    door: Door,
    name: NameArgument,
    what: Annotated[ExportKind, typer.Option("--what", help="records, results or ratings.")] = ExportKind.RESULTS,
    form: Annotated[ExportFormat, typer.Option("--format", help="csv or jsonl.")] = ExportFormat.CSV,
    file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", parser=a_path, help="Write here.  [default: standard output]"),
    ] = None,
) -> None:
    """Write all that a ladder has, oldest first, as pandas reads it.

    records has a row a match that was played, the record itself last (jsonl: the records, which `agon replay` reads);
    results a row a seat, and one without a seat for a match that was not played; ratings a row a seat of
    each rated match, with its bot's points before and after. All seasons are there, `season` is a column. Times are
    UTC, absent values empty.

    In CSV a text that a spreadsheet could take for a formula is a JSON string, which begins with a quotation mark;
    names never need it. A bot called `007` or `null` stays a text in pandas with dtype={"bot": str} and
    keep_default_na=False.
    """
    if out.as_json:
        raise InvalidError("an export is written in its own form: --format jsonl, without --json")
    request = ledger.ExportLadderRequest(name, what, form)
    if file is None:
        async for piece in door.watch(admin.EXPORT_LADDER, request):
            out.raw(piece.text)
        return

    size = 0
    with whole_file(file) as written, out.live() as progress:
        async for piece in door.watch(admin.EXPORT_LADDER, request):
            written.write(piece.text)
            size += len(piece.text)
            progress.show(f"{size / 1e6:.1f} MB written to {file} …")
    out.line(f"{what} of ladder {name} written to {file}")
