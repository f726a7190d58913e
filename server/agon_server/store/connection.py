"""A connection to the store: a Redis or Valkey server, or the embedded one. Scripts, errors and waits are handled here,
so that no other module of the server need know more of the store than its keys."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Self

from redis import exceptions as client_errors

from agon_server.store import keys
from agon_server.store.checks import check_keeping, check_server, parse_info
from agon_server.store.client import (
    ANSWER_SECONDS,
    CLIENT_ERRORS,
    RestartedError,
    answered,
    close_client,
    make_client,
    make_connection,
    translated,
)
from agon_server.store.embedded import EmbeddedServer
from agon_server.store.errors import Away, StoreError, StoreRefusedError, StoreUnavailableError
from agon_server.store.folder import DataFolder
from agon_server.store.lua import script_digest, script_text
from agon_server.store.script_line import ScriptLine
from agon_server.store.shared_line import SharedLine
from agon_server.store.state import StoreState
from agon_server.store.urls import shown_url
from agon_server.waiting import Waiting

log = logging.getLogger(__name__)

Value = str | bytes | int

MAX_BLOCK_MS = 10_000
"""The longest that one blocking command may wait; longer waits are made of several."""
_LOADING_SECONDS = 0.2
"""How often a server that reads its data is asked whether it has."""
_WAITAOF_MS = 2_000
_NO_WAITAOF_SECONDS = 2.0
"""After this time a server without WAITAOF has written on disk (appendfsync everysec)."""
_RECONNECT_SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0)


class Store:
    """The store that all processes of an installation share. Answers are bytes, whole numbers, None or lists of them.

    All calls may be cancelled at any time. Nothing is sent twice behind the caller's back.
    """

    def __init__(self, url: str, embedded: EmbeddedServer | None = None) -> None:
        """Prepare a connection; nothing is sent. Raise StoreRefusedError when the URL cannot be one."""
        self.shown_url = shown_url(url)
        self.embedded = embedded
        self.url = url
        """The whole URL, its password included: for a process of our own, never to be shown."""
        self.state = StoreState()
        """Always here, unless somebody watches."""
        self.run = ""
        """The run of the server that was found at the start."""
        self.expected_run = ""
        """The run of the server that calls may reach; empty: any."""
        self.mark = ""
        """The installation's, once it is known."""
        self._line = SharedLine(make_connection(url, self._meet))
        self._calls = Calls(self._line, self._translated)
        self._early_line = SharedLine(make_connection(url))
        self.early = Calls(self._early_line, self._translated)
        """For a StoreListener that is told that the store is back: what goes before the calls of all others."""
        self._disk_line = SharedLine(make_connection(url, self._meet))
        """For what waits for the disk, so that nothing else does."""
        self._keeps_file = False
        self._has_waitaof = False
        self._durable_lock = asyncio.Lock()
        self._durable_round: asyncio.Task[None] | None = None

    async def check(self, *, allow_volatile: bool = False) -> None:
        """Find out what the server is. Raise as `open_store` does."""
        info = parse_info(await self.command("INFO"))
        if info.get("loading") == "1":  # what it says of itself is not true yet
            raise StoreUnavailableError(f"the store at {self.shown_url} still reads its data", Away.LOADING)
        self.learn(info)
        if not allow_volatile:
            check_keeping(info, self.shown_url)
        mark, _ = await self.script("mark", "", new_mark())
        self.mark = mark.decode()
        try:
            await self.command("WAITAOF", 0, 0, 0)
        except StoreUnavailableError:
            raise
        except StoreError:
            self._has_waitaof = False
        else:
            self._has_waitaof = True
            # Open from now on: who waits for the disk has waited long enough.
            await Calls(self._disk_line, self._translated).command("PING")

    def learn(self, info: Mapping[str, str]) -> None:
        """Take over what the server says of itself, also when it was started again. Raise StoreRefusedError where it is
        too old, a cluster or a replica."""
        check_server(info, self.shown_url)
        self._keeps_file = info.get("aof_enabled") == "1"
        self.run = info.get("run_id", "")

    async def aclose(self) -> None:
        """Close all connections, and end the embedded server where it is one."""
        if self._durable_round is not None:
            self._durable_round.cancel()
        for line in (self._line, self._early_line, self._disk_line):
            await line.aclose()
        if self.embedded is not None:
            await self.embedded.stop()

    # -- calls ---------------------------------------------------------------------------------------------------

    async def script(self, name: str, *args: Value) -> Any:
        """Run one of the scripts in `scripts/` with the arguments. Raise StoreUnavailableError when it is away."""
        self.state.ensure_here()
        return await self._calls.script(name, *args)

    async def command(self, *args: Value) -> Any:
        """Run one command, not one that blocks: it goes by the line of all callers, see `waiter`. Raise
        StoreUnavailableError when the store is away, StoreError when it refuses it."""
        self.state.ensure_here()
        return await self._calls.command(*args)

    def _translated(self, error: Exception) -> StoreError:
        made = translated(error, self.shown_url)
        if isinstance(made, StoreUnavailableError):
            self.state.doubt()
        return made

    def _meet(self, run: str) -> None:
        if self.expected_run not in ("", run) or not self.state.is_here:
            self.state.doubt()
            raise RestartedError

    async def now_ms(self) -> int:
        """Return the store's clock, in milliseconds since 1970."""
        seconds, microseconds = await self.command("TIME")
        return int(seconds) * 1000 + int(microseconds) // 1000

    async def secret(self, name: str) -> bytes:
        """Return 32 secret bytes of that name, made once for the whole installation."""
        await self.command("SET", keys.SEALED + name, secrets.token_bytes(32), "NX")
        kept = await self.command("GET", keys.SEALED + name)
        assert isinstance(kept, bytes)
        return kept

    # -- waits ---------------------------------------------------------------------------------------------------

    async def wait_durable(self) -> None:
        """Return when everything that anybody wrote before this call is on disk.

        By WAITAOF where the server has it, else after two seconds, in which `everysec` has written it. At once where
        the server keeps no append-only file: nothing is ever durable there, as was allowed at the start, or is said
        by the watch since it was switched off.
        """
        self.state.ensure_here()
        if not self._keeps_file:
            return

        run = self.expected_run
        # All who call while a round is under way share the next one.
        if self._durable_round is None:
            self._durable_round = asyncio.create_task(self._make_durable())
            self._durable_round.add_done_callback(_retrieve)
        await asyncio.shield(self._durable_round)
        if self.expected_run != run:
            raise StoreUnavailableError(f"the store at {self.shown_url} was started again before all was on its disk")

    async def _make_durable(self) -> None:
        async with self._durable_lock:
            self._durable_round = None
            if not self._has_waitaof:
                await asyncio.sleep(_NO_WAITAOF_SECONDS)
                return

            try:
                while True:
                    # WAITAOF is about this connection's own writes, so one is made behind all others.
                    write = self._disk_line.send("SET", keys.DURABLE, "1")
                    wait = self._disk_line.send("WAITAOF", 1, 0, _WAITAOF_MS)
                    _, (local, _) = await asyncio.gather(write, wait)
                    if local:
                        return
            except CLIENT_ERRORS as error:
                refused = self._translated(error)
                if isinstance(refused, StoreUnavailableError) or await self._keeps_file_now():
                    raise refused from error

    async def _keeps_file_now(self) -> bool:
        """Tell whether the server still keeps its file: where it was told not to, which the watch says, there is no
        disk to wait for, and nobody may wait for ever."""
        return parse_info(await self.command("INFO", "persistence")).get("aof_enabled") == "1"

    def waiter(self) -> Waiter:
        """Return a connection of its own for commands that block."""
        return Waiter(make_client(self.url), self.shown_url, self.state)

    def script_line(self, name: str) -> ScriptLine:
        """Return a connection of its own for one script that is called all the time."""
        return ScriptLine(make_connection(self.url, self._meet), self.state, self._translated, name)

    async def subscribe(self, channel: str) -> AsyncGenerator[bytes | None, None]:
        """Iterate over what is published to a channel, for ever. Reconnects by itself; what came between is lost, so
        that each time when it listens from now on None comes first: whoever reads a state reads it then."""
        failures = 0
        while True:
            client = make_client(self.url)
            try:
                async with client.pubsub() as pubsub:
                    await answered(pubsub.subscribe(channel))
                    is_asked = False
                    while True:
                        message = await pubsub.get_message(timeout=ANSWER_SECONDS)
                        if message is None and is_asked:
                            raise TimeoutError("no answer to a ping")
                        # A connection that broke without a word is silent too: only an answer tells that it is there.
                        is_asked = message is None
                        if message is None:
                            await answered(pubsub.ping())
                        elif message["type"] == "subscribe":
                            yield None
                        elif message["type"] == "message":
                            failures = 0
                            yield message["data"]
            except CLIENT_ERRORS:
                failures += 1
            finally:
                await close_client(client)
            await asyncio.sleep(_RECONNECT_SECONDS[min(failures, len(_RECONNECT_SECONDS)) - 1])


class Calls:
    """Scripts and commands on a line, whatever the state of the store."""

    def __init__(self, line: SharedLine, translated: Callable[[Exception], StoreError]) -> None:
        self._line = line
        self._translated = translated

    async def script(self, name: str, *args: Value) -> Any:
        """As `Store.script`."""
        try:
            try:
                return await self._line.send("EVALSHA", script_digest(name), 0, *args)
            except client_errors.NoScriptError:
                # It was never given there, or the server was restarted, or its scripts were flushed.
                await self._line.send("SCRIPT", "LOAD", script_text(name))
                return await self._line.send("EVALSHA", script_digest(name), 0, *args)
        except CLIENT_ERRORS as error:
            raise self._translated(error) from error

    async def command(self, *args: Value) -> Any:
        """As `Store.command`."""
        try:
            return await self._line.send(*args)
        except CLIENT_ERRORS as error:
            raise self._translated(error) from error


class Waiter:
    """One connection for commands that block, dropped when one is cancelled: its answer may still come."""

    def __init__(self, client: Any, shown_url: str, state: StoreState) -> None:
        self._redis = client
        self._shown_url = shown_url
        self._state = state

    async def command(self, *args: Value) -> Any:
        """Run a command that blocks for at most `MAX_BLOCK_MS`. Raise StoreUnavailableError when the store is away."""
        self._state.ensure_here()
        done = False
        try:
            answer = await answered(self._redis.execute_command(*args), MAX_BLOCK_MS / 1000 + ANSWER_SECONDS)
            done = True
        except CLIENT_ERRORS as error:
            self._state.doubt()
            raise translated(error, self._shown_url) from error
        finally:
            if not done:
                await self._redis.connection_pool.disconnect()
        return answer

    async def aclose(self) -> None:
        await close_client(self._redis)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def open_store(url: str | None, folder: DataFolder | None, *, allow_volatile: bool = False) -> Store:
    """Open the store at the URL (redis://, rediss:// or unix://), or the embedded one of the data folder.

    One that still reads its data is waited for. Raise StoreRefusedError when the server is too old, a cluster, or
    (unless `allow_volatile`) would lose or evict data; StoreUnavailableError when it does not answer; DataFolderError
    when the embedded one cannot start.
    """
    embedded = None
    if url is None:
        if folder is None:
            raise StoreRefusedError("a store needs a URL or a data folder")
        embedded = EmbeddedServer(folder)
        await embedded.start()
        url = embedded.url

    store = None
    try:
        store = Store(url, embedded)
        await _checked(store, allow_volatile=allow_volatile)
    except BaseException:
        if store is not None:
            await store.aclose()
        elif embedded is not None:
            await embedded.stop()
        raise
    return store


async def _checked(store: Store, *, allow_volatile: bool) -> None:
    waiting = Waiting(log, "the start")
    while True:
        try:
            return await store.check(allow_volatile=allow_volatile)
        except StoreUnavailableError as error:
            if error.why is not Away.LOADING:
                raise
            waiting.because(error)
            await asyncio.sleep(_LOADING_SECONDS)


def new_mark() -> str:
    """Return a mark for an installation that has none."""
    return secrets.token_hex(16)


def _retrieve(task: asyncio.Task[None]) -> None:
    # Those who waited may all have been cancelled; the failure is then nobody's.
    if not task.cancelled():
        task.exception()
