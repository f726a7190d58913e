"""A whole file of a tournament, the folder with what it names, and the mistakes of one that is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.toy_files import GAME

from agon_server.tournaments import reading
from agon_server.tournaments.reading import TournamentFileError, read_tournament

WHOLE = """\
name = "spring"
game = "toy"
seats = 3
seed = "s"
deals = "shared"
rotations = "all"
concurrency = 4

[format]
kind = "round-robin"
cycles = 2

[options]
hand = 1
label = "labels.txt"

[time]
move = 0.5
bank = 10

[policy]
on_fault = "forfeit"
strikes = 5

[[bots]]
name = "mine"
bot = "mine.py:MyBot"

[[bots]]
name = "house"
bot = "random"

[[bots]]
name = "module"
bot = "some.bots:Good"

[[bots]]
name = "program"
command = ["./program", "--fast"]

[[bots]]
name = "python"
command = ["sh", "-c", "true"]

[[bots]]
name = "far"
connected = "alice"
trusted = true
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with what the file names, where the toy is the one game there is."""
    folder = tmp_path_factory.mktemp("tournament")
    (folder / "mine.py").write_text("class MyBot: ...")
    (folder / "labels.txt").write_text(" a   label\n")
    (folder / "bad.txt").write_text("@")
    (folder / "binary.txt").write_bytes(b"ab\xff")
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o755)
    (folder / "script").write_text("echo\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "get_game", {"toy": GAME}.__getitem__)
        patch.setattr(reading, "game_names", lambda: ("toy",))
        yield folder


def mistakes(folder: Path, text: str | bytes) -> list[str]:
    path = folder / "tournament.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(TournamentFileError) as raised:
        read_tournament(path)
    assert raised.value.path == path
    return list(raised.value.mistakes)
