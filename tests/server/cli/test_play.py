"""`agon play`: a tournament at home, told as a table or as JSON, its records written as they are made."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.server.cli.conftest import game
from tests.support.cli import PROGRAM, run

from agon_bots import LocalMatch, LocalRules, OnError as SdkOnError, Summary, match_count
from agon_bots.sdk.schedule import PlannedMatch
from agon_engine.core import Deals, Termination
from agon_engine.core.policy import Result
from agon_engine.core.record_file import read_records
from agon_engine.registry import game_names, get_game
from agon_ladder.pairing.blocks import Rotations
from agon_server.cli.local import Wanted, play_locally
from agon_server.cli.local_report import CONDUCT, LEGEND, RESULTS, elo_of, interval_of, tell
from agon_server.cli.output import Output
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


@pytest.mark.parametrize("game", game_names())
def test_the_records_are_true(tmp_path: Path, game: str) -> None:
    file = tmp_path / "matches.jsonl.gz"

    assert run("play", game, "--bots", "greedy,random", "--matches", "2", "--records", str(file), *HERE).code == 0
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


BAD = """\
from agon_bots import Bot

class Bad(Bot):
    def choose(self, turn):
        if turn.match.id in {matches}:
            return 1 // 0
        return 0
"""


@pytest.fixture
def bad(tmp_path: Path) -> str:
    """A bot whose code fails in all of its matches."""
    file = tmp_path / "bad.py"
    file.write_text(BAD.format(matches=["local-1", "local-2"]))
    return f"{file}:Bad"


@pytest.mark.parametrize("jobs", ["0", "2"])
@pytest.mark.parametrize("on_error", ["resign", "random"])
def test_a_bot_whose_code_fails_in_every_match_is_a_negative_result(bad: str, jobs: str, on_error: str) -> None:
    arguments = ("--matches", "2", "--seats", "2", "--jobs", jobs, "--on-error", on_error)
    ran = run("play", GAME, "--bots", f"{bad},random", *arguments)

    assert ran.code == 1
    assert ran.err == (
        "agon: Bad failed in all its 2 matches: choose raised ZeroDivisionError: integer division or modulo by zero"
        " (bad.py, line 6)\n"
    )
    assert "in 2 of its 2 matches\n" in ran.out
    assert ran.out.count("Traceback") == 1
    assert ran.out.count("    return 1 // 0\n") == 1


def test_a_bot_whose_code_fails_in_some_matches_is_told_so_and_no_more(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(BAD.format(matches=["local-1"]))

    ran = run("play", GAME, "--bots", f"{file}:Bad,random", "--matches", "2", "--seats", "2", *HERE)

    assert (ran.code, ran.err) == (0, "")
    assert "resigned 1" in ran.out
    assert "\nBad: 1 error, in 1 of its 2 matches\n  1 x choose raised ZeroDivisionError" in ran.out


def test_json_counts_errors_by_their_kind(bad: str) -> None:
    ran = run("play", GAME, "--bots", f"{bad},random", "--matches", "2", "--seats", "2", "--json", *HERE)

    told = json.loads(ran.out)
    assert ran.code == 1
    assert [(bot["errors"], bot["failed"]) for bot in told["bots"]] == [(2, 2), (0, 0)]
    (error,) = told["errors"]
    assert (error["bot"], error["count"]) == ("Bad", 2)
    assert error["traceback"].startswith("Traceback")


def match(number: int, *placements: int) -> LocalMatch:
    """A match of as many bots as there are placements, one to a block."""
    seats = len(placements)
    result = Result(Termination.SCORE, placements, (0,) * seats, (Termination.SCORE,) * seats)
    return LocalMatch(PlannedMatch(number, number, tuple(range(seats)), "0" * 32, Deals.FRESH), result, None)


@pytest.mark.parametrize("blocks", [1, 2, 3, 50])
def test_elo_says_what_the_score_says(blocks: int) -> None:
    """Above 0 for more than a half, more for a higher score, within the interval, and without bound for a clean one."""
    told: list[int] = []
    for won in range(blocks + 1):
        summary = Summary.of(["a", "b"])
        for number in range(blocks):
            summary.add(match(number, *((1, 2) if number < won else (2, 1))))
        elo = elo_of(summary.bots[0])
        interval = interval_of(summary, 0, 2, 2)
        if won in {0, blocks}:
            assert elo is None
            assert (interval.low is None, interval.high is None) != (False, False)
            continue
        assert elo is not None
        assert interval.covers(elo)
        assert (elo > 0) - (elo < 0) == (2 * won > blocks) - (2 * won < blocks)
        told.append(elo)

    assert told == sorted(set(told))


@pytest.mark.parametrize(("asked", "seats", "played"), [(100, 2, 100), (100, 3, 102), (1, 4, 4)])
def test_progress_counts_the_matches_of_whole_blocks(asked: int, seats: int, played: int) -> None:
    ran = run("play", GAME, "--bots", "random", "--seats", str(seats), "--matches", str(min(asked, 4)), "--json", *HERE)

    assert played == match_count(asked, seats)
    assert json.loads(ran.out)["matches"] == match_count(min(asked, 4), seats)


def test_a_clean_sweep_has_a_lower_bound_alone() -> None:
    """Also in JSON, where no number is infinite."""
    summary = Summary.of(["a", "b"])
    for number in range(10):
        summary.add(match(number, 1, 2))
    piped, described = io.StringIO(), io.StringIO()

    tell(Output(stream=piped), LocalRules(GAME, 2), summary)
    tell(Output(stream=described, as_json=True), LocalRules(GAME, 2), summary)

    header, *rows = [line.split("\t") for line in piped.getvalue().splitlines()]
    (won, lost) = [dict(zip(header, row, strict=True)) for row in rows]
    assert (won["Elo"], lost["Elo"]) == ("+inf", "-inf")
    assert won["95 %"].startswith("+2")
    assert won["95 %"].endswith(" to +inf")
    assert lost["95 %"].startswith("-inf to -2")
    (bot, _) = json.loads(described.getvalue())["bots"]
    assert (bot["elo"], bot["elo_high"]) == (None, None)
    assert 200 < bot["elo_low"] < 300


def test_a_bot_that_met_no_other_has_no_elo() -> None:
    assert elo_of(Summary.of(["a"]).bots[0]) is None


def test_the_tables_fit_80_columns_and_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the widest numbers that a long run of four seats brings."""
    monkeypatch.setenv("TERM", "dumb")  # which has 80 columns
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    summary = Summary.of(["a-bot-with-a-long-name", *"bcd"])
    for number in range(4):
        summary.add(match(number, 1, 2, 3, 4))
    for bot in summary.bots:
        bot.placements.update(dict.fromkeys((1, 2, 3, 4), 1_000))
        bot.points, bot.seats, bot.faults = 999_999, 9_999, 9_999
        bot.terminations.update(dict.fromkeys(Termination, 1_000))

    tell(Output(stream=stream), LocalRules(GAME, 4), summary)

    told = stream.getvalue()
    assert all(len(line.rstrip()) <= 80 for line in told.splitlines())
    (row,) = (line for line in told.splitlines() if "1004/1000/1000/1000" in line)
    assert " to +" in row
    for column in (*RESULTS[1:], *CONDUCT[1:]):
        assert f"{column.removesuffix('#')} " in LEGEND


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


@pytest.mark.parametrize("suffix", ["html", "json", "txt"])
def test_a_report_is_written_in_the_form_of_its_name(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"report.{suffix}"

    ran = run("play", GAME, "--bots", "greedy,random", "--matches", "8", "--seats", "2", "--report", str(file), *HERE)

    text = file.read_text(encoding="utf-8")
    assert (ran.code, ran.err) == (0, "")
    assert {"html": "<!DOCTYPE html>", "json": '{"title": ', "txt": f"{GAME}: greedy, random\n"}[suffix] in text
    assert "greedy" in text
    assert text.endswith("\n")


def test_a_report_says_what_the_table_says_whoever_plays_how_fast(tmp_path: Path) -> None:
    told = []
    for jobs in ("0", "3"):
        file = tmp_path / f"{jobs}.json"
        arguments = ("--matches", "12", "--seats", "3", "--seed", "1", "--jobs", jobs, "--report", str(file), "--json")
        table = json.loads(run("play", GAME, "--bots", "random,greedy,random", *arguments).out)
        report = json.loads(file.read_text(encoding="utf-8"))
        told.append([report[name] for name in ("standings", "pairs", "seats", "faults")])
        moved = [(row["number"], row["bot"], row["rating"]) for row in report["history"]]
        told[-1].append(moved)
        for bot in table["bots"]:
            (row,) = [row for row in report["standings"] if row["bot"] == bot["name"]]
            assert row["score"] == pytest.approx(bot["score"])
            assert row["game_points"] == pytest.approx(bot["mean_points"])
            assert row["blocks"] == bot["blocks"] == 4
        assert sum(row["decisions"] for row in report["times"]) == table["decisions"]

    assert told[0] == told[1]


def test_a_block_may_have_all_permutations_of_its_seats(tmp_path: Path) -> None:
    """In the table, the report and the sequential test it is one block then."""
    file = tmp_path / "report.json"
    arguments = ("--seats", "3", "--rotations", "all", "--matches", "7", "--sprt", "elo1=1", "--report", str(file))

    ran = run("play", GAME, "--bots", "greedy,random", *arguments, "--json", *HERE)

    told, report = json.loads(ran.out), json.loads(file.read_text(encoding="utf-8"))
    assert (ran.code, told["matches"]) == (4, 12)
    assert [bot["blocks"] for bot in told["bots"]] == [2, 2]
    assert [row["blocks"] for row in report["standings"]] == [2, 2]
    assert report["about"]["matches of a block"] == "6"
    compared = told["comparison"]
    assert (compared["block_size"], compared["blocks"], compared["matches"]) == (6, 2, 12)


def test_all_permutations_of_four_seats_are_too_many() -> None:
    ran = run("play", GAME, "--bots", "random", "--seats", "4", "--rotations", "all", *HERE)

    ran.assert_one_line(2)
    assert "all is for 2 to 3 seats, not 4" in ran.err


def test_a_report_has_the_errors_of_bots(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "report.json"

    arguments = ("--matches", "2", "--seats", "2", "--report", str(file), *HERE)
    assert run("play", GAME, "--bots", f"{bad},random", *arguments).code == 1

    faults = json.loads(file.read_text(encoding="utf-8"))["faults"]
    assert faults == [
        {"bot": "Bad", "kind": "ended", "reason": "resigned", "count": 2},
        {"bot": "Bad", "kind": "error", "reason": "", "count": 2},
    ]


def test_a_report_has_the_sequential_test(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    arguments = ("--matches", "4", "--seats", "2", "--sprt", "elo1=1", "--report", str(file), *HERE)

    assert run("play", GAME, "--bots", "random,random", *arguments).code == 4
    assert "LLR: " in file.read_text(encoding="utf-8")


def test_a_report_of_an_unknown_form_or_that_cannot_be_written_is_refused_before_anything_is_played(
    tmp_path: Path,
) -> None:
    for name, words in (("report.pdf", "ends in .html, .json, .txt, not '.pdf'"), ("none/report.html", "cannot write")):
        ran = run("play", GAME, "--bots", "random", "--matches", "1", "--report", str(tmp_path / name), *HERE)
        ran.assert_one_line(2)
        assert words in ran.err


def test_an_older_report_stays_where_a_bot_cannot_be_loaded(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("older", encoding="utf-8")

    run("play", GAME, "--bots", "none.py", "--report", str(file), *HERE).assert_one_line(2)

    assert file.read_text(encoding="utf-8") == "older"
    assert list(tmp_path.iterdir()) == [file]


def test_more_matches_than_asked_for_are_told() -> None:
    ran = run("play", GAME, "--bots", "random,random,random", "--seats", "3", "--matches", "4", "--jobs", "0")

    assert (ran.code, ran.err) == (0, "agon: 6 matches are played, not 4: whole blocks of 3\n")


def test_the_seed_that_was_drawn_is_told_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, drawn = on_terminal(monkeypatch, "x"), on_terminal(monkeypatch, None)

    assert "played with --seed" not in shown
    assert re.search(r"^played with --seed [0-9a-f]{32}$", drawn, re.MULTILINE)


def on_terminal(monkeypatch: pytest.MonkeyPatch, seed: str | None) -> str:
    stream = io.StringIO()
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    wanted = Wanted(
        game=GAME,
        bots="random,random",
        matches=2,
        seats=2,
        options=(),
        deals=Deals.SHARED,
        rotations=Rotations.CYCLIC,
        seed=seed,
        jobs=0,
        records=None,
        report=None,
        sprt=None,
        on_error="resign",
        ceiling=60.0,
    )
    play_locally(Output(stream=stream), wanted)
    return stream.getvalue()
