"""grpc.health.v1 and reflection: what standard tools see."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from agon_server.services.health import Health

SERVICES = (
    "agon.v1.PlayService",
    "agon.v1.LadderService",
    "agon.v1.AdminService",
    "agon.v1.TournamentService",
)
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


serving = [False]


@pytest.fixture
async def served() -> AsyncIterator[tuple[Health, grpc.aio.Channel]]:
    health = Health(SERVICES, lambda: serving[0])
    server = grpc.aio.server()
    health.add_to(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield health, channel
    await server.stop(None)


async def ask(channel: grpc.aio.Channel, service: str) -> int:
    stub = health_pb2_grpc.HealthStub(channel)
    return int((await stub.Check(health_pb2.HealthCheckRequest(service=service))).status)


async def test_the_server_and_each_service_say_whether_they_serve(served: tuple[Health, grpc.aio.Channel]) -> None:
    health, channel = served

    serving[0] = True
    await health.show()
    assert [await ask(channel, name) for name in ("", *SERVICES)] == [SERVING] * 5
    serving[0] = False
    await health.show()
    assert [await ask(channel, name) for name in ("", *SERVICES)] == [NOT_SERVING] * 5


async def test_an_unknown_service_is_not_found(served: tuple[Health, grpc.aio.Channel]) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ask(served[1], "agon.v1.NoService")

    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_reflection_lists_all_services_and_describes_each_call(served: tuple[Health, grpc.aio.Channel]) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(served[1])
    requests = [reflection_pb2.ServerReflectionRequest(list_services="")]
    requests += [reflection_pb2.ServerReflectionRequest(file_containing_symbol=name) for name in SERVICES]

    answers = [answer async for answer in stub.ServerReflectionInfo(iter(requests))]

    listed = {service.name for service in answers[0].list_services_response.service}
    assert listed == {*SERVICES, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}
    for answer in answers[1:]:
        assert answer.file_descriptor_response.file_descriptor_proto
