"""Paths that people type: empty ones, and files that have no end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.cli.conftest import game
from tests.support.cli import run

GAME = game()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("serve", "--config"), "/dev/zero"),
        (("ladder", "ls", "--server", "127.0.0.1:1", "--ca"), "/dev/zero"),
        (("replay", "verify"), "/dev/zero"),
        (("replay", "show"), "-"),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, tuple) else item,
)
def test_a_file_without_an_end_takes_no_memory(
    arguments: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agon_server.cli.replay.MAX_FILE", 1 << 21)
    with open("/dev/zero", encoding="ascii") as endless:
        monkeypatch.setattr("sys.stdin", endless)
        ran = run(*arguments, name)

    ran.assert_one_line(2)
    assert repr(name) in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--config"),
        ("ladder", "ls", "--data"),
        ("ladder", "ls", "--server", "127.0.0.1:1", "--ca"),
        ("bot", "register", "hector", "--data"),
        ("demo", "--out"),
        ("play", GAME, "--bots", "random", "--records"),
        ("replay", "verify"),
        ("replay", "show"),
    ],
    ids=" ".join,
)
def test_an_empty_path_is_not_the_current_folder(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell gives where a variable is not set."""
    monkeypatch.chdir(tmp_path)

    ran = run(*arguments, "")

    ran.assert_one_line(2)
    assert "expected a path, not ''; see `agon" in ran.err
    assert list(tmp_path.iterdir()) == []
