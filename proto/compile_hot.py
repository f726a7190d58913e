"""Compile the modules that each choice of a match runs through, with mypyc: an option of the wheel's build.

`AGON_COMPILE=1 pip install .` builds such a wheel; it needs a C compiler, takes about a minute on two cores, and fits
the Python and the machine that it was built for. The sources are in it too, and behave the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

SWITCH = "AGON_COMPILE"
ROOTS = ("engine", "proto", "bots", "ladder", "server")
HOT = (
    "agon_engine/core/agenda.py",
    "agon_engine/core/chance.py",
    "agon_engine/core/driver.py",
    "agon_engine/core/game.py",
    "agon_engine/core/telling.py",
    "agon_engine/core/timing.py",
    "agon/codec/wire.py",
    "agon/codec/mirror.py",
    "agon/codec/views.py",
    "agon/codec/down.py",
    "agon/codec/up.py",
    "agon_server/series.py",
    "agon_server/referee/match.py",
    "agon_server/referee/answering.py",
    "agon_server/referee/seat.py",
    "agon_server/referee/clock.py",
    "agon_server/referee/entries.py",
    "agon_server/referee/journal.py",
    "agon_server/referee/stream.py",
)
"""The walk of a choice, from the bytes of its message to those of the next Decide, and the games. Compiled code refuses
values of other types than it names, so what judges values from outside (records, policies, requests) stays as it is."""
NO_GAMES = ("core", "conformance")
"""The folders of the engine that are no game's."""
COLD = ("checking.py", "forms.py", "reading.py", "reference.py", "render.py", "writing.py")
"""Modules of games that no choice runs through: what judges files, which come from outside, and what people read."""
REQUIREMENTS = ("mypy>=1.14",)
SETUP = """\
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from mypyc.build import mypycify
from setuptools import setup
from setuptools.command.build_ext import build_ext


class InParallel(build_ext):
    def build_extensions(self):
        compile_all = self.compiler.compile

        def compile(sources, **options):
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                return sum(pool.map(partial(compile_all, **options), [[source] for source in sources]), [])

        self.compiler.compile = compile
        super().build_extensions()


hot = mypycify({arguments}, opt_level={level}, debug_level="0", multi_file=True)
setup(name="hot", ext_modules=hot, cmdclass={{"build_ext": InParallel}})
"""
"""One C file a module, on all cores: for all of it in one file the C compiler takes up to four times as long."""


def is_wanted() -> bool:
    """Tell whether this build is to be a compiled one. Raise ValueError for a switch that says neither."""
    switch = os.environ.get(SWITCH, "0")
    if switch not in ("0", "1"):
        raise ValueError(f"{SWITCH} is 0 or 1, not {switch!r}")
    return switch == "1"


def compile_hot(root: Path, work: Path) -> dict[str, str]:
    """Compile below `work`, a folder that is made anew. Return the place in the wheel of each extension module, by
    its path. Raise RuntimeError with what the compiler said when it fails."""
    shutil.rmtree(work, ignore_errors=True)
    for name in ROOTS:
        for package in (root / name).glob("agon*"):
            shutil.copytree(package, work / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    games = [
        path
        for path in (work / "agon_engine").glob("*/[!_]*.py")
        if path.parent.name not in NO_GAMES and path.name not in COLD
    ]
    modules = [*HOT, *sorted(path.relative_to(work).as_posix() for path in games)]
    # Types of libraries change nothing in what is compiled here, so the build needs none of them.
    flags = ["--config-file=", "--ignore-missing-imports", "--explicit-package-bases"]
    # Symbols for a debugger would take longer to write than the code. How far the C compiler optimises is mypyc's own
    # MYPYC_OPT_LEVEL: 3, or 0 for a build in a third of the time that does the same.
    level = os.environ.get("MYPYC_OPT_LEVEL", "3")
    script = work / "setup.py"
    script.write_text(SETUP.format(arguments=[*flags, *modules], level=repr(level)), encoding="utf-8")
    done = subprocess.run(  # noqa: S603  # this interpreter, on this project
        [sys.executable, script.name, "build_ext", "--inplace"],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = f"{done.stdout}{done.stderr}"[-4_000:]
        raise RuntimeError(f"mypyc failed (it needs a C compiler; on Debian: apt-get install gcc):\n{said}")

    suffix = EXTENSION_SUFFIXES[0]
    made = [path for path in sorted(work.rglob(f"*{suffix}")) if not path.is_relative_to(work / "build")]
    return {str(path): path.relative_to(work).as_posix() for path in made}
