"""The client library, as the rest of this package uses it: how a client is made, and what its errors mean."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from hiredis import pack_command
from redis import exceptions as client_errors
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from agon_server.store.checks import parse_info
from agon_server.store.errors import Away, StoreError, StoreRefusedError, StoreUnavailableError
from agon_server.store.urls import FORMS, shown_url, with_password

ANSWER_SECONDS = 5.0
"""How long a command may take before the store counts as away."""
CLIENT_ERRORS = (client_errors.RedisError, OSError, TimeoutError)
"""All that a call can raise."""
_CANNOT_NOW = {
    "LOADING": (Away.LOADING, "still reads its data; it answers when it has"),
    "MISCONF": (Away.DISK, "cannot write to its disk, and so takes nothing; make room there, or see its log"),
    "OOM": (
        Away.MEMORY,
        "has no memory left, and so takes nothing; raise its maxmemory, or take out what is not Agon's",
    ),
    "READONLY": (
        Away.REPLICA,
        "is a replica, which takes nothing; give the primary's URL, or make this one the primary",
    ),
    "MASTERDOWN": (
        Away.REPLICA,
        "is a replica without its primary; give the primary's URL, or make this one the primary",
    ),
    "UNBLOCKED": (Away.REPLICA, "has ended a wait, since it has become a replica"),
    "NOREPLICAS": (Away.REPLICA, "takes nothing while it has too few replicas (min-replicas-to-write); start them"),
    "NOAUTH": (Away.LOGIN, "wants a password; give it in the URL, as {form}"),
    "WRONGPASS": (Away.LOGIN, "refuses the password of the URL; give the right one"),
    "NOPERM": (
        Away.LOGIN,
        "does not let its user do what Agon needs; give that user more rights, or the URL another",
    ),
    "BUSY": (Away.NO_ANSWER, "runs a script that does not end; end that by SCRIPT KILL"),
    "UNKILLABLE": (Away.NO_ANSWER, "runs a script that does not end; see its log"),
}
"""The codes of errors that say that the server cannot do its work now, whatever is asked; and what that means."""
_CODES = (
    # The library cuts the code off where it has a class for it.
    (client_errors.BusyLoadingError, "LOADING"),
    (client_errors.OutOfMemoryError, "OOM"),
    (client_errors.ReadOnlyError, "READONLY"),
    (client_errors.MasterDownError, "MASTERDOWN"),
    (client_errors.NoPermissionError, "NOPERM"),
    (client_errors.AuthenticationError, "WRONGPASS"),
)


def make_client(url: str, *, connections: int = 1, meet: Callable[[str], None] | None = None) -> Any:
    """Return a client; nothing is sent. Its calls are made within `answered`. Raise StoreRefusedError for a wrong URL.

    `meet` is told by each new connection which run of the server it has found, and may raise ConnectionError for one
    that is not to be used: the library makes connections anew without a word.

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
            redis_connect_func=partial(_connected, meet) if meet is not None else None,
        )
    except ValueError:
        raise StoreRefusedError(f"a store's URL is {FORMS}, not {shown_url(url)!r}") from None
    pool.connection_class = _packed_by_hiredis(pool.connection_class)
    client = Redis(connection_pool=pool)
    client.response_callbacks.clear()
    return client


def _packed_by_hiredis(connection: type[Any]) -> type[Any]:
    """Return the kind of connection whose commands are packed by hiredis: in a tenth of the time, which is most of what
    a call with hundreds of arguments takes."""
    return type(connection.__name__, (connection,), {"pack_command": _pack})


def _pack(_: Any, *args: Any) -> list[bytes]:
    # The library names some commands by two words.
    return [packed_command(*args[0].split(), *args[1:])]


def packed_command(*words: Any) -> bytes:
    """Return a command as it travels."""
    packed: bytes = pack_command(words)
    return packed


async def _connected(meet: Callable[[str], None], connection: Any) -> None:
    await connection.on_connect()
    await connection.send_command("INFO", "server", check_health=False)
    meet(parse_info(await connection.read_response()).get("run_id", ""))


def make_connection(url: str, meet: Callable[[str], None] | None = None) -> Any:
    """Return one connection outside of any pool, not open yet, under the same terms as those of `make_client`."""
    return make_client(url, meet=meet).connection_pool.make_connection()


async def is_stale(connection: Any) -> bool:
    """Tell whether an open connection, on which nothing is awaited, is of no use any more: the server has closed it, as
    one does that was told to close those on which nothing is asked for a while."""
    look = getattr(connection, "can_read", None) or connection.can_read_destructive  # its name before redis 8
    try:
        return bool(await look())
    except CLIENT_ERRORS:
        return True


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


class RestartedError(client_errors.ConnectionError):
    """A new connection is not to be used yet: the store is away, or the server is another run than the expected one."""


def code_of(error: Exception) -> str:
    """Return the code that the server's error begins with; empty where it is none of the server's."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return "NOAUTH" if str(error).startswith("Authentication required") else code
    if isinstance(error, client_errors.ResponseError):
        return str(error).partition(" ")[0]
    return ""


def translated(error: Exception, where: str) -> StoreError:
    """Return the error of ours that a client's error amounts to."""
    # Of what goes wrong while it connects, the library tells by an error around the error.
    while isinstance(error.__cause__, client_errors.RedisError):
        error = error.__cause__
    text = str(error) or type(error).__name__
    code = code_of(error)
    if code in _CANNOT_NOW:
        why, words = _CANNOT_NOW[code]
        words = words.format(form=with_password(where))
        return StoreUnavailableError(f"the store at {where} {words}: {text!r}", why)
    if isinstance(error, client_errors.ResponseError):
        return StoreError(f"the store at {where} refuses a call: {text!r}")
    if isinstance(error, RestartedError):
        return StoreUnavailableError(f"the store at {where} is just back; what it may have lost is written first")
    if isinstance(error, TimeoutError | client_errors.TimeoutError):
        return StoreUnavailableError(f"the store at {where} does not answer; is it paused, or held up?", Away.NO_ANSWER)
    return StoreUnavailableError(f"the store at {where} cannot be reached; does it run? {text!r}")
