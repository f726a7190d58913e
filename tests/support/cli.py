"""The command line as a person or a script meets it: arguments in; exit code, stdout and stderr out."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import pytest

from agon_server.cli import main

PROGRAM = (sys.executable, "-c", "import sys; from agon_server.cli import main; sys.exit(main())")


class Ran(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str

    def assert_one_line(self, code: int) -> None:
        """Check that it failed as commands must: the code, one line on stderr, nothing on stdout, no traceback."""
        assert (self.code, self.out) == (code, ""), self
        assert self.err.startswith("agon: "), self.err
        assert self.err.count("\n") == 1, self.err
        assert "Traceback" not in self.err


def run(*arguments: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run a command in this process; quick, and the same code from the arguments to the exit code."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name in [name for name in os.environ if name.startswith("AGON_")]:
            patch.delenv(name)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        code = main(arguments)
    return Ran(code, out.getvalue(), err.getvalue())


def run_process(*arguments: str, env: Mapping[str, str] | None = None, stdin: bytes = b"", timeout: float = 60) -> Ran:
    """Run a command as a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AGON_")}
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        env={**clean, **(env or {})},
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
