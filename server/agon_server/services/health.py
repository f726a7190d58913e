"""grpc.health.v1 and reflection, so that standard tools can ask what is served and whether it works."""

from __future__ import annotations

from collections.abc import Sequence

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection


class Health:
    """Says of the server (the empty name) and of each service whether it is serving."""

    def __init__(self, services: Sequence[str]) -> None:
        """Begin with NOT_SERVING."""
        self._names = ("", *services)
        self._servicer = health.aio.HealthServicer()

    async def set_serving(self, serving: bool) -> None:
        """Change what is said of all of them; those who watch are told."""
        statuses = health_pb2.HealthCheckResponse
        for name in self._names:
            await self._servicer.set(name, statuses.SERVING if serving else statuses.NOT_SERVING)

    def add_to(self, server: grpc.aio.Server) -> None:
        """Serve health and, of all services, reflection."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
        reflection.enable_server_reflection([*self._names[1:], health.SERVICE_NAME, reflection.SERVICE_NAME], server)
