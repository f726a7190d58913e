"""The forms that a report can have, and a report in one of them: the texts of files by their names."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from agon_ladder.report.page import to_html
from agon_ladder.report.tables import to_csv, to_json
from agon_ladder.report.text import to_text
from agon_ladder.report.values import Report


class Form(StrEnum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    """A file for each table."""
    HTML = "html"


def rendered(report: Report, form: Form) -> Mapping[str, str]:
    """Return the files of a report, by name; one alone, but for CSV."""
    if form is Form.CSV:
        return to_csv(report)
    if form is Form.JSON:
        return {"report.json": to_json(report)}
    if form is Form.HTML:
        return {"report.html": to_html(report)}
    return {"report.txt": to_text(report)}
