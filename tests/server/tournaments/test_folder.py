"""The folder of a tournament: begun once, held by one process, refused where it is damaged or something else's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from tests.support.tournaments import result

from agon_server.queue.results import Result, order
from agon_server.store.errors import FolderInUseError
from agon_server.tournaments.errors import BegunError, ChangedError, NotBegunError, TournamentError
from agon_server.tournaments.folder import Kept, TournamentFolder, Writer

DEFINITION = {"game": "go", "seats": 2, "bots": [{"name": "one", "bot": "one.py"}]}
KEPT = Kept(DEFINITION, "2030-01-31T12:00:00Z")


def test_a_tournament_is_begun_once_and_opened_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "cup.agon"
    with pytest.raises(NotBegunError, match="no tournament"):
        TournamentFolder.open(path)
    assert not path.exists()

    TournamentFolder.begin(path, DEFINITION).close()
    with pytest.raises(BegunError, match="already"):
        TournamentFolder.begin(path, DEFINITION)
    with TournamentFolder.open(path) as folder:
        assert folder.kept.definition == DEFINITION
        assert folder.kept.started.endswith("Z")
    assert path.stat().st_mode & 0o777 == 0o700


def test_two_cannot_play_at_once_but_anybody_may_look(tmp_path: Path) -> None:
    with TournamentFolder.begin(tmp_path / "cup", DEFINITION) as folder:
        folder.append([result(folder.next_id(), "a")])
        with pytest.raises(FolderInUseError, match="in use by process"):
            TournamentFolder.open(tmp_path / "cup")
        with TournamentFolder.read(tmp_path / "cup") as other:
            assert [item.match for item in other.results()] == ["a"]
            folder.append([result(folder.next_id(), "b")])
            assert [item.match for item in other.results()] == ["a", "b"]


def test_ids_rise_over_a_restart(tmp_path: Path) -> None:
    with TournamentFolder.begin(tmp_path / "cup", DEFINITION) as folder:
        ids = [folder.next_id() for _ in range(100)]
        folder.append([result(id_, id_) for id_ in ids])
    with TournamentFolder.open(tmp_path / "cup") as folder:
        ids.append(folder.next_id())

    assert [order(id_) for id_ in ids] == sorted({order(id_) for id_ in ids})


def test_a_definition_that_has_changed_is_refused_with_all_that_differs() -> None:
    KEPT.check_same({"bots": [{"bot": "one.py", "name": "one"}], "seats": 2, "game": "go"})

    with pytest.raises(ChangedError) as caught:
        KEPT.check_same({"game": "go", "seats": 3, "bots": [{"bot": "one.py", "name": "two"}], "bank": 1})

    assert caught.value.differences == (
        "seats was 2 at the start, and is 3",
        'bots.one.bot was "one.py" at the start, and is not given',
        'bots.two.bot was not given at the start, and is "one.py"',
        "bank was not given at the start, and is 1",
    )


def test_bots_in_another_order_are_told() -> None:
    """They are seeded by it."""
    one, two = {"name": "one", "bot": "one.py"}, {"name": "two", "bot": "two.py"}
    with pytest.raises(ChangedError) as caught:
        Kept({"seats": 2, "bots": [one, two]}, "").check_same({"seats": 3, "bots": [two, one]})

    assert caught.value.differences == (
        "seats was 2 at the start, and is 3",
        "the order of bots was one, two at the start, and is two, one",
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": 3}, "its format is 3"),
        ({"definition": {"seats": 3}}, "its hash does not fit"),
        ({"definition": None}, "is damaged"),
    ],
)
def test_a_file_that_is_damaged_or_newer_is_refused(tmp_path: Path, change: dict[str, object], why: str) -> None:
    """R16."""
    path = tmp_path / "cup"
    TournamentFolder.begin(path, DEFINITION).close()
    file = path / "tournament.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))

    with pytest.raises(TournamentError, match=why):
        TournamentFolder.open(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "1", '{"format": 2}', "\x00", "[" * 100_000])
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cup"
    TournamentFolder.begin(path, DEFINITION).close()
    (path / "tournament.json").write_text(text)

    with pytest.raises(TournamentError, match="is damaged"):
        TournamentFolder.open(path)


def test_the_folder_of_a_server_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "name").write_text("server\n")

    with pytest.raises(TournamentError, match="a server's data folder"):
        TournamentFolder.begin(tmp_path, DEFINITION)
    assert [item.name for item in tmp_path.iterdir()] == ["name"]


def test_results_that_come_while_the_disk_is_busy_are_kept_in_one_step() -> None:
    kept: list[list[str]] = []
    began, go_on = Event(), Event()

    def append(results: Sequence[Result]) -> None:
        kept.append([item.match for item in results])
        began.set()
        go_on.wait(10)

    with Writer(append) as writer:
        writer.put(result("1-0", "a"))
        assert began.wait(10)
        for name in "bcd":
            writer.put(result("1-0", name))
        go_on.set()

    assert kept == [["a"], ["b", "c", "d"]]


def test_what_could_not_be_kept_is_told_and_nothing_after_it_is_kept() -> None:
    kept: list[str] = []

    def append(results: Sequence[Result]) -> None:
        if any(item.match == "bad" for item in results):
            raise OSError("disk full")
        kept.extend(item.match for item in results)

    def put_all() -> None:
        with Writer(append) as writer:
            for name in ("good", "bad", *["late"] * 5_000):
                writer.put(result("1-0", name))

    with pytest.raises(OSError, match="disk full"):
        put_all()
    assert kept in (["good"], [])


def test_the_hash_is_of_what_is_said_and_not_of_how() -> None:
    assert KEPT.hash == replace(KEPT, definition=dict(reversed(DEFINITION.items())), started="").hash
    assert KEPT.hash != replace(KEPT, definition={**KEPT.definition, "seats": 3}).hash
