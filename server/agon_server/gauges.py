"""The gauges of the queue: read from the store now and then, by every server."""

from __future__ import annotations

import asyncio
import logging

from agon_server.metrics import Metrics
from agon_server.queue.desk import Desk
from agon_server.store.errors import StoreError

GAUGE_SECONDS = 5.0

log = logging.getLogger(__name__)


async def keep_gauges(desk: Desk, metrics: Metrics, seconds: float = GAUGE_SECONDS) -> None:
    """Set the gauges every so many seconds, for ever. While the store cannot tell they keep their values, which is said
    once: no match depends on them."""
    failed = False
    while True:
        try:
            depth = await desk.depth()
        except StoreError as error:
            if not failed:
                log.warning("the gauges of the queue keep their values: %s", error)
            failed = True
        else:
            failed = False
            metrics.queue_depth.set(depth.waiting + depth.running)
            metrics.queue_lag.set(depth.waiting)
            metrics.queue_oldest_seconds.set(depth.oldest_ms / 1_000)
        await asyncio.sleep(seconds)
