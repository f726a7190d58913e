"""The lease of the one process that folds and pairs, and its fencing token: a process that was only slow finds that
nothing it writes under an older token takes effect.
"""

from __future__ import annotations

from agon_server.store.connection import Store

LEASE_MS = 10_000


class Lease:
    """One server's claim to fold and pair."""

    def __init__(self, store: Store, server: str, ttl_ms: int = LEASE_MS) -> None:
        """`server` is the name under which the lease is taken, and at once taken back after a restart."""
        self._store = store
        self._server = server
        self.ttl_ms = ttl_ms
        self._may_be_held = False
        """A call that was cut off may have taken it, or not have given it back."""

    async def acquire(self) -> int | None:
        """Take the lease and return its token, higher than any before; None while another server has it."""
        self._may_be_held = True
        token = int(await self._store.script("ladder_acquire", self._server, self.ttl_ms)) or None
        self._may_be_held = token is not None
        return token

    async def renew(self, token: int) -> bool:
        """Keep the lease; False when it is lost."""
        return bool(await self._store.script("ladder_renew", self._server, token, self.ttl_ms))

    async def release(self, token: int) -> None:
        """Give the lease back, so that another server has it at once."""
        await self._store.script("ladder_renew", self._server, token, 0)
        self._may_be_held = False

    async def leave(self) -> None:
        """Give the lease back wherever this server may have it, for a server that ends in the middle of anything."""
        if self._may_be_held and (token := await self.acquire()) is not None:
            await self.release(token)
