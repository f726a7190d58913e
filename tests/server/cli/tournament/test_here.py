"""`agon tournament`: run, resume, status and report as a person and a script meet them."""

from __future__ import annotations

import io
import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import IO, Any

import pytest
from tests.support.cli import PROGRAM, run
from tests.support.cups import GAME, HERE, tournament, write

from agon_engine.registry import get_game
from agon_server.cli.output import Output
from agon_server.cli.tournament.kept import tell_report
from agon_server.cli.tournament.table import COLUMNS, LEGEND
from agon_server.cli.tournament.where import read_definition
from agon_server.queue.results import Result
from agon_server.tournaments.folder import TournamentFolder, Writer

SLOW = """\
import sys
import time
from pathlib import Path
from agon_bots import Bot

HOLD = Path(__file__).with_name("hold")

class Slow(Bot):
    ended = 0

    def choose(self, turn):
        return turn.random.choice(turn.actions)

    def over(self, result):
        sys.stderr.write("over\\n")
        Slow.ended += 1
        while Slow.ended > 6 and HOLD.exists():
            time.sleep(0.01)
"""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return write(tmp_path, *["random"] * 4)


def test_a_tournament_tells_what_is_planned_and_proved_and_then_how_the_bots_stand(cup: Path) -> None:
    ran = run("tournament", "run", str(cup), *HERE)

    lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")
    assert lines[0] == f"cup: {GAME}, 2 seats, 4 bots, 2 rounds, at most 4 blocks, at most 8 matches"
    assert lines[1].startswith("checked 2 blocks of 2 matches, the first round;")
    assert "  each match has a deal of its own, 4 in all, no two alike" in lines
    header = lines.index("\t".join([*(name.rstrip("#~") for name in COLUMNS), "Buchholz", "Sonneborn–Berger"]))
    assert len(lines[header + 1 :]) == 4
    assert lines[header + 1].startswith("1\t")


def test_what_does_not_hang_on_results_is_proved_whole(tmp_path: Path) -> None:
    file = write(tmp_path, *["random"] * 4, seats=3, format_='kind = "round-robin"\ncycles = 2')

    lines = run("tournament", "run", str(file), *HERE).out.splitlines()

    assert lines[:6] == [
        f"cup: {GAME}, 3 seats, 4 bots, 2 rounds, 8 blocks, 24 matches",
        "checked 8 blocks of 3 matches:",
        "  in each block every bot sits once at each seat",
        "  each match has a deal of its own, 24 in all, no two alike",
        "  the bots differ by no block",
        "  pairs of them differ by no block together",
    ]


def test_run_status_and_report_say_the_same(cup: Path) -> None:
    told = tournament("run", cup, *HERE)

    assert tournament("report", cup) == told
    assert tournament("status", cup) == {name: told[name] for name in told if name != "standings"}
    assert (told["planned"], told["done"], told["remaining"], told["is_over"]) == (8, 8, 0, True)
    assert sum(row["points"] for row in told["standings"]) == 8
    assert [row["elo"] is None for row in told["standings"]] == [row["score"] in {0, 1} for row in told["standings"]]
    records = [str(path) for path in Path(told["folder"]).glob("records/*.jsonl.gz")]
    assert run("replay", "verify", *records).out == "8 records are true: replayed, and nothing differs\n"


def test_the_same_file_gives_the_same_tournament_elsewhere(cup: Path, tmp_path: Path) -> None:
    """Also in other numbers of worker processes, which are no part of what it is."""
    one = tournament("run", cup, "--data", str(tmp_path / "a"), *HERE)
    other = tournament("run", cup, "--data", str(tmp_path / "b"), "--jobs", "2")

    assert one["standings"] == other["standings"]
    assert one["definition"] == other["definition"]


def test_a_tournament_that_has_begun_is_not_begun_again(cup: Path) -> None:
    told = tournament("run", cup, *HERE)

    run("tournament", "run", str(cup), *HERE).assert_one_line(2)
    assert f"`agon tournament resume {cup}`" in run("tournament", "run", str(cup), *HERE).err
    assert tournament("resume", cup, *HERE) == told


@pytest.mark.parametrize("verb", ["resume", "status", "report"])
def test_what_has_not_begun_is_refused(cup: Path, verb: str) -> None:
    ran = run("tournament", verb, str(cup))

    ran.assert_one_line(2)
    assert "no tournament has begun in that folder; `agon tournament run` begins it: " in ran.err
    assert not cup.with_suffix(".agon").exists()


def test_a_file_that_has_changed_does_not_go_on_and_what_was_played_is_told_as_it_began(cup: Path) -> None:
    told = tournament("run", cup, *HERE)
    before = cup.read_text()
    cup.write_text(before.replace("rounds = 2", "rounds = 3").replace('"7"', '"8"'))

    ran = run("tournament", "resume", str(cup))
    shown = {verb: run("tournament", verb, str(cup), "--json") for verb in ("status", "report")}
    whole = run("tournament", "report", str(cup), "--format", "text")

    assert ran.code == 2
    assert [line.strip() for line in ran.err.splitlines()[1:]] == [
        'seed was "7" at the start, and is "8"',
        "format.rounds was 2 at the start, and is 3",
    ]
    note = f"agon: {cup} has changed since the tournament began, which is told as it began: "
    note += 'seed was "7" at the start, and is "8"; format.rounds was 2 at the start, and is 3\n'
    assert dict.fromkeys(shown, (0, note)) == {verb: (each.code, each.err) for verb, each in shown.items()}
    assert told == json.loads(shown["report"].out)
    assert (whole.code, whole.err, "8 of 8, all" in whole.out) == (0, note, True)
    cup.write_text(before)
    assert tournament("report", cup) == told


def test_how_many_play_at_a_time_may_change(cup: Path) -> None:
    told = tournament("run", cup, *HERE)
    cup.write_text("concurrency = 3\n" + cup.read_text())

    assert tournament("resume", cup, *HERE) == told


def test_all_that_is_wrong_with_a_file_is_said_at_once(cup: Path) -> None:
    cup.write_text(cup.read_text().replace("seats = 2", "sets = 2").replace("rounds = 2", "rounds = 0"))

    ran = run("tournament", "run", str(cup))

    assert ran.code == 2
    for words in ("line 3: sets: unknown key", "line 8: format.rounds"):
        assert words in ran.err
    assert not cup.with_suffix(".agon").exists()


def test_a_tournament_is_played_by_one_process_at_a_time(cup: Path) -> None:
    tournament("run", cup, *HERE)
    with TournamentFolder.open(cup.with_suffix(".agon")):
        ran = run("tournament", "resume", str(cup), *HERE)
        status = tournament("status", cup)

    ran.assert_one_line(3)
    assert "in use by process" in ran.err
    assert status["is_over"]


def test_a_bot_whose_code_fails_in_all_its_matches_is_a_negative_result(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from agon_bots import Bot\nclass Bad(Bot):\n    def choose(self, turn):\n        return 1 // 0\n")
    file = write(tmp_path, f"{bad}:Bad", "random")

    ran = run("tournament", "run", str(file), *HERE)

    assert ran.code == 1
    assert ran.err.splitlines()[-1].startswith(
        "agon: bot-0 failed in all its 4 matches: choose raised ZeroDivisionError"
    )
    assert "\tbot-1\t4.0\t1.000\t" in ran.out


def test_a_bot_that_cannot_be_loaded_is_a_wrong_file_and_can_be_made_good(tmp_path: Path) -> None:
    bot = tmp_path / "late.py"
    bot.write_text("Slow = None")
    file = write(tmp_path, f"{bot}:Slow", "random")

    ran = run("tournament", "run", str(file), *HERE)
    assert (ran.code, ran.out, ran.err.splitlines()[-1].startswith("agon: ")) == (2, "", True)
    bot.write_text(SLOW)

    assert tournament_resumed(file)["done"] == 4


def test_a_number_of_processes_that_cannot_be_is_told_before_anything_has_begun(tmp_path: Path) -> None:
    file = write(tmp_path, "random", "random")

    assert run("tournament", "run", str(file), "--jobs", "1025").code == 2
    file.write_text(file.read_text().replace("[format]", "concurrency = 1025\n[format]"))
    refused = run("tournament", "run", str(file))

    assert (refused.code, "here concurrency is a number of processes, at most 1024" in refused.err) == (2, True)
    assert run("tournament", "run", str(file), *HERE).code == 0


def tournament_resumed(file: Path) -> dict[str, Any]:
    ran = run("tournament", "resume", str(file), "--json", "--jobs", "1")
    assert ran.code == 0, ran
    told: dict[str, Any] = json.loads(ran.out)
    return told


@contextmanager
def under_way(file: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a tournament in a process of its own, and go on when matches have ended there."""
    command = [*PROGRAM, "tournament", "run", str(file), "--json", "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for(process.stderr, "over\n", 6)
            yield process
        finally:
            process.kill()


def wait_for(lines: IO[str] | None, line: str, times: int) -> None:
    assert lines is not None
    for _ in range(times):
        assert lines.readline() == line


def children_of(pid: int) -> list[int]:
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(text) for text in done.stdout.split()]


@pytest.fixture
def slow_cup(tmp_path: Path) -> Path:
    """A tournament that says when a match has ended, with more matches than one waits for."""
    bot = tmp_path / "slow.py"
    bot.write_text(SLOW)
    return write(tmp_path, *[f"{bot}:Slow"] * 4, format_='kind = "round-robin"\ncycles = 2')


def test_a_tournament_that_is_killed_goes_on_to_the_same_table(slow_cup: Path, tmp_path: Path) -> None:
    """R11: kill -9 in the middle of it, with matches under way in worker processes."""
    hold = tmp_path / "hold"
    hold.touch()
    with under_way(slow_cup) as process:
        while not tournament("status", slow_cup)["done"]:
            assert process.poll() is None
        process.kill()
    hold.unlink()
    status = tournament("status", slow_cup)
    assert 0 < status["done"] < status["planned"] == 24
    assert status["remaining"] == 24 - status["done"]

    resumed = tournament_resumed(slow_cup)
    ran = run("tournament", "run", str(slow_cup), "--json", "--data", str(tmp_path / "whole"), *HERE)

    assert resumed["standings"] == json.loads(ran.out)["standings"]
    assert (resumed["done"], resumed["remaining"]) == (24, 0)


def test_ctrl_c_ends_it_says_how_to_go_on_and_leaves_no_process(slow_cup: Path) -> None:
    """C3."""
    with under_way(slow_cup) as process:
        workers = children_of(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (130, "")
    kept, interrupted = [line for line in err.splitlines() if line != "over"]
    done = tournament("status", slow_cup)["done"]
    assert kept == f"agon: {done} of 24 matches are kept; go on with `agon tournament resume {slow_cup}`"
    assert interrupted == "agon: interrupted"
    assert workers
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []


def test_ctrl_c_between_counting_a_match_and_keeping_it_tells_what_is_kept(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, results = Writer.put, count(1)

    def interrupted(self: Writer, result: Result) -> None:
        if next(results) == 3:
            raise KeyboardInterrupt
        put(self, result)

    monkeypatch.setattr(Writer, "put", interrupted)
    ran = run("tournament", "run", str(cup), *HERE)
    monkeypatch.undo()

    assert ran.code == 130
    assert tournament("status", cup)["done"] == 2
    assert "agon: 2 of " in ran.err


def test_the_table_fits_80_columns_and_is_explained(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")  # which has 80 columns
    tournament("run", cup, *HERE)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)

    tell_report(Output(stream=stream), read_definition(cup), cup, None)

    *table, where = stream.getvalue().splitlines()
    assert [line for line in table if len(line.rstrip()) > 80] == []
    assert where.startswith("the records are in ")
    for column in ("points", "score", "Elo", "95 %", "blocks"):
        assert f"{column} " in LEGEND


@pytest.mark.parametrize(("form", "begins"), [("html", "<!doctype html>"), ("json", "{"), ("text", "cup: ")])
def test_a_whole_report_is_printed_or_written_in_the_form_that_is_named(cup: Path, form: str, begins: str) -> None:
    told = tournament("run", cup, *HERE)
    file = cup.with_name("report")

    printed = run("tournament", "report", str(cup), "--format", form)
    written = run("tournament", "report", str(cup), "--format", form, "--out", str(file))

    assert (printed.code, written.code, written.out) == (0, 0, "")
    assert printed.out.lower().startswith(begins)
    assert file.read_text(encoding="utf-8").strip() == printed.out.strip()
    assert all(row["bot"] in printed.out for row in told["standings"])
    assert "8 of 8" in printed.out


def test_a_whole_report_is_the_same_however_many_were_played_at_a_time(cup: Path, tmp_path: Path) -> None:
    found = []
    for name, jobs in (("a", HERE), ("b", ("--jobs", "2"))):
        tournament("run", cup, "--data", str(tmp_path / name), *jobs)
        ran = run("tournament", "report", str(cup), "--data", str(tmp_path / name), "--format", "json")
        found.append([(row["bot"], row["rating"], row["score"]) for row in json.loads(ran.out)["standings"]])

    assert found[0] == found[1]


def test_a_whole_report_ranks_as_the_tournament_does_and_tells_the_seed_at_the_end(cup: Path) -> None:
    """While a match is left to play, its deal follows from the seed."""
    TournamentFolder.begin(cup.with_suffix(".agon"), read_definition(cup).to_json()).close()
    before = json.loads(run("tournament", "report", str(cup), "--format", "json").out)
    told = tournament("resume", cup, *HERE)

    after = json.loads(run("tournament", "report", str(cup), "--format", "json").out)

    ranks = [(row["rank"], row["bot"]) for row in told["standings"]]
    assert [(row["rank"], row["bot"]) for row in after["standings"]] == ranks
    assert "seed" not in json.dumps(before["about"])
    assert "seed" in json.dumps(after["about"])


def test_tables_are_written_to_a_folder(cup: Path, tmp_path: Path) -> None:
    tournament("run", cup, *HERE)

    assert run("tournament", "report", str(cup), "--format", "csv", "--out", str(tmp_path / "tables")).code == 0
    assert "bot-0" in (tmp_path / "tables" / "standings.csv").read_text()


@pytest.mark.parametrize(
    "arguments", [("--out", "report.html"), ("--format", "csv"), ("--format", "html", "--out", "none/report.html")]
)
def test_a_report_that_cannot_be_written_is_refused(cup: Path, arguments: tuple[str, ...]) -> None:
    tournament("run", cup, *HERE)

    run("tournament", "report", str(cup), *arguments).assert_one_line(2)


def test_a_report_does_not_load_the_sdk(cup: Path) -> None:
    """It is there at once, and says the same whether or not the bots still are."""
    tournament("run", cup, *HERE)
    code = (
        "import sys; from agon_server.cli import main; main(sys.argv[1:]);"
        "print([name for name in sys.modules if name.startswith('agon_bots')])"
    )
    command = [PROGRAM[0], "-c", code, "tournament", "report", str(cup)]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_the_rules_of_the_game_are_part_of_what_it_is(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tournament that began by other rules does not go on by these."""
    tournament("run", cup, *HERE)
    spec = get_game(GAME).spec
    monkeypatch.setattr(get_game(GAME), "spec", replace(spec, version=spec.version + 1))

    ran = run("tournament", "resume", str(cup), *HERE)

    ran.assert_one_line(2)
    assert ran.err.endswith(f"version was {spec.version} at the start, and is {spec.version + 1}\n")
