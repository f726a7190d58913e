"""Local tournaments in worker processes: the same matches as in one process, whatever bots do to theirs."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.bots.test_local import untimed

from agon_bots import LoadError, LocalRules, Summary, SurroundingsError, UsageError, bot_labels, play_matches
from agon_bots.sdk import workers
from agon_bots.sdk.messages import BOARD_BYTES, encode, plan_to_json, rules_to_json
from agon_bots.sdk.schedule import plan_matches
from agon_engine.core import Deals, Termination

BOT = """
import os, signal, subprocess, time
from agon_bots import Bot

class MyBot(Bot):
    def choose(self, turn):
        if turn.decision == 3 and turn.match.id == "local-1":
            {act}
        return turn.random.randrange(len(turn.actions))
"""
BLOCKED = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); time.sleep(60)"


def bot_file(folder: Path, act: str) -> str:
    file = folder / "mybot.py"
    file.write_text(BOT.format(act=act))
    return f"{file}:MyBot"


def parent_and_state(pid: str) -> tuple[int, str]:
    """Return a process's parent and state, (0, "X") where it is gone."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return 0, "X"
    return int(parent), state


def children() -> list[str]:
    """Return the processes that this one has started and that still run."""
    running = [path.name for path in Path("/proc").glob("[0-9]*")]
    return [pid for pid in running if (found := parent_and_state(pid))[0] == os.getpid() and found[1] not in "XZ"]


def has_ended(pid: int) -> bool:
    """Tell whether a process ends, or has ended; it may take the system a moment to see a signal through."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True

    try:
        return bool(select.select([process], [], [], 10.0)[0])
    finally:
        os.close(process)


@pytest.fixture(autouse=True)
def leaves_no_process() -> Iterator[None]:
    """C3: there are as many processes after a run as before."""
    before = children()
    yield
    assert children() == before


def test_workers_play_the_same_matches_as_this_process() -> None:
    """H7: what is played depends on the seed alone, not on who plays it, or how many."""
    rules = LocalRules("ephyran", 2, seed="same")

    here = {match.plan.number: untimed(match) for match in play_matches(rules, ["random", "greedy"], 6, jobs=0)}
    there = {match.plan.number: untimed(match) for match in play_matches(rules, ["random", "greedy"], 6, jobs=2)}

    assert here == there
    assert sorted(here) == [1, 2, 3, 4, 5, 6]


def test_a_bot_that_ends_its_process_loses_that_match_and_the_others_are_played(tmp_path: Path) -> None:
    """C1, C2: a crash has its reason, and the seat that was thinking has it."""
    rules = LocalRules("ephyran", 3, seed="x")

    matches = list(play_matches(rules, [bot_file(tmp_path, "os._exit(7)"), "random", "random"], 3, jobs=1))

    lost, *others = sorted(matches, key=lambda match: match.plan.number)
    assert lost.record is None
    assert lost.result.termination is Termination.DISCONNECT
    assert lost.result.seats == (Termination.DISCONNECT, Termination.SCORE, Termination.SCORE)
    assert lost.result.placements == (3, 1, 1)
    assert lost.faults[0][1].line == "the process ended with exit code 7"
    assert [match.result.termination for match in others] == [Termination.SCORE] * 2


def test_a_bot_that_cannot_be_interrupted_is_ended_with_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T2: not even code that is deaf to signals holds a run up."""
    monkeypatch.setattr(workers, "GRACE", 0.1)
    monkeypatch.setattr(workers, "_CHECK", 0.05)
    rules = LocalRules("ephyran", 2, seed="x", ceiling=0.2)

    matches = {
        match.plan.number: match.result
        for match in play_matches(rules, [bot_file(tmp_path, BLOCKED), "random"], 2, jobs=1)
    }

    assert matches[1].termination is Termination.TIMEOUT
    assert matches[1].seats == (Termination.TIMEOUT, Termination.SCORE)
    assert matches[2].termination is Termination.SCORE


def test_what_a_bot_has_started_ends_with_it(tmp_path: Path) -> None:
    """C3: the whole process group, here an engine that the bot forgot."""
    pid_file = tmp_path / "pid"
    act = f"open({str(pid_file)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))"

    list(play_matches(LocalRules("ephyran", 2, seed="x"), [bot_file(tmp_path, act), "random"], 2, jobs=1))

    assert has_ended(int(pid_file.read_text()))


def test_a_run_that_is_left_early_ends_its_workers() -> None:
    run = play_matches(LocalRules("ephyran", 4, seed="x"), ["random"], 1_000, jobs=2)
    before = children()
    next(run)
    assert len(children()) > len(before)

    run.close()  # type: ignore[attr-defined]  # a generator, which Iterator does not say


@pytest.mark.parametrize("matches", [2, 4])
def test_a_short_run_with_several_jobs_says_nothing(matches: int, capfd: pytest.CaptureFixture[str]) -> None:
    """A worker that was started for a match that another one has played meanwhile ends without a word."""
    played = list(play_matches(LocalRules("ephyran", 2, seed="x"), ["random", "random"], matches, jobs=2))

    assert len(played) == matches
    assert capfd.readouterr() == ("", "")


def counted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that has an item for each worker that is started from now on."""
    hired: list[object] = []
    hire = workers._Crew._hire

    def counting(crew: Any) -> None:
        hired.append(crew)
        hire(crew)

    monkeypatch.setattr(workers._Crew, "_hire", counting)
    return hired


def test_there_are_never_more_workers_than_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    hired = counted(monkeypatch)

    list(play_matches(LocalRules("ephyran", 2, seed="x"), ["random", "random"], 2, jobs=8))

    assert len(hired) <= 2


def test_a_lost_worker_is_replaced_only_where_a_match_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hired = counted(monkeypatch)
    always = tmp_path / "mybot.py"
    always.write_text(BOT.format(act="pass").replace("turn.decision == 3 and", "os._exit(7) or"))

    matches = list(play_matches(LocalRules("ephyran", 2, seed="x"), [f"{always}:MyBot", "random"], 2, jobs=1))

    assert [match.result.termination for match in matches] == [Termination.DISCONNECT] * 2
    assert len(hired) == 2


@pytest.mark.parametrize("said", ["nothing", "half a line", "task", "task and match", "task, match and half a line"])
def test_a_worker_whose_parent_has_hung_up_ends_without_a_word(said: str) -> None:
    """Whenever that was; its answers, which nobody has read, are in the way of the end like those it cannot say."""
    rules = LocalRules("ephyran", 2, seed="x")
    task = encode({"rules": rules_to_json(rules), "specs": ["random", "random"], "names": ["a", "b"]})
    match = encode(plan_to_json(next(plan_matches(2, 2, 1, "x", Deals.FRESH))))
    lines = {
        "nothing": b"",
        "half a line": task[:20],
        "task": task,
        "task and match": task + match,
        "task, match and half a line": task + match + match[:20],
    }[said]
    here, there = socket.socketpair()
    with there, tempfile.TemporaryFile() as board:
        board.truncate(BOARD_BYTES)
        command = [sys.executable, "-P", "-m", "agon_bots.sdk.worker", str(there.fileno()), str(board.fileno())]
        here.sendall(lines)
        here.close()
        ran = subprocess.run(
            command, pass_fds=(there.fileno(), board.fileno()), capture_output=True, text=True, check=False, timeout=60
        )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("specs", "error", "message"),
    [
        (["random", "nowhere.py:Bot"], LoadError, "no such file: 'nowhere.py'"),
        (["random", "gredy"], LoadError, "no bot is called 'gredy'"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_one_clear_line(specs: list[str], error: type[Any], message: str) -> None:
    with pytest.raises(error) as caught:
        list(play_matches(LocalRules("ephyran", 2, seed="x"), specs, 2, jobs=2))

    assert str(caught.value).startswith(message)


def test_a_bot_of_another_game_or_seat_count_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(BOT.format(act="pass") + "\n    games = {'ephyran': [4]}\n")

    with pytest.raises(UsageError, match=r"mybot does not play ephyran with 2 seats, but \(4,\)"):
        list(play_matches(LocalRules("ephyran", 2, seed="x"), [str(file), "random"], 2))


def test_a_file_that_ends_its_process_when_it_is_imported_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text("import os\nos._exit(5)\n")

    with pytest.raises(SurroundingsError, match="a worker process ended with exit code 5 before it was ready"):
        list(play_matches(LocalRules("ephyran", 2, seed="x"), [str(file), "random"], 2))


def test_too_many_jobs_are_refused() -> None:
    with pytest.raises(UsageError, match="jobs is a number of processes from 0 to 1024, not -1"):
        next(play_matches(LocalRules("ephyran", 2), ["random", "random"], 2, jobs=-1))


def test_labels_are_short_and_all_different() -> None:
    specs = ["greedy", "a/mybot.py:MyBot", "b/mybot.py:MyBot", "b/other.py", "greedy"]

    assert bot_labels(specs) == ["greedy", "MyBot", "MyBot#2", "other", "greedy#2"]


def test_a_summary_adds_up() -> None:
    specs = ["random", "random", "random"]
    summary = Summary.of(bot_labels(specs))

    for match in play_matches(LocalRules("ephyran", 3, seed="sum"), specs, 12, deals=Deals.SHARED, jobs=0):
        summary.add(match)

    assert summary.matches == 12
    assert summary.terminations == Counter({Termination.SCORE: 12})
    assert [bot.seats for bot in summary.bots] == [12, 12, 12]
    assert all(bot.pairs == 24 for bot in summary.bots)
    assert sum(bot.pair_points for bot in summary.bots) == 36
    assert sum(bot.decisions for bot in summary.bots) == summary.decisions
    assert sum(bot.pairwise for bot in summary.bots) == pytest.approx(1.5)
    assert len(summary.blocks) == 4
    assert all(len(scores) == 6 for block in summary.blocks.values() for scores in block)
