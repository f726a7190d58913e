"""The build whose hot modules are compiled does the same as the sources."""

from __future__ import annotations

import runpy
import shutil
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from tests.support.installs import DISTRIBUTION, Install, Wheel, build_wheel, install
from tests.support.tree import ROOT

SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / "proto" / "compile_hot.py"))
SAME_MATCHES = """
from tests.golden.generate import playthrough_text, playthroughs
from agon_engine.core.compiled import is_compiled
from agon_engine.registry import game_names, get_game

assert is_compiled()
for name in game_names():
    for playthrough in playthroughs(get_game(name)):
        kept = playthrough.path(name).read_text(encoding="utf-8")
        assert playthrough_text(get_game(name), playthrough) == kept, playthrough
"""
CONTRACT = """
from agon_engine.conformance import checks
from agon_engine.core.compiled import is_compiled
from agon_engine.registry import game_names, get_game

assert is_compiled()
for name in game_names():
    game = get_game(name)
    for check in checks(game):
        check(game.spec.max_seats, 0, positions=4)
"""
INTERPRETED_GAME = """
from agon_engine.core import Chance
from agon_engine.core.compiled import is_compiled
from tests.support.toy_game import GAME

assert is_compiled()
state = GAME.start(2, Chance(bytes(16)))
while (decision := state.decision) is not None:
    copy = state.clone()
    state.apply(decision.actions[0])
    copy.apply(decision.actions[0])
    assert copy.digest() == state.digest()
assert state.outcome() is not None
"""
WALK = """
from tests.bench.walk import cost_of_walk
from agon_server.referee import match, stream

assert not match.__file__.endswith(".py") and not stream.__file__.endswith(".py")
assert cost_of_walk("ephyran", 4, 0.5) > 0
"""


@pytest.fixture(scope="session")
def compiled_wheel(tmp_path_factory: pytest.TempPathFactory, clone: Path) -> Wheel:
    if shutil.which("cc") is None or not Path(sysconfig.get_path("include"), "Python.h").exists():
        pytest.skip("compiling needs a C compiler and Python's headers; on Debian: apt-get install gcc python3-dev")
    folder = tmp_path_factory.mktemp("compiled")
    # Optimised, it takes twice as long and does the same.
    return build_wheel(shutil.copytree(clone, folder / "tree"), folder, {SCRIPT["SWITCH"]: "1", "MYPYC_OPT_LEVEL": "0"})


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory, compiled_wheel: Wheel) -> Install:
    """The compiled wheel with its server extra."""
    return install(
        tmp_path_factory.mktemp("compiled") / "venv", f"{DISTRIBUTION}[server] @ {compiled_wheel.path.as_uri()}"
    )


def run(environment: Install, script: str) -> None:
    """Run a script that may import the tests; the package comes from the environment."""
    done = environment.run(
        environment.python, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script}", cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_holds_the_sources_and_what_was_compiled_of_them(compiled_wheel: Wheel, wheel: Wheel) -> None:
    extra = compiled_wheel.names - wheel.names
    modules = {name.partition(".")[0] for name in extra if name.endswith(".so")}

    assert {name for name in wheel.names if ".dist-info/" not in name} <= compiled_wheel.names
    assert not compiled_wheel.path.name.endswith("-any.whl")
    assert {f"{module[:-3]}" for module in SCRIPT["HOT"] if "*" not in module} <= modules
    assert {"agon_engine/core/game", "agon_engine/core/driver", "agon_engine/ephyran/state"} <= modules
    assert not any(name.startswith("agon_engine/conformance/") for name in modules)


def test_it_plays_the_same_matches(compiled: Install) -> None:
    run(compiled, SAME_MATCHES)


def test_its_games_fulfil_the_contract(compiled: Install) -> None:
    run(compiled, CONTRACT)


def test_games_and_bots_that_are_not_compiled_run_on_it(compiled: Install) -> None:
    run(compiled, INTERPRETED_GAME)


def test_its_referee_plays(compiled: Install) -> None:
    run(compiled, WALK)


def test_an_editable_install_is_not_compiled(tmp_path: Path, clone: Path) -> None:
    tree = shutil.copytree(clone, tmp_path / "tree")

    with pytest.raises(AssertionError, match="AGON_COMPILE is for wheels: an editable install runs its sources"):
        install(tmp_path / "venv", tree, "--editable", extra={SCRIPT["SWITCH"]: "1"})


@pytest.mark.parametrize(("switch", "wanted"), [(None, False), ("0", False), ("1", True)])
def test_the_switch_says_whether(monkeypatch: pytest.MonkeyPatch, switch: str | None, *, wanted: bool) -> None:
    if switch is None:
        monkeypatch.delenv(SCRIPT["SWITCH"], raising=False)
    else:
        monkeypatch.setenv(SCRIPT["SWITCH"], switch)

    assert SCRIPT["is_wanted"]() is wanted


def test_a_switch_that_says_neither_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SCRIPT["SWITCH"], "yes")

    with pytest.raises(ValueError, match="AGON_COMPILE is 0 or 1, not 'yes'"):
        SCRIPT["is_wanted"]()
