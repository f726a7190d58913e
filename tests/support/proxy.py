"""A TCP proxy between a bot and a server, whose line a test can cut, or let go silent without a word."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Proxy:
    """Listens on a free port and passes bytes both ways. Use as an async context manager."""

    def __init__(self, target: str) -> None:
        self.target = target
        """Where connections lead that are made from now on: HOST:PORT, or the path of a socket."""
        self._pumps: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.connections = 0
        """How many were made so far."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self._flows.set()
        await self.cut()

    async def cut(self) -> None:
        """Break every connection that there is now, as a cable does that is pulled out and put in again."""
        pumps = tuple(self._pumps)
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)

    def go_on(self) -> None:
        """Pass on what comes, after a silence."""
        self._flows.set()

    def fall_silent(self) -> None:
        """Pass nothing on any more, and tell neither end."""
        self._flows.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        pump = asyncio.current_task()
        assert pump is not None
        self._pumps.add(pump)
        try:
            if self.target.startswith("/"):
                there, back = await asyncio.open_unix_connection(self.target)
            else:
                host, _, port = self.target.rpartition(":")
                there, back = await asyncio.open_connection(host, int(port))
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._pump(reader, back))
                    both.create_task(self._pump(there, writer))
            finally:
                back.transport.abort()
        except (OSError, asyncio.CancelledError, ExceptionGroup):
            pass  # cut, or one end is gone
        finally:
            writer.transport.abort()
            self._pumps.discard(pump)

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            await self._flows.wait()
            target.write(data)
            await target.drain()
        raise ConnectionResetError("one end closed the line")
