"""A whole server inside the test's own process, for what can only be seen from within: its tasks, its objects, its
files. Everything else is tested on a process."""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agon.address import Address
from agon_engine.core.timing import MICROSECONDS, TimeControl
from agon_server.app import Server
from agon_server.config import ServerConfig

LOOPBACK = Address("127.0.0.1", 0)


def times(**seconds: float) -> TimeControl:
    """Return a time control of seconds."""
    return TimeControl(**{name: round(value * MICROSECONDS) for name, value in seconds.items()})


@asynccontextmanager
async def serving(*ladders: str, **config: Any) -> AsyncIterator[Server]:
    """Run a server on free ports and a folder of its own; only the named ladders are open."""
    with tempfile.TemporaryDirectory(prefix="agon-e2e-") as folder:
        settings = ServerConfig(data=Path(folder) / "data", listen=LOOPBACK, metrics=LOOPBACK, **config)
        async with Server(settings) as server:
            for ladder in await server.installation.catalogue.list():
                if ladder.name not in ladders:
                    await server.installation.catalogue.close(ladder.name)
            yield server


def files() -> int:
    """Return how many files, sockets and pipes this process has open, but for those that nobody holds any more."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def tasks() -> Counter[str]:
    """Return the tasks of the loop by what they run."""
    return Counter(getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks())


def alive(*kinds: type) -> int:
    """Return how many objects of these kinds are left when what nobody holds is collected."""
    gc.collect()
    return sum(type(one) in kinds for one in gc.get_objects())
