"""`agon serve`: what a running server says of itself, and how it ends."""

from __future__ import annotations

import asyncio
import http.client
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.server.cli.conftest import Served
from tests.support.cli import PROGRAM, run

from agon.codec import admin
from agon.codec.rpc import SERVICES
from agon_server.cli.door import open_door
from agon_server.services.admin_file import read_admin_file


@pytest.fixture
def server() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A server of the test's own, once it has said where it is."""
    with tempfile.TemporaryDirectory(prefix="agon-test-") as folder:
        ports = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
        process = subprocess.Popen(
            [*PROGRAM, "serve", "--data", folder, *ports, "--log", "error"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            assert "bots at 127.0.0.1:" in process.stdout.readline()
            yield process, Path(folder)
        finally:
            process.kill()
            process.communicate()


async def test_health_and_reflection_tell_of_every_service(served: Served) -> None:
    async with grpc.aio.insecure_channel(served.admin.address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for name in ("", *SERVICES):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        requests = [reflection_pb2.ServerReflectionRequest(list_services="")]
        (listed,) = [answer async for answer in stub.ServerReflectionInfo(iter(requests))]

    assert set(SERVICES) <= {service.name for service in listed.list_services_response.service}
    assert len(SERVICES) == 4


def test_metrics_and_healthz_are_where_the_admin_file_says(served: Served) -> None:
    connection = http.client.HTTPConnection(served.admin.metrics, timeout=30)
    answers = {}
    for path in ("/healthz", "/metrics"):
        connection.request("GET", path)
        response = connection.getresponse()
        answers[path] = (response.status, response.read().decode())
    connection.close()

    assert answers["/healthz"] == (200, "serving\n")
    assert answers["/metrics"][0] == 200
    assert "agon_build_info{" in answers["/metrics"][1]


def test_the_admin_file_is_for_the_servers_user_alone(served: Served) -> None:
    assert (served.data / "admin.json").stat().st_mode & 0o777 == 0o600
    assert served.data.stat().st_mode & 0o777 == 0o700


def test_a_new_data_folder_has_a_ladder_for_each_game_and_seat_count(served: Served) -> None:
    from agon_engine.registry import game_names, get_game

    expected = {f"{name}-{seats}" for name in game_names() for seats in get_game(name).spec.seat_counts}
    listed = run("ladder", "ls", "--open", "--data", str(served.data)).out.splitlines()[1:]

    assert expected <= {line.split("\t")[0] for line in listed}


def test_sigterm_ends_it_with_0_and_it_is_no_longer_found(server: tuple[subprocess.Popen[str], Path]) -> None:
    """Requirement C20: SIGTERM drains."""
    process, folder = server

    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    admin_file = read_admin_file(folder)

    assert (process.returncode, err) == (0, "")
    assert admin_file is not None
    assert (admin_file.address, admin_file.metrics) == ("", "")


def test_drain_ends_it_like_sigterm(server: tuple[subprocess.Popen[str], Path]) -> None:
    process, folder = server

    async def drain() -> admin.DrainResponse:
        async with open_door(folder, environ={}) as door:
            return await door.call(admin.DRAIN, admin.DrainRequest())

    answer = asyncio.run(drain())
    _, err = process.communicate(timeout=60)

    assert answer == admin.DrainResponse(0)
    assert (process.returncode, err) == (0, "")


def test_watching_a_ladder_ends_with_ctrl_c(served: Served) -> None:
    from agon_engine.registry import game_names

    name = f"{game_names()[0]}-2"
    command = [*PROGRAM, "ladder", "show", name, "--watch", "--data", str(served.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("rank\tbot")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (130, "agon: interrupted\n")
