"""The door through a running server, by gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import grpc
import grpc.aio

from agon.address import Address
from agon.codec.calls import Method
from agon_server.operations.errors import OperationError, SilentError, UnauthenticatedError
from agon_server.services.status import error_of

Q = TypeVar("Q")
R = TypeVar("R")

SILENT_SECONDS = 5.0
"""A server that does not even say within this time whether it serves is not waited for."""
_HEALTH = "/grpc.health.v1.Health/Check"
CALL_SECONDS = 600.0
"""An audit of a long ladder takes its time."""
MAX_ANSWER_BYTES = 64 << 20
HOW_TO_BE_ADMITTED = (
    "this needs a token: put the admin's, which is in admin.json of the server's data folder, into AGON_ADMIN_TOKEN; "
    "a bot's own log can also be read with its token in AGON_TOKEN"
)


class ServerDoor:
    """Calls go to a server."""

    def __init__(self, channel: grpc.aio.Channel, address: str, token: str) -> None:
        self._channel = channel
        self._address = address
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    async def knock(self) -> None:
        """See that the server says anything at all. Raise SilentError where it does not."""
        call: Any = self._channel.unary_unary(_HEALTH)
        try:
            await call(b"", timeout=SILENT_SECONDS)
        except grpc.aio.AioRpcError as error:
            # What else is wrong the first call tells.
            if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                raise SilentError(
                    f"the server at {self._address} has not answered for {SILENT_SECONDS:g} s; `agon doctor`, on its "
                    "machine and data folder, tells whether its process stands still"
                ) from None

    async def call(self, method: Method[Q, R], request: Q) -> R:
        call: Any = self._channel.unary_unary(method.path)
        try:
            data = await call(method.request.encode(request), metadata=self._metadata, timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise self._error_of(error) from None
        return method.response.decode(data)

    async def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        call: Any = self._channel.unary_stream(method.path)
        stream = call(method.request.encode(request), metadata=self._metadata)
        try:
            async for data in stream:
                yield method.response.decode(data)
        except grpc.aio.AioRpcError as error:
            raise self._error_of(error) from None
        finally:
            stream.cancel()

    def _error_of(self, failed: grpc.aio.AioRpcError) -> OperationError:
        error = error_of(failed, self._address)
        if isinstance(error, UnauthenticatedError) and not self._metadata:
            # The server speaks of its protocol, to whoever calls; people set a variable.
            return UnauthenticatedError(HOW_TO_BE_ADMITTED)
        return error


@asynccontextmanager
async def open_server(
    address: Address, token: str, ca: bytes | None = None, *, insecure: bool = False
) -> AsyncIterator[ServerDoor]:
    """Open a door to the server there: plain on this machine or where `insecure`, else by TLS.

    Raise SilentError where it answers nothing.
    """
    options = (("grpc.max_receive_message_length", MAX_ANSWER_BYTES), ("grpc.enable_retries", 0))
    if ca is None and (insecure or address.is_loopback):
        channel = grpc.aio.insecure_channel(str(address), options=options)
    else:
        channel = grpc.aio.secure_channel(str(address), grpc.ssl_channel_credentials(ca), options=options)
    async with channel:
        door = ServerDoor(channel, str(address), token)
        await door.knock()
        yield door
