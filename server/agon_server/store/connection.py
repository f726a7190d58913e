"""A connection to the store: a Redis or Valkey server, or the embedded one. Scripts, errors and waits are handled here,
so that no other module knows the client library."""

from __future__ import annotations

from typing import Any

from agon_server.store.folder import DataFolder


class Store:
    """The store that all processes of an installation share. Answers are bytes, whole numbers, None or lists of these."""

    async def script(self, name: str, *args: str | bytes | int) -> Any:
        """Run one of the scripts in `scripts/` with the arguments. Raise StoreUnavailableError when it is away."""
        raise NotImplementedError

    async def command(self, *args: str | bytes | int) -> Any:
        """Run one command. Raise StoreUnavailableError when the store is away."""
        raise NotImplementedError

    async def wait_durable(self) -> None:
        """Return when everything written before this call is on disk (WAITAOF, else after two seconds)."""
        raise NotImplementedError

    async def secret(self, name: str) -> bytes:
        """Return 32 secret bytes of that name, made once for the whole installation."""
        raise NotImplementedError

    async def now_ms(self) -> int:
        """Return the store's clock, in milliseconds since 1970."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close all connections, and end the embedded server where it is one."""
        raise NotImplementedError


async def open_store(url: str | None, folder: DataFolder | None, *, allow_volatile: bool = False) -> Store:
    """Open the store at the URL (redis://, rediss:// or unix://), or the embedded one of the data folder.

    Raise StoreRefusedError when the server is too old, a cluster, or (unless `allow_volatile`) would lose or evict
    data; StoreUnavailableError when it does not answer; DataFolderError when the embedded one cannot start.
    """
    raise NotImplementedError
