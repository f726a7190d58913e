"""Exports as another program reads them."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from agon.codec.ledger import ExportFormat, ExportKind, ExportLadderRequest
from agon_server.operations import audits
from agon_server.operations.installation import Installation


async def exported(installation: Installation, ladder: str, kind: ExportKind, form: ExportFormat) -> str:
    request = ExportLadderRequest(ladder, kind, form)
    return "".join([piece.text async for piece in audits.export_ladder(installation, request)])


async def table_of(installation: Installation, ladder: str, kind: ExportKind) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(await exported(installation, ladder, kind, ExportFormat.CSV), newline="")))


async def lines_of(installation: Installation, ladder: str, kind: ExportKind) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (await exported(installation, ladder, kind, ExportFormat.JSONL)).splitlines()]
