"""The client library, as the rest of this package uses it: how a client is made, and what its errors mean."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Any

from redis import exceptions as client_errors
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from agon_server.store.errors import StoreError, StoreRefusedError, StoreUnavailableError
from agon_server.store.urls import FORMS, shown_url

ANSWER_SECONDS = 5.0
"""How long a command may take before the store counts as away."""
CLIENT_ERRORS = (client_errors.RedisError, OSError, TimeoutError)
"""All that a call can raise."""
_CANNOT_NOW = ("OOM", "READONLY", "MISCONF", "MASTERDOWN", "LOADING", "BUSY ", "NOAUTH", "NOPERM", "WRONGPASS")
"""How errors begin that say that the server cannot do its work now, whatever is asked."""


def make_client(url: str, *, connections: int = 1) -> Any:
    """Return a client; nothing is sent. Its calls are made within `answered`. Raise StoreRefusedError for a wrong URL.

    Its answers are as the server gives them, since the library's own forms, and its types, differ between versions. It
    sends nothing twice: the library's retries would repeat a command that may have been carried out.
    """
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=connections,
            timeout=ANSWER_SECONDS,
            # The library's own timeout wraps each send in `asyncio.wait_for`, which loses cancellations (Python 3.11).
            socket_timeout=None,
            socket_connect_timeout=ANSWER_SECONDS,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError:
        raise StoreRefusedError(f"a store's URL is {FORMS}, not {shown_url(url)!r}") from None
    client = Redis(connection_pool=pool)
    client.response_callbacks.clear()
    return client


async def answered(call: Awaitable[Any], seconds: float = ANSWER_SECONDS) -> Any:
    """Return the answer to a call. Raise TimeoutError, its connection dropped, when there is none in that time."""
    async with asyncio.timeout(seconds):
        return await call


async def close_client(client: Any) -> None:
    """Close a client and all its connections, also those that are in use."""
    with contextlib.suppress(*CLIENT_ERRORS):
        await client.aclose()
        await client.connection_pool.disconnect()


def is_loading(error: BaseException) -> bool:
    """Tell whether the server has answered that it is still reading its data."""
    return isinstance(error, client_errors.BusyLoadingError)


def translated(error: Exception, where: str) -> StoreError:
    """Return the error of ours that a client's error amounts to."""
    text = str(error) or type(error).__name__
    refused = isinstance(error, client_errors.ResponseError) and not isinstance(
        error, client_errors.OutOfMemoryError | client_errors.ReadOnlyError
    )
    if refused and not text.startswith(_CANNOT_NOW):
        return StoreError(f"the store at {where} refuses a call: {text!r}")
    return StoreUnavailableError(f"the store at {where} cannot be used now: {text!r}")
