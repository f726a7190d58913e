"""A view as text for people."""

from __future__ import annotations

from agon_engine.cyclades.view import View


def render_view(view: View) -> str:
    """Draw a view: at most 80 columns, no trailing newline."""
    return f"cycle {view.table.cycle}"
