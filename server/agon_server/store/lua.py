"""The scripts of the store, as text: what stands in `scripts/NAME.lua`, after the table of keys and the functions that
scripts share."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from agon_server.store import keys


@cache
def script_text(name: str) -> str:
    """Return one script, complete."""
    folder = files("agon_server.store") / "scripts"
    shared = (folder / "shared.lua").read_text(encoding="utf-8")
    return keys.script_table() + shared + (folder / f"{name}.lua").read_text(encoding="utf-8")
