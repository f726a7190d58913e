"""One wheel and five environments, made once for all tests of this folder, which share one worker for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.installs import DISTRIBUTION, Install, Wheel, build_wheel, copy_tracked, install

ENDS = ("lowest", "newest")
"""The versions of the dependencies: the lower bounds of the metadata, or whatever is the newest today."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("packaging"))
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clean clone has."""
    return copy_tracked(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, clone: Path) -> Wheel:
    """The wheel, built from a clean clone."""
    folder = tmp_path_factory.mktemp("wheel")
    return build_wheel(shutil.copytree(clone, folder / "tree"), folder)


@pytest.fixture(scope="session")
def lights(tmp_path_factory: pytest.TempPathFactory, wheel: Wheel) -> dict[str, Install]:
    """The wheel alone, as authors of bots install it, at both ends."""
    return _at_both_ends(tmp_path_factory.mktemp("light"), wheel, "", wheel.bounds())


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory, wheel: Wheel) -> dict[str, Install]:
    """The wheel with its server extra, at both ends."""
    return _at_both_ends(
        tmp_path_factory.mktemp("server"), wheel, "[server]", {**wheel.bounds(), **wheel.bounds("server")}
    )


@pytest.fixture(scope="session")
def editable(tmp_path_factory: pytest.TempPathFactory, clone: Path) -> tuple[Path, Install]:
    """A clean clone, and an environment in which it is installed editable."""
    folder = tmp_path_factory.mktemp("editable")
    tree = shutil.copytree(clone, folder / "tree")
    return tree, install(folder / "venv", tree, "--editable")


@pytest.fixture(params=ENDS)
def light(request: pytest.FixtureRequest, lights: dict[str, Install]) -> Install:
    return lights[request.param]


@pytest.fixture(params=ENDS)
def server(request: pytest.FixtureRequest, servers: dict[str, Install]) -> Install:
    return servers[request.param]


def _at_both_ends(folder: Path, wheel: Wheel, extra: str, bounds: dict[str, str]) -> dict[str, Install]:
    constraints = folder / "lowest.txt"
    constraints.write_text("".join(f"{name}=={bound}\n" for name, bound in bounds.items()), encoding="utf-8")
    what = f"{DISTRIBUTION}{extra} @ {wheel.path.as_uri()}"
    return {
        "lowest": install(folder / "lowest", what, "--constraint", constraints),
        "newest": install(folder / "newest", what),
    }
