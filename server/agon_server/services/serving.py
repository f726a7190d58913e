"""LadderService, AdminService and TournamentService on a gRPC server: reads the request, checks who calls, runs the
operation, and gives a failure its status. What a call does is in `operations`, which the command line uses too.
"""

from __future__ import annotations

import hmac
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, NoReturn

import grpc
import grpc.aio

from agon.codec.calls import Method
from agon_server.operations.errors import DeniedError, LimitError, UnauthenticatedError
from agon_server.operations.installation import Installation
from agon_server.operations.table import OPERATIONS, Access, Operation, Watch
from agon_server.services.status import status_of, trailers_of
from agon_server.trace import places

log = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]

ADMIN_CALLS = 64
"""Calls of the admin served at a time, watching ones too: a budget of their own, so that no stranger can use it up."""
MAX_MESSAGE = 2_000
"""Characters of what a failed call says; of the mistakes of a file, for example, the first ones."""
RETRY_MS = 1_000
"""When to try again after a call that was one too many."""


class Services:
    """The unary and watching services of one server."""

    def __init__(
        self,
        installation: Installation,
        admin_token: str,
        *,
        calls: int,
        watches: int,
        operations: Sequence[Operation[Any, Any] | Watch[Any, Any]] = OPERATIONS,
    ) -> None:
        """Serve at most so many `calls` with one answer and so many `watches` at a time; the admin's are apart."""
        self._installation = installation
        self._operations = operations
        self._admin_token = admin_token.encode()
        self._calls = _Budget("calls", calls)
        self._watches = _Budget("watches", watches)
        self._admin_calls = _Budget("calls of the admin", ADMIN_CALLS)

    def handlers(self) -> list[grpc.GenericRpcHandler]:
        """Return the handlers to add to a gRPC aio server."""
        methods: dict[str, dict[str, grpc.RpcMethodHandler[bytes, bytes]]] = defaultdict(dict)
        for operation in self._operations:
            methods[operation.method.service][operation.method.name] = self._handler(operation)
        return [grpc.method_handlers_generic_handler(service, found) for service, found in methods.items()]

    def _handler(self, operation: Operation[Any, Any] | Watch[Any, Any]) -> grpc.RpcMethodHandler[bytes, bytes]:
        if isinstance(operation, Watch):
            return grpc.unary_stream_rpc_method_handler(self._watching(operation))

        return grpc.unary_unary_rpc_method_handler(self._answering(operation))

    def _answering(self, operation: Operation[Any, Any]) -> Callable[[bytes, Context], Coroutine[None, None, bytes]]:
        method: Method[Any, Any] = operation.method

        async def answer(data: bytes, context: Context) -> bytes:
            try:
                with self._budget(self._calls, context):
                    request = method.request.decode(data)
                    await self._admit(operation.access, request, context)
                    response = await operation.run(self._installation, request)
                    if operation.changes:
                        await self._installation.store.wait_durable()
                    # A long answer takes milliseconds.
                    return await self._installation.in_background(method.response.encode, response)
            except Exception as error:
                await self._fail(error, method, context)

        return answer

    def _watching(self, watch: Watch[Any, Any]) -> Callable[[bytes, Context], AsyncIterator[bytes]]:
        method: Method[Any, Any] = watch.method

        async def stream(data: bytes, context: Context) -> AsyncIterator[bytes]:
            try:
                with self._budget(self._watches, context):
                    request = method.request.decode(data)
                    await self._admit(watch.access, request, context)
                    async for response in watch.run(self._installation, request):
                        yield await self._installation.in_background(method.response.encode, response)
            except Exception as error:
                await self._fail(error, method, context)

        return stream

    def _budget(self, public: _Budget, context: Context) -> _Budget:
        """Return what a call is counted under; whose token is none of the admin's pays as strangers do."""
        return self._admin_calls if self._is_admin(_bearer(context)) else public

    def _is_admin(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._admin_token)

    async def _admit(self, access: Access, request: Any, context: Context) -> None:
        """Raise UnauthenticatedError or DeniedError unless the caller may do this."""
        if access is Access.PUBLIC:
            return

        token = _bearer(context)
        if not token:
            raise UnauthenticatedError("this call needs a token, in the metadata `authorization: Bearer TOKEN`")
        if self._is_admin(token):
            return

        bot = await self._installation.accounts.authenticate(token)
        if bot is None:
            raise UnauthenticatedError("the token is unknown; the admin token is in admin.json of the data folder")
        if access is not Access.OWNER or bot.name != request.name:
            raise DeniedError(f"the token of bot {bot.name} is not good for this")

    async def _fail(self, error: Exception, method: Method[Any, Any], context: Context) -> NoReturn:
        status = status_of(error)
        if status is None:
            log.error("%s failed:\n%s", method.path, places(error))
            await context.abort(grpc.StatusCode.INTERNAL, "a fault of the server; its log says more")
        await context.abort(status, _cut(" ".join(str(error).split())), trailers_of(error))


def _cut(message: str) -> str:
    """Return a message that travels: gRPC's clients take 8 KiB of trailers, in which other letters than ASCII's have
    three times their bytes and more."""
    return message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]} …"


class _Budget:
    """How many calls of a kind are served at a time: entered by each while it is. Raises LimitError when it is full."""

    def __init__(self, what: str, most: int) -> None:
        self._what = what
        self._most = most
        self._open = 0

    def __enter__(self) -> None:
        if self._open >= self._most:
            raise LimitError(f"this server serves {self._most} {self._what} at a time; try again", RETRY_MS)
        self._open += 1

    def __exit__(self, *_: object) -> None:
        self._open -= 1


def _bearer(context: Context) -> str:
    """Return the token of a call; empty where it has none."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() == "bearer" and token:
                return token
    return ""
