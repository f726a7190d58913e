"""The store dies, comes back, or stands still, in the middle of matches: the server says so and waits without work,
and when it is back everything goes on; no result is lost, and none counts twice."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable

import pytest
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, sharing
from tests.support.players import Company, ended_well, held, playing

PATIENT = ("time.move=600", "time.connect=600", "time.ready=600", "lease=3600")
"""What is held waits, and no match is taken from a server that is there."""


async def outage(server: ServerProcess, company: Company, begin: Callable[[], None]) -> None:
    """Let the store be away while bots answer in the held matches, until it has said so."""
    before = cpu_seconds(server), len(server.log.splitlines())
    began = os.times().elapsed
    begin()
    company.go_on()
    await until(lambda: not_serving(server), what="health says that the server does not serve", every=CALL_SECONDS)
    await until(lambda: "storing choices has to wait" in server.log, what="a choice waits")
    took = os.times().elapsed - began
    lines = server.log.splitlines()[before[1] :]

    assert await server.healthz() == 503
    assert sum("the store is away, and what needs it waits" in line for line in lines) == 1
    assert sum("WARNING" in line for line in lines) <= 15, lines
    assert cpu_seconds(server) - before[0] < 0.5 * took + 1.0


@pytest.mark.parametrize("way", ["killed", "still"])
async def test_a_store_that_is_away_is_waited_for(site: Site, way: str) -> None:
    """X9."""
    store = await OwnStore.started(site)
    server = await sharing(site, store, "one", *PATIENT)
    await server.close_ladders("ephyran-2")
    async with playing(server, "ajax", "briseis", "calchas", slots=4) as company:
        owned = await held(server, company, server.server)
        if way == "killed":
            await outage(server, company, store.kill)
            await store.start()
        else:
            await outage(server, company, store.hold_still)
            store.go_on()
        await until(server.serving, what="the server serves again", every=CALL_SECONDS)
        more = len(company.results)
        await until(lambda: len(company.results) >= more + 4, what="new matches are played")
        records = await ended_well(server, company, store)

    assert owned.keys() <= records.keys()
    assert {record.epoch for record in records.values()} == {1}
    assert len(re.findall("the store is back", server.log)) == 1


async def not_serving(server: ServerProcess) -> bool:
    return not await server.serving()


def cpu_seconds(server: ServerProcess) -> float:
    """Return what the process has worked so far."""
    with open(f"/proc/{server.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_an_embedded_store_that_died_is_started_again_by_its_server(site: Site) -> None:
    """X9: and play goes on."""
    settings = [item for setting in PATIENT for item in ("--set", setting)]
    server = await site.server(*settings)
    await server.close_ladders("ephyran-2")
    async with playing(server, "ajax", "briseis") as company:
        owned = await held(server, company, server.server)
        os.kill(int((server.data / "store" / "valkey.pid").read_text(encoding="ascii")), signal.SIGKILL)
        await until(lambda: "the store is back after" in server.log, what="the store is back")
        records = await ended_well(server, company)

    assert owned.keys() <= records.keys()
    assert {record.epoch for record in records.values()} == {1}
    assert "started again: what it has lost was written again" in server.log
    samples = await server.samples()
    assert samples.by("agon_store_back_total", "how") == {"restarted": 1}


async def test_an_embedded_store_that_cannot_be_started_again_ends_its_server_with_a_reason(site: Site) -> None:
    server = await site.server()
    server.expected_fault = "the embedded store .*Bad file format"
    log = server.data / "store" / "aof" / "appendonly.aof.1.incr.aof"
    content = bytearray(log.read_bytes())
    content[100:140] = b"?" * 40
    log.write_bytes(content)
    os.kill(int((server.data / "store" / "valkey.pid").read_text(encoding="ascii")), signal.SIGKILL)

    assert await server.wait() == 3
    assert server.log.splitlines()[-1].startswith(
        "agon: the server had to end: the embedded store has ended and cannot be started"
    )
    assert "Traceback" not in server.log
