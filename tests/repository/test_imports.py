"""What may import what, where import-linter cannot say it: the standard library, games among each other, names."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest
from tests.support.tree import PACKAGES, ROOT, imports, named, syntax_of, text_of, tracked

from agon_engine.registry import game_names

ENGINE = "engine/agon_engine"
PURE = {
    "__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "hashlib", "itertools", "math",
    "operator", "textwrap", "typing",
}  # fmt: skip
"""What rules may use: no clock, no randomness, no files, no network, no processes."""
ALLOWED = {
    "engine/agon_engine/registry.py": {"importlib"},
    "engine/agon_engine/core/compiled.py": {"mypy_extensions"},  # for the type checker and the compiler alone
    "engine/agon_engine/conformance/copies.py": {"types"},
    "engine/agon_engine/core/record.py": {"json"},
    "engine/agon_engine/core/record_values.py": {"datetime", "re"},
    "engine/agon_engine/core/record_file.py": {"gzip", "zlib"},
    "engine/agon_engine/elysium/reading.py": {"json"},
    "engine/agon_engine/elysium/writing.py": {"json"},
}
"""What single modules use beside it: they read and write text that is given to them."""
DATA = {"importlib", "json"}
"""How a game reads the literals that it ships, in its data.py."""
SHELL = ("server", "ladder", "bots/agon_bots/sdk", "proto/agon/codec")


def game_files() -> set[Path]:
    """The modules that are allowed to know games: one of each game, and the line that registers it."""
    codec = Path("proto/agon/codec")
    return {codec / "registry.py", *(codec / f"{game}.py" for game in game_names())}


def test_the_engine_uses_only_what_is_pure() -> None:
    def beyond(path: Path) -> set[str]:
        allowed = PURE | ALLOWED.get(named(path), set()) | (DATA if path.name == "data.py" else set())
        return {name.partition(".")[0] for name in imports(path)} - allowed - {"agon_engine"}

    paths = tracked(".py", below=(ENGINE,))
    assert {named(path): names for path in paths if (names := beyond(path))} == {}


def test_the_list_of_what_single_modules_use_is_current() -> None:
    """An exception that nobody needs any more would let the next one in."""
    paths = {named(path): path for path in tracked(".py", below=(ENGINE,))}

    for name, extra in ALLOWED.items():
        assert extra <= {imported.partition(".")[0] for imported in imports(paths[name])}


def test_the_engine_asks_no_clock() -> None:
    asking = re.compile(r"\b(now|utcnow|today|perf_counter|monotonic)\(")

    assert [named(path) for path in tracked(".py", below=(ENGINE,)) if asking.search(text_of(path))] == []


@pytest.mark.parametrize("game", game_names())
def test_a_game_imports_the_core_and_itself_alone(game: str) -> None:
    own = ("agon_engine.core", f"agon_engine.{game}")
    paths = tracked(".py", below=(f"{ENGINE}/{game}",))
    ours = {name for path in paths for name in imports(path) if name.startswith("agon")}

    assert paths
    assert {name for name in ours if not name.startswith(own)} == set()


@pytest.mark.parametrize("game", game_names())
def test_the_codec_of_a_game_knows_no_other_game(game: str) -> None:
    others = set(game_names()) - {game}
    known = imports(ROOT / f"proto/agon/codec/{game}.py")

    assert any(game in name for name in known)
    assert {name for name in known if others & set(name.split("."))} == set()


def test_the_core_imports_nothing_but_itself() -> None:
    ours = {name for path in tracked(".py", below=(f"{ENGINE}/core",)) for name in imports(path) if "agon" in name}

    assert {name for name in ours if not name.startswith("agon_engine.core")} == set()


def test_only_games_codecs_and_the_lines_that_register_them_know_games() -> None:
    """A new game changes nothing in the server, the ladder, the SDK or the codec's general part."""
    name = re.compile("|".join(game_names()), re.IGNORECASE)
    suffixes = (".py", ".lua", ".md", ".toml", ".json")
    knowing = {path for path in tracked(*suffixes, below=SHELL) if name.search(text_of(path)) or name.search(path.name)}

    assert {named(path) for path in knowing} <= {str(path) for path in game_files()}


EXPORTING = [path for path in tracked("__init__.py", below=PACKAGES) if "__all__" in text_of(path)]


def package_of(path: Path) -> str:
    return ".".join(path.parent.relative_to(ROOT).parts[1:])


@pytest.mark.parametrize("path", EXPORTING, ids=package_of)
def test_a_package_exports_what_it_has_of_its_own_modules(path: Path) -> None:
    package = package_of(path)
    module = import_module(package)
    brought = [
        alias.asname or alias.name
        for node in syntax_of(path).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}.")
        for alias in node.names
    ]

    assert len(set(module.__all__)) == len(module.__all__)
    assert set(brought) <= set(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


def test_what_bots_are_written_against_is_exported() -> None:
    assert ROOT / "bots/agon_bots/__init__.py" in EXPORTING
