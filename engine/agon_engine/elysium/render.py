"""x"""

from __future__ import annotations

from agon_engine.elysium.tables import Tables
from agon_engine.elysium.view import View


def render_view(tables: Tables, view: View) -> str:
    return "x"
