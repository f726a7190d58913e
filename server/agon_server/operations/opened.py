"""An installation opened by a command, with no server running: the store and the folder, under the folder's lock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

from agon_server.accounts import Accounts
from agon_server.archive.archive import Archive
from agon_server.archive.aside import set_others_aside
from agon_server.config import ServerConfig
from agon_server.operations.installation import Installation
from agon_server.presence import Presence
from agon_server.queue.desk import Desk
from agon_server.queue.queue import Queue
from agon_server.queue.results import Results
from agon_server.store.connection import open_store
from agon_server.store.folder import RECORDS, DataFolder


@asynccontextmanager
async def opened(config: ServerConfig) -> AsyncIterator[Installation]:
    """Open the installation in the data folder. Raise DataFolderError when a server has it, or as `open_store` does."""
    with DataFolder.open(config.data) as folder:
        store = await open_store(config.redis, folder, allow_volatile=config.allow_volatile)
        try:
            set_others_aside(folder, store)
            results = Results(store)
            with closing(Archive(folder.sub(RECORDS), store, results)) as archive:
                # What a server that was killed had not archived yet is asked for like everything else.
                await archive.drain()
                yield Installation(
                    config=config,
                    store=store,
                    accounts=Accounts(store, log_bytes=config.limits.log_bytes),
                    presence=Presence(store),
                    queue=Queue(store, server=config.name or folder.server_name()),
                    desk=Desk(store),
                    results=results,
                    archive=archive,
                )
        finally:
            await store.aclose()
