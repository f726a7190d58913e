"""The gRPC status of each error, and back: the one table of what a failed call of the unary services says.

What stands in no row is a fault of the server: INTERNAL, without a word of what it was; the log has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio

from agon.codec.errors import CodecError
from agon_engine.core.errors import OptionsError
from agon_ladder.errors import LadderError, MissingLibraryError
from agon_server.accounts import AccountError
from agon_server.archive.folder import ArchiveError
from agon_server.config import ConfigError
from agon_server.operations.errors import (
    DeniedError,
    ExistsError,
    InvalidError,
    LimitError,
    NotFoundError,
    OperationError,
    PreconditionError,
    UnauthenticatedError,
    UnreachableError,
)
from agon_server.store.errors import DuplicateMatchError, StoreError, StoreUnavailableError, UnknownMatchError

PUSHBACK = "grpc-retry-pushback-ms"
"""Trailing metadata: after how many milliseconds to try again. gRPC's own name for it."""

STATUS: tuple[tuple[type[Exception], grpc.StatusCode], ...] = (
    (InvalidError, grpc.StatusCode.INVALID_ARGUMENT),
    (NotFoundError, grpc.StatusCode.NOT_FOUND),
    (ExistsError, grpc.StatusCode.ALREADY_EXISTS),
    (PreconditionError, grpc.StatusCode.FAILED_PRECONDITION),
    (UnauthenticatedError, grpc.StatusCode.UNAUTHENTICATED),
    (DeniedError, grpc.StatusCode.PERMISSION_DENIED),
    (LimitError, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (UnreachableError, grpc.StatusCode.UNAVAILABLE),
    # What the layers below raise on purpose.
    (CodecError, grpc.StatusCode.INVALID_ARGUMENT),
    (OptionsError, grpc.StatusCode.INVALID_ARGUMENT),
    (ConfigError, grpc.StatusCode.INVALID_ARGUMENT),
    (AccountError, grpc.StatusCode.INVALID_ARGUMENT),
    (MissingLibraryError, grpc.StatusCode.FAILED_PRECONDITION),
    (LadderError, grpc.StatusCode.INVALID_ARGUMENT),
    (UnknownMatchError, grpc.StatusCode.NOT_FOUND),
    (DuplicateMatchError, grpc.StatusCode.FAILED_PRECONDITION),
    (StoreUnavailableError, grpc.StatusCode.UNAVAILABLE),
    (StoreError, grpc.StatusCode.UNAVAILABLE),
    (ArchiveError, grpc.StatusCode.UNAVAILABLE),
)
"""The first row that fits counts."""

_ERRORS: dict[grpc.StatusCode, type[OperationError]] = {
    status: kind for kind, status in STATUS if issubclass(kind, OperationError)
}


def status_of(error: Exception) -> grpc.StatusCode | None:
    """Return the status of an error that is raised on purpose; None for any other."""
    for kind, status in STATUS:
        if isinstance(error, kind):
            return status
    return None


def trailers_of(error: Exception) -> Sequence[tuple[str, str]]:
    """Return the trailing metadata that go with an error."""
    return ((PUSHBACK, str(error.retry_ms)),) if isinstance(error, LimitError) and error.retry_ms else ()


def error_of(failed: grpc.aio.AioRpcError, address: str) -> OperationError:
    """Return the error that a call's status stands for, as its caller sees it."""
    message = failed.details() or failed.code().name.lower()
    kind = _ERRORS.get(failed.code())
    if kind is UnreachableError or failed.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
        return UnreachableError(f"the server at {address} does not answer: {message}")
    if kind is LimitError:
        return LimitError(message, _pushback(failed.trailing_metadata()))
    if kind is not None:
        return kind(message)
    if failed.code() is grpc.StatusCode.UNIMPLEMENTED:
        return UnreachableError(f"the server at {address} does not know this call; is its version older?")
    return UnreachableError(f"the server at {address} failed: {message}")


def _pushback(metadata: Any) -> int:
    for key, value in metadata or ():
        if key == PUSHBACK and str(value).isdigit():
            return int(value)
    return 0
