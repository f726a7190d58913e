"""A store of a test's own, which servers share by `--redis`: to be killed, started again on its data, or held still."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from tests.support.e2e import Process, ServerProcess, Site, until

from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.embedded import server_binary
from agon_server.store.errors import StoreError

_CONFIG = """\
port 0
unixsocket {folder}/valkey.sock
dir {folder}
appendonly yes
appendfsync {fsync}
maxmemory-policy noeviction
save ""
"""
"""By default what it has acknowledged is on disk, so that a test can kill it and lose nothing."""


class OwnStore:
    """A Valkey process in the folder of a site, which ends it after the servers."""

    def __init__(self, site: Site, fsync: str = "always") -> None:
        self._site = site
        self._fsync = fsync
        self._folder = site.folder / "own"
        self._folder.mkdir()
        self.url = f"unix://{self._folder}/valkey.sock"
        self.process: Process

    @classmethod
    async def started(cls, site: Site, fsync: str = "always") -> OwnStore:
        """Make one that answers. `fsync`: `everysec` is what an installation has, and loses a second when killed."""
        store = cls(site, fsync)
        await store.start()
        return store

    async def start(self) -> None:
        """Start it, on the data that it has, and wait until it answers."""
        config = self._folder / "valkey.conf"
        config.write_text(_CONFIG.format(folder=self._folder, fsync=self._fsync), encoding="ascii")
        self.process = self._site.start("store", [str(server_binary()), str(config)])
        await until(self._answers, what="the store answers")

    async def _answers(self) -> bool:
        store = Store(self.url)
        try:
            return bool(await store.command("PING"))
        except StoreError:
            return False
        finally:
            await store.aclose()

    def kill(self) -> None:
        """Kill it without a chance to say or write anything."""
        self.process.kill()

    def lines_on_disk(self) -> dict[Path, bytes]:
        """Return what is in its append-only file now."""
        return {path: path.read_bytes() for path in (self._folder / "appendonlydir").iterdir()}

    def fall_back(self, lines: dict[Path, bytes]) -> None:
        """Let one that was killed have lost what came after that, as `everysec` may."""
        for path, content in lines.items():
            path.write_bytes(content)

    def hold_still(self) -> None:
        """Let it do nothing, with all connections open, until it may `go_on`."""
        self.process.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.signal(signal.SIGCONT)

    async def reserved(self) -> dict[str, int]:
        """Return the slots that queued and running matches hold, by bot process."""
        store = Store(self.url)
        try:
            flat = await store.command("HGETALL", keys.RESERVED)
        finally:
            await store.aclose()
        return {place.decode(): int(count) for place, count in zip(flat[::2], flat[1::2], strict=True)}


async def two_servers(
    site: Site, store: OwnStore, *settings: str, game: str = "ephyran"
) -> tuple[ServerProcess, ServerProcess]:
    """Start two servers on a store, with one ladder of a game, of two seats."""
    one, two = await asyncio.gather(*(sharing(site, store, name, *settings) for name in ("one", "two")))
    await one.close_ladders(f"{game}-2")
    return one, two


async def sharing(site: Site, store: OwnStore, name: str, *settings: str) -> ServerProcess:
    """Start a server of that name on a store."""
    given = [item for setting in settings for item in ("--set", setting)]
    return await site.server("--redis", store.url, "--name", name, *given, name=name, data=name)
