"""`agon replay`: records told as text and proved by playing them again (requirement H8)."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.cli import run, run_process
from tests.support.matches import misbehave, new_table, play_out, record_of

from agon_engine.core import Chance
from agon_engine.core.record import MatchRecord
from agon_engine.core.record_file import write_records
from agon_engine.core.replay import replay
from agon_engine.registry import game_names, get_game
from agon_server.cli.output import Output
from agon_server.cli.replay import verify

GAMES = game_names()


def played(game: str, number: int = 0) -> MatchRecord:
    table = new_table(get_game(game).spec.max_seats, game=get_game(game), seed=number.to_bytes(16, "big"))
    choices = Chance(bytes(16)).fork(f"choices {number}")
    play_out(table, choices, misbehave(choices))
    return record_of(table, match=f"match-{number}")


@pytest.fixture(scope="module")
def records() -> list[MatchRecord]:
    return [played(GAMES[0], number) for number in range(3)]


@pytest.fixture
def file(tmp_path: Path, records: list[MatchRecord]) -> Path:
    path = tmp_path / "matches.jsonl.gz"
    path.write_bytes(write_records(records))
    return path


def test_true_records_verify(file: Path) -> None:
    assert run("replay", "verify", str(file)) == (0, "3 records are true: replayed, and nothing differs\n", "")
    ran = run("replay", "verify", str(file), "--json")
    assert json.loads(ran.out) == {"checked": 3, "false": []}


@pytest.mark.parametrize("within", [".", "records", "server/records"])
def test_a_folder_stands_for_its_files_of_records(tmp_path: Path, records: list[MatchRecord], within: str) -> None:
    folder = tmp_path / within
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1.jsonl.gz").write_bytes(write_records(records))
    (folder / "2.jsonl").write_text(records[0].to_line() + "\n", encoding="utf-8")
    (folder / "index.sqlite").write_bytes(b"SQLite format 3\0\xff")

    assert run("replay", "verify", str(tmp_path)).out == "4 records are true: replayed, and nothing differs\n"
    ran = run("replay", "verify", *map(str, sorted(folder.iterdir())))
    assert (ran.code, "index.sqlite is a database" in ran.err, "name the folder" in ran.err) == (2, True, True)


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    ran = run("replay", "verify", str(tmp_path))

    ran.assert_one_line(2)
    assert "has no files of records" in ran.err


def test_several_files_are_verified_together(tmp_path: Path, file: Path, records: list[MatchRecord]) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(records[0].to_line() + "\n", encoding="utf-8")

    assert run("replay", "verify", str(file), str(other)).out == "4 records are true: replayed, and nothing differs\n"
    run("replay", "verify", str(file), str(tmp_path / "none")).assert_one_line(2)


def test_how_far_it_is_is_shown_on_the_terminal_also_where_the_answer_goes_elsewhere(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("agon_server.cli.output.DRAW_SECONDS", 0.0)
    err, answer = io.StringIO(), io.StringIO()
    monkeypatch.setattr(err, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", err)

    verify(Output(stream=answer), [file, file])

    assert answer.getvalue() == "6 records are true: replayed, and nothing differs\n"
    assert re.search(r"file 2 of 2, 3 of 3 records checked, \d+ a second, 0:00 left, 0 false so far", err.getvalue())


def test_one_match_of_a_file_can_be_named(file: Path) -> None:
    assert run("replay", "verify", str(file), "--match", "match-1").out.startswith("1 record is true")
    run("replay", "verify", str(file), "--match", "match-9").assert_one_line(2)


Change = Callable[[MatchRecord], MatchRecord]

FORGERIES: list[tuple[str, Change]] = [
    (
        "result.placements",
        lambda record: replace(record, result=replace(record.result, placements=(1,) * len(record.seats))),
    ),
    ("digest", lambda record: replace(record, digest="0" * 64)),
    ("commitment", lambda record: replace(record, commitment="0" * 64)),
    ("move", lambda record: replace(record, moves=(record.moves[0]._replace(charge_us=1), *record.moves[1:]))),
]


@pytest.mark.parametrize(("named", "forge"), FORGERIES, ids=[name for name, _ in FORGERIES])
def test_a_record_that_is_not_what_was_played_is_found(
    tmp_path: Path, records: list[MatchRecord], named: str, forge: Change
) -> None:
    path = tmp_path / "forged.jsonl.gz"
    path.write_bytes(write_records([records[0], forge(records[1])]))

    ran = run("replay", "verify", str(path))

    assert ran.code == 1
    assert ran.err == "agon: 1 of 2 records are not what their replay gives\n"
    assert "match-1: " in ran.out
    assert named in ran.out


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_told_move_by_move(tmp_path: Path, game: str) -> None:
    record = played(game)
    path = tmp_path / "one.jsonl"
    path.write_text(record.to_line() + "\n", encoding="ascii")

    ran = run("replay", "show", str(path))

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        f"match match-0: {game}, rules version {record.version}, {len(record.seats)} seats, ladder"
    )
    for number, move in enumerate(record.moves, 1):
        assert f"{number:4}  {move.seat} bot-{move.seat}" in ran.out
        assert move.action in ran.out
    assert f"over by {record.result.termination.value}" in ran.out
    for seat, (place, score) in enumerate(zip(record.result.placements, record.result.scores, strict=True)):
        assert f"  {place}. bot-{seat} (seat {seat}): {score} points" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert all(f"{name}=" in ran.out for name in record.options)


def shown(tmp_path: Path, record: MatchRecord) -> list[str]:
    path = tmp_path / "one.jsonl"
    path.write_text(record.to_line() + "\n", encoding="ascii")
    return run("replay", "show", str(path)).out.splitlines()


def numbered(lines: list[str]) -> dict[int, str]:
    return {int(found[1]): line for line in lines if (found := re.match(r" *([0-9]+)  \d bot-\d ", line))}


@pytest.mark.parametrize("game", GAMES)
def test_what_was_asked_is_told_where_the_code_does_not_say_it(tmp_path: Path, game: str) -> None:
    record = played(game)
    state = get_game(game).start(len(record.seats), Chance(bytes.fromhex(record.seed)), record.options)
    asked = []
    for move in record.moves:
        assert state.decision is not None
        asked.append(state.decision.prompt)
        state.apply(get_game(game).notation.parse(move.action))

    lines = numbered(shown(tmp_path, record))

    assert list(lines) == list(range(1, len(record.moves) + 1))
    unsaid = 0
    for number, (prompt, move) in enumerate(zip(asked, record.moves, strict=True), 1):
        if prompt.partition(" ")[0] == "turn" or move.action.split()[: len(prompt.split())] == prompt.split():
            assert "?" not in lines[number]
        else:
            assert f"  {prompt}? {move.action}" in lines[number]
            unsaid += 1
    assert unsaid > 0


@pytest.mark.parametrize("game", GAMES)
def test_times_stand_in_one_column_however_long_a_code_is(tmp_path: Path, game: str) -> None:
    lines = numbered(shown(tmp_path, played(game))).values()

    assert {22} == {line.index(" s  ") for line in lines}
    assert max(map(len, lines)) > 60


@pytest.mark.parametrize("game", GAMES)
def test_lines_end_between_events_and_not_within_one(tmp_path: Path, game: str) -> None:
    record = played(game)
    told: set[str] = set()
    replay(record, get_game(game), lambda table: told.update(event.secret or event.code for event in table.events))

    lines = shown(tmp_path, record)

    for text in (text for text in told if len(text) <= 60):
        assert any(text in line for line in lines), text
    assert any(line.startswith(" " * 10) and line.count("; ") for line in lines)


@pytest.mark.parametrize("game", GAMES)
def test_lines_fit_also_with_the_longest_names(tmp_path: Path, game: str) -> None:
    record = played(game)
    longest = replace(record, seats=tuple(row._replace(bot=f"{row.bot:x<40}") for row in record.seats))

    lines = shown(tmp_path, longest)

    assert [line for line in lines if len(line) > 80] == []
    assert {57} == {line.index(" s") for line in lines if re.match(r" *[0-9]+  \d bot-", line)}


@pytest.mark.parametrize(("game", "stage"), [("elysium", "epoch"), ("cyclades", "cycle"), ("ephyran", "")])
def test_the_parts_of_a_match_stand_out(tmp_path: Path, game: str, stage: str) -> None:
    lines = shown(tmp_path, played(game))
    start = next(at for at, line in enumerate(lines) if not line) + 1
    end = next(at for at, line in enumerate(lines) if line.startswith("over by "))

    parts = [line for above, line in pairwise(lines[start:end]) if not above and re.fullmatch("[a-z]+ [0-9]+", line)]

    assert parts == [f"{stage} {number}" for number in range(1, len(parts) + 1)]
    assert (len(parts) > 1) is bool(stage)


def test_boards_are_drawn_after_every_move_on_request_as_a_seat_saw_them(file: Path) -> None:
    short = run("replay", "show", str(file), "--match", "match-0").out
    long = run("replay", "show", str(file), "--match", "match-0", "--boards").out
    seen = run("replay", "show", str(file), "--match", "match-0", "--boards", "--seat", "0").out

    assert len(long.splitlines()) > 3 * len(short.splitlines())
    assert seen != long
    run("replay", "show", str(file), "--match", "match-0", "--seat", "9").assert_one_line(2)


def test_standard_input_is_read_as_a_dash(records: list[MatchRecord]) -> None:
    ran = run_process("replay", "verify", "-", stdin=write_records(records))

    assert ran == (0, "3 records are true: replayed, and nothing differs\n", "")


def test_show_prints_the_records_themselves_as_json(file: Path, records: list[MatchRecord]) -> None:
    ran = run("replay", "show", str(file), "--json")

    assert [json.loads(line) for line in ran.out.splitlines()] == [record.to_line() for record in records]


def test_a_reader_that_has_enough_ends_the_command_quietly(file: Path) -> None:
    import subprocess

    from tests.support.cli import PROGRAM

    command = [*PROGRAM, "replay", "show", str(file), "--boards"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()

    assert (process.returncode, err) == (0, b"")
