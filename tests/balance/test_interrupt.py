"""Ctrl-C ends the command with 130 and a line, whatever its processes are doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from multiprocessing import active_children
from pathlib import Path

from tests.balance.playing import Plan, played

PROC = Path("/proc")


def children_of(process: int) -> list[str]:
    return (PROC / str(process) / "task" / str(process) / "children").read_text("ascii").split()


def test_the_processes_that_play_never_see_ctrl_c() -> None:
    matches = played(Plan("elysium", 2, seed=1), 8, 2)
    next(matches)

    statuses = [(PROC / str(child.pid) / "status").read_text("ascii") for child in active_children()]
    blocked = [int(line.split()[1], 16) for status in statuses for line in status.splitlines() if "SigBlk" in line]
    mine = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    matches.close()

    assert len(blocked) == 2
    assert all(mask >> (signal.SIGINT - 1) & 1 for mask in blocked)
    assert signal.SIGINT not in mine
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mine
    assert active_children() == []


def test_ctrl_c_while_processes_start_ends_it_cleanly(tmp_path: Path) -> None:
    written = tmp_path / "balance.json"
    command = [sys.executable, "-m", "tests.balance", "--matches", "100000", "--processes", "2", "--json", str(written)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True
    ) as process:
        # The tracker of resources, and two that play.
        while process.poll() is None and len(children_of(process.pid)) < 3:
            os.sched_yield()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        told, errors = process.communicate()

    assert (process.returncode, told, errors) == (130, "interrupted; nothing is written\n", "")
    assert not written.exists()
