"""The gauges of the queue on a real store."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.valkey import connect, entry, until

from agon_server.gauges import keep_gauges
from agon_server.metrics import Metrics
from agon_server.queue.desk import Desk
from agon_server.queue.queue import Queue
from agon_server.store import keys
from agon_server.store.connection import Store


async def test_gauges_survive_whatever_the_store_answers(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """X15: a server never ends for its gauges."""
    await connect(store, "a", "b")
    await Queue(store, server="one").enqueue(entry("a", "b"))
    await store.command("SET", keys.DEAD, "of another type")
    metrics = Metrics()
    keeping = asyncio.create_task(keep_gauges(Desk(store), metrics, 0.001))

    async def complains() -> bool:
        return "the gauges of the queue keep their values" in caplog.text

    async def tells() -> bool:
        return metrics.registry.get_sample_value("agon_queue_depth") == 1

    await until(complains)
    await store.command("DEL", keys.DEAD)
    await until(tells)

    assert caplog.text.count("keep their values") == 1
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping
