"""The wheel as users meet it: in fresh environments, with the lowest and the newest versions of what it requires."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.installs import Install, Wheel, clean_environment
from tests.support.tree import ROOT

from agon_engine.registry import game_names

BASE = ("agon_engine", "agon", "agon_bots")
SERVER = (*BASE, "agon_ladder", "agon_server")

IMPORT = """
import importlib, sys
for name in sys.stdin.read().split():
    importlib.import_module(name)
"""

PLAY = """
import json
from agon_bots import LocalRules, play_matches
from agon_engine.registry import game_names
for game in game_names():
    for match in play_matches(LocalRules(game, 2, seed="home"), ["greedy", "random"], 2, jobs=1):
        print(json.dumps([game, list(match.result.placements), match.result.seats]))
"""

TYPED_BOT = """
from agon_bots import Bot, Choice, Match, Turn


class Typed(Bot):
    games = ("GAME",)

    def start(self, match: Match) -> None:
        self.seat = match.seat

    def choose(self, turn: Turn) -> Choice:
        reveal_type(turn.clock.bank_us)
        return turn.actions[-1]
"""


def modules(wheel: Wheel, packages: tuple[str, ...]) -> set[str]:
    files = {name.removesuffix(".py") for name in wheel.names if name.endswith(".py") and "__main__" not in name}
    names = {name.removesuffix("/__init__").replace("/", ".") for name in files}
    return {name for name in names if name.partition(".")[0] in packages}


# -- the light base ------------------------------------------------------------------------------------------------


def test_lowest_means_the_lower_bounds(wheel: Wheel, lights: dict[str, Install], servers: dict[str, Install]) -> None:
    for install, bounds in (
        (lights["lowest"], wheel.bounds()),
        (servers["lowest"], {**wheel.bounds(), **wheel.bounds("server")}),
    ):
        installed = {name: install.versions[name] for name in bounds}
        # 0.16 and 0.16.0 are one version.
        assert {name: re.sub(r"(\.0)+$", "", version) for name, version in installed.items()} == {
            name: re.sub(r"(\.0)+$", "", version) for name, version in bounds.items()
        }


def test_the_base_pulls_in_nothing_of_the_server(wheel: Wheel, light: Install) -> None:
    assert set(wheel.bounds()) <= set(light.versions)
    assert not set(wheel.bounds("server")) & set(light.versions)
    assert len(light.versions) <= 4  # itself, grpcio, protobuf, and what newer versions of grpcio require


def test_every_module_of_the_base_can_be_imported(wheel: Wheel, light: Install, tmp_path: Path) -> None:
    light.script(IMPORT, tmp_path, stdin="\n".join(sorted(modules(wheel, BASE))))


def test_house_bots_play_at_home_without_the_server(light: Install, tmp_path: Path) -> None:
    played = [json.loads(line) for line in light.script(PLAY, tmp_path).splitlines()]

    assert [game for game, *_ in played] == [game for game in game_names() for _ in range(2)]
    for _, placements, terminations in played:
        assert sorted(placements) in ([1, 2], [1, 1])
        assert terminations == ["score", "score"]


def test_agon_without_the_server_says_what_to_install(light: Install, tmp_path: Path) -> None:
    done = light.run(light.agon, "serve", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "agon needs the server extra: pip install 'agon-arena[server]'\n"


def test_a_typed_bot_is_checked_against_the_installed_package(lights: dict[str, Install], tmp_path: Path) -> None:
    bot = tmp_path / "typed.py"
    bot.write_text(TYPED_BOT.replace("GAME", game_names()[0]), encoding="utf-8")

    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache")]
    command += ["--python-executable", str(lights["newest"].python), str(bot)]
    done = subprocess.run(
        command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert 'Revealed type is "builtins.int"' in done.stdout or 'Revealed type is "int"' in done.stdout


# -- with the server -----------------------------------------------------------------------------------------------


def test_every_module_can_be_imported(wheel: Wheel, server: Install, tmp_path: Path) -> None:
    server.script(IMPORT, tmp_path, stdin="\n".join(sorted(modules(wheel, SERVER))))


def test_agon_tells_its_version_and_its_games(wheel: Wheel, server: Install, tmp_path: Path) -> None:
    version = server.run(server.agon, "--version", cwd=tmp_path)
    games = server.run(server.agon, "games", "--json", cwd=tmp_path)

    assert (version.returncode, version.stdout) == (0, f"agon {wheel.metadata['Version']}\n")
    assert [game["name"] for game in json.loads(games.stdout)] == list(game_names())


def test_help_works_with_either_command_line_library(server: Install, tmp_path: Path) -> None:
    done = server.run(server.agon, "ladder", "create", "--help", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: agon ladder create")


def test_a_missing_argument_is_wrong_usage_with_either_command_line_library(server: Install, tmp_path: Path) -> None:
    done = server.run(server.agon, "ladder", "show", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("agon: missing argument 'NAME'")


def test_agon_plays_a_tournament_at_home(server: Install, tmp_path: Path) -> None:
    done = server.run(
        server.agon, "play", game_names()[0], "--bots", "random,greedy", "--matches", "2", "--json", cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["matches"] >= 2


@contextmanager
def running(
    install: Install, *command: str | Path, cwd: Path, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process of an environment, its output in one pipe; ended at the latest here."""
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env=clean_environment({"PYTHONUNBUFFERED": "1", **(env or {})}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            # Twice is at once, and takes what it has started along.
            for _ in range(2):
                process.terminate()


def wait_for_line(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    said = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        if found := re.search(pattern, line):
            return found

    raise AssertionError(f"it ended without a line like {pattern!r}:\n{''.join(said)}")


def end(process: subprocess.Popen[str]) -> int:
    """Ask it to end, read what it still says, return its exit code."""
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    return process.returncode


@pytest.mark.parametrize(("of_server", "of_bot"), [("lowest", "newest"), ("newest", "lowest")])
def test_a_server_of_one_end_referees_a_bot_of_the_other(
    servers: dict[str, Install], lights: dict[str, Install], of_server: str, of_bot: str, tmp_path: Path
) -> None:
    """From a new data folder to a proven record, and down by SIGTERM with exit code 0."""
    server, light = servers[of_server], lights[of_bot]
    # Short, since the store's socket lies in it.
    with tempfile.TemporaryDirectory(prefix="agon-") as folder:
        data = Path(folder) / "data"
        serve = (server.agon, "serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
        with running(server, *serve, "--house", "greedy", cwd=tmp_path) as referee:
            address = wait_for_line(referee, r"bots at (\S+),")[1]
            registered = server.run(server.agon, "bot", "register", "visitor", "--data", data, cwd=tmp_path)
            assert registered.returncode == 0, registered.stderr
            token = registered.stdout.split()[-1]
            play = (light.python, "-m", "agon_bots", "run", "random", "--server", address)
            with running(light, *play, cwd=tmp_path, env={"AGON_TOKEN": token}) as bot:
                wait_for_line(bot, r"over after score")
                assert end(bot) == 0
            assert end(referee) == 0

        records = list(data.rglob("*.jsonl.gz"))
        assert records
        verified = server.run(server.agon, "replay", "verify", *records, cwd=tmp_path)
        assert verified.returncode == 0, verified.stderr


# -- editable ------------------------------------------------------------------------------------------------------


def test_an_editable_install_generates_the_protobuf_modules_and_works_from_the_tree(
    editable: tuple[Path, Install], tmp_path: Path
) -> None:
    tree, install = editable
    places = "import agon_engine, agon_bots, agon.v1.play_pb2_grpc as made; print(agon_engine.__file__, made.__file__)"

    assert {Path(place).relative_to(tree).parts[0] for place in install.script(places, tmp_path).split()} == {
        "engine",
        "proto",
    }
    assert len(install.script(PLAY, tmp_path).splitlines()) == 2 * len(game_names())


def test_a_build_leaves_nothing_that_git_would_add(editable: tuple[Path, Install]) -> None:
    tree, _ = editable
    git = ["git", "-C", str(tree)]
    subprocess.run([*git, "init", "--quiet"], check=True, env=clean_environment())
    subprocess.run([*git, "add", "--all"], check=True, env=clean_environment())
    added = subprocess.run([*git, "ls-files"], check=True, env=clean_environment(), capture_output=True, text=True)
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)

    assert set(added.stdout.splitlines()) <= set(tracked.stdout.splitlines())
