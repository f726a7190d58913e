"""Child processes, without the event loop's own way of starting and awaiting them: uvloop forks in a way that runs fork
hooks, gRPC's among them, and now and then the child dies of it; asyncio loses the exit code of a child that ends while
it is being signalled. `subprocess` does neither."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, Popen
from threading import Thread
from typing import IO, Any

LINE_BYTES = 64 * 1024


class Child:
    """A child process that runs, or has run. Made by `start_child`."""

    def __init__(
        self, process: Popen[bytes], output: asyncio.StreamReader, pipe: asyncio.BaseTransport | None = None
    ) -> None:
        self.output = output
        """What it prints; nothing where that goes to a file."""
        self.pid = process.pid
        self._pipe = pipe
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        Thread(target=self._watch, name=f"child {process.pid}", daemon=True).start()

    @property
    def has_ended(self) -> bool:
        return self._ended.done()

    @property
    def exit_code(self) -> int | None:
        """Its exit code, as `wait` returns it, or None while it runs."""
        return self._ended.result() if self._ended.done() else None

    async def wait(self) -> int:
        """Return its exit code once it has ended; negative: the signal that ended it."""
        return await asyncio.shield(self._ended)

    def terminate(self) -> None:
        """Ask it to end."""
        with suppress(ProcessLookupError):
            self._process.terminate()

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            self._process.kill()

    def close(self) -> None:
        """Let go of its output, whoever else may hold the other end."""
        if self._pipe is not None:
            self._pipe.close()

    def _watch(self) -> None:
        code = self._process.wait()
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._ended.set_result, code)


async def start_child(
    *command: str,
    env: Mapping[str, str] | None = None,
    given: IO[bytes] | int = DEVNULL,
    printed: IO[bytes] | None = None,
    with_errors: bool = False,
    line_bytes: int = LINE_BYTES,
    own_session: bool = False,
    folder: Path | None = None,
) -> Child:
    """Start a process. `given`: its standard input; `printed`: a file that its output goes to; `with_errors`: its
    output is also what it says on stderr, which else goes where ours goes; `line_bytes`: the longest line that its
    output is read by; `own_session`: it leads one, so that Ctrl-C does not reach it; `folder`: where it runs,
    else here. Raise OSError where it cannot be started."""
    process = Popen(  # noqa: ASYNC220, S603  # it returns at once; the command is ours
        command,
        env=env,
        stdin=given,
        stdout=PIPE if printed is None else printed,
        stderr=STDOUT if with_errors else None,
        start_new_session=own_session,
        cwd=folder,
    )
    output = asyncio.StreamReader(limit=line_bytes)
    if process.stdout is None:
        output.feed_eof()
        return Child(process, output)
    loop = asyncio.get_running_loop()
    protocol: Any = asyncio.StreamReaderProtocol(output)
    try:
        pipe, _ = await loop.connect_read_pipe(lambda: protocol, process.stdout)
    except BaseException:  # cancelled, as a rule: nobody would ever end the process
        process.kill()
        process.wait()
        process.stdout.close()
        raise
    return Child(process, output, pipe)
