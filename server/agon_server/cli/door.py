"""How a command reaches an installation: through the server that runs, or, where none does, through the data folder
itself. Both doors take the same calls and give the same answers and errors.

What a door needs is loaded when it opens: most of a command's time would go into that.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from agon.address import Address
from agon.codec import admin
from agon.codec.calls import Method
from agon_server.config import DEFAULT_DATA, DEFAULT_LISTEN, ConfigError, ServerConfig, read_address
from agon_server.operations.errors import SilentError
from agon_server.services.admin_file import AdminFile, read_admin_file
from agon_server.settings import load_config
from agon_server.store.errors import FolderInUseError
from agon_server.store.folder import is_installation
from agon_server.surroundings import read_up_to, reason_of

Q = TypeVar("Q")
R = TypeVar("R")

KNOCK_SECONDS = 2.0
STARTING_SECONDS = 5.0
"""How long a process that has the data folder may take to answer there as its server, or to end."""
POLL_SECONDS = 0.1
FOUNDING = (admin.REGISTER_BOT, admin.CREATE_LADDER)
"""The calls that may make an installation where there is none; what else there is to do in an empty one is nothing."""


class Door(Protocol):
    """Where commands go in."""

    async def call(self, method: Method[Q, R], request: Q) -> R:
        """Return the answer. Raise an OperationError, or what the layers below raise on purpose."""

    def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        """Iterate over the answers of a call that watches."""


class LazyDoor:
    """A door that opens when it is first used, so that a wrong command is told before anything is looked for."""

    def __init__(self, open_: Callable[[Method[Any, Any]], AbstractAsyncContextManager[Door]]) -> None:
        """`open_` is given the first call."""
        self._open = open_
        self._stack = AsyncExitStack()
        self._door: Door | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.__aexit__(*error)

    async def call(self, method: Method[Q, R], request: Q) -> R:
        return await (await self._opened(method)).call(method, request)

    async def watch(self, method: Method[Q, R], request: Q) -> AsyncIterator[R]:
        async for answer in (await self._opened(method)).watch(method, request):
            yield answer

    async def _opened(self, method: Method[Any, Any]) -> Door:
        if self._door is None:
            self._door = await self._stack.enter_async_context(self._open(method))
        return self._door


@asynccontextmanager
async def open_door(
    data: Path | None,
    server: str | None = None,
    *,
    ca: Path | None = None,
    insecure: bool = False,
    environ: Mapping[str, str] | None = None,
    first: Method[Any, Any] | None = None,
    tell: Callable[[str], None] | None = None,
    no_server: str = "",
) -> AsyncIterator[Door]:
    """Open the door to the named server, else to the one that runs on the data folder, else to the folder itself.

    A data folder that is no installation yet is made one only where the `first` call is one of `FOUNDING` and the
    folder was named; all else raises ConfigError, and leaves it as it is. `tell` is given a line about a folder that
    was made or is not the one of a running server. `no_server`: for what only a server does, what ConfigError says
    where none runs; the folder is not opened then, so that a server that is starting finds it free.
    """
    environ = os.environ if environ is None else environ
    if server is not None:
        address = read_address(server)
        token = environ.get("AGON_ADMIN_TOKEN") or environ.get("AGON_TOKEN") or ""
        async with _server_door(address, token.strip(), _certificates(ca), insecure=insecure) as door:
            yield door
        return

    named = data or environ.get("AGON_DATA")
    folder = data_folder(data, environ)
    tell = tell or (lambda _: None)
    told = _admin_file(folder)
    is_new = told is None and not is_installation(folder)
    if is_new and not (named and first in FOUNDING):
        raise await _no_installation(folder)
    async with AsyncExitStack() as stack:
        served = await _served_door(stack, folder, told, first, environ)
        if served is not None:
            yield served
            return

        if no_server:
            raise ConfigError(no_server)
        settings = load_config({"data": str(folder)}, environ)
        if first is admin.DIAGNOSE:
            yield _closed_door(settings)
            return

        free, is_folder = await _free_door(stack, settings, folder, first, environ)
        if is_folder and is_new:
            tell(f"made a new installation in the data folder {str(folder)!r}")
        elif is_folder and not named:
            tell(f"opened the data folder {str(folder)!r} itself, as no server runs on it; --data DIR names another")
        yield free


async def _served_door(
    stack: AsyncExitStack,
    folder: Path,
    told: AdminFile | None,
    first: Method[Any, Any] | None,
    environ: Mapping[str, str],
) -> Door | None:
    """Open the door to the server that runs on a folder, as its admin file says; None: nothing answers there."""
    if told is None or not told.address or not await _answers(address := read_address(told.address)):
        return None

    try:
        return await stack.enter_async_context(_server_door(address, told.token))
    except SilentError:
        if first is not admin.DIAGNOSE:
            raise
    return _closed_door(load_config({"data": str(folder)}, environ))


async def _free_door(
    stack: AsyncExitStack,
    settings: ServerConfig,
    folder: Path,
    first: Method[Any, Any] | None,
    environ: Mapping[str, str],
) -> tuple[Door, bool]:
    """Open the folder itself, or, where another process has it, the door to the server that this is found to be; tell
    whether it is the folder. Raise FolderInUseError where it is neither within `STARTING_SECONDS`."""
    from agon_server.cli.folder_door import open_folder

    loop = asyncio.get_running_loop()
    deadline = loop.time() + STARTING_SECONDS
    while True:
        try:
            return await stack.enter_async_context(open_folder(settings)), True
        except FolderInUseError as error:
            held = error
        if (door := await _served_door(stack, folder, _admin_file(folder), first, environ)) is not None:
            return door, False
        if loop.time() > deadline:
            raise FolderInUseError(
                f"{held.who} has the data folder and answers nobody yet: a server that starts or ends, or another "
                f"command; try again in a moment, and where it stays so ask `agon doctor`: {str(folder)!r}",
                held.holder,
                held.who,
                is_server=held.is_server,
            )
        await asyncio.sleep(POLL_SECONDS)


def data_folder(data: Path | None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the data folder that is meant: as typed, as AGON_DATA says, or the one that there is by default."""
    return Path(data or environ.get("AGON_DATA") or DEFAULT_DATA)


def _admin_file(folder: Path) -> AdminFile | None:
    return read_admin_file(folder) if folder.is_dir() else None


async def _no_installation(folder: Path) -> ConfigError:
    """Return the error that says where an installation may be, since there is none."""
    hint = f"; a server runs at {DEFAULT_LISTEN}: name its folder" if await _answers(DEFAULT_LISTEN) else ""
    return ConfigError(
        "there is no data folder here; name one by --data or AGON_DATA, name a server by --server, or make one "
        f"with `agon serve --data {folder}`{hint}: {str(folder)!r}"
    )


def _server_door(
    address: Address, token: str, ca: bytes | None = None, *, insecure: bool = False
) -> AbstractAsyncContextManager[Door]:
    from agon_server.cli.server_door import open_server

    return open_server(address, token, ca, insecure=insecure)


def _closed_door(settings: ServerConfig) -> Door:
    from agon_server.cli.folder_door import ClosedDoor

    return ClosedDoor(settings)


def _certificates(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return read_up_to(path)
    except OSError as error:
        raise ConfigError(f"--ca: cannot read {str(path)!r}: {reason_of(error)}") from None


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
