"""`agon doctor` as a person meets it: through a server, through a folder, after kills, on a busy server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cli import Ran, run
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.lone_store import LoneStore
from tests.support.own_store import OwnStore, two_servers
from tests.support.shown import FakeDoor, shown

from agon.codec import admin
from agon_server.cli import doctor as cli_doctor, server_door
from agon_server.services.admin_file import read_admin_file
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.folder import DataFolder


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as made:
        yield made


async def doctor(server: ServerProcess) -> Ran:
    return await asyncio.to_thread(run, "doctor", "--data", str(server.data))


def test_a_folder_on_which_no_server_runs_is_looked_at_and_left_as_it_is(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert run("ladder", "create", "--game", "ephyran", "--seats", "2", "--data", str(data)).code == 0
    before = files(data)

    ran = run("doctor", "--data", str(data))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[:2] == ["servers  none", "matches  0 go on when a server starts, 0 wait"]
    assert ran.out.splitlines()[-1] == "nothing is wrong"
    assert files(data) == before
    told = json.loads(run("doctor", "--data", str(data), "--json").out)
    assert told["symptoms"] == []
    assert told["vitals"]["servers"] == []


def test_ladders_with_too_few_bots_are_something_to_know_and_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    vitals = admin.Vitals(servers=("east at HOST:1",), short_of_bots=("blitz (1 of 4)", "new (0 of 2)"))

    lines = shown(monkeypatch, lambda out: cli_doctor.doctor(out, FakeDoor(admin.DiagnoseResponse((), vitals))))

    assert "ladders  no match for now, as too few bots are connected: blitz (1 of 4), new (0 of 2)" in lines
    assert lines[-1] == "nothing is wrong"


def files(folder: Path) -> dict[str, bytes]:
    """Return what lies in a folder, but for the store's own log, and the lock's note of who had it."""
    skipped = ("valkey.log", "lock")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in skipped
    }


def test_where_there_is_no_installation_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    ran = run("doctor", "--data", str(tmp_path / "none"))

    ran.assert_one_line(2)
    assert not (tmp_path / "none").exists()


def test_a_folder_whose_store_is_elsewhere(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / "data") as folder:
        folder.server_name()

    ran = run("doctor", "--data", str(tmp_path / "data"))
    assert ran.code == 1
    assert "name the one that its servers share by AGON_REDIS=URL" in ran.out
    assert not (tmp_path / "data" / "store").exists()


def test_a_folder_that_another_process_holds(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / "data") as folder:
        folder.server_name()
        ran = run("doctor", "--data", str(folder.path))

    assert ran.code == 1
    assert ran.err == "agon: one thing is not as it should be\n"
    assert re.search(
        rf"lock\tstuck\tthe data folder is in use by process {os.getpid()}, and no server answers", ran.out
    )


async def test_a_store_that_no_server_would_start_on_is_looked_at(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / "data") as folder:
        folder.server_name()
    async with LoneStore() as lone:
        await lone.ask("CONFIG", "SET", "appendonly", "no")
        ran = await asyncio.to_thread(run, "doctor", "--data", str(tmp_path / "data"), env={"AGON_REDIS": lone.url})
        allowed = {"AGON_REDIS": lone.url, "AGON_ALLOW_VOLATILE": "true"}
        fine = await asyncio.to_thread(run, "doctor", "--data", str(tmp_path / "data"), env=allowed)

    assert ran.code == 1
    assert "keeping\tunsafe\tthe store keeps no append-only file, so a crash would lose results\t" in ran.out
    assert (fine.code, fine.err) == (0, "")


def test_a_store_that_does_not_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert run("ladder", "create", "--game", "ephyran", "--seats", "2", "--data", str(data)).code == 0
    for file in (data / "store" / "aof").glob("*.manifest"):
        file.write_text("nonsense\n")

    ran = run("doctor", "--data", str(data))
    assert ran.code == 1
    assert "store\tstuck\tthe store cannot be read: the embedded store did not start" in ran.out


async def test_a_server_that_was_killed_and_what_it_left(site: Site) -> None:
    server = await site.server()
    assert (await doctor(server)).code == 0
    admin_file = read_admin_file(server.data)
    assert admin_file is not None
    token = {"AGON_ADMIN_TOKEN": admin_file.token}
    there = await asyncio.to_thread(run, "doctor", "--server", server.address, env=token)
    assert there.out.splitlines()[-1] == "nothing is wrong"
    server.kill()
    ran = await doctor(server)
    assert ran.code == 1
    assert "leftover\torphaned\tthe store of a server that was killed still runs, as process" in ran.out
    pid = int((server.data / "store" / "valkey.pid").read_text())
    os.kill(pid, 0)  # it was only looked at

    os.kill(pid, signal.SIGKILL)
    ran = await doctor(server)
    assert ran.code == 1
    assert re.search("leftover\torphaned\ta server and its store were killed and left socket, valkey.pid", ran.out)

    again = await site.server()
    assert (await doctor(again)).code == 0


async def test_a_server_that_stands_still_is_named_with_its_process(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await site.server()
    monkeypatch.setattr(server_door, "SILENT_SECONDS", 0.5)
    server.signal(signal.SIGSTOP)
    ran = await asyncio.to_thread(run, "doctor", "--data", str(server.data))
    other = await asyncio.to_thread(run, "queue", "ls", "--data", str(server.data))
    server.signal(signal.SIGCONT)

    pid = int((server.data / "lock").read_text().split()[0])
    assert (ran.code, ran.err) == (1, "agon: one thing is not as it should be\n")
    can_tell = await asyncio.to_thread(Path("/proc/self/stat").exists)
    stopped = f"process {pid}, which has the data folder, is stopped and answers nobody"
    silent = f"the data folder is in use by process {pid}, and no server answers there"
    assert f"lock\tstuck\t{stopped if can_tell else silent}" in ran.out
    assert f"kill -CONT {pid}" in ran.out
    other.assert_one_line(3)
    assert "has not answered for 0.5 s; `agon doctor`" in other.err
    assert (await doctor(server)).code == 0


async def test_a_server_that_does_not_come_to_look_at_itself_is_not_waited_for_for_ever(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await site.server()
    monkeypatch.setattr(cli_doctor, "ANSWER_SECONDS", 0.0)
    ran = await asyncio.to_thread(run, "doctor", "--data", str(server.data))

    ran.assert_one_line(3)
    assert "has not answered for 0 seconds" in ran.err


async def test_a_busy_healthy_pair_of_servers_raises_no_false_alarm(site: Site) -> None:
    store = await OwnStore.started(site)
    one, two = await two_servers(site, store)
    for name in ("ajax", "briseis", "calchas", "dolon"):
        site.bot("random", await one.register(name), one.address, two.address, slots=3)
    await until(one.rated, what="matches are played", every=CALL_SECONDS)
    rated = await one.rated()
    for server in (one, two) * 2:
        assert (await server.call(admin.DIAGNOSE, admin.DiagnoseRequest())).symptoms == ()
    ran = await doctor(two)

    assert (ran.code, ran.out.splitlines()[-1]) == (0, "nothing is wrong")
    assert re.search(r"servers  one at \S+, two at \S+; (one|two) leads the ladders", ran.out)
    assert await one.rated() > rated

    direct = Store(store.url)
    await direct.command("HINCRBY", keys.RESERVED, "nobody/", 2)
    await direct.aclose()
    ran = await doctor(one)
    assert ran.code == 1
    assert "slots\torphaned\t2 slots are reserved and matches hold 0" in ran.out
    await one.close_ladders()
    await one.settled()
