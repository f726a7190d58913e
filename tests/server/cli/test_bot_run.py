"""`agon bot run` and Ctrl-C, before there is anything to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import run_process
from tests.support.patience import PATIENCE

SLOW = """\
import sys, time

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            print("importing", flush=True)
            time.sleep(600)

sys.meta_path.insert(0, Slow())
"""
"""Makes the import of a module take long: Python runs it first, by its name."""


@pytest.mark.parametrize(
    ("module", "code"), [("agon_bots.sdk.client", -signal.SIGINT), ("agon_bots.house.random", 130)], ids=["sdk", "bot"]
)
def test_ctrl_c_while_the_sdk_or_the_bot_is_imported_ends_it_without_a_traceback(
    tmp_path: Path, module: str, code: int
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW.format(module=module))
    with subprocess.Popen(
        [sys.executable, "-m", "agon_server", "bot", "run", "random"],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "AGON_TOKEN": "agon_token"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "importing\n"
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()

    assert process.returncode == code
    assert "Traceback" not in told


def test_help_behind_a_bot_is_that_of_the_sdk() -> None:
    ran = run_process("bot", "run", "random", "--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("usage: agon bot run ")
    assert "--token-file FILE" in ran.out


@pytest.mark.parametrize("arguments", [("random", "--bogus"), ("--bogus", "random")])
def test_options_go_on_to_the_sdk_wherever_they_stand(arguments: tuple[str, ...]) -> None:
    ran = run_process("bot", "run", *arguments)

    assert ran.code == 2
    assert "unrecognized arguments: --bogus" in ran.err
