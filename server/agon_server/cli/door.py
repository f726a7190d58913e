"""How a command reaches an installation: through the server that runs, or, where none does, through the data folder
itself. Both doors take the same calls and give the same answers and errors.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import grpc
import grpc.aio

from agon.codec.calls import Method
from agon_server.config import DEFAULT_DATA, Address, ConfigError, ServerConfig, load_config
from agon_server.operations.installation import Installation
from agon_server.operations.opened import opened
from agon_server.operations.table import Watch, operation_of
from agon_server.services.admin_file import read_admin_file
from agon_server.services.status import error_of

Q = TypeVar("Q")
R = TypeVar("R")

KNOCK_SECONDS = 2.0
CALL_SECONDS = 600.0
"""An audit of a long ladder takes its time."""
MAX_ANSWER_BYTES = 64 << 20


class Door(Protocol):
    """Where commands go in."""

    async def call(self, method: Method[Q, R], request: Q) -> R:
        """Return the answer. Raise an OperationError, or what the layers below raise on purpose."""

    def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        """Iterate over the answers of a call that watches."""


class ServerDoor:
    """Through a running server."""

    def __init__(self, channel: grpc.aio.Channel, address: str, token: str) -> None:
        self._channel = channel
        self._address = address
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    async def call(self, method: Method[Q, R], request: Q) -> R:
        call: Any = self._channel.unary_unary(method.path)
        try:
            data = await call(method.request.encode(request), metadata=self._metadata, timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise error_of(error, self._address) from None
        return method.response.decode(data)

    async def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        call: Any = self._channel.unary_stream(method.path)
        stream = call(method.request.encode(request), metadata=self._metadata)
        try:
            async for data in stream:
                yield method.response.decode(data)
        except grpc.aio.AioRpcError as error:
            raise error_of(error, self._address) from None
        finally:
            stream.cancel()


class FolderDoor:
    """Through the data folder, with no server running."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation

    async def call(self, method: Method[Q, R], request: Q) -> R:
        operation = operation_of(method)
        assert not isinstance(operation, Watch)
        answer: R = await operation.run(self._installation, request)
        return answer

    def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        operation = operation_of(method)
        assert isinstance(operation, Watch)
        return operation.run(self._installation, request)


class LazyDoor:
    """A door that opens when it is first used, so that a wrong command is told before anything is looked for."""

    def __init__(self, open_: Callable[[], AbstractAsyncContextManager[Door]]) -> None:
        self._open = open_
        self._stack = AsyncExitStack()
        self._door: Door | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.__aexit__(*error)

    async def call(self, method: Method[Q, R], request: Q) -> R:
        return await (await self._opened()).call(method, request)

    async def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        async for answer in (await self._opened()).watch(method, request):
            yield answer

    async def _opened(self) -> Door:
        if self._door is None:
            self._door = await self._stack.enter_async_context(self._open())
        return self._door


@asynccontextmanager
async def open_door(
    data: Path | None,
    server: str | None = None,
    *,
    ca: Path | None = None,
    insecure: bool = False,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Door]:
    """Open the door to the named server, else to the one that runs on the data folder, else to the folder itself."""
    environ = os.environ if environ is None else environ
    if server is not None:
        address = Address.parse(server)
        async with _channel(address, _certificates(ca), insecure=insecure) as channel:
            yield ServerDoor(channel, str(address), environ.get("AGON_ADMIN_TOKEN", ""))
        return

    folder = data or Path(environ.get("AGON_DATA") or DEFAULT_DATA)
    if not folder.is_dir():
        raise ConfigError(
            "there is no data folder here; name one by --data or AGON_DATA, name a server by --server, or make one "
            f"with `agon serve --data {folder}`: {str(folder)!r}"
        )
    admin = read_admin_file(folder)
    if admin is not None and admin.address:
        address = Address.parse(admin.address)
        if await _answers(address):
            async with _channel(address, None, insecure=False) as channel:
                yield ServerDoor(channel, str(address), admin.token)
            return

    settings: ServerConfig = load_config({"data": str(folder)}, environ)
    async with opened(settings) as installation:
        yield FolderDoor(installation)


def _channel(address: Address, ca: bytes | None, *, insecure: bool) -> grpc.aio.Channel:
    options = (("grpc.max_receive_message_length", MAX_ANSWER_BYTES), ("grpc.enable_retries", 0))
    if ca is None and (insecure or address.is_loopback):
        return grpc.aio.insecure_channel(str(address), options=options)

    return grpc.aio.secure_channel(str(address), grpc.ssl_channel_credentials(ca), options=options)


def _certificates(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"--ca: cannot read {str(path)!r}: {(error.strerror or 'unknown error').lower()}") from None


async def _answers(address: Address) -> bool:
    """Tell whether anything listens there."""
    try:
        async with asyncio.timeout(KNOCK_SECONDS):
            _, writer = await asyncio.open_connection(address.host, address.port)
    except OSError:
        return False

    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
