"""`agon play`: a tournament at home, told as a table or as JSON, its records written as they are made."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.server.cli.conftest import game
from tests.support.cli import PROGRAM, run

from agon_bots import OnError as SdkOnError
from agon_engine.core.record_file import read_records
from agon_engine.registry import get_game
from agon_server.cli.play import OnError

GAME = game()
SPEC = get_game(GAME).spec
HERE = ("--jobs", "0")

SLEEPER = """\
import sys
from agon_bots import Bot

class First(Bot):
    def choose(self, turn):
        sys.stderr.write("thinking\\n")
        return 0
"""


def test_the_same_seed_gives_the_same_tournament(tmp_path: Path) -> None:
    files = [tmp_path / "one.gz", tmp_path / "other.gz"]
    results = []
    for file in files:
        ran = run(
            "play",
            GAME,
            "--bots",
            "random,random",
            "--matches",
            "4",
            "--seed",
            "7",
            "--json",
            "--records",
            str(file),
            *HERE,
        )
        assert (ran.code, ran.err) == (0, ""), ran
        results.append(json.loads(ran.out))

    told = [[bot["placements"] for bot in result["bots"]] for result in results]
    moves = [[[move[:2] for move in record.moves] for record in read_records(file.read_bytes())] for file in files]
    assert told[0] == told[1]
    assert moves[0] == moves[1]
    assert results[0]["seed"] == "7"
    assert results[0]["matches"] == len(moves[0]) == 4


def test_the_records_are_true(tmp_path: Path) -> None:
    file = tmp_path / "matches.jsonl.gz"

    assert run("play", GAME, "--bots", "random", "--matches", "2", "--records", str(file), *HERE).code == 0
    assert run("replay", "verify", str(file)).out == "2 records are true: replayed, and nothing differs\n"


@pytest.mark.parametrize("seats", SPEC.seat_counts)
def test_every_seat_count_is_played_in_whole_blocks(seats: int) -> None:
    ran = run("play", GAME, "--bots", "random,random,random", "--seats", str(seats), "--matches", "1", "--json", *HERE)

    told = json.loads(ran.out)
    assert (told["seats"], told["matches"]) == (seats, seats)
    assert sum(bot["seats"] for bot in told["bots"]) == seats * seats
    assert [bot["name"] for bot in told["bots"]] == ["random", "random#2", "random#3"]


def test_options_of_the_game_are_passed_on() -> None:
    option = SPEC.options[-1]
    value = str(option.allowed[-1]).lower()

    told = json.loads(
        run(
            "play", GAME, "--bots", "random", "--matches", "1", "--option", f"{option.name}={value}", "--json", *HERE
        ).out
    )

    assert str(told["options"][option.name]).lower() == value


def test_a_pipe_gets_one_line_a_bot_best_first() -> None:
    lines = run("play", GAME, "--bots", "random,greedy", "--matches", "2", "--seats", "2", *HERE).out.splitlines()

    header = lines[0].split("\t")
    scores = [float(line.split("\t")[header.index("score")]) for line in lines[1:]]
    assert header[0] == "bot"
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1.0)


def test_an_error_in_a_bots_code_is_told_to_its_author(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("from agon_bots import Bot\nclass Bad(Bot):\n    def choose(self, turn):\n        return 1 // 0\n")

    ran = run("play", GAME, "--bots", f"{file}:Bad,random", "--matches", "2", "--seats", "2", *HERE)

    assert ran.code == 0
    assert "Bad: " in ran.out
    assert "ZeroDivisionError" in ran.out
    assert "resigned 2" in ran.out


def test_ctrl_c_tells_what_was_played_and_leaves_no_process(tmp_path: Path) -> None:
    """Requirement C3: the whole process group of a local runner ends with it."""
    file = tmp_path / "first.py"
    file.write_text(SLEEPER)
    command = [*PROGRAM, "play", GAME, "--bots", f"{file}:First", "--matches", "100000", "--jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # The worker plays now.
        assert process.stderr.readline() == "thinking\n"
        workers = children_of(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err.splitlines()[-1] == "agon: interrupted"
    assert out == "" or out.startswith("bot\t")
    assert len(workers) == 1
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []


def children_of(pid: int) -> list[int]:
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(text) for text in done.stdout.split()]


def test_what_a_bot_does_about_errors_is_named_as_the_sdk_names_it() -> None:
    assert [item.value for item in OnError] == [item.value for item in SdkOnError]


def test_the_sdk_is_loaded_only_to_play() -> None:
    code = (
        "import sys, agon_server.cli.app; heavy = ('agon_bots', 'redis', 'numpy', 'grpc');"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
