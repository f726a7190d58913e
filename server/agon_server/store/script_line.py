"""One script on a connection of its own, for a call that is made all the time: no pool, no task and no timer a call.
The arguments come packed, as they travel, so that what never changes is packed once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from redis import exceptions as client_errors

from agon_server.store.client import ANSWER_SECONDS, CLIENT_ERRORS
from agon_server.store.errors import StoreError
from agon_server.store.lua import script_text
from agon_server.store.state import StoreState


def packed(argument: str) -> str:
    """Return an argument of ASCII as it travels."""
    return f"${len(argument)}\r\n{argument}\r\n"


class ScriptLine:
    """A script of the store, called by one caller, one call after the other."""

    def __init__(
        self, connection: Any, state: StoreState, translated: Callable[[Exception], StoreError], script: str
    ) -> None:
        """Prepare it; nothing is sent before the first call."""
        self._connection = connection
        self._state = state
        self._translated = translated
        self._text = script_text(script)
        self._tail = ""
        """What follows the number of words in each call; empty until the server knows the script."""
        self._patience: asyncio.Timeout | None = None
        """Of the call under way."""
        self._began = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def call(self, count: int, arguments: str) -> Any:
        """Run the script with so many arguments, each as `packed` gives it; return its answer.

        Raise StoreUnavailableError when the store is away: whether the call took effect is then unknown.
        """
        self._state.ensure_here()
        loop = asyncio.get_running_loop()
        self._began = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(ANSWER_SECONDS, self._look)
        try:
            async with asyncio.timeout(None) as self._patience:
                return await self._answer(count, arguments)
        except CLIENT_ERRORS as error:
            if not isinstance(error, client_errors.ResponseError):
                await self._drop()
            raise self._translated(error) from error
        except asyncio.CancelledError:
            await self._drop()
            raise
        finally:
            self._patience = None

    async def _answer(self, count: int, arguments: str) -> Any:
        for known in (bool(self._tail), True):
            if not known:
                await self._load()
            try:
                return await self._send(f"*{count + 3}{self._tail}{arguments}")
            except client_errors.NoScriptError:
                self._tail = ""  # the server was restarted, or its scripts were flushed
                await self._load()
        raise client_errors.NoScriptError("the server forgets scripts at once")

    async def _send(self, call: str) -> Any:
        connection = self._connection
        await connection.send_packed_command(call.encode("ascii"), check_health=False)
        answer = await connection.read_response()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _load(self) -> None:
        connection = self._connection
        await connection.send_command("SCRIPT", "LOAD", self._text)
        digest = (await connection.read_response()).decode()
        self._tail = f"\r\n{packed('EVALSHA')}{packed(digest)}{packed('0')}"

    def _look(self) -> None:
        """Let a call that has had no answer for long end; one timer for all calls, as most take far less."""
        loop = asyncio.get_running_loop()
        self._timer = None
        if self._patience is None:
            return
        if loop.time() - self._began >= ANSWER_SECONDS:
            self._patience.reschedule(loop.time())
        else:
            self._timer = loop.call_at(self._began + ANSWER_SECONDS, self._look)

    async def _drop(self) -> None:
        """Drop the connection: an answer may still come on it that is nobody's."""
        await self._connection.disconnect(nowait=True)

    async def aclose(self) -> None:
        """Close the connection."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await self._drop()
