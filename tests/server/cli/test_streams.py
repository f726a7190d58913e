"""Standard streams that are closed, full, or of an encoding without the letters that are to be said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import PROGRAM


def shell(command: str, *, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `agon` is the command line."""
    program = f'agon() {{ {sys.executable} -c "{PROGRAM[2]}" "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", program], env=env, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )


@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_closed_stdout_is_no_failure(closed: str) -> None:
    ran = shell(f"agon games {closed}; echo code $?; agon settings --json {closed}; echo code $?")

    assert (ran.stdout, ran.stderr) == ("code 0\ncode 0\n", "")


def test_a_closed_stdin_is_an_empty_file() -> None:
    ran = shell("agon replay verify - <&-; echo code $?")

    assert (ran.stdout, ran.stderr) == ("code 2\n", "agon: - has no record\n")


def test_the_number_of_a_closed_stream_is_no_other_files(tmp_path: Path) -> None:
    """What a command opens would get it, and all that is printed with it."""
    file = tmp_path / "records.gz"
    play = f"agon play $(agon games | tail -1 | cut -f1) --bots random,random --matches 2 --jobs 0 --records {file}"
    ran = shell(f"{play} >&- && agon replay verify {file}")

    assert "2 records are true" in ran.stdout, ran


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full", "2> >(exec true)"])
def test_the_exit_code_is_right_where_nobody_can_be_told(stderr: str) -> None:
    ran = shell(f"agon play nonsense --bots random {stderr}; echo code $?")

    assert ran.stdout == "code 2\n"


@pytest.mark.parametrize("what", ["ladder show --help", "settings", "--version", "settings --json"])
def test_a_reader_that_goes_is_no_failure(what: str) -> None:
    ran = shell(f"agon {what} | exec true; echo ${{PIPESTATUS[0]}}")

    assert (ran.stdout, ran.stderr) == ("0\n", "")


def test_letters_that_the_encoding_lacks_are_written_by_number(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(
        "from agon_bots import Bot\nclass Zoë(Bot):\n    def choose(self, turn):\n        return 0\n", encoding="utf-8"
    )
    env = {"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    play = f"agon play $(agon games | tail -1 | cut -f1) --bots {file}:Zoë --matches 2 --jobs 0"
    ran = shell(f"{play}; {play} --json", env=env)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Zo\\xeb" in ran.stdout
    assert json.loads(ran.stdout.splitlines()[-1])["bots"][0]["name"] == "Zoë"


def test_a_server_whose_reader_has_gone_says_why_it_ends(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    server = [*PROGRAM, "serve", "--data", str(tmp_path), "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]
    ran = subprocess.run(server, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(write)

    assert ran.returncode == 3
    assert ran.stderr.splitlines()[-1] == "agon: whoever this was written to has closed the pipe; start it again"
    assert not (tmp_path / "store" / "valkey.pid").exists(), "its store is left behind"
