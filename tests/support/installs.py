"""Wheels and fresh environments, as users of the package meet them: made by pip from the tracked files alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from functools import cached_property
from pathlib import Path

from tests.support.tree import ROOT, tracked_files

DISTRIBUTION = "agon-arena"
TIMEOUT = 300.0
"""Seconds that pip, or a program in a fresh environment, may take."""


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment without what leads other programs to the working tree or to a server."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "PYTEST_", "AGON_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, **(extra or {})}


def copy_tracked(folder: Path) -> Path:
    """Copy what a clean clone has, with the edits that are not committed yet; return the folder."""
    for name in tracked_files():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return folder


def pip(*arguments: str | Path, python: Path | None = None, extra: Mapping[str, str] | None = None) -> None:
    """Run pip, for another environment if need be, with `extra` variables; raise AssertionError with what it said when
    it fails."""
    where = ["--python", str(python)] if python is not None else []
    command = [sys.executable, "-m", "pip", *where, *map(str, arguments), "--quiet", "--no-input"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=clean_environment(extra), timeout=TIMEOUT, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


@dataclass(frozen=True)
class Wheel:
    """A built wheel."""

    path: Path

    @cached_property
    def names(self) -> frozenset[str]:
        """The files in it."""
        with zipfile.ZipFile(self.path) as archive:
            return frozenset(archive.namelist())

    @cached_property
    def metadata(self) -> Message:
        name = next(name for name in self.names if name.endswith(".dist-info/METADATA"))
        with zipfile.ZipFile(self.path) as archive:
            return Parser().parsestr(archive.read(name).decode())

    @property
    def requirements(self) -> list[str]:
        """What it requires, extras included."""
        return self.metadata.get_all("Requires-Dist", [])

    def bounds(self, extra: str | None = None) -> dict[str, str]:
        """Return the lower bound of each requirement of the base, or of an extra alone, by normal name."""
        found: dict[str, str] = {}
        for requirement in self.requirements:
            wanted, _, marker = requirement.partition(";")
            if (f"extra == '{extra}'" in marker) if extra else not marker:
                name = re.match(r"[\w.-]+", wanted)
                bound = re.search(r">=([\d.]+)", wanted)
                assert name is not None
                assert bound is not None, f"no lower bound: {requirement!r}"
                found[normal(name[0])] = bound[1]
        return found


def build_wheel(tree: Path, folder: Path, extra: Mapping[str, str] | None = None) -> Wheel:
    """Build the wheel of a tree in an environment of its own, with `extra` variables."""
    pip("wheel", "--no-deps", "--wheel-dir", folder, tree, extra=extra)
    (path,) = folder.glob("*.whl")
    return Wheel(path)


def normal(name: str) -> str:
    """Return a distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True)
class Install:
    """A fresh environment with the package in it."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def agon(self) -> Path:
        return self.folder / "bin" / "agon"

    def run(self, *command: str | Path, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program of the environment to its end."""
        return subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=clean_environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def script(self, code: str, cwd: Path, stdin: str = "") -> str:
        """Run Python code; return what it printed. Raise AssertionError when it fails, or warns."""
        done = self.run(self.python, "-c", code, cwd=cwd, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    @cached_property
    def versions(self) -> dict[str, str]:
        """The version of each installed distribution, by normal name."""
        code = (
            "import json; from importlib.metadata import distributions\n"
            "print(json.dumps({found.name: found.version for found in distributions()}))"
        )
        listed: dict[str, str] = json.loads(self.script(code, self.folder))
        return {normal(name): version for name, version in listed.items()}


def install(folder: Path, what: str | Path, *arguments: str | Path, extra: Mapping[str, str] | None = None) -> Install:
    """Make an environment and install a requirement, a wheel or a tree there, with further arguments of pip and
    `extra` variables."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=TIMEOUT)
    made = Install(folder)
    pip("install", "--no-compile", *arguments, what, python=made.python, extra=extra)
    return made
