"""A server's name on the store that it shares with others: two servers of one name would take each other's matches for
their own from before a restart. So a name is held by one process at a time, and ends with it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets

from agon_server.store.connection import Store
from agon_server.store.errors import StoreError
from agon_server.surroundings import SurroundingsError

log = logging.getLogger(__name__)

HOLD_MS = 15_000
"""How long a server that died without a word keeps its name from servers with another data folder."""


class HeldName:
    """The name of one run of a server: `take` it, then `keep` it, at last `free` it."""

    def __init__(self, store: Store, name: str, *, folder: str, address: str, hold_ms: int = HOLD_MS) -> None:
        """`folder` identifies the data folder, of which this process has the lock; `address` is told to others."""
        self._store = store
        self._name = name
        self._folder = folder
        self._address = address
        self._hold_ms = hold_ms
        self._run = secrets.token_hex(8)

    async def take(self) -> None:
        """Take the name. Raise SurroundingsError when another server has it.

        One that was killed with the same data folder has it no longer: the folder's lock shows that it is dead.
        """
        other = await self._hold(starts=True)
        if other is not None:
            raise SurroundingsError(
                f"a server of this name runs at {other}; choose another by --name, or end that one (when it was "
                f"killed, its name is free after {self._hold_ms // 1000} seconds): {self._name!r}"
            )

    async def keep(self) -> None:
        """Hold the name, for ever; cancel to end.

        Raise SurroundingsError when another server has taken it, while this one stood still or had no store.
        """
        while True:
            await asyncio.sleep(self._hold_ms / 3000)
            try:
                other = await self._hold(starts=False)
            except StoreError as error:
                # What else needs the store says so too; until it is back nobody else gets the name either.
                log.debug("the server's name is not renewed: %s", error)
                continue

            if other is not None:
                raise SurroundingsError(f"another server, at {other}, has taken this one's name: {self._name!r}")

    async def free(self) -> None:
        """Give the name back, so that any server can take it at once."""
        try:
            await self._store.script("name_free", self._name, self._run)
        except StoreError as error:
            log.info("the server's name is free in %d seconds: %s", self._hold_ms // 1000, error)

    async def _hold(self, *, starts: bool) -> str | None:
        """Hold the name for a while; return None, or the address of the server that has it."""
        answer: bytes = await self._store.script(
            "name_hold", self._name, self._run, self._folder, self._address, self._hold_ms, int(starts)
        )
        return answer.decode() or None
