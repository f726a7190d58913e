"""A new game changes no file of the server: nothing in it names one."""

from __future__ import annotations

from pathlib import Path

from agon_engine.registry import game_names

SERVER = Path(__file__).parents[2] / "server"


def test_no_file_of_the_server_names_a_game() -> None:
    files = [path for path in SERVER.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    found = [
        (str(path.relative_to(SERVER)), name)
        for path in files
        for name in (*game_names(), "elysium", "cyclades", "ephyran")
        if name in path.read_text(encoding="utf-8").lower()
    ]

    assert files
    assert found == []
