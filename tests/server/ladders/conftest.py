"""Tests of this folder have a real store, and all parts around ladders on it."""

from __future__ import annotations

import pytest
from tests.support.ladder_store import Ladders
from tests.support.valkey import store, valkey_url

from agon_server.store.connection import Store

__all__ = ["store", "valkey_url"]


@pytest.fixture
def ladders(store: Store) -> Ladders:
    return Ladders(store)
