"""The scripts of the store, as text: what stands in `scripts/NAME.lua`, after the table of keys and the functions that
scripts share."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from agon_server.store import keys

_SUFFIX = ".lua"
_SHARED = "shared"


def script_text(name: str) -> str:
    """Return one script, complete."""
    return _scripts()[name]


@cache
def script_digest(name: str) -> str:
    """Return the name by which a server knows the script once it was given its text."""
    return hashlib.sha1(script_text(name).encode(), usedforsecurity=False).hexdigest()


@cache
def _scripts() -> Mapping[str, str]:
    """Read all scripts at once: a server that runs must not need a file descriptor for a script that it has not used
    yet, nor get one of another version because its package has been replaced."""
    folder = files("agon_server.store") / "scripts"
    read = {
        file.name.removesuffix(_SUFFIX): file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(_SUFFIX)
    }
    shared = keys.script_table() + read.pop(_SHARED)
    return {name: shared + text for name, text in read.items()}
