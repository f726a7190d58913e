"""grpc.health.v1 and reflection, so that standard tools can ask what is served and whether it works."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection


class Health:
    """Says of the server (the empty name) and of each service whether it is serving."""

    def __init__(self, services: Sequence[str], is_serving: Callable[[], bool]) -> None:
        """Begin with NOT_SERVING."""
        self._names = ("", *services)
        self._is_serving = is_serving
        self._showing = asyncio.Lock()
        self._servicer = health.aio.HealthServicer()

    async def show(self) -> None:
        """Say of all of them what is true now; those who watch are told."""
        statuses = health_pb2.HealthCheckResponse
        async with self._showing:
            status = statuses.SERVING if self._is_serving() else statuses.NOT_SERVING
            for name in self._names:
                await self._servicer.set(name, status)

    def add_to(self, server: grpc.aio.Server) -> None:
        """Serve health and, of all services, reflection."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
        reflection.enable_server_reflection([*self._names[1:], health.SERVICE_NAME, reflection.SERVICE_NAME], server)
