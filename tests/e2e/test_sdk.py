"""The SDK, the starter and the example without SDK against a real server: cut and silent lines, TLS, Ctrl-C."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from tests.support.e2e import ServerProcess, Site, until
from tests.support.proxy import Proxy

from agon_engine.core import Termination

STARTERS = Path(__file__).resolve().parents[2] / "bots" / "starters"


async def opponent(site: Site, server: ServerProcess, *arguments: str) -> None:
    """Let a random bot be there to play with, on one ladder of short matches."""
    await server.close_ladders("ephyran-2")
    site.bot("random", await server.register("other"), server.address, arguments=arguments)


async def all_played_out(server: ServerProcess) -> bool:
    """Tell whether every match so far ended by the rules, with every seat in it."""
    return all({*record.result.seats} == {Termination.SCORE} for record in await server.records())


async def rated(server: ServerProcess, more: int) -> None:
    """Wait for so many more results."""
    before = await server.rated()

    async def enough() -> bool:
        return await server.rated() >= before + more

    await until(enough, what=f"{more} more results; the log:\n{server.log[-2_000:]}")


async def test_the_example_without_the_sdk_loses_nothing_by_a_cut_line(site: Site) -> None:
    """R1, R4: it comes back by itself, and its match goes on."""
    server = await site.server()
    await opponent(site, server)
    token = await server.register("raw")
    async with Proxy(server.address) as proxy:
        raw = site.python("raw", [str(STARTERS / "raw" / "bot.py")], AGON_SERVER=proxy.address, AGON_TOKEN=token)
        await rated(server, 1)
        for _ in range(2):
            await proxy.cut()
            await rated(server, 1)

        assert proxy.connections >= 3
        assert raw.code is None
        assert await all_played_out(server)
        assert not await server.findings()


async def test_the_sdk_leaves_a_silent_line_and_plays_on_by_another(site: Site) -> None:
    """R3: neither end is told that the line is dead; no match is lost by it."""
    server = await site.server("--set", "ping=0.5")
    await opponent(site, server)
    token = await server.register("patient")
    async with Proxy(server.address) as proxy:
        bot = site.bot("greedy", token, proxy.address, server.address)
        await rated(server, 1)
        proxy.fall_silent()
        await until(lambda: f"{server.address}: connected as patient" in bot.log, what="the bot comes back")
        await rated(server, 1)

    assert await all_played_out(server)
    assert "nothing came from the server for 1 s" in bot.log


async def test_a_bot_of_twenty_lines_ends_its_matches_after_ctrl_c(site: Site) -> None:
    """C20."""
    server = await site.server()
    await opponent(site, server)
    token = await server.register("mine")
    mybot = str(STARTERS / "python" / "mybot.py")
    bot = site.python("mybot", [mybot, "--server", server.address], AGON_TOKEN=token)
    await rated(server, 1)
    bot.signal(signal.SIGINT)

    assert await bot.wait() == 130, bot.log
    assert "takes no new matches" in bot.log
    await server.settled()
    assert await all_played_out(server)
    assert not bot.faults


@pytest.fixture
def certificate(site: Site) -> tuple[str, str]:
    """Make a certificate for 127.0.0.1; return its file and its key's."""
    cert, key = site.folder / "cert.pem", site.folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=agon", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return str(cert), str(key)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
async def test_a_bot_plays_over_tls_with_the_certificate_that_it_is_given(
    site: Site, certificate: tuple[str, str]
) -> None:
    cert, key = certificate
    server = await site.server("--tls-cert", cert, "--tls-key", key)
    await opponent(site, server, "--ca", cert)
    site.bot("greedy", await server.register("safe"), server.address, arguments=("--ca", cert))

    await rated(server, 1)

    assert await all_played_out(server)
