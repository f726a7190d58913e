"""Tests of this folder have a real store, ladders on it, and an installation as operations see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.ladder_store import Ladders
from tests.support.valkey import store, valkey_url

from agon_engine.core.timing import TimeControl
from agon_server.archive.archive import Archive
from agon_server.config import ServerConfig
from agon_server.operations.installation import Installation
from agon_server.queue.desk import Desk
from agon_server.store.connection import Store

__all__ = ["store", "valkey_url"]


@pytest.fixture
def arena(store: Store) -> Ladders:
    return Ladders(store)


@pytest.fixture
def installation(store: Store, arena: Ladders, tmp_path: Path) -> Iterator[Installation]:
    archive = Archive(tmp_path / "records", store, arena.results)
    made = Installation(
        config=ServerConfig(strikes=5, time=TimeControl(move=1_000_000)),
        store=store,
        accounts=arena.accounts,
        presence=arena.presence,
        queue=arena.queue,
        desk=Desk(store),
        results=arena.results,
        archive=archive,
    )
    yield made
    made.background.shutdown()
    archive.close()
