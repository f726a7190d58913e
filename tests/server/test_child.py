"""Child processes: they are started, read, waited for and ended, on the server's own event loop too."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import grpc.aio  # a child must not die of the threads that it brings
import pytest
import uvloop

from agon_server import child as child_module
from agon_server.child import start_child

PRINTS = "import sys; print(sys.stdin.read().upper()); sys.exit(3)"
SLEEPS = "import time; print('here', flush=True); time.sleep(600)"


async def test_a_child_reads_what_it_is_given_and_tells_its_exit_code() -> None:
    with tempfile.TemporaryFile() as given:
        given.write(b"secret")
        given.seek(0)
        child = await start_child(sys.executable, "-c", PRINTS, given=given)

    assert await child.output.read() == b"SECRET\n"
    assert await child.wait() == 3
    assert child.has_ended


@pytest.mark.parametrize(("end", "code"), [("terminate", -15), ("kill", -9)])
async def test_a_child_is_ended(end: str, code: int) -> None:
    child = await start_child(sys.executable, "-c", SLEEPS)
    assert await child.output.readline() == b"here\n"
    assert not child.has_ended

    getattr(child, end)()

    assert await child.wait() == code
    getattr(child, end)()  # nothing to end any more


async def test_a_program_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        await start_child("/no/such/program")


async def test_errors_go_with_the_output_where_that_is_asked_for() -> None:
    child = await start_child(sys.executable, "-c", "import sys; sys.exit('no')", with_errors=True)

    assert await child.output.read() == b"no\n"
    assert await child.wait() == 1


async def test_output_goes_to_a_file_where_one_is_given(tmp_path: Path) -> None:
    file = tmp_path / "child.log"
    with file.open("wb") as log:
        child = await start_child(sys.executable, "-c", "print(1)", printed=log)

    assert await child.wait() == 0
    assert child.exit_code == 0
    assert await child.output.read() == b""
    assert file.read_bytes() == b"1\n"
    child.close()


async def test_a_child_that_ends_while_it_is_signalled_keeps_its_exit_code() -> None:
    """Signalling looks whether it has ended, and so may learn its exit code before the one who waits for it."""
    for _ in range(20):
        child = await start_child(sys.executable, "-S", "-c", "import sys; sys.exit(3)")
        await child.output.read()  # it is about to end
        while not child.has_ended:
            child.terminate()
            await asyncio.sleep(0)
        assert await child.wait() in (3, -15)
        child.close()


async def test_output_that_somebody_else_holds_open_can_be_let_go() -> None:
    holder = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)"
    child = await start_child(sys.executable, "-c", holder)
    await child.wait()
    child.close()

    assert child.has_ended


def test_children_live_on_the_servers_loop_with_grpc_beside_them() -> None:
    async def many() -> set[tuple[bytes, int]]:
        server = grpc.aio.server()
        server.add_insecure_port("127.0.0.1:0")
        await server.start()
        seen: set[tuple[bytes, int]] = set()
        for _ in range(10):
            children = [await start_child(sys.executable, "-S", "-c", "print(1)") for _ in range(4)]
            for child in children:
                seen.add((await child.output.read(), await child.wait()))
                child.close()
        await server.stop(0)
        return seen

    assert uvloop.run(many()) == {(b"1\n", 0)}


async def test_a_start_that_is_cancelled_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    def note(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        begun.append(subprocess.Popen(*arguments, **options))
        return begun[0]

    connecting = asyncio.Event()

    async def never(*_: object) -> None:
        connecting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(child_module, "Popen", note)
    monkeypatch.setattr(asyncio.get_running_loop(), "connect_read_pipe", never)
    starting = asyncio.create_task(start_child(sys.executable, "-c", SLEEPS))
    await connecting.wait()
    starting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await starting
    assert begun[0].returncode == -9
