"""A server that runs while the tests of this folder do, and a data folder without one."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.cli import run

from agon_server.cli.processes import Processes
from agon_server.services.admin_file import AdminFile


class Served(NamedTuple):
    """A data folder and the server that runs on it."""

    data: Path
    admin: AdminFile


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """A server of its own process, on free ports."""
    with asyncio.Runner() as runner, tempfile.TemporaryDirectory(prefix="agon-test-") as folder:
        data = Path(folder) / "data"
        processes = Processes(Path(folder))
        arguments = ["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--drain", "1"]
        try:
            yield Served(data, runner.run(processes.start_server(data, arguments)))
        finally:
            runner.run(processes.__aexit__())


@pytest.fixture(scope="session")
def unserved() -> Iterator[Path]:
    """A data folder that a server made, and none runs on."""
    with tempfile.TemporaryDirectory(prefix="agon-test-") as folder:
        made = run("ladder", "create", "--game", game(), "--seats", "2", "--data", folder)
        assert made.code == 0, made
        yield Path(folder)


def game() -> str:
    from agon_engine.registry import game_names

    return game_names()[0]
