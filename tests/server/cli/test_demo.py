"""`agon demo`: a whole installation at work, told so that a person can go on from there, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.cli import PROGRAM, Ran, run
from tests.support.patience import PATIENCE

from agon_engine.registry import game_names, get_game
from agon_server.cli.demo import BOTS

pytestmark = pytest.mark.xdist_group("demo")

GAME = game_names()[-1]
ALL = ""
DEMOS = [GAME, pytest.param(ALL, id="all games", marks=pytest.mark.long)]


def ladders(game: str) -> list[str]:
    names = [game] if game else game_names()
    return [f"{name}-{seats}" for name in names for seats in get_game(name).spec.seat_counts]


class Demo:
    """A running demo; everything that it starts carries its mark."""

    def __init__(self, process: subprocess.Popen[str], mark: str, out: Path) -> None:
        self.process = process
        self.mark = mark
        self.out = out

    def read_until(self, words: str) -> str:
        """Return what it prints up to the line with these words."""
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if words in line:
                return "".join(lines)
        pytest.fail(f"ended without {words!r}: {''.join(lines)[-2000:]}")

    def end(self, timeout: float = 100) -> Ran:
        out, err = self.process.communicate(timeout=timeout)
        return Ran(self.process.returncode, out, err)

    def left(self) -> list[str]:
        """Return the command lines of processes that it started and that still run."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
        return found


@contextmanager
def demo(tmp_path: Path, *arguments: str, leaves_data: bool = False) -> Iterator[Demo]:
    """Run a demo. `leaves_data`: it will have no chance to remove the data folder."""
    mark = f"demo-{secrets.token_hex(8)}"
    with tempfile.TemporaryDirectory(prefix="agon-test-") as temporary:
        process = subprocess.Popen(
            [*PROGRAM, "demo", "--out", str(tmp_path), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "DEMO_MARK": mark, "TMPDIR": temporary},
        )
        started = Demo(process, mark, tmp_path)
        try:
            yield started
        finally:
            process.kill()
            process.communicate()
        # The folder of the store, its socket included, has gone with it.
        assert leaves_data or list(Path(temporary).iterdir()) == []
        assert started.left() == []


def test_it_has_bots_enough_for_every_ladder() -> None:
    assert max(get_game(name).spec.max_seats for name in game_names()) <= len(BOTS)


@pytest.mark.parametrize("game", DEMOS)
def test_it_plays_and_shows_and_ends_by_itself(tmp_path: Path, game: str) -> None:
    with demo(tmp_path, *(("--game", game) if game else ()), "--matches", "3") as running:
        ran = running.end()

    assert (ran.code, ran.err) == (0, ""), ran.err
    assert re.findall(r"^(\S+): \S+, \d seats$", ran.out, re.MULTILINE) == ladders(game)
    told, tables = ran.out.split(" rated matches in ")
    assert 15 <= told.count("\n") <= 25
    shown = re.search(r"more lines; all of it:\n +agon (replay show \S+ --match \S+)$", told, re.MULTILINE)
    assert shown is not None
    assert "over by" in told
    assert run(*shown[1].split()).out.count("\n") > 25
    assert tables.index("rank\t") < tables.index("Where things are")
    for words in ("rank\tbot\towner\tElo", "the audit has 0 findings", "over by", "Where things are", "Next"):
        assert words in ran.out
    records, metrics = tmp_path / "matches.jsonl.gz", (tmp_path / "metrics.txt").read_text(encoding="utf-8")
    assert run("replay", "verify", str(records)).code == 0
    for name in [game] if game else game_names():
        assert f'agon_matches_finished_total{{game="{name}",termination="score"}}' in metrics


def test_kept_running_it_can_be_asked_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    """Match show has the time account; what waits or runs shows no bot (T7, M9)."""
    with demo(tmp_path, "--keep", "--game", GAME, "--matches", "3") as running:
        data = running.read_until("and commands reach it by --data").rpartition("--data ")[2].strip()
        tell = ("--data", data)

        listed = json.loads(run("match", "ls", "--limit", "4", "--json", *tell).out)
        shown = json.loads(run("match", "show", listed[0]["match"], "--json", *tell).out)
        text = run("match", "show", listed[0]["match"], *tell).out
        record = run("match", "record", listed[0]["match"], *tell).out
        standings = [json.loads(run("ladder", "show", ladder, "--json", *tell).out) for ladder in ladders(GAME)]
        bots = json.loads(run("bot", "ls", "--json", *tell).out)
        queue = json.loads(run("queue", "ls", "--json", *tell).out)
        running.process.send_signal(signal.SIGINT)
        ran = running.end()

    assert (ran.code, ran.err) == (0, ""), ran.err
    assert len(listed) == 4
    assert len([row for row in shown["answers"] if row["kind"] == "seat"]) == shown["match"]["moves"] > 0
    assert all(row["charge_us"] <= row["elapsed_us"] for row in shown["answers"])
    assert "charged s\telapsed s\thost s\tlatency s" in text
    assert json.loads(record)["match"] == listed[0]["match"]
    assert sum(table["results"] for table in standings) >= 3
    assert [bot["name"] for bot in bots] == [name for name, _ in BOTS]
    assert all(bot["processes"] == 1 for bot in bots)
    assert {"items", "waiting", "running", "dead", "oldest_ms"} == set(queue)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    with demo(tmp_path, "--matches", "100000") as running:
        log = tmp_path / "random-1.log"
        # Its bots are being started when their logs are there.
        while not log.exists() and running.process.poll() is None:
            os.sched_yield()
        running.process.send_signal(number)
        ran = running.end()

    assert (ran.code, ran.out) == (130, "")
    assert ran.err == "agon: interrupted\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_it_at_once_and_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    """A server that is killed, and not told a second time, would leave its store behind for ever."""
    with demo(tmp_path, "--matches", "100000") as running:
        log = tmp_path / "greedy-2.log"
        while not log.exists() and running.process.poll() is None:
            os.sched_yield()
        running.process.send_signal(number)
        # It ends its bots first, and its server then.
        while any("agon_bots" in command for command in running.left()) and running.process.poll() is None:
            os.sched_yield()
        running.process.send_signal(number)
        ran = running.end()

    assert (ran.code, ran.out, ran.err) == (130, "", "agon: interrupted\n")


def test_a_game_that_is_unknown_is_refused_before_anything_starts(tmp_path: Path) -> None:
    ran = run("demo", "--game", "chess", "--out", str(tmp_path))

    ran.assert_one_line(2)
    assert "unknown game 'chess'" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_killed_it_leaves_no_process_behind(tmp_path: Path) -> None:
    """Nobody is there to end its server and bots: they end by themselves, and the store with the server."""
    with demo(tmp_path, "--matches", "100000", leaves_data=True) as running:
        last = tmp_path / f"{BOTS[-1][0]}.log"
        while not (last.exists() and "connected" in last.read_text()) and running.process.poll() is None:
            os.sched_yield()
        assert len(running.left()) > len(BOTS)
        running.process.kill()
        deadline = time.monotonic() + PATIENCE
        while running.left() and time.monotonic() < deadline:
            os.sched_yield()
