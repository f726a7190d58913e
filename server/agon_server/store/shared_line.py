"""One connection for the commands of many callers: those of one loop turn travel together, and their answers come back
in order. So a call costs no look for a free connection, no timer and mostly no system call of its own.

Not for commands that block: all that come later wait behind them.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from redis import exceptions as client_errors

from agon_server.store.client import ANSWER_SECONDS, CLIENT_ERRORS, is_stale, packed_command

Word = str | bytes | int

AT_ONCE = 100
"""Commands that travel together at most: all of them have `ANSWER_SECONDS`."""


class _Call(NamedTuple):
    packed: bytes
    answer: asyncio.Future[Any]


class SharedLine:
    """Sends commands in the order in which they are given. A task does that while there are any."""

    def __init__(self, connection: Any) -> None:
        """`connection`: of its own, not open yet; it is opened, and again after a failure, by the next command."""
        self._connection = connection
        self._given: list[_Call] = []
        self._serving: asyncio.Task[None] | None = None

    def send(self, *words: Word) -> asyncio.Future[Any]:
        """Give a command, and return what its answer will be, or one of `CLIENT_ERRORS`. Where that is cancelled, the
        command is not sent, or its answer is dropped."""
        answer = asyncio.get_running_loop().create_future()
        self._given.append(_Call(packed_command(*words), answer))
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())
        return answer

    async def aclose(self) -> None:
        """Close the connection; whoever still waits for an answer learns that there will be none."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.wait([self._serving])
            self._fail_given()  # a task that had not begun yet has not
        await self._connection.disconnect()

    async def _serve(self) -> None:
        calls: list[_Call] = []
        try:
            while self._given:
                calls, self._given = self._given[:AT_ONCE], self._given[AT_ONCE:]
                calls = [call for call in calls if not call.answer.done()]
                if calls:
                    await self._exchange(calls)
        except BaseException:
            _fail(calls, client_errors.ConnectionError("the connection was closed"))
            self._fail_given()
            raise
        finally:
            self._serving = None

    def _fail_given(self) -> None:
        given, self._given = self._given, []
        _fail(given, client_errors.ConnectionError("the connection was closed"))

    async def _exchange(self, calls: list[_Call]) -> None:
        """Send some commands and read their answers. What goes wrong with the connection drops it, as answers may
        still come on it that are nobody's, and fails those that have none."""
        connection = self._connection
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if connection.is_connected and await is_stale(connection):
                    await connection.disconnect(nowait=True)
                await connection.send_packed_command(b"".join([call.packed for call in calls]), check_health=False)
                for call in calls:
                    await self._settle(call)
        except CLIENT_ERRORS as error:
            await connection.disconnect(nowait=True)
            _fail(calls, error)
        except BaseException:
            await connection.disconnect(nowait=True)
            raise

    async def _settle(self, call: _Call) -> None:
        """Read the next answer, which is that of this call."""
        try:
            answer = await self._connection.read_response()
        except client_errors.ResponseError as refusal:
            answer = refusal
        if call.answer.done():  # its caller has given up
            return
        if isinstance(answer, Exception):
            call.answer.set_exception(answer)
        else:
            call.answer.set_result(answer)


def _fail(calls: list[_Call], error: Exception) -> None:
    for call in calls:
        if not call.answer.done():
            call.answer.set_exception(error)
