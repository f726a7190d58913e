"""Keeps an embedded store running: one that has ended by itself is started again, a bounded number of times."""

from __future__ import annotations

import asyncio
import logging
import signal

from agon_server.store.embedded import EmbeddedServer
from agon_server.store.errors import DataFolderError
from agon_server.surroundings import SurroundingsError

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 5.0
"""Before the first start of those that follow one another closely, twice as long before each further one, at most."""
WITHIN_SECONDS = 60.0
ENDS = 10
"""A store that ends more often within that time is given up."""
TRIES = 5
"""A store that cannot be started so often, one after the other, is given up."""


async def keep_running(server: EmbeddedServer) -> None:
    """Start the server again whenever it has ended by itself, on the same socket; cancel to end.

    Raise SurroundingsError when it ends too often or cannot be started.
    """
    loop = asyncio.get_running_loop()
    ends: list[float] = []
    while True:
        status = await server.wait_exit()
        ends = [when for when in ends if when > loop.time() - WITHIN_SECONDS] + [loop.time()]
        if len(ends) > ENDS:
            raise SurroundingsError(
                f"the embedded store ends again and again ({_how(status)}); its log {str(server.log)!r} may say why; "
                "when that is mended start the server again, and running matches go on"
            )
        log.warning("the embedded store has ended by itself (%s) and is started again", _how(status))
        await _start(server, len(ends))
        log.info("the embedded store runs again, as process %s", server.pid)


async def _start(server: EmbeddedServer, ends: int) -> None:
    for tried in range(TRIES):
        await asyncio.sleep(min(MAX_PAUSE_SECONDS, PAUSE_SECONDS * 2 ** (ends - 1 + tried)))
        try:
            return await server.start_again()
        except DataFolderError as error:
            failed = error
            if tried == 0:
                log.warning("the embedded store cannot be started, which is tried again: %s", error)
    raise SurroundingsError(
        f"the embedded store has ended and cannot be started; when that is mended start the server again, and running "
        f"matches go on: {failed}"
    )


def _how(status: int) -> str:
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"exit status {status}"
