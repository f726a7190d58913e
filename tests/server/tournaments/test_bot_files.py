"""What is kept of the files that the bots of a tournament are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.tournament_files import WHOLE

from agon_server.tournaments.bot_files import BotFiles, Change, hashes_of
from agon_server.tournaments.errors import ChangedError, TournamentError
from agon_server.tournaments.reading import read_tournament

START = {"a": {"a.py": "1"}, "b": {"./b": "2", "b.cfg": "3"}}


def test_what_is_a_file_of_a_bot_has_a_hash(folder: Path) -> None:
    """Of a command its program where that has a path, and arguments that are files."""
    path = folder / "hashed.toml"
    path.write_text(WHOLE.replace('["sh", "-c", "true"]', '["sh", "script", "-x"]'))

    found = hashes_of(read_tournament(path))

    assert {bot: list(files) for bot, files in found.items()} == {
        "mine": ["mine.py"],
        "program": ["./program"],
        "python": ["script"],
    }
    assert {len(value) for files in found.values() for value in files.values()} == {64}


def test_what_changes_is_kept_with_when_and_read_again(tmp_path: Path) -> None:
    now = {"a": {"a.py": "1"}, "b": {"./b": "9"}}
    first = BotFiles.read(tmp_path).keep(tmp_path, START, 0)
    assert (first.keep(tmp_path, START, 5), first.changes) == (first, [])

    with pytest.raises(ChangedError) as refused:
        BotFiles.read(tmp_path).keep(tmp_path, now, 5)
    changed = BotFiles.read(tmp_path).keep(tmp_path, now, 5, may_change=True)

    assert refused.value.differences == ("./b of b was 2, and is 9", "b.cfg of b was 3, and is not there")
    assert BotFiles.read(tmp_path) == changed
    assert changed.changes == [Change("b", "./b", 5), Change("b", "b.cfg", 5)]
    assert changed.now == now


def test_files_may_change_until_something_was_played(tmp_path: Path) -> None:
    BotFiles().keep(tmp_path, START, 0)
    mended = BotFiles.read(tmp_path).keep(tmp_path, {"a": {"a.py": "2"}}, 0)

    assert BotFiles.read(tmp_path) == mended
    assert (mended.now, mended.changes) == ({"a": {"a.py": "2"}}, [])


def test_what_was_played_by_nobody_knows_whom_is_no_tournament_to_go_on_with(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="not known which bots"):
        BotFiles.read(tmp_path).keep(tmp_path, START, 1)


@pytest.mark.parametrize("change", [{"format": 2}, {"used": 1}, {"used": [{"after": 0}]}, {"used": [1]}])
def test_a_file_that_is_damaged_or_newer_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    """R16."""
    BotFiles().keep(tmp_path, START, 0)
    file = tmp_path / "bots.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))

    with pytest.raises(TournamentError, match="is damaged"):
        BotFiles.read(tmp_path)
