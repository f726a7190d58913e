"""Tests of this folder have a real store, and all parts around ladders on it."""

from __future__ import annotations

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder
from tests.support.valkey import store, valkey_url

from agon_engine.core import Chance
from agon_server.store.connection import Store

__all__ = ["store", "valkey_url"]


@pytest.fixture
def ladders(store: Store) -> Ladders:
    return Ladders(store)


@pytest.fixture
async def played(ladders: Ladders) -> Ladders:
    """A ladder with some dozens of results, some of them in blocks that go on."""
    await ladders.catalogue.create(ladder(3))
    await ladders.join("a", "b", "c", "d", slots=3)
    await ladders.lead()
    await ladders.play_rounds(5, by_chance(Chance(bytes(16))))
    return ladders


@pytest.fixture
async def open_ladders(ladders: Ladders) -> Ladders:
    """Two ladders and four connected bots, with this process leading."""
    for seats in (2, 3):
        await ladders.catalogue.create(ladder(seats))
    await ladders.join("a", "b", "c", "d")
    await ladders.lead()
    return ladders
