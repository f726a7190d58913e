"""The repository's own files, for tests that hold all of it to a rule."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine/agon_engine", "proto/agon", "bots/agon_bots", "ladder/agon_ladder", "server/agon_server")


def tracked_files() -> list[str]:
    """Return the files that git tracks and that are there, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


def tracked(*suffixes: str, below: tuple[str, ...] = ()) -> list[Path]:
    """Return the tracked files with one of the suffixes, in some of the folders alone if need be."""
    return [
        ROOT / name
        for name in tracked_files()
        if name.endswith(suffixes) and (not below or name.startswith(tuple(f"{folder}/" for folder in below)))
    ]


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def syntax_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path), str(path))


def named(path: Path) -> str:
    """Return a file's name relative to the root, for messages."""
    return str(path.relative_to(ROOT))


def imports(path: Path) -> Iterator[str]:
    """Yield what a module imports, wherever in it: `package.module`, or `package.module.name`."""
    for node in ast.walk(syntax_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import: {named(path)!r}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
